//! Values against a naive reference: random arrays, boxes, threads and budgets.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

use std::collections::HashSet;
use std::sync::Arc;

use crate::support::{
    FILL, Layout, MemoryFile, Mishap, ToyDecoder, World, collect, smallest_budget, values_task,
    watched,
};
use frazil_pipeline::{
    ChunkIndex, MemoryBudget, Request, StoredChunk, StoredChunks, Task, TilingHint, WantedTiles,
};
use frazil_types::{ChunkGrid, ChunkRecord, FileExtent, Selection};
use proptest::prelude::*;

const AMPLE: u64 = 1 << 30;

fn layouts() -> impl Strategy<Value = Layout> {
    let axes = proptest::collection::vec((0_u64..10, 1_u64..6), 0..5);
    let switches = any::<(bool, bool, bool, bool)>();
    let element = proptest::sample::select(vec![1_usize, 2, 3, 4, 8, 12]);
    let gap = proptest::sample::select(vec![0_usize, 3, 20_000]);
    (axes, element, 0_u64..5, gap, switches).prop_map(
        |(axes, element_bytes, absent_every, gap_bytes, switches)| {
            let (byte_swap, raw_partial_edges, identity, scattered) = switches;
            let (shape, chunk): (Vec<u64>, Vec<u64>) = axes.into_iter().unzip();
            Layout {
                absent_every,
                gap_bytes,
                byte_swap,
                raw_partial_edges,
                identity,
                scattered,
                ..Layout::new(&shape, &chunk, element_bytes)
            }
        },
    )
}

