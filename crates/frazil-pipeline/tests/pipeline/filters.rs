//! Real filters from end to end, and how well decoded chunks are shared in little memory.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

use std::sync::Arc;

use crate::support::{Layout, MemoryFile, World, collect, for_each_element, values_task};
use frazil_codec::{BoundDecoder, BoundEncoder, Scratch};
use frazil_pipeline::{
    ArraySource, ChunkIndex, MemoryBudget, StoredChunks, TilingHint, WantedTiles,
};
use frazil_types::{ChunkGrid, ChunkRecord, FilterPipeline, FilterSpec, Selection, filter_id};

/// 30 x 40 int32 in chunks of 8 x 16, shuffled, deflated and with checksums.
fn deflated_source() -> ArraySource {
    let pipeline = FilterPipeline(vec![
        FilterSpec::new(filter_id::SHUFFLE, vec![4]),
        FilterSpec::new(filter_id::DEFLATE, vec![6]),
        FilterSpec::new(filter_id::FLETCHER32, vec![]),
    ]);
    let grid = ChunkGrid::new(&[30, 40], &[8, 16]).unwrap();
    let chunk_bytes = 8 * 16 * 4;
    let encoder = BoundEncoder::bind(&pipeline, None, 4, chunk_bytes).unwrap();
    let mut scratch = Scratch::default();
    let mut content = Vec::new();
    let mut chunks = Vec::new();
    for index in 0..grid.chunk_count() {
        let mut raw = Vec::with_capacity(chunk_bytes);
        for_each_element(&grid.chunk_box(index), |at| {
            raw.extend((at[0] as u32 * 1000 + at[1] as u32).to_le_bytes());
        });
        let stored = encoder.encode(&raw, &mut scratch).unwrap();
        chunks.push(ChunkRecord {
            index,
            filter_mask: 0,
            address: content.len() as u64,
            stored_bytes: stored.len() as u64,
        });
        content.extend(stored);
    }
    ArraySource {
        grid,
        element_bytes: 4,
        index: ChunkIndex::Stored(StoredChunks::new(chunks)),
        decoder: Arc::new(BoundDecoder::bind(&pipeline, 4, chunk_bytes).unwrap()),
        raw_partial_edges: false,
        byte_swap: None,
        fill: vec![0xFF; 4],
        bytes: Arc::new(MemoryFile {
            content,
            ..MemoryFile::default()
        }),
        tiling: None,
    }
}

#[test]
fn deflated_chunks_come_back_as_values() {
    let sources = [deflated_source()];
    let selection = Selection {
        start: vec![5, 10],
        count: vec![26, 25],
    };
    for threads in [1, 3] {
        let tasks = vec![values_task(0, vec![selection.clone()])];
        let budget = MemoryBudget::new(1 << 20);
        let (found, stats) = collect(&sources, tasks, threads, &budget).unwrap();
        let mut expected = Vec::new();
        for_each_element(&selection, |at| {
            let value = at[0] as u32 * 1000 + at[1] as u32;
            let inside = at[0] < 30;
            expected.extend(if inside { value } else { u32::MAX }.to_le_bytes());
        });
        assert_eq!(found[0].1[0], expected);
        assert_eq!(stats.chunks_decoded, 4 * 3);
    }
}

/// Maps to time series: every tile needs every chunk. Without sharing that is 4096 decodes.
#[test]
fn columns_through_maps_share_decodes_even_in_little_memory() {
    let shape = [64, 64, 64];
    let mut world = World::new(Layout::new(&shape, &[1, 64, 64], 4));
    let tiles = world.tiles(&[64, 8, 8]);
    world.source.tiling = Some(TilingHint {
        grid: ChunkGrid::new(&shape, &[64, 8, 8]).unwrap(),
        wanted: WantedTiles::All,
    });
    let sources = [world.source];
    // The whole array is 1 MiB, a tile and a map 16 KiB.
    for (capacity, at_most) in [(512 << 10, 400), (1 << 20, 200), (3 << 20, 64)] {
        let tasks = tiles.iter().enumerate();
        let tasks = tasks.map(|(number, tile)| values_task(number, vec![tile.clone()]));
        let budget = MemoryBudget::new(capacity);
        let (_, stats) = collect(&sources, tasks.collect(), 1, &budget).unwrap();
        assert!(
            stats.chunks_decoded <= at_most,
            "{} decodes in {capacity} bytes",
            stats.chunks_decoded
        );
    }
}
