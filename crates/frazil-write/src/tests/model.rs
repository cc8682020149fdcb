//! Random puts against arrays in memory, and the same bytes at any number of threads.

use super::script::{Random, Script, options};
use crate::Writer;

/// So little that most chunks leave memory.
const TINY_BYTES: u64 = 24 << 10;

/// Runs a random script; the file's bytes.
fn run(seed: u64, memory_bytes: u64, threads: usize, checks: bool) -> (Vec<u8>, u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let some = options(memory_bytes, threads);
    let mut writer = Writer::create(&path, &some).unwrap();
    let mut script = Script::new(seed, memory_bytes > TINY_BYTES, &mut writer);
    let mut random = Random(!seed);
    for _ in 0..random.below(60) {
        script.put(&mut writer).unwrap();
        match random.below(30) {
            0 => script.variable(&mut writer),
            1 => {
                writer.close().unwrap();
                writer = Writer::append(&path, &some).unwrap();
                script.look_up(&writer);
            }
            2..6 => script.read_back(&mut writer),
            _ => {}
        }
        if random.below(12) == 0 {
            writer.sync().unwrap();
            if checks {
                script.check(&path);
            }
        }
    }
    let report = writer.close().unwrap();
    if checks {
        script.check(&path);
    }
    let names = std::fs::read_dir(folder.path()).unwrap();
    assert_eq!(names.count(), 1, "something is left beside the output");
    (std::fs::read(&path).unwrap(), report.spilled_bytes)
}

#[test]
fn random_puts_are_what_the_file_holds() {
    let mut spilled = 0;
    for seed in 0..150 {
        println!("seed {seed}");
        let memory_bytes = [TINY_BYTES, 64 << 20][seed as usize % 2];
        spilled += run(seed, memory_bytes, seed as usize % 4, true).1;
    }
    assert!(spilled > 0, "no chunk ever left memory");
}

#[test]
fn bytes_depend_on_the_puts_only() {
    for seed in 200..240 {
        println!("seed {seed}");
        let (expected, _) = run(seed, TINY_BYTES, 1, false);
        for threads in [0, 2, 4] {
            let (found, _) = run(seed, TINY_BYTES, threads, false);
            assert!(found == expected, "{threads} threads write other bytes");
        }
    }
}
