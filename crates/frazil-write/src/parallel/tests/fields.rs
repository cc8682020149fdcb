//! Fields cut among ranks in many ways: the same bytes, whoever has which values.

use std::path::Path;

use frazil_container::hdf5::DatasetStorage;

use super::{create, following, options, together};
use crate::tests::read;
use crate::tests::script::Random;
use crate::{
    DimensionLength, FilterRequest, LayoutRequest, VariableSettings, Writer, WriterOptions,
};
use frazil_container::classic::AttributeValue;
use frazil_container::classic::NcType;
use frazil_container::schema::{
    AttributeOwner, DimensionId, Schema, SchemaValue, ValueType, VariableId,
};
use frazil_precision::rules::VariableRule;
use frazil_types::{FilterPipeline, FilterSpec, PrecisionRequest, filter_id};

const RECORDS: u64 = 5;
const ROWS: u64 = 24;
const COLUMNS: u64 = 40;

/// Who puts an element.
pub(super) type Decomposition = fn(ranks: u64, record: u64, row: u64, column: u64) -> u64;

/// Ways to cut fields among ranks.
pub(super) const DECOMPOSITIONS: [(&str, Decomposition); 7] = [
    ("rows", |ranks, _, row, _| row * ranks / ROWS),
    ("uneven columns", |ranks, _, _, column| {
        (column * column * ranks / (COLUMNS * COLUMNS)).min(ranks - 1)
    }),
    ("interleaved", |ranks, _, row, column| {
        (row + column) % ranks
    }),
    ("blocks", |ranks, _, row, column| {
        (row / 7 * 5 + column / 9) % ranks
    }),
    ("one rank", |ranks, _, _, _| ranks - 1),
    ("nothing for rank 0", |ranks, _, row, _| {
        (1 + row % (ranks - 1).max(1)).min(ranks - 1)
    }),
    ("records", |ranks, record, _, _| record % ranks),
];

fn value(variable: u64, record: u64, row: u64, column: u64) -> f32 {
    let smooth = (record as f32 / 3.0).sin() + (row as f32 / 9.0).cos() * (column as f32 / 11.0);
    let noise = Random(variable << 40 | record << 30 | row << 15 | column).below(100) as f32;
    // Some chunks are of one value, some of fill values in the bits.
    match (row / 8, variable) {
        (0, _) => 0.0,
        (1, 1) => 7.25,
        _ => smooth + noise / 1000.0,
    }
}

pub(super) struct Fields {
    grows: VariableId,
    others: Vec<VariableId>,
    names: VariableId,
}

fn filter(id: i32, cd_values: &[u32]) -> FilterSpec {
    FilterSpec::new(id, cd_values.to_vec())
}

pub(super) fn define(writer: &mut Writer) -> Fields {
    let root = Schema::ROOT;
    let unlimited = DimensionLength::Unlimited { expected: None };
    let time = writer.add_dimension(root, "time", unlimited).unwrap();
    let fixed = |writer: &mut Writer, name: &str, length| -> DimensionId {
        let length = DimensionLength::Fixed(length);
        writer.add_dimension(root, name, length).unwrap()
    };
    let y = fixed(writer, "y", ROWS);
    let x = fixed(writer, "x", COLUMNS);
    let float = ValueType::Atomic(NcType::Float);
    let chunked = |filters| VariableSettings {
        layout: LayoutRequest::Chunked(vec![1, 8, 16]),
        filters,
        ..VariableSettings::default()
    };
    let deflate = FilterPipeline(vec![
        filter(filter_id::SHUFFLE, &[4]),
        filter(filter_id::DEFLATE, &[1]),
    ]);
    let mut add = |name: &str, settings| {
        let id = writer.add_variable(root, name, float, &[time, y, x], settings);
        id.unwrap()
    };
    let grows = add("grows", chunked(FilterRequest::Ours));
    let mut others = vec![
        add("deflated", chunked(FilterRequest::Exactly(deflate))),
        add("ours", VariableSettings::default()),
    ];
    let rounded = VariableSettings {
        precision: Some(PrecisionRequest {
            significant_digits: Some(3),
            ..PrecisionRequest::default()
        }),
        ..chunked(FilterRequest::Ours)
    };
    others.push(add("rounded", rounded));
    let plain = VariableSettings {
        layout: LayoutRequest::Contiguous,
        ..VariableSettings::default()
    };
    let area = writer.add_variable(root, "area", float, &[y, x], plain);
    others.push(area.unwrap());
    let names = writer.add_variable(
        root,
        "names",
        ValueType::String,
        &[time],
        Default::default(),
    );
    let title = SchemaValue::Atomic(AttributeValue::Char(b"fields".to_vec()));
    let owner = AttributeOwner::Group(root);
    writer.put_attribute(owner, "title", title).unwrap();
    Fields {
        grows,
        others,
        names: names.unwrap(),
    }
}

