//! Packed chunks that are written before the commit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Barrier, create, following, options, together};
use crate::data_file::{Event, Order};
use crate::tests::read;
use crate::tests::script::Random;
use crate::{
    DimensionLength, FilterRequest, LayoutRequest, VariableSettings, Writer, WriterOptions,
};
use frazil_container::classic::{AttributeValue, NcType};
use frazil_container::schema::{AttributeOwner, Schema, SchemaValue, ValueType, VariableId};
use frazil_file::error::Result;
use frazil_types::{ErrorCode, FilterPipeline, FilterSpec, filter_id};

const RANKS: usize = 3;
const ROW: u64 = 4000;
/// Rows of a record that every rank puts.
const ROWS: u64 = 48;
const MEMORY: u64 = 1 << 20;

fn define(writer: &mut Writer) -> VariableId {
    let root = Schema::ROOT;
    let grows = DimensionLength::Unlimited { expected: None };
    let time = writer.add_dimension(root, "time", grows).unwrap();
    let fixed = |writer: &mut Writer, name: &str, length| {
        let length = DimensionLength::Fixed(length);
        writer.add_dimension(root, name, length).unwrap()
    };
    let y = fixed(writer, "y", ROWS * RANKS as u64);
    let x = fixed(writer, "x", ROW);
    let deflate = FilterPipeline(vec![
        FilterSpec::new(filter_id::SHUFFLE, vec![4]),
        FilterSpec::new(filter_id::DEFLATE, vec![1]),
    ]);
    let settings = VariableSettings {
        layout: LayoutRequest::Chunked(vec![1, 1, ROW]),
        filters: FilterRequest::Exactly(deflate),
        ..VariableSettings::default()
    };
    let int = ValueType::Atomic(NcType::Int);
    writer
        .add_variable(root, "v", int, &[time, y, x], settings)
        .unwrap()
}

/// A row's values: some pack better than others.
fn row_of(record: u64, row: u64) -> Vec<u8> {
    let bits = Random(row << 20 | record).below(16) + 2;
    let mut random = Random(record << 30 | row);
    let values = (0..ROW).map(|_| random.below(1 << bits) as u32);
    values.flat_map(u32::to_le_bytes).collect()
}

fn put(writer: &mut Writer, id: VariableId, rank: usize, record: u64) -> Result<()> {
    for row in rank as u64 * ROWS..(rank as u64 + 1) * ROWS {
        writer.put(
            id,
            &[record, row, 0],
            &[1, 1, ROW],
            None,
            &row_of(record, row),
        )?;
    }
    Ok(())
}

fn check(path: &Path, records: u64) {
    let (shape, values) = read(path, "/v");
    assert_eq!(shape, [records, ROWS * RANKS as u64, ROW]);
    for (i, found) in values.chunks_exact(ROW as usize * 4).enumerate() {
        let (record, row) = (i as u64 / shape[1], i as u64 % shape[1]);
        assert!(found == row_of(record, row), "record {record}, row {row}");
    }
}

fn bytes_of(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

/// Waits until nothing is being packed.
fn settle(writer: &Writer) {
    while writer.backlog().0 > 0 {
        std::thread::yield_now();
    }
}

/// Every rank commits two records; then `then` goes on.
fn after_two_records(
    options: &WriterOptions,
    then: impl Fn(usize, Writer, VariableId, &Path) + Sync,
) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    together(RANKS, |rank, comm| {
        let mut writer = create(&path, comm, options).unwrap();
        let id = define(&mut writer);
        writer.end_definitions().unwrap();
        for record in 0..2 {
            put(&mut writer, id, rank, record).unwrap();
            writer.sync().unwrap();
        }
        then(rank, writer, id, &path);
    });
    (folder, path)
}

