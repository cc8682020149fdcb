//! Ranks that pack and write for the others.

use std::path::Path;
use std::time::Duration;

use super::failures::{ROW, check_records, put};
use super::fields::{DECOMPOSITIONS, Decomposition, check, put_record};
use super::{Barrier, create, fields, following, options, together};
use crate::tests::script::{Random, Script};
use crate::{Writer, WriterOptions, WriterReport};
use frazil_container::classic::AttributeValue;
use frazil_container::schema::{AttributeOwner, Schema, SchemaValue, VariableId};
use frazil_file::error::Result;
use frazil_types::ErrorCode;

fn with_io(io_ranks: usize, options: WriterOptions) -> WriterOptions {
    WriterOptions {
        io_ranks,
        ..options
    }
}

/// The fields of `fields`, put by ranks that write nothing; the last ones define and close only.
fn write(path: &Path, compute: u64, decomposition: Decomposition, options: &WriterOptions) {
    let ranks = compute as usize + options.io_ranks;
    let reports = together(ranks, |rank, comm| {
        let mut writer = create(path, comm, options).unwrap();
        let fields = fields::define(&mut writer);
        assert_eq!(writer.is_io_rank(), rank as u64 >= compute);
        if writer.is_io_rank() {
            return writer.close().unwrap();
        }
        writer.end_definitions().unwrap();
        for (i, record) in [3, 0, 1, 4, 2].into_iter().enumerate() {
            let me = (rank as u64, compute);
            put_record(&mut writer, &fields, record, me, decomposition);
            if i == 1 || i == 3 {
                writer.sync().unwrap();
            }
        }
        writer.close().unwrap()
    });
    same(&reports);
}

fn same(reports: &[WriterReport]) {
    for report in &reports[1..] {
        assert_eq!(report.stored_bytes, reports[0].stored_bytes);
        assert_eq!(report.chunks, reports[0].chunks);
        assert_eq!(report.chunks_omitted, reports[0].chunks_omitted);
        assert_eq!(report.variables, reports[0].variables);
        assert_eq!(report.raw_bytes, reports[0].raw_bytes);
    }
}

#[test]
fn the_bytes_are_those_of_one_rank() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.nc");
    fields::write(&first, 1, |_, _, _, _| 0, &options(64 << 20, 1));
    let expected = std::fs::read(&first).unwrap();
    for (name, decomposition) in DECOMPOSITIONS {
        for (compute, io_ranks) in [(1, 1), (2, 1), (3, 2), (4, 1), (5, 3)] {
            println!("{name}: {io_ranks} write for {compute}");
            let path = folder.path().join("out.nc");
            let own = with_io(io_ranks, options(64 << 20, io_ranks % 3));
            write(&path, compute, decomposition, &own);
            check(&path);
            assert!(std::fs::read(&path).unwrap() == expected);
            std::fs::remove_file(&path).unwrap();
        }
    }
}

/// Programs whose I/O ranks do what all do: put, and make every call.
#[test]
fn io_ranks_may_put_and_sync_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.nc");
    fields::write(&first, 1, |_, _, _, _| 0, &options(64 << 20, 1));
    let expected = std::fs::read(&first).unwrap();
    for (number, (name, decomposition)) in DECOMPOSITIONS.into_iter().enumerate() {
        for (ranks, io_ranks) in [(2, 1), (5, 2)] {
            println!("{name}: {io_ranks} of {ranks}");
            let path = folder.path().join(format!("{number}-{ranks}.nc"));
            let own = with_io(io_ranks, options(64 << 20, 2));
            fields::write(&path, ranks, decomposition, &own);
            check(&path);
            assert!(std::fs::read(&path).unwrap() == expected);
        }
    }
}

#[test]
fn files_that_follow_the_ranks_have_the_same_values() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (name, decomposition)) in DECOMPOSITIONS.into_iter().enumerate() {
        println!("{name}");
        let path = folder.path().join(format!("{number}.nc"));
        let own = with_io(2, following(64 << 20, 1));
        write(&path, 4, decomposition, &own);
        check(&path);
    }
}

