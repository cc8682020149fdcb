//! Variables as sources of samples: of chunks that are stored as they are, little more is read than the samples
//! have.
//!
//! A stored chunk without filters is cut along its slowest axis into runs of bytes. To the pipeline these are
//! chunks of their own, of another grid.

use std::collections::BTreeMap;
use std::sync::Arc;

use frazil_codec::BoundDecoder;
use frazil_pipeline::{ArraySource, ChunkDecoder, ChunkIndex, StoredChunk, StoredChunks};
use frazil_types::{ChunkGrid, FileExtent, FilterPipeline, Selection};

/// Runs are not shorter: each takes as long as some KiB do.
const LEAST_RUN_BYTES: u64 = 32 << 10;

/// No chunk is cut into more runs.
const MOST_RUNS: u64 = 4096;

/// How the chunks of a source are cut.
struct Cut {
    /// The slowest axis along which a chunk has more than one element.
    axis: usize,
    /// Of one run.
    bytes: u64,
    grid: ChunkGrid,
    decoder: Arc<dyn ChunkDecoder>,
}

/// What `parts` of a source are read from: that source, but for the rest of the chunks that they lie in.
pub(crate) fn sample_source(source: &ArraySource, parts: &[&Selection]) -> ArraySource {
    let chunks = touched(source, parts);
    let cut = cut_of(source).filter(|_| all_whole(source, &chunks));
    let like_source = |grid: ChunkGrid, index, decoder| ArraySource {
        grid,
        element_bytes: source.element_bytes,
        index,
        decoder,
        raw_partial_edges: source.raw_partial_edges,
        byte_swap: source.byte_swap,
        fill: source.fill.clone(),
        bytes: Arc::clone(&source.bytes),
        tiling: None,
    };
    let Some(cut) = cut else {
        let index = match &source.index {
            // Stored chunks may lack what is behind their last value; slabs may not.
            ChunkIndex::Stored(all) => {
                let records = all.records().iter();
                let touched = records.filter(|record| chunks.contains_key(&record.index));
                ChunkIndex::Stored(StoredChunks::new(touched.cloned().collect()))
            }
            ChunkIndex::Computed(_) => {
                ChunkIndex::Computed(Box::new(move |index| chunks.get(&index).copied()))
            }
        };
        return like_source(source.grid.clone(), index, Arc::clone(&source.decoder));
    };
    let (grid, decoder) = (cut.grid.clone(), Arc::clone(&cut.decoder));
    let stored_grid = source.grid.clone();
    let run = move |index| {
        let (chunk, number) = cut.place(&stored_grid, index)?;
        let stored = chunks.get(&chunk)?;
        let address = stored.extent.address + number * cut.bytes;
        Some(StoredChunk {
            extent: FileExtent::contiguous(address, cut.bytes),
            filter_mask: stored.filter_mask,
        })
    };
    like_source(grid, ChunkIndex::Computed(Box::new(run)), decoder)
}

impl Cut {
    /// The stored chunk that a run is of, and its number there.
    fn place(&self, stored_grid: &ChunkGrid, run: u64) -> Option<(u64, u64)> {
        let mut offset = self.grid.offset(run);
        let within = offset[self.axis] % stored_grid.chunk()[self.axis];
        offset[self.axis] -= within;
        let chunk = stored_grid.index_of_offset(&offset)?;
        Some((chunk, within / self.grid.chunk()[self.axis]))
    }
}

/// The stored chunks that parts lie in.
fn touched(source: &ArraySource, parts: &[&Selection]) -> BTreeMap<u64, StoredChunk> {
    let indices = parts.iter().flat_map(|part| source.grid.chunks_in(part));
    let located = indices.filter_map(|index| Some((index, source.locate(index)?)));
    located.collect()
}

/// `None`: filters must be undone, or chunks are short.
fn cut_of(source: &ArraySource) -> Option<Cut> {
    let mut chunk = source.grid.chunk().to_vec();
    let axis = chunk.iter().position(|&extent| extent > 1)?;
    if !source.decoder.is_identity() {
        return None;
    }
    let chunk_bytes = bytes_of(source)?;
    let most = (chunk_bytes / LEAST_RUN_BYTES)
        .min(MOST_RUNS)
        .min(chunk[axis]);
    let runs = (2..=most)
        .rev()
        .find(|&runs| chunk[axis].is_multiple_of(runs))?;
    chunk[axis] /= runs;
    let bytes = chunk_bytes / runs;
    let nothing = FilterPipeline::default();
    let decoder = BoundDecoder::bind(&nothing, source.element_bytes, bytes as usize).ok()?;
    Some(Cut {
        axis,
        bytes,
        grid: ChunkGrid::new(source.grid.shape(), &chunk)?,
        decoder: Arc::new(decoder),
    })
}

