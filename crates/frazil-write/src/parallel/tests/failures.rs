//! Ranks that disagree, fail, vanish or do not come.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{Barrier, create, options, together};
use crate::tests::read;
use crate::{
    DimensionLength, FilterRequest, LayoutRequest, VariableSettings, Writer, WriterOptions,
};
use frazil_container::classic::{AttributeValue, NcType};
use frazil_container::schema::{AttributeOwner, Schema, SchemaValue, ValueType, VariableId};
use frazil_file::error::Result;
use frazil_types::{ErrorCode, FilterPipeline, FilterSpec, filter_id};

pub(super) const ROW: u64 = 1000;

pub(super) fn define(writer: &mut Writer) -> VariableId {
    define_with(writer, FilterPipeline::default())
}

fn define_with(writer: &mut Writer, filters: FilterPipeline) -> VariableId {
    let root = Schema::ROOT;
    let grows = DimensionLength::Unlimited { expected: None };
    let time = writer.add_dimension(root, "time", grows).unwrap();
    let x = writer
        .add_dimension(root, "x", DimensionLength::Fixed(ROW))
        .unwrap();
    let settings = VariableSettings {
        layout: LayoutRequest::Chunked(vec![1, ROW]),
        filters: FilterRequest::Exactly(filters),
        ..VariableSettings::default()
    };
    let int = ValueType::Atomic(NcType::Int);
    writer
        .add_variable(root, "v", int, &[time, x], settings)
        .unwrap()
}

pub(super) fn put(writer: &mut Writer, id: VariableId, record: u64) -> Result<()> {
    let values = (0..ROW as u32).map(|i| i * 7 + record as u32);
    let bytes: Vec<u8> = values.flat_map(u32::to_le_bytes).collect();
    writer.put(id, &[record, 0], &[1, ROW], None, &bytes)
}

pub(super) fn check_records(path: &Path, records: u64) {
    let (shape, values) = read(path, "/v");
    assert_eq!(shape, [records, ROW]);
    for (i, bytes) in values.as_chunks::<4>().0.iter().enumerate() {
        let (record, x) = (i as u32 / ROW as u32, i as u32 % ROW as u32);
        assert_eq!(u32::from_le_bytes(*bytes), x * 7 + record);
    }
}

/// Every rank commits a record and then has `fail` do something; all get an error, and the first
/// commit stays.
fn after_a_commit(
    options: &WriterOptions,
    fail: impl Fn(usize, Writer, VariableId) -> Result<()> + Sync,
) -> Vec<Result<()>> {
    after_a_commit_of(options, &FilterPipeline::default(), fail)
}

fn after_a_commit_of(
    options: &WriterOptions,
    filters: &FilterPipeline,
    fail: impl Fn(usize, Writer, VariableId) -> Result<()> + Sync,
) -> Vec<Result<()>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let outcomes = together(3, |rank, comm| {
        let mut writer = create(&path, comm, options).unwrap();
        let id = define_with(&mut writer, filters.clone());
        put(&mut writer, id, rank as u64).unwrap();
        writer.sync().unwrap();
        fail(rank, writer, id)
    });
    check_records(&path, 3);
    outcomes
}

#[test]
fn other_definitions_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let outcomes = together(3, |rank, comm| {
        let mut writer = create(&path, comm, &options(1 << 20, 1)).unwrap();
        let id = define(&mut writer);
        let unit = if rank == 2 { "m" } else { "km" };
        let value = SchemaValue::Atomic(AttributeValue::Char(unit.as_bytes().to_vec()));
        let owner = AttributeOwner::Variable(id);
        writer.put_attribute(owner, "units", value).unwrap();
        let outcome = writer.end_definitions();
        // Nothing is done together any more, and nobody waits.
        assert_eq!(writer.sync(), outcome);
        outcome
    });
    for outcome in outcomes {
        let error = outcome.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        let text = error.to_string();
        assert!(
            text.contains("rank 2") && text.contains("attribute `units` of `/v`"),
            "{text}"
        );
    }
    assert!(!path.exists());
}

#[test]
fn other_calls_are_named() {
    let outcomes = after_a_commit(&options(1 << 20, 1), |rank, mut writer, _| match rank {
        1 => writer.close().map(drop),
        _ => writer.sync(),
    });
    for outcome in outcomes {
        let text = outcome.unwrap_err().to_string();
        assert!(
            text.contains("rank 1 calls close, rank 0 calls sync"),
            "{text}"
        );
    }
}

