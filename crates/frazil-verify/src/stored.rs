//! Chunks that nobody here can decode are compared as they are stored.

use std::collections::BTreeSet;

use frazil_container::hdf5::{DatasetInfo, DatasetStorage};
use frazil_pipeline::{Block, Request};
use frazil_types::{ChunkGrid, ChunkRecord};

use super::elements::Unequal;

/// Stored bytes that one task looks at.
const BATCH_BYTES: u64 = 256 << 10;
/// ... and chunks.
const BATCH_CHUNKS: usize = 256;

/// Two datasets with the same chunks and filters.
pub(super) struct StoredComparison {
    pub(super) sources: [usize; 2],
    grid: ChunkGrid,
    /// Chunks that at least one side has, with the larger stored size, ascending.
    chunks: Vec<(u64, u64)>,
}

/// Whether equal stored bytes mean equal values.
pub(super) fn is_comparable(a: &DatasetInfo, b: &DatasetInfo) -> bool {
    let (
        DatasetStorage::Chunked {
            chunk: chunk_a,
            pipeline: filters_a,
            raw_partial_edges: edges_a,
        },
        DatasetStorage::Chunked {
            chunk: chunk_b,
            pipeline: filters_b,
            raw_partial_edges: edges_b,
        },
    ) = (&a.storage, &b.storage)
    else {
        return false;
    };
    let what = |filters: &frazil_types::FilterPipeline| -> Vec<(i32, Vec<u32>)> {
        filters
            .0
            .iter()
            .map(|filter| (filter.id, filter.cd_values.clone()))
            .collect()
    };
    chunk_a == chunk_b && edges_a == edges_b && what(filters_a) == what(filters_b)
}

impl StoredComparison {
    pub(super) fn new(
        sources: [usize; 2],
        grid: ChunkGrid,
        a: &[ChunkRecord],
        b: &[ChunkRecord],
    ) -> Self {
        let all: BTreeSet<(u64, u64)> = a
            .iter()
            .chain(b)
            .map(|record| (record.index, record.stored_bytes))
            .collect();
        // Ascending by number, then by size: of two entries the last one has the larger size.
        let mut chunks: Vec<(u64, u64)> = Vec::with_capacity(all.len());
        for (index, bytes) in all {
            match chunks.last_mut() {
                Some(last) if last.0 == index => last.1 = bytes,
                _ => chunks.push((index, bytes)),
            }
        }
        Self {
            sources,
            grid,
            chunks,
        }
    }

    /// Chunk numbers, small chunks together.
    pub(super) fn batches(&self) -> impl Iterator<Item = Vec<u64>> + Send + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let mut batch = Vec::new();
            let mut bytes = 0_u64;
            while let Some(&(index, stored_bytes)) = self.chunks.get(next)
                && bytes < BATCH_BYTES
                && batch.len() < BATCH_CHUNKS
            {
                batch.push(index);
                bytes = bytes.saturating_add(stored_bytes);
                next += 1;
            }
            (!batch.is_empty()).then_some(batch)
        })
    }

    /// Both sides of each chunk.
    pub(super) fn requests(&self, indices: &[u64]) -> Vec<Request> {
        let both = |&index: &u64| self.sources.map(|source| Request::Stored { source, index });
        indices.iter().flat_map(both).collect()
    }

    pub(super) fn describe(&self, unequal: &Unequal) -> Option<String> {
        let (index, what) = unequal.first.as_ref()?;
        Some(format!(
            "the stored chunk at {:?} differs: {what} ({} of {} chunks differ; they cannot be \
             decoded here)",
            self.grid.offset(*index),
            unequal.count,
            self.chunks.len()
        ))
    }
}

/// Compares what [`StoredComparison::requests`] got.
pub(super) fn compare(indices: &[u64], blocks: &[Block]) -> Unequal {
    let mut unequal = Unequal::default();
    for (&index, both) in indices.iter().zip(blocks.chunks_exact(2)) {
        let what = match (&both[0], &both[1]) {
            (
                Block::Stored {
                    bytes: a,
                    filter_mask: mask_a,
                },
                Block::Stored {
                    bytes: b,
                    filter_mask: mask_b,
                },
            ) => {
                if a == b && mask_a == mask_b {
                    continue;
                }
                format!("{} against {} bytes", a.len(), b.len())
            }
            (Block::Absent, Block::Absent) => continue,
            (Block::Absent, _) => "it is only in the second file".to_owned(),
            _ => "it is only in the first file".to_owned(),
        };
        unequal.merge(Unequal {
            count: 1,
            first: Some((index, what)),
        });
    }
    unequal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(bytes: &[u8]) -> Block {
        Block::Stored {
            bytes: bytes.to_vec(),
            filter_mask: 0,
        }
    }

    #[test]
    fn chunks_are_paired_by_number() {
        let record = |index, stored_bytes| ChunkRecord {
            index,
            filter_mask: 0,
            address: 0,
            stored_bytes,
        };
        let grid = ChunkGrid::new(&[100], &[10]).unwrap();
        let (a, b) = (
            [record(1, 5), record(3, 200_000)],
            [record(3, 300_000), record(4, 1)],
        );
        let comparison = StoredComparison::new([0, 1], grid, &a, &b);
        let batches: Vec<Vec<u64>> = comparison.batches().collect();
        assert_eq!(batches, [vec![1, 3], vec![4]]);
        let blocks = [stored(b"x"), Block::Absent, stored(b"y"), stored(b"y")];
        let unequal = compare(&batches[0], &blocks);
        let what = comparison.describe(&unequal).unwrap();
        assert!(what.starts_with("the stored chunk at [10] differs: it is only in the first"));
        assert_eq!(compare(&[3], &blocks[2..]).count, 0);
    }
}
