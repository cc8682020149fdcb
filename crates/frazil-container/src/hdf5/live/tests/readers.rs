//! Readers beside a writer.

use super::script::{Script, holds, stock_tools_read};
use crate::error::ContainerError;
use crate::hdf5::{LiveOutput, Recovery, recover};
use crate::schema::VariableId;

const SCRIPT: Script = Script {
    seed: 7,
    steps: 40,
    every: 8,
    sync: false,
    rewrites: true,
};

#[test]
fn readers_see_the_last_commit_while_the_next_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.nc");
    let output = Script::create(&path).unwrap();
    assert!(
        holds(&path, &SCRIPT.state(0)).is_err(),
        "there is no commit yet"
    );
    for step in 0..SCRIPT.steps {
        SCRIPT.run(&output, &path, step..step + 1, |_| ()).unwrap();
        let committed = (step + 1) / SCRIPT.every * SCRIPT.every;
        if committed > 0 {
            let state = SCRIPT.state(committed);
            holds(&path, &state).unwrap();
            stock_tools_read(&path, &state).unwrap();
        }
    }
    output.finish(true).unwrap();
    holds(&path, &SCRIPT.state(SCRIPT.steps)).unwrap();
    assert_eq!(recover(&path).unwrap(), Recovery::Clean);
}

#[test]
fn files_are_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.nc");
    let output = Script::create(&path).unwrap();
    SCRIPT.run(&output, &path, 0..13, |_| ()).unwrap();
    output.finish(false).unwrap();
    for from in [13, 20, 27] {
        let output = Script::open(&path).unwrap();
        SCRIPT.run(&output, &path, from..from + 7, |_| ()).unwrap();
        output.finish(false).unwrap();
        let state = SCRIPT.state(from + 7);
        holds(&path, &state).unwrap();
        stock_tools_read(&path, &state).unwrap();
    }
}

#[test]
fn what_was_not_committed_is_lost_and_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.nc");
    let output = Script::create(&path).unwrap();
    SCRIPT.run(&output, &path, 0..15, |_| ()).unwrap();
    drop(output);
    holds(&path, &SCRIPT.state(8)).unwrap();
    let output = Script::open(&path).unwrap();
    SCRIPT.run(&output, &path, 8..40, |_| ()).unwrap();
    output.finish(false).unwrap();
    holds(&path, &SCRIPT.state(40)).unwrap();
}

#[test]
fn memory_held_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.nc");
    let output = Script::create(&path).unwrap();
    SCRIPT.run(&output, &path, 0..8, |_| ()).unwrap();
    assert_eq!(output.pending_bytes(), 0);
    output
        .place_chunk(VariableId(0), &[0, 0], 0, &[1; 9000])
        .unwrap();
    let first = output.pending_bytes();
    assert!(first < 9000, "new space takes no memory");
    output.commit(false).unwrap();
    output
        .place_chunk(VariableId(0), &[0, 0], 0, &[2; 9000])
        .unwrap();
    assert!(output.pending_bytes() >= 9000, "committed space does");
}

#[test]
fn a_file_in_use_is_not_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.nc");
    let output = Script::create(&path).unwrap();
    SCRIPT.run(&output, &path, 0..8, |_| ()).unwrap();
    let journal = folder.path().join("live.nc.frazil-journal");
    std::fs::write(&journal, b"another's").unwrap();
    assert!(matches!(recover(&path), Err(ContainerError::Locked(_))));
    assert!(matches!(
        LiveOutput::open(&path, 512),
        Err(ContainerError::Locked(_))
    ));
    assert!(journal.exists());
}
