//! Chunk shapes that go by the ranks' blocks.

use std::path::Path;

use super::{create, following, options, together};
use crate::tests::read;
use crate::{DimensionLength, FilterRequest, VariableSettings, Writer, WriterOptions};
use frazil_container::classic::NcType;
use frazil_container::schema::{Schema, ValueType, VariableId};
use frazil_types::{ErrorCode, FilterPipeline, FilterSpec, filter_id};

const RECORDS: u64 = 6;
const ROWS: u64 = 480;
const COLUMNS: u64 = 732;
/// Blocks along each axis.
const CUTS: (u64, u64) = (3, 1);

fn define(writer: &mut Writer, filters: FilterRequest) -> VariableId {
    let root = Schema::ROOT;
    let unlimited = DimensionLength::Unlimited { expected: None };
    let time = writer.add_dimension(root, "time", unlimited).unwrap();
    let y = writer.add_dimension(root, "y", DimensionLength::Fixed(ROWS));
    let x = writer.add_dimension(root, "x", DimensionLength::Fixed(COLUMNS));
    let settings = VariableSettings {
        filters,
        ..VariableSettings::default()
    };
    let float = ValueType::Atomic(NcType::Float);
    let axes = [time, y.unwrap(), x.unwrap()];
    writer
        .add_variable(root, "t", float, &axes, settings)
        .unwrap()
}

/// Where a rank's block begins, and how long it is.
fn block(rank: u64) -> ([u64; 2], [u64; 2]) {
    let count = [ROWS / CUTS.0, COLUMNS / CUTS.1];
    let at = [rank / CUTS.1 * count[0], rank % CUTS.1 * count[1]];
    (at, count)
}

fn value(record: u64, row: u64, column: u64) -> f32 {
    (record as f32).mul_add(3.5, (row * column % 101) as f32)
}

fn put(writer: &mut Writer, id: VariableId, rank: u64, record: u64) {
    let ([y, x], [rows, columns]) = block(rank);
    let values = (0..rows * columns).map(|i| value(record, y + i / columns, x + i % columns));
    let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
    let outcome = writer.put(id, &[record, y, x], &[1, rows, columns], None, &bytes);
    outcome.unwrap();
}

fn check(path: &Path) {
    let (shape, values) = read(path, "/t");
    assert_eq!(shape, [RECORDS, ROWS, COLUMNS]);
    for (i, bytes) in values.as_chunks::<4>().0.iter().enumerate() {
        let i = i as u64;
        let expected = value(i / COLUMNS / ROWS, i / COLUMNS % ROWS, i % COLUMNS);
        assert_eq!(f32::from_le_bytes(*bytes), expected, "at {i}");
    }
}

/// Writes a file, with blocks stated or not, and returns the chunk shape.
fn write(path: &Path, options: &WriterOptions, filters: &FilterRequest, states: bool) -> Vec<u64> {
    let ranks = CUTS.0 * CUTS.1;
    let shapes = together(ranks as usize, |rank, comm| {
        let mut writer = create(path, comm, options).unwrap();
        let id = define(&mut writer, filters.clone());
        let rank = rank as u64;
        if states {
            let ([y, x], [rows, columns]) = block(rank);
            let outcome = writer.state_block(id, &[0, y, x], &[1, rows, columns]);
            outcome.unwrap();
        }
        writer.end_definitions().unwrap();
        for record in 0..RECORDS {
            put(&mut writer, id, rank, record);
            if record == 2 {
                writer.sync().unwrap();
            }
        }
        let report = writer.close().unwrap();
        report.variables[0].chunk.clone().unwrap()
    });
    assert!(shapes.iter().all(|shape| *shape == shapes[0]));
    println!(
        "follows: {}, {filters:?}, states: {states}, {:?}",
        options.follow_ranks, shapes[0]
    );
    check(path);
    std::fs::remove_file(path).unwrap();
    shapes[0].clone()
}

#[test]
fn chunks_go_by_blocks_that_are_stated_or_put() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let deflate = FilterPipeline(vec![FilterSpec::new(filter_id::DEFLATE, vec![1])]);
    let deflate = FilterRequest::Exactly(deflate);
    let (_, [rows, columns]) = block(0);
    let is_uncut = |chunk: &[u64]| rows % chunk[1] == 0 && columns % chunk[2] == 0;
    let memory = 4 << 20;
    let alone = write(&path, &options(memory, 1), &FilterRequest::Ours, true);
    assert!(!is_uncut(&alone), "{alone:?}: this proves nothing");
    // Before the first sync nothing is packed whose filters are open.
    for states in [false, true] {
        let chunk = write(&path, &following(memory, 1), &FilterRequest::Ours, states);
        assert!(is_uncut(&chunk), "{chunk:?}");
    }
    let chunk = write(&path, &following(memory, 1), &deflate, true);
    assert!(is_uncut(&chunk), "{chunk:?}");
    // Chunks are packed from the first put on: that is too late.
    let chunk = write(&path, &following(memory, 1), &deflate, false);
    assert!(!is_uncut(&chunk), "{chunk:?}");
}

#[test]
fn blocks_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    together(1, |_, comm| {
        let mut writer = create(&path, comm, &following(1 << 20, 0)).unwrap();
        let id = define(&mut writer, FilterRequest::Ours);
        for (start, count) in [([0, ROWS - 9, 0], [1, 10, 1]), ([0, 0, COLUMNS], [1, 1, 1])] {
            let error = writer.state_block(id, &start, &count).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument);
            assert_eq!(error.variable.as_deref(), Some("/t"));
        }
        assert!(writer.state_block(id, &[0], &[1]).is_err());
        writer.close().unwrap();
    });
}
