//! Chunk shapes of variables being written.

use super::super::slab::Slab;
use super::*;
use frazil_container::classic::NcType;
use frazil_container::schema::{DimensionId, Fill, SchemaDimension, SchemaVariable, ValueType};
use frazil_types::{ErrorCode, Storage};

fn schema(lengths: &[Option<u64>]) -> Schema {
    let mut schema = Schema::default();
    for (i, length) in lengths.iter().enumerate() {
        schema.dimensions.push(SchemaDimension {
            name: format!("d{i}"),
            group: Schema::ROOT,
            length: length.unwrap_or(0),
            is_unlimited: length.is_none(),
        });
    }
    schema.variables.push(SchemaVariable {
        name: "v".to_owned(),
        group: Schema::ROOT,
        value_type: ValueType::Atomic(NcType::Float),
        is_big_endian: false,
        dimensions: (0..lengths.len()).map(DimensionId).collect(),
        fill: Fill::Default,
        attributes: Vec::new(),
    });
    schema
}

fn layout(
    lengths: &[Option<u64>],
    request: &LayoutRequest,
    memory_bytes: u64,
    records_per_commit: Option<u64>,
) -> Result<Layout> {
    let circumstances = Circumstances {
        schema: &schema(lengths),
        expected: &vec![None; lengths.len()],
        memory_bytes,
        records_bytes: record_bytes(&schema(lengths), &vec![None; lengths.len()], VariableId(0)),
        records_per_commit,
        borders: None,
        chunk_goal: &AccessPattern::default(),
        is_plain: false,
    };
    circumstances.layout(VariableId(0), request)
}

/// Bytes that a variable takes with so many records, by the bytes of its values.
fn stored_share(lengths: &[Option<u64>], records: u64, borders: Option<&Borders>) -> f64 {
    let circumstances = Circumstances {
        schema: &schema(lengths),
        expected: &vec![None; lengths.len()],
        memory_bytes: 448 << 20,
        records_bytes: record_bytes(&schema(lengths), &vec![None; lengths.len()], VariableId(0)),
        records_per_commit: None,
        borders,
        chunk_goal: &AccessPattern::default(),
        is_plain: true,
    };
    let found = circumstances.layout(VariableId(0), &LayoutRequest::Ours);
    let pairs = lengths.iter().zip(found.unwrap().chunk);
    pairs.fold(1.0, |share, (length, edge)| {
        let length = length.unwrap_or(records);
        share * (length.div_ceil(edge) * edge) as f64 / length as f64
    })
}

#[test]
fn what_is_not_compressed_wastes_little_space() {
    // Fields of a WRF run of 28 records.
    let field = [None, Some(80), Some(2), Some(201)];
    assert!(stored_share(&field, 28, None) <= 1.05);
    // Ranks' bands that do not divide the axis.
    let mut borders = Borders::default();
    for start in [0, 50, 100, 150] {
        let slab = Slab {
            start: &[0, 0, 0, start],
            count: &[1, 80, 2, 50],
            stride: None,
        };
        borders.note(&slab, &field);
    }
    assert!(stored_share(&field, 28, Some(&borders)) <= 1.07);
    // A record that would make chunks too small: what is wasted is less than a small chunk.
    let series = (stored_share(&[None], 10_000, None) - 1.0) * 40_000.0;
    assert!(series <= PLAIN_RECORDS_BYTES as f64);
}

/// Chunks for ranks that put boxes of these lengths, the first at the origin.
fn followed(lengths: &[Option<u64>], block: &[u64]) -> Layout {
    let mut borders = Borders::default();
    let slab = Slab {
        start: &vec![0; block.len()],
        count: block,
        stride: None,
    };
    borders.note(&slab, lengths);
    let circumstances = Circumstances {
        schema: &schema(lengths),
        expected: &vec![None; lengths.len()],
        memory_bytes: 64 << 20,
        records_bytes: record_bytes(&schema(lengths), &vec![None; lengths.len()], VariableId(0)),
        records_per_commit: None,
        borders: Some(&borders),
        chunk_goal: &AccessPattern::default(),
        is_plain: false,
    };
    let request = LayoutRequest::Ours;
    circumstances.layout(VariableId(0), &request).unwrap()
}

#[test]
fn no_border_of_the_ranks_cuts_a_chunk() {
    let field = [None, Some(64), Some(384), Some(768)];
    let alone = ours(&field, None);
    for block in [[1, 64, 192, 768], [1, 64, 96, 384], [1, 16, 48, 768]] {
        let found = followed(&field, &block);
        for axis in 1..4 {
            assert_eq!(block[axis] % found.chunk[axis], 0, "{block:?}: {found:?}");
        }
        let least = alone.chunk_bytes / LEAST_SHARE as usize;
        let most = alone.chunk_bytes * MOST_TIMES as usize;
        assert!((least..=most).contains(&found.chunk_bytes), "{found:?}");
    }
}