/// Puts what a rank has of a record: runs of a row.
pub(super) fn put_record(
    writer: &mut Writer,
    fields: &Fields,
    record: u64,
    (rank, ranks): (u64, u64),
    decomposition: Decomposition,
) {
    let all = std::iter::once(fields.grows).chain(fields.others.iter().copied());
    for (variable, id) in all.enumerate() {
        let is_area = writer.schema().variables[id.0].dimensions.len() == 2;
        if is_area && record > 0 {
            continue;
        }
        for row in 0..ROWS {
            let mut column = 0;
            while column < COLUMNS {
                let owner = decomposition(ranks, record, row, column);
                let mut end = column + 1;
                while end < COLUMNS && decomposition(ranks, record, row, end) == owner {
                    end += 1;
                }
                if owner == rank {
                    let values = (column..end).map(|c| value(variable as u64, record, row, c));
                    let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
                    let (start, count) = ([record, row, column], [1, 1, end - column]);
                    let from = usize::from(is_area);
                    let outcome = writer.put(id, &start[from..], &count[from..], None, &bytes);
                    outcome.unwrap();
                }
                column = end;
            }
        }
    }
    if record % ranks == rank {
        let text = [format!("record {record}").into()];
        writer
            .put_strings(fields.names, &[record], &[1], None, &text)
            .unwrap();
    }
}

pub(super) fn write(
    path: &Path,
    ranks: u64,
    decomposition: Decomposition,
    options: &WriterOptions,
) {
    let reports = together(ranks as usize, |rank, comm| {
        let mut writer = create(path, comm, options).unwrap();
        let fields = define(&mut writer);
        writer.end_definitions().unwrap();
        // Out of order.
        for (i, record) in [3, 0, 1, 4, 2].into_iter().enumerate() {
            let me = (rank as u64, ranks);
            put_record(&mut writer, &fields, record, me, decomposition);
            if i == 1 || i == 3 {
                writer.sync().unwrap();
            }
        }
        writer.close().unwrap()
    });
    for report in &reports[1..] {
        assert_eq!(report.stored_bytes, reports[0].stored_bytes);
        assert_eq!(report.chunks, reports[0].chunks);
        assert_eq!(report.variables, reports[0].variables);
        assert_eq!(report.raw_bytes, reports[0].raw_bytes);
    }
}

pub(super) fn check(path: &Path) {
    for (number, name) in ["/grows", "/deflated", "/ours", "/rounded"]
        .iter()
        .enumerate()
    {
        let (shape, values) = read(path, name);
        assert_eq!(shape, [RECORDS, ROWS, COLUMNS], "{name}");
        for (i, bytes) in values.as_chunks::<4>().0.iter().enumerate() {
            let i = i as u64;
            let (record, row, column) = (i / COLUMNS / ROWS, i / COLUMNS % ROWS, i % COLUMNS);
            let expected = value(number as u64, record, row, column);
            let found = f32::from_le_bytes(*bytes);
            let bound = if *name == "/rounded" {
                0.005 * expected.abs()
            } else {
                0.0
            };
            assert!(
                (found - expected).abs() <= bound,
                "{name}: {found} in place of {expected} at {record}, {row}, {column}"
            );
        }
    }
    let (shape, values) = read(path, "/area");
    assert_eq!(shape, [ROWS, COLUMNS]);
    let expected = (0..ROWS * COLUMNS).map(|i| value(4, 0, i / COLUMNS, i % COLUMNS));
    let expected: Vec<u8> = expected.flat_map(f32::to_le_bytes).collect();
    assert!(values == expected, "area differs");
}

#[test]
fn bytes_do_not_depend_on_the_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.nc");
    write(&first, 1, |_, _, _, _| 0, &options(64 << 20, 1));
    check(&first);
    let expected = std::fs::read(&first).unwrap();
    for (number, (name, decomposition)) in DECOMPOSITIONS.into_iter().enumerate() {
        for ranks in [2, 3, 4, 6] {
            println!("{name} on {ranks} ranks");
            let path = folder.path().join(format!("{number}-{ranks}.nc"));
            let own = options(64 << 20, ranks as usize % 3);
            write(&path, ranks, decomposition, &own);
            check(&path);
            let found = std::fs::read(&path).unwrap();
            assert!(
                found == expected,
                "{name} on {ranks} ranks gives other bytes"
            );
        }
    }
}