/// Whether chunks are stored in one run each, padding included.
fn all_whole(source: &ArraySource, chunks: &BTreeMap<u64, StoredChunk>) -> bool {
    let whole = bytes_of(source);
    let extents = chunks.values().map(|chunk| &chunk.extent);
    let mut extents = extents.map(|extent| (extent.segments, Some(extent.segment_bytes)));
    extents.all(|extent| extent == (1, whole))
}

fn bytes_of(source: &ArraySource) -> Option<u64> {
    (source.grid.chunk_elements()).checked_mul(source.element_bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_pipeline::ByteSource;

    struct NoBytes;

    impl ByteSource for NoBytes {
        fn read_exact_at(&self, _: &mut [u8], _: u64) -> std::io::Result<()> {
            Err(std::io::ErrorKind::Unsupported.into())
        }
    }

    /// Chunks of 32 x 8 x 64 elements of 4 bytes, one behind the other; the last may be shorter.
    fn source(pipeline: &FilterPipeline, last_bytes: u64) -> ArraySource {
        let grid = ChunkGrid::new(&[100, 8, 64], &[32, 8, 64]).unwrap();
        let bytes = 32 * 8 * 64 * 4;
        let decoder = BoundDecoder::bind(pipeline, 4, bytes as usize).unwrap();
        ArraySource {
            grid,
            element_bytes: 4,
            index: ChunkIndex::Computed(Box::new(move |index| {
                // One is not stored.
                let length = if index == 3 { last_bytes } else { bytes };
                (index != 1).then(|| StoredChunk {
                    extent: FileExtent::contiguous(1000 + index * bytes, length),
                    filter_mask: 0,
                })
            })),
            decoder: Arc::new(decoder),
            raw_partial_edges: false,
            byte_swap: None,
            fill: vec![0; 4],
            bytes: Arc::new(NoBytes),
            tiling: None,
        }
    }

    fn part(start: u64, count: u64) -> Selection {
        Selection {
            start: vec![start, 2, 0],
            count: vec![count, 3, 64],
        }
    }

    #[test]
    fn runs_lie_where_their_rows_are() {
        let source = source(&FilterPipeline::default(), 65_536);
        let found = sample_source(&source, &[&part(30, 10), &part(70, 2), &part(96, 4)]);
        assert_eq!(found.grid.chunk(), [16, 8, 64]);
        let runs: Vec<_> = (0..7)
            .filter_map(|i| Some((i, found.locate(i)?.extent)))
            .collect();
        // Of chunks 0, 2 and 3; chunk 1 has fill values.
        let numbers: Vec<u64> = runs.iter().map(|one| one.0).collect();
        assert_eq!(numbers, [0, 1, 4, 5, 6]);
        for (number, extent) in runs {
            assert_eq!(
                extent,
                FileExtent::contiguous(1000 + 32_768 * number, 32_768)
            );
        }
    }

    #[test]
    fn what_must_be_decoded_or_is_not_whole_stays_as_it_is() {
        let deflate = "deflate(1)".parse::<frazil_types::FilterChain>().unwrap();
        let element = frazil_types::ElementType {
            class: frazil_types::ElementClass::Float,
            size_bytes: 4,
            order: frazil_types::ByteOrder::Little,
        };
        let packed = source(&deflate.resolve(element, &[32, 8, 64]), 65_536);
        let clipped = source(&FilterPipeline::default(), 8192);
        for (source, part) in [(packed, part(0, 2)), (clipped, part(96, 4))] {
            let found = sample_source(&source, &[&part]);
            assert_eq!(found.grid.chunk(), [32, 8, 64]);
            let index = part.start[0] / 32;
            assert_eq!(found.locate(index), source.locate(index));
            assert_eq!(found.locate(2), None);
        }
    }
}
