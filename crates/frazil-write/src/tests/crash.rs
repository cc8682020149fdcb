//! Writers that are killed at random instants.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use frazil_container::hdf5::recover;

use super::read;
use super::script::{Random, options};
use crate::{DimensionLength, LayoutRequest, VariableSettings, Writer};
use frazil_container::classic::NcType;
use frazil_container::schema::{Schema, ValueType};

/// Tells the child which file to write.
const ORDERS: &str = "FRAZIL_TEST_WRITER";
const ACKNOWLEDGED: &str = "acknowledged ";
const KILLS: u64 = 25;
const ROW: u64 = 64;

/// The values of a record as they are written first.
fn row(record: i32) -> Vec<u8> {
    let values = (0..ROW as i32).map(|i| record * 1000 + i * (i % 5));
    values.flat_map(i32::to_le_bytes).collect()
}

/// The killed writer. It does nothing unless the test below starts it.
///
/// Every step writes a record, rewrites the first one and a scalar, and commits. A chunk holds
/// four records: most commits find it incomplete.
#[test]
#[ignore = "started by another test"]
fn child() {
    let Ok(path) = std::env::var(ORDERS) else {
        return;
    };
    let mut writer = Writer::create(Path::new(&path), &options(1 << 20, 2)).unwrap();
    let (root, int) = (Schema::ROOT, ValueType::Atomic(NcType::Int));
    let grows = DimensionLength::Unlimited { expected: None };
    let time = writer.add_dimension(root, "time", grows).unwrap();
    let x = writer
        .add_dimension(root, "x", DimensionLength::Fixed(ROW))
        .unwrap();
    let settings = VariableSettings {
        layout: LayoutRequest::Chunked(vec![4, 16]),
        ..VariableSettings::default()
    };
    let rows = writer
        .add_variable(root, "rows", int, &[time, x], settings)
        .unwrap();
    let settings = VariableSettings::default();
    let step = writer
        .add_variable(root, "step", int, &[], settings)
        .unwrap();
    for number in 1..10_000_i32 {
        let bytes = row(number);
        writer
            .put(rows, &[number as u64, 0], &[1, ROW], None, &bytes)
            .unwrap();
        let first = number.to_le_bytes().repeat(ROW as usize);
        writer.put(rows, &[0, 0], &[1, ROW], None, &first).unwrap();
        writer
            .put(step, &[], &[], None, &number.to_le_bytes())
            .unwrap();
        writer.sync().unwrap();
        println!("\n{ACKNOWLEDGED}{number}");
    }
}

/// Starts a writer and kills it after a while; the last step whose commit returned.
fn killed(path: &Path, after: Duration) -> i32 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "tests::crash::child"])
        .args(["--nocapture", "--test-threads=1"])
        .env(ORDERS, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        let lines = output.lines().map_while(Result::ok);
        let numbers = lines.filter_map(|line| line.strip_prefix(ACKNOWLEDGED)?.parse().ok());
        numbers.last().unwrap_or(0)
    });
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

/// The file must be at the last commit acknowledged, or at the next one.
fn check(path: &Path, acknowledged: i32) {
    let (shape, values) = read(path, "/rows");
    let step = i32::from_le_bytes(read(path, "/step").1.try_into().unwrap());
    assert!(step == acknowledged || step == acknowledged + 1);
    assert_eq!(shape, [step as u64 + 1, ROW]);
    let mut expected = step.to_le_bytes().repeat(ROW as usize);
    expected.extend((1..=step).flat_map(row));
    assert!(values == expected, "step {step}");
}

#[test]
fn killed_writers_leave_their_last_commit() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(1);
    let mut commits = 0;
    for number in 0..KILLS {
        let path: PathBuf = folder.path().join(format!("{number}.nc"));
        let after = Duration::from_micros(20_000 + random.below(200_000));
        let acknowledged = killed(&path, after);
        println!("kill {number} after {after:?}: {acknowledged} commits");
        if acknowledged == 0 {
            continue;
        }
        recover(&path).unwrap();
        check(&path, acknowledged);
        commits += acknowledged;
    }
    assert!(commits > 100, "hardly anything was written: {commits}");
}