/// One rank that puts at random, in little memory: the order of its puts counts.
#[test]
fn random_puts_are_what_the_file_holds() {
    for seed in 0..40 {
        println!("seed {seed}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.nc");
        let own = with_io(1, options([96 << 10, 64 << 20][seed as usize % 2], 1));
        together(2, |rank, comm| {
            let mut writer = create(&path, comm, &own).unwrap();
            let mut script = Script::new(seed, seed % 2 == 1, &mut writer);
            // The I/O rank defines the same, and puts nothing.
            script.ranks = (rank as u64 * 9, 1);
            let mut random = Random(seed ^ 0xabcd);
            for _ in 0..60 {
                match random.below(40) {
                    0 => script.variable(&mut writer),
                    1..=3 => {
                        writer.sync().unwrap();
                        script.period += 1;
                    }
                    _ => script.put(&mut writer).unwrap(),
                }
            }
            writer.close().unwrap();
            if rank == 0 {
                script.check(&path);
            }
        });
        let names = std::fs::read_dir(folder.path()).unwrap();
        assert_eq!(names.count(), 1, "something is left beside the output");
    }
}

#[test]
fn puts_wait_for_no_io_rank() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    const RECORDS: u64 = 400;
    // Ten times the memory.
    let memory = RECORDS * ROW * 4 / 10;
    let barrier = Barrier::new(3);
    together(3, |rank, comm| {
        let own = with_io(1, options(memory, 1));
        let mut writer = create(&path, comm, &own).unwrap();
        let id = super::failures::define(&mut writer);
        if rank == 1 {
            for record in 0..RECORDS {
                put(&mut writer, id, record).unwrap();
            }
        }
        // The I/O rank is here all the time, and in no call of the writer.
        barrier.wait();
        let report = writer.close().unwrap();
        // (The I/O rank holds what it has packed.)
        assert!(rank != 0 || report.spilled_bytes == 0);
        assert!(rank != 1 || report.spilled_bytes > RECORDS * ROW * 2);
    });
    check_records(&path, RECORDS);
}

/// Two ranks, and a third that writes for them, commit two records; then `then` goes on.
fn after_a_commit(
    options: &WriterOptions,
    then: impl Fn(usize, Writer, VariableId) -> Result<()> + Sync,
) -> Vec<Result<()>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let own = with_io(1, options.clone());
    let committed = Barrier::new(3);
    let outcomes = together(3, |rank, comm| {
        let mut writer = create(&path, comm, &own).unwrap();
        let id = super::failures::define(&mut writer);
        if rank < 2 {
            put(&mut writer, id, rank as u64).unwrap();
        }
        writer.sync().unwrap();
        // The sync of the I/O rank ends when it is done.
        committed.wait();
        then(rank, writer, id)
    });
    check_records(&path, 2);
    outcomes
}

#[test]
fn a_full_disk_of_an_io_rank_is_everybodys_error() {
    let outcomes = after_a_commit(&options(1 << 20, 1), |rank, mut writer, id| {
        if rank == 2 {
            writer.fail_after(0);
        } else {
            put(&mut writer, id, 2 + rank as u64)?;
        }
        // The sync itself ends when the values are handed over.
        writer.sync()?;
        writer.close().map(drop)
    });
    for outcome in outcomes {
        let error = outcome.unwrap_err();
        assert_eq!(error.code, ErrorCode::NoSpace);
        assert!(error.cause.contains("rank 2"), "{error}");
        assert_eq!(error.variable.as_deref(), Some("/v"));
    }
}

