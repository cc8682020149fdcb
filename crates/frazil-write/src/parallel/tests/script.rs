//! Random puts by random ranks.

use super::{create, following, options, together};
use crate::WriterOptions;
use crate::tests::sampling::{is_full, sampled};
use crate::tests::script::{Random, Script};

/// Less memory than most files need.
const TINY_BYTES: u64 = 24 << 10;

/// Has ranks carry out a random script; whether any of them ran out of memory.
fn run(seed: u64, size: usize, options: &WriterOptions) -> bool {
    let memory_bytes = options.resources.memory_bytes;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let spilled = together(size, |rank, comm| {
        let mut writer = create(&path, comm, options).unwrap();
        let mut script = Script::new(seed, memory_bytes > TINY_BYTES, &mut writer);
        script.ranks = (rank as u64, size as u64);
        if !seed.is_multiple_of(3) {
            writer.end_definitions().unwrap();
        }
        let mut random = Random(seed ^ 0xabcd);
        for _ in 0..60 {
            match random.below(40) {
                0 => script.variable(&mut writer),
                1..=3 => {
                    writer.sync().unwrap();
                    script.period += 1;
                    if rank == 0 {
                        script.check(&path);
                    }
                }
                _ => script.put(&mut writer).unwrap(),
            }
        }
        let report = writer.close().unwrap();
        if rank == 0 {
            script.check(&path);
        }
        report.spilled_bytes
    });
    let names = std::fs::read_dir(folder.path()).unwrap();
    assert_eq!(names.count(), 1, "something is left beside the output");
    spilled.iter().any(|&bytes| bytes > 0)
}

#[test]
fn random_puts_of_ranks_are_what_the_file_holds() {
    let mut spilled = false;
    for seed in sampled(0..100, 4) {
        println!("seed {seed}");
        let memory_bytes = [TINY_BYTES, 64 << 20][seed as usize % 2];
        let size = 1 + seed as usize % 6;
        let threads = seed as usize % 3;
        spilled |= run(seed, size, &options(memory_bytes, threads));
        run(seed, size, &following(memory_bytes, threads));
    }
    // Few seeds take that much: a sample may have none of them.
    assert!(spilled || !is_full(), "no chunk ever left memory");
}
