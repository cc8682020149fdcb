//! A choice of the chunks of a grid.

use std::collections::BTreeSet;
use std::sync::Arc;

use frazil_pipeline::ArraySource;
use frazil_types::ChunkGrid;

use crate::sources::Stored;

/// Which chunks of a grid are to be made.
#[derive(Debug, Clone)]
pub enum ChunkSubset {
    /// Every one.
    All,
    /// These linear numbers, ascending.
    Some(Arc<Vec<u64>>),
}

impl ChunkSubset {
    /// The linear numbers, ascending.
    pub fn numbers(&self, grid: &ChunkGrid) -> Box<dyn Iterator<Item = u64> + Send> {
        match self {
            Self::All => Box::new(0..grid.chunk_count()),
            Self::Some(numbers) => {
                let numbers = Arc::clone(numbers);
                Box::new((0..numbers.len()).map(move |i| numbers[i]))
            }
        }
    }

    /// The chunks that are stored.
    pub fn stored(stored: &Stored) -> Self {
        match stored {
            Stored::All => Self::All,
            Stored::Records(records) => {
                let numbers = records.iter().map(|record| record.index);
                Self::Some(Arc::new(numbers.collect()))
            }
        }
    }

    /// The output chunks that hold anything: all of them, or those that stored chunks overlap.
    pub fn holding(grid: &ChunkGrid, source: &ArraySource, stored: &Stored) -> Self {
        let Stored::Records(records) = stored else {
            return Self::All;
        };
        if records.len() as u64 == source.grid.chunk_count() {
            return Self::All;
        }
        let mut tiles = BTreeSet::new();
        for record in records {
            tiles.extend(grid.chunks_in(&source.grid.valid_box(record.index)));
        }
        Self::Some(Arc::new(tiles.into_iter().collect()))
    }
}
