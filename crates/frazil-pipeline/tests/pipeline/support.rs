//! Arrays in memory, stored with a toy filter, and a naive way to read them.
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use frazil_codec::{CodecError, Scratch};
use frazil_pipeline::{
    ArraySource, Block, ByteSource, ChunkDecoder, ChunkIndex, MemoryBudget, PipelineError, Request,
    RunOptions, RunStats, StoredChunks, Task, run_ordered,
};
use frazil_types::{ChunkGrid, ChunkRecord, FileExtent, Selection};

/// A file in memory that can fail or panic at its n-th read.
#[derive(Default)]
pub struct MemoryFile {
    pub content: Vec<u8>,
    pub reads: AtomicU64,
    pub fail_at_read: Option<u64>,
}

impl ByteSource for MemoryFile {
    fn read_exact_at(&self, buffer: &mut [u8], address: u64) -> io::Result<()> {
        let number = self.reads.fetch_add(1, Ordering::Relaxed);
        if self.fail_at_read == Some(number) {
            return Err(io::Error::other("the disk is on fire"));
        }
        let start = usize::try_from(address).unwrap();
        let found = self.content.get(start..start.saturating_add(buffer.len()));
        buffer.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// The toy filter: every byte plus its position, stored in reverse; bit 0 of the mask skips it.
pub fn toy_encode(raw: &[u8]) -> Vec<u8> {
    let mut stored: Vec<u8> = raw
        .iter()
        .enumerate()
        .map(|(i, byte)| byte.wrapping_add(i as u8))
        .collect();
    stored.reverse();
    stored
}

/// What a decoder does to one chunk, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    None,
    Error(u64),
    Panic(u64),
    TooShort(u64),
}

pub struct ToyDecoder {
    pub identity: bool,
    pub decoded: AtomicU64,
    pub mishap: Mishap,
}

impl ToyDecoder {
    pub fn new(identity: bool, mishap: Mishap) -> Self {
        Self {
            identity,
            decoded: AtomicU64::new(0),
            mishap,
        }
    }
}

impl ChunkDecoder for ToyDecoder {
    fn decode(
        &self,
        stored: &[u8],
        filter_mask: u32,
        _scratch: &mut Scratch,
    ) -> Result<Vec<u8>, CodecError> {
        let number = self.decoded.fetch_add(1, Ordering::Relaxed);
        match self.mishap {
            Mishap::Error(at) if at == number => {
                return Err(CodecError::Corrupt {
                    filter: "toy",
                    reason: "on purpose",
                });
            }
            Mishap::Panic(at) if at == number => panic!("decoder panic on purpose"),
            Mishap::TooShort(at) if at == number => return Ok(vec![0]),
            _ => {}
        }
        if filter_mask & 1 == 1 {
            return Ok(stored.to_vec());
        }
        let reversed = stored.iter().rev().enumerate();
        Ok(reversed.map(|(i, b)| b.wrapping_sub(i as u8)).collect())
    }

    fn is_identity(&self) -> bool {
        self.identity
    }
}

/// How to lay out a test array.
#[derive(Debug, Clone)]
pub struct Layout {
    pub shape: Vec<u64>,
    pub chunk: Vec<u64>,
    pub element_bytes: usize,
    /// Every n-th chunk is absent; 0: none.
    pub absent_every: u64,
    /// Bytes between stored chunks.
    pub gap_bytes: usize,
    pub byte_swap: bool,
    pub raw_partial_edges: bool,
    pub identity: bool,
    /// Chunk positions in the file are permuted.
    pub scattered: bool,
}

impl Layout {
    pub fn new(shape: &[u64], chunk: &[u64], element_bytes: usize) -> Self {
        Self {
            shape: shape.to_vec(),
            chunk: chunk.to_vec(),
            element_bytes,
            absent_every: 0,
            gap_bytes: 0,
            byte_swap: false,
            raw_partial_edges: false,
            identity: false,
            scattered: false,
        }
    }
}

/// A test array: its source, and its values the naive way.
pub struct World {
    pub layout: Layout,
    pub grid: ChunkGrid,
    pub source: ArraySource,
}

pub const FILL: u8 = 0xEE;

/// Byte `byte` of the element at `at`: a hash of both.
fn true_byte(at: &[u64], byte: usize) -> u8 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ byte as u64;
    for &i in at {
        hash = (hash ^ i).wrapping_mul(0x0100_0000_01b3);
    }
    (hash >> 17) as u8
}

/// Calls `f` for every element of a box, row-major.
pub fn for_each_element(selection: &Selection, mut f: impl FnMut(&[u64])) {
    if selection.count.contains(&0) {
        return;
    }
    let mut at = selection.start.clone();
    loop {
        f(&at);
        let mut axis = at.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            at[axis] += 1;
            if at[axis] < selection.start[axis] + selection.count[axis] {
                break;
            }
            at[axis] = selection.start[axis];
        }
    }
}

impl World {
    pub fn new(layout: Layout) -> Self {
        Self::with_mishap(layout, Mishap::None, None)
    }