#[test]
fn a_full_disk_of_one_rank_is_everybodys_error() {
    let outcomes = after_a_commit(&options(1 << 20, 1), |rank, mut writer, id| {
        if rank == 1 {
            writer.fail_after(0);
        }
        put(&mut writer, id, 3 + rank as u64)?;
        let outcome = writer.sync();
        assert_eq!(writer.sync(), outcome);
        outcome
    });
    for outcome in outcomes {
        let error = outcome.unwrap_err();
        assert_eq!(error.code, ErrorCode::NoSpace);
        assert!(error.cause.contains("rank 1"), "{error}");
        assert_eq!(error.variable.as_deref(), Some("/v"));
    }
}

#[test]
fn a_filter_that_fails_on_one_rank_is_everybodys_error() {
    let deflate = FilterPipeline(vec![FilterSpec::new(filter_id::DEFLATE, vec![1])]);
    // In the call of put, and behind its back.
    for threads in [0, 2] {
        let options = options(1 << 20, threads);
        let outcomes = after_a_commit_of(&options, &deflate, |rank, mut writer, id| {
            if rank == 1 {
                writer.break_filters(id);
            }
            let outcome = put(&mut writer, id, 3 + rank as u64);
            assert!(rank == 1 || outcome.is_ok());
            let outcome = writer.sync();
            // It stays: nothing can be done together any more, and nobody waits.
            assert_eq!(put(&mut writer, id, 9), outcome);
            assert_eq!(writer.sync(), outcome);
            outcome
        });
        for outcome in outcomes {
            let error = outcome.unwrap_err();
            assert!(
                error.cause.starts_with("rank 1: chunk at [4, 0]"),
                "{error}"
            );
            assert_eq!(error.variable.as_deref(), Some("/v"));
        }
    }
}

#[test]
fn a_rank_that_gives_up_is_named() {
    for quitter in 0..3 {
        let outcomes = after_a_commit(&options(1 << 20, 1), |rank, mut writer, id| {
            if rank == quitter {
                return Ok(());
            }
            put(&mut writer, id, 5)?;
            writer.sync()
        });
        for (rank, outcome) in outcomes.into_iter().enumerate() {
            if rank != quitter {
                let text = outcome.unwrap_err().to_string();
                assert!(text.contains(&format!("rank {quitter} gave")), "{text}");
            }
        }
    }
}

#[test]
fn a_rank_that_does_not_come_is_named_with_what_it_did_last() {
    let wait = Duration::from_millis(1500);
    let patient = WriterOptions {
        longest_wait: Some(wait),
        ..options(1 << 20, 1)
    };
    for absent in 0..3 {
        let barrier = Barrier::new(3);
        let outcomes = after_a_commit(&patient, |rank, mut writer, id| {
            put(&mut writer, id, 3 + rank as u64)?;
            let began = Instant::now();
            let outcome = match rank == absent {
                true => Ok(()),
                false => writer.sync(),
            };
            assert!(began.elapsed() < 3 * wait);
            barrier.wait();
            if rank == absent {
                // It is told at once why it is too late.
                let late = writer.sync();
                assert!(late.is_err() && began.elapsed() < 5 * wait);
            }
            outcome
        });
        for (rank, outcome) in outcomes.into_iter().enumerate() {
            if rank != absent {
                let text = outcome.unwrap_err().to_string();
                assert!(text.contains(&format!("for rank {absent}")), "{text}");
                assert!(absent == 0 || text.contains("put of `/v`"), "{text}");
            }
        }
    }
}

#[test]
fn puts_wait_for_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    const RECORDS: u64 = 400;
    // Ten times the memory.
    let memory = RECORDS * ROW * 4 / 10;
    let barrier = Barrier::new(2);
    together(2, |rank, comm| {
        let mut writer = create(&path, comm, &options(memory, 1)).unwrap();
        let id = define(&mut writer);
        if rank == 1 {
            for record in 0..RECORDS {
                put(&mut writer, id, record).unwrap();
            }
        }
        // Rank 0 is here all the time, and in no call of the writer.
        barrier.wait();
        let report = writer.close().unwrap();
        if rank == 1 {
            assert!(report.spilled_bytes > RECORDS * ROW * 2);
        }
    });
    check_records(&path, RECORDS);
}

#[test]
fn what_ranks_request_must_be_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let outcomes = together(2, |rank, comm| {
        let memory = [1 << 20, 1 << 21][rank];
        create(&path, comm, &options(memory, 1)).map(drop)
    });
    for outcome in outcomes {
        let text = outcome.unwrap_err().to_string();
        assert!(text.contains("rank 1"), "{text}");
    }
    assert!(!path.exists());
}

#[test]
fn values_are_not_read_back() {
    let outcomes = after_a_commit(&options(1 << 20, 1), |_, mut writer, id| {
        let error = writer.read(id, &[0, 0], &[1, 1], None).unwrap_err();
        assert_eq!(error.code, ErrorCode::Unsupported);
        writer.close().map(drop)
    });
    assert!(outcomes.iter().all(Result::is_ok));
}