#[test]
fn a_rank_that_gives_up_is_named() {
    for quitter in 0..3 {
        let outcomes = after_a_commit(&options(1 << 20, 1), |rank, mut writer, id| {
            if rank == quitter {
                return Ok(());
            }
            if rank < 2 {
                put(&mut writer, id, 5)?;
            }
            writer.close().map(drop)
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
fn a_rank_that_had_to_give_up_is_not_blamed() {
    let (gone, over) = (Barrier::new(2), Barrier::new(2));
    let outcomes = after_a_commit(&options(1 << 20, 1), |rank, mut writer, id| match rank {
        0 => {
            gone.wait();
            let outcome = (0..64).try_for_each(|_| put(&mut writer, id, 5));
            drop(writer);
            over.wait();
            outcome
        }
        1 => {
            over.wait();
            writer.close().map(drop)
        }
        _ => {
            drop(writer);
            gone.wait();
            Ok(())
        }
    });
    for outcome in &outcomes[..2] {
        let text = outcome.as_ref().unwrap_err().to_string();
        assert!(text.contains("rank 2 gave"), "{text}");
    }
}

#[test]
fn an_io_rank_that_does_not_come_is_named() {
    let patient = WriterOptions {
        longest_wait: Some(Duration::from_millis(1000)),
        ..options(1 << 20, 1)
    };
    let barrier = Barrier::new(3);
    let outcomes = after_a_commit(&patient, |rank, mut writer, id| {
        let outcome = match rank {
            2 => Ok(()),
            _ => put(&mut writer, id, 2 + rank as u64).and_then(|()| writer.sync()),
        };
        let outcome = match rank {
            2 => outcome,
            _ => outcome.and_then(|()| writer.sync()),
        };
        barrier.wait();
        outcome
    });
    for outcome in &outcomes[..2] {
        let text = outcome.as_ref().unwrap_err().to_string();
        assert!(text.contains("for rank 2"), "{text}");
    }
}

#[test]
fn other_definitions_are_named() {
    for (odd, other) in [(1, "0"), (2, "0")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.nc");
        let own = with_io(1, options(1 << 20, 1));
        let outcomes = together(3, |rank, comm| {
            let mut writer = create(&path, comm, &own).unwrap();
            let id = super::failures::define(&mut writer);
            let unit = if rank == odd { "m" } else { "km" };
            let value = SchemaValue::Atomic(AttributeValue::Char(unit.as_bytes().to_vec()));
            let owner = AttributeOwner::Variable(id);
            writer.put_attribute(owner, "units", value).unwrap();
            writer.close().map(drop)
        });
        for outcome in outcomes {
            let error = outcome.unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument);
            let text = error.to_string();
            let named = text.contains(&format!("rank {odd} has another attribute `units` of `/v`"));
            assert!(
                named && text.contains(&format!("than rank {other}")),
                "{text}"
            );
        }
        assert!(!path.exists());
    }
}

#[test]
fn more_io_ranks_than_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let own = with_io(2, options(1 << 20, 1));
    for outcome in together(3, |_, comm| create(&path, comm, &own).map(drop)) {
        assert_eq!(outcome.unwrap_err().code, ErrorCode::InvalidArgument);
    }
    assert!(!path.exists());
}

/// Decided plans are kept though only I/O ranks decide.
#[test]
fn plans_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let own = WriterOptions {
        keep_plan: true,
        ..with_io(1, options(1 << 20, 1))
    };
    together(2, |rank, comm| {
        let mut writer = create(&path, comm, &own).unwrap();
        let id = super::failures::define(&mut writer);
        for record in 0..2 {
            if rank == 0 {
                put(&mut writer, id, record).unwrap();
            }
            writer.sync().unwrap();
        }
        writer.close().unwrap();
    });
    check_records(&path, 2);
    let writer = Writer::append(&path, &options(1 << 20, 0)).unwrap();
    let kept = writer
        .schema()
        .attributes(AttributeOwner::Group(Schema::ROOT));
    assert!(kept.iter().any(|attribute| attribute.name == "frazil_plan"));
}