    pub fn with_mishap(layout: Layout, mishap: Mishap, fail_at_read: Option<u64>) -> Self {
        let grid = ChunkGrid::new(&layout.shape, &layout.chunk).unwrap();
        let mut content = vec![0xAA; 7];
        let mut chunks = Vec::new();
        let mut order: Vec<u64> = (0..grid.chunk_count()).collect();
        if layout.scattered {
            order.sort_by_key(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        }
        for index in order {
            if is_absent(&layout, index) {
                continue;
            }
            let (stored, filter_mask) = stored_chunk(&layout, &grid, index);
            let extent = FileExtent::contiguous(content.len() as u64, stored.len() as u64);
            chunks.push(ChunkRecord {
                index,
                filter_mask,
                address: extent.address,
                stored_bytes: extent.segment_bytes,
            });
            content.extend(stored);
            content.resize(content.len() + layout.gap_bytes, 0xBB);
        }
        let source = ArraySource {
            grid: grid.clone(),
            element_bytes: layout.element_bytes,
            index: ChunkIndex::Stored(StoredChunks::new(chunks)),
            decoder: Arc::new(ToyDecoder::new(layout.identity, mishap)),
            raw_partial_edges: layout.raw_partial_edges,
            byte_swap: layout.byte_swap.then_some(layout.element_bytes),
            fill: (0..layout.element_bytes).map(|i| FILL ^ i as u8).collect(),
            bytes: Arc::new(MemoryFile {
                content,
                fail_at_read,
                ..MemoryFile::default()
            }),
            tiling: None,
        };
        Self {
            layout,
            grid,
            source,
        }
    }

    /// The values of a box, element by element.
    pub fn read(&self, selection: &Selection) -> Vec<u8> {
        let mut values = Vec::new();
        for_each_element(selection, |at| {
            let inside = at.iter().zip(&self.layout.shape).all(|(i, n)| i < n);
            let cell: Vec<u64> = at
                .iter()
                .zip(&self.layout.chunk)
                .map(|(i, c)| i / c)
                .collect();
            let is_fill = !inside || is_absent(&self.layout, self.grid.linear(&cell));
            for byte in 0..self.layout.element_bytes {
                values.push(if is_fill {
                    FILL ^ byte as u8
                } else {
                    true_byte(at, byte)
                });
            }
        });
        values
    }

    /// One request per tile of a grid over the array.
    pub fn tiles(&self, tile: &[u64]) -> Vec<Selection> {
        let grid = ChunkGrid::new(&self.layout.shape, tile).unwrap();
        (0..grid.chunk_count()).map(|i| grid.chunk_box(i)).collect()
    }
}

fn is_absent(layout: &Layout, index: u64) -> bool {
    layout.absent_every > 0 && index.is_multiple_of(layout.absent_every)
}

/// Stored bytes and filter mask of a chunk; padding is garbage that must never be seen.
fn stored_chunk(layout: &Layout, grid: &ChunkGrid, index: u64) -> (Vec<u8>, u32) {
    let mut raw = Vec::new();
    for_each_element(&grid.chunk_box(index), |at| {
        let inside = at.iter().zip(&layout.shape).all(|(i, n)| i < n);
        let mut element: Vec<u8> = (0..layout.element_bytes)
            .map(|byte| if inside { true_byte(at, byte) } else { 0x99 })
            .collect();
        if layout.byte_swap {
            element.reverse();
        }
        raw.extend(element);
    });
    let is_raw = layout.identity || (layout.raw_partial_edges && grid.is_partial_edge(index));
    match (is_raw, index % 3) {
        (true, _) => (raw, 0),
        (false, 2) => (raw, 1),
        (false, _) => (toy_encode(&raw), 0),
    }
}

/// A task that asks for boxes of source 0; its number is its note.
pub fn values_task(number: usize, selections: Vec<Selection>) -> Task<usize> {
    let requests = selections
        .into_iter()
        .map(|selection| Request::Values {
            source: 0,
            selection,
        })
        .collect();
    Task {
        meta: number,
        requests,
        output_bytes: 0,
    }
}

/// The bytes of a block; absent and stored ones are told apart by a first byte.
pub fn block_bytes(block: Block) -> Vec<u8> {
    match block {
        Block::Values(values) => values.into_vec(),
        Block::Stored { bytes, filter_mask } => [vec![filter_mask as u8 + 1], bytes].concat(),
        Block::Absent => vec![0],
    }
}

/// Notes and blocks in order of delivery.
pub type Delivered = Vec<(usize, Vec<Vec<u8>>)>;

/// Runs tasks and collects notes and blocks in order of delivery.
pub fn collect(
    sources: &[ArraySource],
    tasks: Vec<Task<usize>>,
    threads: usize,
    budget: &MemoryBudget,
) -> Result<(Delivered, RunStats), PipelineError> {
    let mut delivered = Vec::new();
    let cancel = AtomicBool::new(false);
    let options = RunOptions {
        threads,
        budget,
        cancel: &cancel,
    };
    let stats = run_ordered(
        sources,
        tasks.into_iter(),
        &options,
        |_, blocks, _| Ok(blocks.into_iter().map(block_bytes).collect()),
        |meta, result| {
            delivered.push((meta, result));
            Ok::<(), PipelineError>(())
        },
    )?;
    assert_eq!(budget.used_bytes(), 0, "everything is given back");
    assert!(stats.peak_budget_bytes <= budget.capacity_bytes());
    assert!(budget.peak_bytes() <= budget.capacity_bytes());
    Ok((delivered, stats))
}

/// The smallest budget under which a run succeeds, found through the errors of smaller ones.
pub fn smallest_budget(mut run: impl FnMut(&MemoryBudget) -> Result<(), PipelineError>) -> u64 {
    let mut capacity = 1;
    loop {
        match run(&MemoryBudget::new(capacity)) {
            Ok(()) => return capacity,
            Err(PipelineError::ChunkTooLarge {
                needed_bytes,
                budget_bytes,
            }) => {
                assert_eq!(budget_bytes, capacity);
                assert!(needed_bytes > capacity);
                capacity = needed_bytes;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Runs `f` on another thread; a hang becomes a failure.
pub fn watched<R: Send + 'static>(f: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        let _ = sender.send(f());
    });
    match receiver.recv_timeout(Duration::from_secs(60)) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("the run hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(worker.join().unwrap_err())
        }
    }
}
