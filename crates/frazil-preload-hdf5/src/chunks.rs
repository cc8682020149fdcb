//! Whole chunks: gathered and packed on all cores, and written in their order.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, ptr, thread};

use frazil_codec::{BoundEncoder, Scratch};
use frazil_pipeline::{fill_values, map_ordered};
use frazil_types::Selection;

use crate::dataset::Dataset;
use crate::encoder::Packer;
use crate::gather::{Layout, Source, copy_box};
use crate::library::{Functions, Hid};
use crate::selection::{Placed, strides_of};
use crate::types::Values;

/// Threads that pack, as `frazil run --threads` says.
const THREADS: &str = "FRAZIL_RUN_THREADS";
/// Chunks are packed before they are written up to so many bytes, or one.
const TOGETHER_BYTES: usize = 256 << 20;
/// So many for each thread at most.
const TOGETHER_EACH: usize = 8;

/// Chunks to write.
pub(crate) struct Job<'a> {
    pub(crate) hdf5: &'a Functions,
    pub(crate) dataset: &'a Dataset,
    /// Elements that are written: whole chunks.
    pub(crate) part: &'a Selection,
    pub(crate) source: Source,
    /// Where the part lies in the program's memory.
    pub(crate) placed: Placed,
    pub(crate) memory_type: Hid,
    pub(crate) memory_bytes: usize,
    pub(crate) values: Values,
    /// What packed its chunks before.
    pub(crate) packer: Option<Packer>,
}

/// What became of it.
pub(crate) struct Done {
    pub(crate) raw_bytes: u64,
    pub(crate) stored_bytes: u64,
    pub(crate) packer: Packer,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Job<'_> {
    /// Writes them. `None`: something failed, and some chunks may be written: the same values.
    pub(crate) fn run(&self) -> Option<Done> {
        let dataset = self.dataset;
        let bytes = dataset.chunk_bytes()?;
        let chunks = dataset.grid.chunks_in(self.part);
        let packer = match self.packer {
            Some(packer) => packer,
            None => self.tried(*chunks.first()?)?,
        };
        let encoder = packer.bind(dataset, bytes)?;
        let threads = threads();
        let together = (TOGETHER_BYTES / bytes).clamp(1, threads * TOGETHER_EACH);
        let mut stored_bytes = 0;
        for chunks in chunks.chunks(together) {
            let packed = self.packed(chunks, &encoder, threads)?;
            for (chunk, packed) in chunks.iter().zip(packed) {
                let offset = dataset.grid.offset(*chunk);
                let (content, length) = (packed.as_ptr().cast(), packed.len());
                // SAFETY: a dataset with this chunk, and what it is to hold.
                let status = unsafe {
                    (self.hdf5.H5Dwrite_chunk)(dataset.id, 0, 0, offset.as_ptr(), length, content)
                };
                if status < 0 {
                    return None;
                }
                stored_bytes += length as u64;
            }
        }
        let raw_bytes = self.part.elements()? * dataset.element_bytes as u64;
        Some(Done {
            raw_bytes,
            stored_bytes,
            packer,
        })
    }

    /// What packs chunks like this one.
    fn tried(&self, chunk: u64) -> Option<Packer> {
        let raw = self.gathered(chunk)?;
        let raw = match self.values {
            Values::Same => raw,
            _ => self.converted(raw, chunk)?,
        };
        let tried = SCRATCH.try_with(|scratch| {
            let mut scratch = scratch.try_borrow_mut().ok()?;
            Packer::for_chunk(self.dataset, &raw, &mut scratch)
        });
        tried.ok()?
    }

