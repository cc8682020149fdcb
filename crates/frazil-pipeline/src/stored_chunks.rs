//! Where the chunks of an array lie, in as few bytes as that takes.

use frazil_types::{ChunkRecord, FileExtent};

use crate::source::StoredChunk;

/// The stored chunks of an array, by linear chunk number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredChunks(Box<[ChunkRecord]>);

impl StoredChunks {
    /// Takes records in any order; of several of one chunk, which of them counts is left open.
    #[must_use]
    pub fn new(mut records: Vec<ChunkRecord>) -> Self {
        records.sort_by_key(|record| record.index);
        Self(records.into_boxed_slice())
    }

    /// Number of stored chunks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The records, in order of the chunk numbers.
    #[must_use]
    pub fn records(&self) -> &[ChunkRecord] {
        &self.0
    }

    /// The stored chunk with linear number `index`.
    #[must_use]
    pub fn get(&self, index: u64) -> Option<StoredChunk> {
        // Where all chunks are stored, each is at its own number.
        let here = usize::try_from(index).ok().and_then(|at| self.0.get(at));
        let record = match here {
            Some(record) if record.index == index => record,
            _ => {
                let found = self.0.binary_search_by_key(&index, |record| record.index);
                &self.0[found.ok()?]
            }
        };
        Some(stored(record))
    }

    /// All chunks with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, StoredChunk)> + '_ {
        self.0.iter().map(|record| (record.index, stored(record)))
    }
}

fn stored(record: &ChunkRecord) -> StoredChunk {
    StoredChunk {
        extent: FileExtent::contiguous(record.address, record.stored_bytes),
        filter_mask: record.filter_mask,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_found_by_number_with_and_without_gaps() {
        let record = |index: u64| ChunkRecord {
            index,
            filter_mask: 0,
            address: 100 + index,
            stored_bytes: 8,
        };
        for numbers in [vec![2_u64, 0, 1], vec![7, 3, 9], vec![]] {
            let chunks = StoredChunks::new(numbers.iter().map(|&i| record(i)).collect());
            for index in 0..12 {
                let found = chunks.get(index).map(|chunk| chunk.extent.address);
                assert_eq!(found, numbers.contains(&index).then_some(100 + index));
            }
            assert_eq!(chunks.len(), numbers.len());
        }
    }
}