/// Boxes that may stick out of the array, some of them exactly one chunk.
fn boxes(layout: &Layout) -> impl Strategy<Value = Vec<Selection>> + use<> {
    let chunk = layout.chunk.clone();
    let axis = (0_u64..12, 0_u64..8, any::<bool>());
    let one = proptest::collection::vec(axis, chunk.len()).prop_map(move |axes| {
        let aligned = axes.iter().all(|&(_, _, aligned)| aligned);
        let place = |(&(start, count, _), &step): (&(u64, u64, bool), &u64)| {
            if aligned {
                (start / step * step, step)
            } else {
                (start, count)
            }
        };
        let (start, count) = axes.iter().zip(&chunk).map(place).unzip();
        Selection { start, count }
    });
    proptest::collection::vec(one, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_box_of_any_array_equals_the_reference(
        (layout, boxes) in layouts().prop_flat_map(|layout| {
            let boxes = boxes(&layout);
            (Just(layout), boxes)
        }),
        threads in 1_usize..5,
        per_task in 1_usize..4,
    ) {
        watched(move || {
            let world = World::new(layout);
            let groups: Vec<Vec<Selection>> = boxes.chunks(per_task).map(<[_]>::to_vec).collect();
            let tasks = || groups.iter().cloned().enumerate()
                .map(|(i, group)| values_task(i, group)).collect::<Vec<_>>();
            let expected: Vec<(usize, Vec<Vec<u8>>)> = groups.iter().enumerate()
                .map(|(i, group)| (i, group.iter().map(|b| world.read(b)).collect()))
                .collect();
            let sources = [world.source];
            let ample = collect(&sources, tasks(), threads, &MemoryBudget::new(AMPLE)).unwrap().0;
            assert!(ample == expected);
            let mut tight = Vec::new();
            smallest_budget(|budget| {
                tight = collect(&sources, tasks(), threads, budget)?.0;
                Ok(())
            });
            assert!(tight == expected);
        });
    }

    #[test]
    fn rechunking_gives_the_same_at_any_thread_count_and_budget(
        shape in proptest::collection::vec(1_u64..24, 1..4),
        steps in proptest::collection::vec((1_u64..9, 1_u64..9), 3),
        absent_every in 0_u64..4,
        wants_all in any::<bool>(),
    ) {
        watched(move || {
            let chunk: Vec<u64> = steps.iter().take(shape.len()).map(|s| s.0).collect();
            let tile: Vec<u64> = steps.iter().take(shape.len()).map(|s| s.1).collect();
            let mut world = World::new(Layout { absent_every, ..Layout::new(&shape, &chunk, 4) });
            let grid = ChunkGrid::new(&shape, &tile).unwrap();
            let wanted: Vec<u64> = (0..grid.chunk_count())
                .filter(|i| wants_all || i % 3 != 1).collect();
            world.source.tiling = Some(TilingHint {
                grid: grid.clone(),
                wanted: if wants_all {
                    WantedTiles::All
                } else {
                    WantedTiles::Some(Arc::new(wanted.iter().copied().collect()))
                },
            });
            rechunk_everywhere(&world, &grid, &wanted);
        });
    }
}

fn rechunk_everywhere(world: &World, grid: &ChunkGrid, wanted: &[u64]) {
    let tasks = || {
        let task = |(number, &tile): (usize, &u64)| values_task(number, vec![grid.chunk_box(tile)]);
        wanted.iter().enumerate().map(task).collect::<Vec<_>>()
    };
    let expected: Vec<_> = wanted
        .iter()
        .enumerate()
        .map(|(number, &tile)| (number, vec![world.read(&grid.chunk_box(tile))]))
        .collect();
    let touched: HashSet<u64> = wanted
        .iter()
        .flat_map(|&tile| world.grid.chunks_in(&grid.chunk_box(tile)))
        .filter(|&chunk| world.source.locate(chunk).is_some())
        .collect();
    let sources = std::slice::from_ref(&world.source);
    let tight = smallest_budget(|budget| collect(sources, tasks(), 1, budget).map(drop));
    for threads in [1, 2, 4, 8] {
        let (found, stats) = collect(sources, tasks(), threads, &MemoryBudget::new(AMPLE)).unwrap();
        assert!(found == expected);
        assert_eq!(
            stats.chunks_decoded,
            touched.len() as u64,
            "each chunk once"
        );
        assert_eq!(stats.decoded_again, 0);
        for capacity in [tight, tight + tight / 2, 3 * tight] {
            let budget = MemoryBudget::new(capacity);
            let (found, stats) = collect(sources, tasks(), threads, &budget).unwrap();
            assert!(found == expected);
            assert_eq!(
                stats.chunks_decoded - stats.decoded_again,
                touched.len() as u64
            );
        }
    }
}

#[test]
fn stored_requests_give_stored_bytes_and_tell_absent_chunks() {
    for threads in [1, 4] {
        let layout = Layout {
            absent_every: 4,
            gap_bytes: 5,
            ..Layout::new(&[20, 9], &[3, 4], 2)
        };
        let world = World::new(layout);
        let task = |meta: u64| Task {
            meta: meta as usize,
            requests: (0..3)
                .map(|i| Request::Stored {
                    source: 0,
                    index: meta * 3 + i,
                })
                .collect(),
            output_bytes: 0,
        };
        let tasks = (0..7).map(task).collect();
        let sources = [world.source];
        let budget = MemoryBudget::new(AMPLE);
        let (found, stats) = collect(&sources, tasks, threads, &budget).unwrap();
        assert_eq!(stats.chunks_decoded, 0);
        for (meta, blocks) in found {
            for (i, block) in blocks.iter().enumerate() {
                let index = (meta * 3 + i) as u64;
                match sources[0].locate(index) {
                    None => assert_eq!(block, &[0]),
                    Some(stored) => {
                        assert_eq!(u32::from(block[0]), stored.filter_mask + 1);
                        assert_eq!(block.len() as u64 - 1, stored.extent.segment_bytes);
                    }
                }
            }
        }
    }
}

/// Contiguous and record data: slabs by formula, the last one clipped.
#[test]
fn slabs_of_contiguous_and_record_data_may_be_clipped() {
    // 11 records of 6 two-byte elements, each record padded to 15 bytes in the file.
    for (stride, threads) in [(12_u64, 1), (15, 1), (15, 3), (40_000, 2)] {
        let content: Vec<u8> = (0..11 * stride).map(|i| (i * 7 % 251) as u8).collect();
        let mut world = World::new(Layout::new(&[11, 6], &[4, 6], 2));
        world.source.decoder = Arc::new(ToyDecoder::new(true, Mishap::None));
        world.source.bytes = Arc::new(MemoryFile {
            content: content.clone(),
            ..MemoryFile::default()
        });
        world.source.index = ChunkIndex::Computed(Box::new(move |slab| {
            let segments = 4.min(11 - slab * 4);
            let extent = if stride == 12 {
                FileExtent::contiguous(slab * 48, segments * 12)
            } else {
                FileExtent {
                    address: slab * 4 * stride,
                    segment_bytes: 12,
                    segments,
                    stride_bytes: stride,
                }
            };
            Some(StoredChunk {
                extent,
                filter_mask: 0,
            })
        }));
        let selection = Selection {
            start: vec![2, 1],
            count: vec![10, 3],
        };
        let expected: Vec<u8> = (2..12_u64)
            .flat_map(|record| {
                let at = (record * stride + 2) as usize;
                let outside = [FILL, FILL ^ 1].repeat(3);
                content.get(at..at + 6).map_or(outside, <[u8]>::to_vec)
            })
            .collect();
        let budget = MemoryBudget::new(AMPLE);
        let tasks = vec![values_task(0, vec![selection])];
        let (found, stats) = collect(&[world.source], tasks, threads, &budget).unwrap();
        assert_eq!(found[0].1[0], expected);
        assert_eq!(stats.chunks_decoded, 3);
    }
}

/// A grid of 10^18 one-element chunks costs what is stored, not what the shape claims.
#[test]
fn hostile_grids_cost_only_what_is_stored() {
    let mut world = World::new(Layout::new(&[4, 4], &[2, 2], 1));
    let huge = 1_000_000_000;
    world.source.grid = ChunkGrid::new(&[huge, huge], &[1, 1]).unwrap();
    let records = [(0, 7), (huge + 1, 8), (u64::MAX, 9)].map(|(index, address)| ChunkRecord {
        index,
        filter_mask: 1,
        address,
        stored_bytes: 1,
    });
    world.source.index = ChunkIndex::Stored(StoredChunks::new(records.into()));
    let selection = Selection {
        start: vec![0, 0],
        count: vec![1000, 1000],
    };
    let sources = [world.source];
    let budget = MemoryBudget::new(4 << 20);
    let tasks = vec![values_task(0, vec![selection])];
    let (found, stats) = collect(&sources, tasks, 2, &budget).unwrap();
    let values = &found[0].1[0];
    assert_eq!(stats.chunks_decoded, 2);
    assert_eq!(values.iter().filter(|&&value| value != FILL).count(), 2);

    let everything = values_task(0, vec![Selection::whole(&[huge, huge])]);
    let error = collect(&sources, vec![everything], 2, &budget).unwrap_err();
    assert_eq!(error.code(), frazil_types::ErrorCode::MemoryBudget);
}
