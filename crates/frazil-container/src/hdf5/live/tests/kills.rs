//! Writers that are killed: at random instants, and at every system call of a commit.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::sampling::is_full;
use super::script::{Script, State, holds, mix, stock_tools_read};
use crate::commit::faults::{self, Fault};
use crate::hdf5::{Recovery, recover};

/// Tells the child what to do: `path`, script, call to stop at (0: none), whether half-way.
const ORDERS: &str = "FRAZIL_TEST_CRASH";
const ACKNOWLEDGED: &str = "acknowledged ";

fn start(path: &Path, script: Script, stop_at: u64, halfway: bool) -> Child {
    let Script {
        seed,
        steps,
        every,
        sync,
        rewrites,
    } = script;
    let orders = format!(
        "{}\n{seed} {steps} {every} {} {} {stop_at} {}",
        path.display(),
        u64::from(sync),
        u64::from(rewrites),
        u64::from(halfway)
    );
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "hdf5::live::tests::kills::child"])
        .args(["--nocapture", "--test-threads=1"])
        .env(ORDERS, orders)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The killed writer. It does nothing unless one of the tests below starts it.
#[test]
#[ignore = "started by other tests"]
fn child() {
    let Ok(orders) = std::env::var(ORDERS) else {
        return;
    };
    let (path, numbers) = orders.rsplit_once('\n').unwrap();
    let n: Vec<u64> = numbers.split(' ').map(|n| n.parse().unwrap()).collect();
    let script = Script {
        seed: n[0],
        steps: n[1],
        every: n[2],
        sync: n[3] != 0,
        rewrites: n[4] != 0,
    };
    if n[5] > 0 {
        let fault = if n[6] == 0 {
            Fault::Stop
        } else {
            Fault::StopHalfway
        };
        faults::plan(n[5], fault);
    }
    let path = PathBuf::from(path);
    let output = Script::create(&path).unwrap();
    script
        .run(&output, &path, 0..script.steps, |step| {
            println!("\n{ACKNOWLEDGED}{step}");
        })
        .unwrap();
    output.finish(script.sync).unwrap();
}

/// Waits for the child's end; the last step whose commit returned, and whether all went well.
fn wait(mut child: Child) -> (u64, bool) {
    let mut last = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        if let Some(step) = line.unwrap().strip_prefix(ACKNOWLEDGED) {
            last = step.parse().unwrap();
        }
    }
    (last, child.wait().unwrap().success())
}

/// What was found after a kill.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    journals: u64,
    readable_with_journal: u64,
    before_first_commit: u64,
}

/// Checks that a killed writer left the last commit, and that writing can go on from there.
fn check(path: &Path, script: Script, acknowledged: u64, tally: &mut Tally) {
    let mut journal = path.as_os_str().to_owned();
    journal.push(".frazil-journal");
    let journal = PathBuf::from(journal);
    // A commit may have been decided without its writer living long enough to say so.
    let next = script.next_commit(acknowledged).min(script.steps);
    let candidates = [
        (acknowledged, script.state(acknowledged)),
        (next, script.state(next)),
    ];
    let find = || {
        candidates
            .iter()
            .find(|(_, state)| holds(path, state).is_ok())
    };
    if acknowledged == 0 && !path.exists() {
        // On a busy machine a writer may be killed before it has made its file.
        tally.before_first_commit += 1;
        return;
    }
    let had_journal = journal.exists();
    if had_journal {
        tally.journals += 1;
        tally.readable_with_journal += u64::from(find().is_some());
        assert_eq!(recover(path).unwrap(), Recovery::Completed);
        holds(path, &candidates[1].1).unwrap();
    } else if acknowledged > 0 {
        assert!(
            find().is_some(),
            "unreadable before recovery: {:?}",
            holds(path, &candidates[0].1)
        );
    }
    let recovery = recover(path).unwrap();
    assert!(matches!(recovery, Recovery::Clean | Recovery::Discarded));
    let Some((step, state)) = find() else {
        assert_eq!(acknowledged, 0, "{:?}", holds(path, &candidates[0].1));
        tally.before_first_commit += 1;
        return;
    };
    stock_tools_read(path, state).unwrap();
    go_on(path, script, *step, state);
}

fn go_on(path: &Path, script: Script, step: u64, state: &State) {
    let output = Script::open(path).unwrap();
    let end = step + 2 * script.every;
    script.run(&output, path, step..end, |_| ()).unwrap();
    output.finish(false).unwrap();
    let later = script.state(end);
    assert!(later.len() >= state.len());
    holds(path, &later).unwrap();
}

fn stop_at_every_call(script: Script, halfway: bool) -> Tally {
    let folder = tempfile::tempdir().unwrap();
    let mut tally = Tally::default();
    for call in 1.. {
        assert!(call < 10_000, "the writer never ends");
        let path = folder.path().join(format!("{call}.nc"));
        let (acknowledged, is_complete) = wait(start(&path, script, call, halfway));
        if is_complete {
            assert!(call > 20, "only {call} calls in a writer's life");
            break;
        }
        println!("call {call}, halfway {halfway}, {script:?}: after step {acknowledged}");
        check(&path, script, acknowledged, &mut tally);
    }
    println!("{tally:?}");
    tally
}

#[test]
fn stops_at_every_call_of_a_commit_lose_nothing() {
    for rewrites in [false, true] {
        let script = Script {
            seed: 11,
            steps: 24,
            every: 8,
            sync: false,
            rewrites,
        };
        for halfway in [false, true] {
            let tally = stop_at_every_call(script, halfway);
            assert!(
                tally.journals > 5,
                "stops must fall into the apply window: {tally:?}"
            );
        }
    }
}

#[test]
fn kills_at_random_instants_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut tally = Tally::default();
    let mut acknowledged_kills = 0;
    let first_seed = u64::from(std::process::id());
    let kills = if is_full() { 40 } else { 10 };
    for seed in first_seed..first_seed + kills {
        let script = Script {
            seed,
            steps: 100_000,
            every: 1 + seed % 7,
            sync: seed % 3 == 0,
            rewrites: seed % 4 != 0,
        };
        let path = folder.path().join(format!("{seed}.nc"));
        let mut child = start(&path, script, 0, false);
        std::thread::sleep(Duration::from_millis(10 + mix(seed, 0) % 120));
        child.kill().unwrap();
        let (acknowledged, is_complete) = wait(child);
        assert!(!is_complete);
        println!("seed {seed}: killed after step {acknowledged}");
        acknowledged_kills += u64::from(acknowledged > 0);
        check(&path, script, acknowledged, &mut tally);
        // A writer may be killed before it creates its file.
        let _ = std::fs::remove_file(&path);
    }
    println!("{tally:?}");
    assert!(
        acknowledged_kills > kills / 2,
        "most kills fall between commits"
    );
}
