//! Real files and the copies that h5repack and nccopy make of them.
//!
//! The corpus is found by `FRAZIL_CORPUS`, else beside the repository; without it, or without the
//! tools, the test says so and passes.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::sampling::sampled;
use frazil::{ReaderLevel, Resources, Silent, VerifyOptions, VerifyReport, info, verify};

/// Larger files cost more time than they teach.
const MAX_BYTES: u64 = 20 << 20;

fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let path = std::env::var_os("FRAZIL_CORPUS").map_or(beside, PathBuf::from);
    path.is_dir().then_some(path)
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.metadata().unwrap().len() <= MAX_BYTES {
            found.push(path);
        }
    }
}

fn is_classic(path: &Path) -> bool {
    let mut magic = [0; 3];
    let got = fs::File::open(path).unwrap().read(&mut magic).unwrap();
    &magic[..got] == b"CDF"
}

/// A copy by a tool that everybody trusts; `None` if it cannot.
fn copied(path: &Path, copy: &Path) -> Option<()> {
    let mut command = if is_classic(path) {
        let mut command = Command::new("nccopy");
        command.args(["-k", "nc4", "-d", "1"]);
        command
    } else {
        let mut command = Command::new("h5repack");
        command.args(["-f", "GZIP=1"]);
        command
    };
    let output = command.arg(path).arg(copy).output().ok()?;
    output.status.success().then_some(())
}

/// Whether the report has no differences but datasets that the tool left out because it lacks
/// their filters.
fn is_as_expected(path: &Path, report: &VerifyReport) -> bool {
    let about = info(path, false, &Resources::default()).unwrap();
    let needs_plugin = |object: &str| {
        let variable = about
            .variables
            .iter()
            .find(|variable| variable.path == object);
        variable.is_some_and(|variable| variable.readable_by != Some(ReaderLevel::Any))
    };
    report.difference_count == report.differences.len() as u64
        && report.differences.iter().all(|difference| {
            difference.what == "dataset only in the first file" && needs_plugin(&difference.path)
        })
}

#[test]
fn copies_of_real_files_are_equal() {
    let Some(corpus) = corpus() else {
        println!("skipped: no corpus (set FRAZIL_CORPUS)");
        return;
    };
    let mut files = Vec::new();
    files_below(&corpus, &mut files);
    files.sort();
    let mut files = sampled(files, 4);
    files.retain(|path| info(path, false, &Resources::default()).is_ok());
    assert!(!files.is_empty());
    let queue = Mutex::new(files.into_iter());
    let compared = Mutex::new(0_u32);
    let trouble = Mutex::new(Vec::new());
    let work = || {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy");
        loop {
            let Some(path) = queue.lock().unwrap().next() else {
                return;
            };
            if copied(&path, &copy).is_none() {
                continue;
            }
            *compared.lock().unwrap() += 1;
            match verify(&path, &copy, &VerifyOptions::default(), &mut Silent) {
                Ok(report) if is_as_expected(&path, &report) => {}
                other => trouble.lock().unwrap().push((path, format!("{other:?}"))),
            }
            fs::remove_file(&copy).unwrap();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(work);
        }
    });
    let trouble = trouble.into_inner().unwrap();
    assert!(trouble.is_empty(), "{trouble:#?}");
    let compared = compared.into_inner().unwrap();
    if compared == 0 {
        println!("skipped: neither h5repack nor nccopy could copy anything");
    }
    println!("{compared} files compared with their copies");
}
