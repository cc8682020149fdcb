//! Overhead per task, and bytes per second of gathering: `cargo bench -p frazil-pipeline`.

#![allow(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use frazil_codec::{CodecError, Scratch};
use frazil_pipeline::{
    ArraySource, ByteSource, ChunkDecoder, ChunkIndex, MemoryBudget, PipelineError, Request,
    RunOptions, RunStats, StoredChunk, Task, TilingHint, WantedTiles, run_ordered,
};
use frazil_types::{ChunkGrid, FileExtent};

/// A file of zeros that costs one memory write per byte.
struct Zeros;

impl ByteSource for Zeros {
    fn read_exact_at(&self, buffer: &mut [u8], _address: u64) -> io::Result<()> {
        buffer.fill(0);
        Ok(())
    }
}

/// Data stored as they are.
struct Identity;

impl ChunkDecoder for Identity {
    fn decode(&self, stored: &[u8], _: u32, _: &mut Scratch) -> Result<Vec<u8>, CodecError> {
        Ok(stored.to_vec())
    }

    fn is_identity(&self) -> bool {
        true
    }
}

fn source(grid: ChunkGrid, tiles: Option<ChunkGrid>) -> ArraySource {
    let chunk_bytes = grid.chunk_elements() * 4;
    ArraySource {
        grid,
        element_bytes: 4,
        index: ChunkIndex::Computed(Box::new(move |index| {
            Some(StoredChunk {
                extent: FileExtent::contiguous(index * chunk_bytes, chunk_bytes),
                filter_mask: 0,
            })
        })),
        decoder: Arc::new(Identity),
        raw_partial_edges: false,
        byte_swap: None,
        fill: vec![0; 4],
        bytes: Arc::new(Zeros),
        tiling: tiles.map(|grid| TilingHint {
            grid,
            wanted: WantedTiles::All,
        }),
    }
}

/// Reads the tiles of a grid; returns seconds and statistics.
fn read_tiles(
    source: ArraySource,
    tiles: &ChunkGrid,
    threads: usize,
) -> Result<(f64, RunStats), PipelineError> {
    let budget = MemoryBudget::new(1 << 30);
    let cancel = AtomicBool::new(false);
    let options = RunOptions {
        threads,
        budget: &budget,
        cancel: &cancel,
    };
    let tasks = (0..tiles.chunk_count()).map(|tile| Task {
        meta: (),
        requests: vec![Request::Values {
            source: 0,
            selection: tiles.chunk_box(tile),
        }],
        output_bytes: 0,
    });
    let begun = Instant::now();
    let stats = run_ordered(
        &[source],
        tasks,
        &options,
        |(), blocks, _| Ok(blocks.len()),
        |(), _| Ok::<(), PipelineError>(()),
    )?;
    Ok((begun.elapsed().as_secs_f64(), stats))
}

fn grid(shape: &[u64], chunk: &[u64]) -> Result<ChunkGrid, PipelineError> {
    ChunkGrid::new(shape, chunk).ok_or(PipelineError::InvalidSource {
        source_index: 0,
        reason: "no such grid",
    })
}

/// Tasks of one chunk of 512 bytes each.
fn tiny_tasks(threads: usize) -> Result<(), PipelineError> {
    let chunks = grid(&[128 * 1_000_000], &[128])?;
    let (seconds, stats) = read_tiles(source(chunks.clone(), None), &chunks, threads)?;
    let rate = stats.tasks as f64 / seconds / 1000.0;
    println!("tiny tasks, {threads} threads: {rate:.0} thousand per second");
    Ok(())
}

/// Rechunking with runs of `run_elements` four-byte elements.
fn gather(run_elements: u64, threads: usize) -> Result<(), PipelineError> {
    let shape = [64, 1024, 4096];
    let chunks = grid(&shape, &[1, 1024, 4096])?;
    let tiles = grid(&shape, &[16, 1024, run_elements])?;
    let (seconds, stats) = read_tiles(source(chunks, Some(tiles.clone())), &tiles, threads)?;
    let gigabytes = (shape.iter().product::<u64>() * 4) as f64 / 1e9;
    println!(
        "gather, runs of {} bytes, {threads} threads: {:.2} GB/s ({} chunks decoded)",
        run_elements * 4,
        gigabytes / seconds,
        stats.chunks_decoded,
    );
    Ok(())
}

fn main() -> Result<(), PipelineError> {
    for threads in [1, 2, 4] {
        tiny_tasks(threads)?;
    }
    for threads in [1, 4] {
        for run_elements in [16, 64, 256, 4096] {
            gather(run_elements, threads)?;
        }
    }
    Ok(())
}