#[test]
fn borders_that_leave_no_room_for_a_chunk_are_cut() {
    let field = [None, Some(64), Some(384), Some(768)];
    let alone = ours(&field, None);
    assert_eq!(followed(&field, &[1, 64, 383, 767]).chunk, alone.chunk);
    assert_eq!(followed(&field, &[1, 1, 1, 1]).chunk, alone.chunk);
    assert!(followed(&[Some(10), Some(10)], &[5, 10]).is_contiguous);
}

fn ours(lengths: &[Option<u64>], records_per_commit: Option<u64>) -> Layout {
    layout(lengths, &LayoutRequest::Ours, 64 << 20, records_per_commit).unwrap()
}

#[test]
fn a_record_that_fills_the_memory_is_cut_by_records() {
    let model_field = ours(&[None, Some(32), Some(384), Some(768)], None);
    assert_eq!(model_field.chunk[0], 1);
    assert!((256 << 10..=1 << 20).contains(&model_field.chunk_bytes));
    assert!(ours(&[None], None).chunk[0] >= 1024);
}

#[test]
fn a_commit_per_record_cuts_chunks_by_records_unless_they_are_small() {
    let surface = [None, Some(100), Some(200)];
    assert!(ours(&surface, None).chunk[0] > 1);
    assert_eq!(ours(&surface, Some(1)).chunk[0], 1);
    assert_eq!(ours(&surface, Some(3)).chunk[0], 3);
    assert_eq!(ours(&[None], Some(1)), ours(&[None], None));
    // Alone they would have chunks that are long in time and a part of a record wide.
    let small = [None, Some(5), Some(20), Some(30)];
    assert!(ours(&small, None).chunk[0] > 100);
    assert_eq!(ours(&small, Some(1)).chunk, [1, 5, 20, 30]);
    let profile = ours(&[None, Some(64)], Some(1));
    assert!((8 << 10..=32 << 10).contains(&profile.chunk_bytes));
}

#[test]
fn stated_reads_shape_the_chunks_within_the_memory() {
    let lengths = [None, Some(128), Some(256)];
    let schema = schema(&lengths);
    let goal = |reads| AccessPattern {
        reads: frazil_options::chunk_goal::parse_reads(reads).unwrap(),
        ..AccessPattern::default()
    };
    let chunk = |goal: &AccessPattern, memory_bytes, records_per_commit| {
        let circumstances = Circumstances {
            is_plain: false,
            schema: &schema,
            expected: &[Some(1560), None, None],
            memory_bytes,
            records_bytes: record_bytes(&schema, &[Some(1560), None, None], VariableId(0)),
            records_per_commit,
            borders: None,
            chunk_goal: goal,
        };
        let layout = circumstances
            .layout(VariableId(0), &LayoutRequest::Ours)
            .unwrap();
        layout.chunk
    };
    assert_eq!(chunk(&goal("map"), 64 << 20, None), [1, 128, 256]);
    let series = chunk(&goal("series"), 1 << 30, None);
    assert!(series[0] > 1000, "{series:?}");
    // A sixteenth of the memory holds the chunks that one record begins.
    assert!(chunk(&goal("series"), 8 << 20, None)[0] <= 16);
    let far = AccessPattern {
        storage: Some(Storage::ParallelFs),
        ..goal("map,series")
    };
    assert!(chunk(&far, 64 << 20, None)[0] > 1);
    assert_eq!(chunk(&far, 64 << 20, Some(1))[0], 1);
    // Small chunks of several records are written again.
    let both = goal("map,series");
    assert_eq!(
        chunk(&both, 64 << 20, Some(1)),
        chunk(&both, 64 << 20, None)
    );
}

#[test]
fn small_fixed_variables_are_contiguous() {
    assert!(ours(&[Some(10), Some(10)], None).is_contiguous);
    assert!(ours(&[], None).is_contiguous);
}

#[test]
fn chunks_asked_for_must_fit() {
    let request = LayoutRequest::Chunked(vec![200]);
    let fits = layout(&[Some(100)], &request, 4000, None).unwrap();
    assert_eq!(fits.chunk, [100]);
    let error = layout(&[Some(100)], &request, 2000, None).unwrap_err();
    assert_eq!(error.code, ErrorCode::MemoryBudget);
}
