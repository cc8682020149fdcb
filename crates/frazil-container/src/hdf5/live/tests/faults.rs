//! System calls that fail: full disks and broken ones.

use std::path::Path;

use super::script::{Script, holds, stock_tools_read};
use crate::commit::faults::{self, Fault};
use crate::error::{ContainerError, Result};
use crate::hdf5::recover;

const SCRIPT: Script = Script {
    seed: 23,
    steps: 18,
    every: 8,
    sync: true,
    rewrites: true,
};

/// Writes the script with a fault; gives the last step whose commit returned, and whether there
/// were so many calls.
fn write(path: &Path, call: u64, fault: Fault) -> (u64, bool, Result<()>) {
    let mut acknowledged = 0;
    let output = Script::create(path).unwrap();
    faults::plan(call, fault);
    let outcome = SCRIPT.run(&output, path, 0..SCRIPT.steps, |step| acknowledged = step);
    let outcome = match outcome {
        Ok(()) => output.finish(SCRIPT.sync),
        Err(error) => {
            drop(output);
            Err(error)
        }
    };
    (acknowledged, faults::clear() >= call, outcome)
}

fn fail_at_every_call(fault: Fault) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    for call in 1..10_000 {
        let path = folder.path().join(format!("{call}.nc"));
        let (acknowledged, was_hit, outcome) = write(&path, call, fault);
        let Err(error) = outcome else {
            holds(&path, &SCRIPT.state(SCRIPT.steps)).unwrap();
            if was_hit {
                // A note that only helps recovery could not be written.
                continue;
            }
            return call;
        };
        let text = error.to_string();
        assert!(
            matches!(error.into_parts().1, ContainerError::Io { .. }),
            "call {call}: {text}"
        );
        recover(&path).unwrap();
        // Where the medium failed after the decision, the commit may be there all the same.
        let next = SCRIPT.next_commit(acknowledged).min(SCRIPT.steps);
        let states = [SCRIPT.state(acknowledged), SCRIPT.state(next)];
        match states.iter().find(|state| holds(&path, state).is_ok()) {
            Some(state) if call % 4 == 0 => stock_tools_read(&path, state).unwrap(),
            Some(_) => {}
            None => assert_eq!(
                acknowledged,
                0,
                "call {call}: {:?}",
                holds(&path, &states[0])
            ),
        }
    }
    panic!("the writer never ends");
}

#[test]
fn a_failing_call_leaves_the_last_commit() {
    for fault in [
        Fault::Fail(libc::ENOSPC),
        Fault::Fail(libc::EIO),
        Fault::FailForGood(libc::EDQUOT),
    ] {
        assert!(fail_at_every_call(fault) > 20);
    }
}

/// A disk that was full for a moment: the same commit succeeds later.
#[test]
fn a_commit_that_failed_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let script = Script {
        sync: false,
        ..SCRIPT
    };
    let (mut retries, mut call) = (0, 0);
    loop {
        call += 1;
        let path = folder.path().join(format!("{call}.nc"));
        let output = Script::create(&path).unwrap();
        script.run(&output, &path, 0..15, |_| ()).unwrap();
        faults::plan(call, Fault::Fail(libc::ENOSPC));
        let failed = output.commit(false);
        let calls = faults::clear();
        if failed.is_ok() {
            assert!(calls < call);
            break;
        }
        retries += 1;
        output.commit(false).unwrap();
        holds(&path, &script.state(15)).unwrap();
        script.run(&output, &path, 15..24, |_| ()).unwrap();
        output.finish(false).unwrap();
        holds(&path, &script.state(24)).unwrap();
    }
    assert!(retries > 5, "a commit has more calls than {retries}");
}

#[test]
fn after_a_failed_sync_nothing_is_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.nc");
    let output = Script::create(&path).unwrap();
    SCRIPT.run(&output, &path, 0..8, |_| ()).unwrap();
    faults::plan(1, Fault::Fail(libc::EIO));
    assert!(
        output.commit(true).is_err(),
        "a commit without changes waits for the disk"
    );
    faults::clear();
    assert!(output.commit(true).is_err());
    assert!(output.commit(false).is_err());
    drop(output);
    holds(&path, &SCRIPT.state(8)).unwrap();
}