#[test]
fn requests_hold_on_all_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let stated = |pattern: &str, key: &str, value: &str| {
        let stated = serde_json::Map::from_iter([(key.to_owned(), value.into())]);
        VariableRule::from_json(vec![pattern.to_owned()], stated).unwrap()
    };
    let requesting = |threads| WriterOptions {
        rules: vec![
            stated("*", "min_write_speed", "200MB/s"),
            stated("grows", "filters", "shuffle+deflate(3)"),
        ],
        ..options(64 << 20, threads)
    };
    let alone = folder.path().join("alone.nc");
    write(&alone, 1, |_, _, _, _| 0, &requesting(1));
    check(&alone);
    let expected = std::fs::read(&alone).unwrap();
    let (name, decomposition) = DECOMPOSITIONS[3];
    let path = folder.path().join("ranks.nc");
    write(&path, 3, decomposition, &requesting(2));
    assert!(std::fs::read(&path).unwrap() == expected, "{name}");
    let input = frazil_file::input::Input::open(&path).unwrap();
    let of = |path: &str| {
        let found = input.variables().iter().find(|v| v.path == path);
        match &found.unwrap().storage {
            DatasetStorage::Chunked { pipeline, .. } => pipeline.summary(),
            _ => panic!("{path} is not in chunks"),
        }
    };
    assert_eq!(of("/grows"), "shuffle+deflate(3)");
    // Chosen among filters that are fast enough.
    assert_eq!(of("/ours"), "shuffle+deflate(1)");

    // Other options on another rank are refused, by all.
    let path = folder.path().join("other.nc");
    let served = || {
        let mut own = options(64 << 20, 1);
        own.set("reads", "series").unwrap();
        own
    };
    for (name, first) in [("precision", requesting(1)), ("reads", served())] {
        let outcomes = together(2, |rank, comm| {
            let own = match rank {
                0 => first.clone(),
                _ => options(64 << 20, 1),
            };
            create(&path, comm, &own).map(drop)
        });
        for outcome in outcomes {
            let cause = outcome.unwrap_err().cause;
            assert!(cause.contains("with other options"), "{cause}");
            assert!(cause.contains(name), "{cause}");
        }
    }
}

#[test]
fn files_that_follow_the_ranks_have_the_same_values_and_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    write(&path, 1, |_, _, _, _| 0, &options(64 << 20, 1));
    let expected = std::fs::metadata(&path).unwrap().len();
    std::fs::remove_file(&path).unwrap();
    for (name, decomposition) in DECOMPOSITIONS {
        for (ranks, memory_bytes) in [(1, 64 << 20), (3, 64 << 10), (4, 64 << 20)] {
            println!("{name} on {ranks} ranks with {memory_bytes} bytes");
            let own = following(memory_bytes, ranks as usize % 3);
            write(&path, ranks, decomposition, &own);
            check(&path);
            let found = std::fs::metadata(&path).unwrap().len();
            // Chunks that are put again after a sync leave their places to later ones.
            assert!(
                found <= expected + expected / 4,
                "{found} bytes, not {expected}"
            );
            std::fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn little_memory_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.nc");
    let little = options(64 << 10, 2);
    write(&first, 1, |_, _, _, _| 0, &little);
    check(&first);
    let expected = std::fs::read(&first).unwrap();
    for (name, decomposition) in DECOMPOSITIONS {
        let path = folder.path().join("other.nc");
        write(&path, 3, decomposition, &little);
        assert!(std::fs::read(&path).unwrap() == expected, "{name}");
        std::fs::remove_file(&path).unwrap();
    }
}

/// A put that fills a whole chunk waits, too, for filters that nobody asked for.
#[test]
fn whole_chunks_wait_for_their_filters() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let row = |rank: usize| -> Vec<u8> {
        let values = (0..4000_u32).map(|i| i * (1 + rank as u32));
        values.flat_map(u32::to_le_bytes).collect()
    };
    together(3, |rank, comm| {
        let mut writer = create(&path, comm, &options(1 << 20, 1)).unwrap();
        let root = Schema::ROOT;
        let y = writer.add_dimension(root, "y", DimensionLength::Fixed(3));
        let x = writer.add_dimension(root, "x", DimensionLength::Fixed(4000));
        let settings = VariableSettings {
            layout: LayoutRequest::Chunked(vec![1, 4000]),
            ..VariableSettings::default()
        };
        let int = ValueType::Atomic(NcType::Int);
        let axes = [y.unwrap(), x.unwrap()];
        let id = writer
            .add_variable(root, "v", int, &axes, settings)
            .unwrap();
        let at = [rank as u64, 0];
        writer.put(id, &at, &[1, 4000], None, &row(rank)).unwrap();
        writer.close().unwrap();
    });
    let (_, values) = read(&path, "/v");
    assert!(values == (0..3).flat_map(row).collect::<Vec<u8>>());
}