    fn packed(
        &self,
        chunks: &[u64],
        encoder: &BoundEncoder,
        threads: usize,
    ) -> Option<Vec<Vec<u8>>> {
        let pack = |raw: &[u8]| {
            let packed = SCRATCH.try_with(|scratch| {
                let mut scratch = scratch.try_borrow_mut().ok()?;
                encoder.encode(raw, &mut scratch).ok()
            });
            packed.ok().flatten()
        };
        let packed = match self.values {
            Values::Same => map_ordered(chunks.to_vec(), threads, |chunk| {
                pack(&self.gathered(chunk)?)
            }),
            _ => {
                let gather = |chunk: u64| self.gathered(chunk);
                let gathered = map_ordered(chunks.to_vec(), threads, gather).ok()?;
                // libhdf5 converts one at a time.
                let converted = gathered.into_iter().zip(chunks);
                let converted = converted.map(|(raw, chunk)| self.converted(raw?, *chunk));
                let converted: Vec<Vec<u8>> = converted.collect::<Option<_>>()?;
                map_ordered(converted, threads, |raw| pack(&raw))
            }
        };
        packed.ok()?.into_iter().collect()
    }

    /// The values of a chunk as they are in memory; around them, what is to be there in the file.
    fn gathered(&self, chunk: u64) -> Option<Vec<u8>> {
        let grid = &self.dataset.grid;
        let part = grid.valid_box(chunk);
        let mut raw = vec![0; grid.chunk_elements() as usize * self.memory_bytes];
        if self.values == Values::Same && grid.is_partial_edge(chunk) {
            fill_values(&mut raw, &self.dataset.fill);
        }
        let from = part.start.iter().zip(&self.part.start);
        let from = from.zip(&self.placed.strides);
        let before: usize = from
            .map(|((start, begin), stride)| (start - begin) as usize * stride)
            .sum();
        let from = Layout {
            first: self.placed.first + before,
            strides: &self.placed.strides,
        };
        let strides = strides_of(grid.chunk())?;
        let to = Layout {
            first: 0,
            strides: &strides,
        };
        // SAFETY: the program vouches for what it has selected of its memory.
        unsafe {
            copy_box(
                (self.source, &from),
                (&mut raw, &to),
                &part.count,
                self.memory_bytes,
            );
        }
        Some(raw)
    }

    /// A chunk of the program's numbers as those of the file.
    fn converted(&self, mut raw: Vec<u8>, chunk: u64) -> Option<Vec<u8>> {
        let (grid, bytes) = (&self.dataset.grid, self.dataset.element_bytes);
        let elements = grid.chunk_elements() as usize;
        raw.resize(elements * bytes.max(self.memory_bytes), 0);
        let (content, file) = (raw.as_mut_ptr().cast(), self.dataset.datatype.id);
        // SAFETY: room for the elements in either type.
        let status = unsafe {
            (self.hdf5.H5Tconvert)(
                self.memory_type,
                file,
                elements,
                content,
                ptr::null_mut(),
                0,
            )
        };
        if status < 0 {
            return None;
        }
        raw.truncate(elements * bytes);
        if !grid.is_partial_edge(chunk) || self.dataset.fill.is_empty() {
            return Some(raw);
        }
        let mut whole = vec![0; raw.len()];
        fill_values(&mut whole, &self.dataset.fill);
        let strides = strides_of(grid.chunk())?;
        let place = Layout {
            first: 0,
            strides: &strides,
        };
        let from = (Source::new(raw.as_ptr()), &place);
        // SAFETY: both are whole chunks.
        unsafe {
            copy_box(
                from,
                (&mut whole, &place),
                &grid.valid_box(chunk).count,
                bytes,
            );
        };
        Some(whole)
    }
}

/// How many threads pack.
fn threads() -> usize {
    static KNOWN: AtomicUsize = AtomicUsize::new(0);
    let known = KNOWN.load(Ordering::Relaxed);
    if known > 0 {
        return known;
    }
    let stated = env::var(THREADS).ok().and_then(|text| text.parse().ok());
    let threads = stated
        .filter(|threads| *threads > 0)
        .unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    KNOWN.store(threads, Ordering::Relaxed);
    threads
}