#[test]
fn packed_chunks_are_in_the_file_before_the_commit() {
    let sizes: Vec<u64> = [options(MEMORY, 2), following(MEMORY, 2)]
        .iter()
        .map(|options| {
            let barrier = Barrier::new(RANKS);
            let (_folder, path) = after_two_records(options, |rank, mut writer, id, path| {
                let committed = bytes_of(path);
                barrier.wait();
                // Neighbours are written together, up to a megabyte.
                for record in 2..10 {
                    put(&mut writer, id, rank, record).unwrap();
                }
                settle(&writer);
                barrier.wait();
                assert_eq!(bytes_of(path) > committed, options.follow_ranks);
                check(path, 2);
                barrier.wait();
                let report = writer.close().unwrap();
                assert!(!options.follow_ranks || report.spilled_bytes == 0);
            });
            check(&path, 10);
            bytes_of(&path)
        })
        .collect();
    assert!(sizes[1] <= sizes[0] + sizes[0] / 100, "{sizes:?}");
}

/// What the index names must be on the disk first, whoever has written it.
#[test]
fn durable_commits_come_when_every_ranks_bytes_are_on_the_disk() {
    for follows in [false, true] {
        let options = WriterOptions {
            durable: true,
            follow_ranks: follows,
            ..options(MEMORY, 1)
        };
        let order = Order::default();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.nc");
        together(RANKS, |rank, comm| {
            let mut writer = create(&path, comm, &options).unwrap();
            writer.note_order(Order {
                who: rank,
                ..order.clone()
            });
            let id = define(&mut writer);
            writer.end_definitions().unwrap();
            for record in 0..4 {
                // Not everybody puts each time, and some put again what is committed.
                if record < 3 || rank == 1 {
                    put(&mut writer, id, rank, record).unwrap();
                }
                if record == 2 {
                    put(&mut writer, id, rank, 0).unwrap();
                }
                writer.sync().unwrap();
            }
            writer.close().unwrap();
        });
        let events = order.all.lock();
        let commits = events.iter().filter(|(_, event)| *event == Event::Commit);
        assert!(commits.count() >= 4);
        let mut unsafe_ranks = BTreeSet::new();
        for (rank, event) in events.iter() {
            match event {
                Event::Write => drop(unsafe_ranks.insert(rank)),
                Event::Sync => drop(unsafe_ranks.remove(rank)),
                // Those that wrote ahead of the next commit are not concerned by this one: there
                // are none, since all wait in it.
                Event::Commit => assert!(unsafe_ranks.is_empty(), "{follows}: {events:?}"),
            }
        }
        let writers: BTreeSet<_> = (events.iter())
            .filter(|(_, event)| *event == Event::Write)
            .map(|(rank, _)| rank)
            .collect();
        assert_eq!(writers.len(), RANKS);
    }
}

#[test]
fn ten_budgets_need_no_scratch_file_where_space_was_lent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let records = 10 * MEMORY / (ROWS * ROW * 4);
    let barrier = Barrier::new(2);
    together(2, |rank, comm| {
        let mut writer = create(&path, comm, &following(MEMORY, 1)).unwrap();
        let id = define(&mut writer);
        writer.end_definitions().unwrap();
        if rank == 1 {
            for record in 0..records {
                for part in 0..RANKS {
                    put(&mut writer, id, part, record).unwrap();
                }
            }
        }
        // Rank 0 is here all the time, and in no call of the writer.
        barrier.wait();
        assert_eq!(writer.close().unwrap().spilled_bytes, 0);
    });
    check(&path, records);
}

#[test]
fn ranks_that_give_up_leave_the_last_commit() {
    let (_folder, path) = after_two_records(&following(MEMORY, 1), |rank, mut writer, id, path| {
        put(&mut writer, id, rank, 2).unwrap();
        settle(&writer);
        if rank == 1 {
            writer.abandon();
        } else {
            let error = writer.sync().unwrap_err();
            assert!(error.cause.contains("rank 1 gave"), "{error}");
        }
        check(path, 2);
    });
    check(&path, 2);
    // Another writer goes on with it.
    let mut writer = Writer::append(&path, &options(MEMORY, 0)).unwrap();
    let id = writer.schema().variable_in(Schema::ROOT, "v").unwrap();
    for rank in 0..RANKS {
        put(&mut writer, id, rank, 2).unwrap();
    }
    writer.close().unwrap();
    check(&path, 3);
}

#[test]
fn a_disk_that_is_full_before_the_commit_is_everybodys_error() {
    // One record is written at the commit, more of them before.
    for records in [1, 8] {
        let (_folder, path) =
            after_two_records(&following(MEMORY, 1), |rank, mut writer, id, _| {
                if rank == 1 {
                    writer.fail_after(0);
                }
                // Rank 1 may learn of it here already.
                let mut puts = (2..2 + records).map(|record| put(&mut writer, id, rank, record));
                let outcome = puts.try_for_each(|outcome| outcome);
                assert!(rank == 1 || outcome.is_ok());
                let error = writer.sync().unwrap_err();
                assert_eq!(error.code, ErrorCode::NoSpace);
                assert!(error.cause.contains("rank 1"), "{error}");
                assert_eq!(error.variable.as_deref(), Some("/v"));
            });
        check(&path, 2);
    }
}

#[test]
fn what_changes_while_space_is_lent_is_made_up_for() {
    for options in [options(MEMORY, 1), following(MEMORY, 1)] {
        println!("follows: {}", options.follow_ranks);
        changed(&options);
    }
}

fn changed(options: &WriterOptions) {
    let (_folder, path) = after_two_records(options, |rank, mut writer, id, _| {
        let owner = AttributeOwner::Variable(id);
        for number in 0..40 {
            let text = AttributeValue::Char(vec![b'a'; 3000]);
            let value = SchemaValue::Atomic(text);
            writer
                .put_attribute(owner, &format!("a{number}"), value)
                .unwrap();
        }
        let more = define_more(&mut writer);
        put(&mut writer, id, rank, 2).unwrap();
        let bytes = (0..ROW as u32)
            .flat_map(u32::to_le_bytes)
            .collect::<Vec<_>>();
        if rank == 2 {
            writer.put(more, &[0], &[ROW], None, &bytes).unwrap();
        }
        writer.close().unwrap();
    });
    check(&path, 3);
    let (_, values) = read(&path, "/more");
    let expected: Vec<u8> = (0..ROW as u32).flat_map(u32::to_le_bytes).collect();
    assert!(values == expected);
    let writer = Writer::append(&path, &super::options(MEMORY, 0)).unwrap();
    let id = writer.schema().variable_in(Schema::ROOT, "v").unwrap();
    let attributes = writer.schema().attributes(AttributeOwner::Variable(id));
    assert_eq!(attributes.len(), 40);
}

fn define_more(writer: &mut Writer) -> VariableId {
    let root = Schema::ROOT;
    let x = writer.schema().dimension_in(root, "x").unwrap();
    let int = ValueType::Atomic(NcType::Int);
    let more = writer.add_variable(root, "more", int, &[x], VariableSettings::default());
    more.unwrap()
}

/// Records are put again, whole and in part, and rows by other ranks.
#[test]
fn rewritten_chunks_get_other_places() {
    let (_folder, path) = after_two_records(&following(MEMORY, 2), |rank, mut writer, id, path| {
        for round in 0..4 {
            for record in 0..2 {
                // Another rank than before, first with other values.
                let other = (rank + round) % RANKS;
                let row = other as u64 * ROWS;
                let wrong = vec![round as u8; ROW as usize * 4];
                writer
                    .put(id, &[record, row, 0], &[1, 1, ROW], None, &wrong)
                    .unwrap();
                put(&mut writer, id, other, record).unwrap();
            }
            put(&mut writer, id, rank, 2 + round as u64).unwrap();
            writer.sync().unwrap();
            check(path, 3 + round as u64);
        }
        writer.close().unwrap();
    });
    check(&path, 6);
}
