//! Indexes of chunks: six ways to say where a dataset's chunks lie.

mod extensible_array;
mod fixed_array;

use std::cmp::Ordering;
use std::ops::Range;

use frazil_types::{ChunkGrid, ChunkRecord};

use crate::cursor::Cursor;
use crate::error::{Result, damaged};
use crate::input::Input;
use crate::message::ChunkIndex;
use crate::tree1;
use crate::tree2::Tree2;

/// Kinds of chunks' B-trees.
const TREE1_OF_CHUNKS: u8 = 1;
const TREE2_OF_CHUNKS: u8 = 10;
const TREE2_OF_FILTERED_CHUNKS: u8 = 11;

/// A chunked dataset, as far as its index goes.
pub(crate) struct Chunked<'a> {
    pub(crate) shape: &'a [u64],
    pub(crate) max_shape: &'a [Option<u64>],
    /// In elements.
    pub(crate) chunk: &'a [u64],
    pub(crate) element_bytes: u64,
    pub(crate) has_filters: bool,
    pub(crate) index: ChunkIndex,
    pub(crate) address: u64,
    /// Half the entries of a node of a version-1 B-tree.
    pub(crate) tree_rank: u16,
}

/// An entry of an array of chunks.
struct Element {
    address: u64,
    stored_bytes: u64,
    filter_mask: u32,
}

impl Chunked<'_> {
    /// Where the stored chunks lie, in row-major order of the grid. With `within`, only chunks of these numbers: B-trees
    /// are then read no further than that takes.
    pub(crate) fn locate(
        &self,
        input: &Input,
        within: Option<&Range<u64>>,
    ) -> Result<Vec<ChunkRecord>> {
        let grid = ChunkGrid::new(self.shape, self.chunk)
            .ok_or_else(|| damaged("the number of chunks is beyond counting"))?;
        let mut records = match self.index {
            ChunkIndex::Tree1 => self.in_tree1(input, &grid, within)?,
            ChunkIndex::Tree2 => self.in_tree2(input, &grid, within)?,
            ChunkIndex::Single(filtered) => self.single(filtered)?,
            ChunkIndex::Implicit => self.implicit(input, &grid)?,
            ChunkIndex::FixedArray => {
                self.in_array(&grid, None, fixed_array::elements(input, self)?)
            }
            ChunkIndex::ExtensibleArray => {
                let unlimited = self.max_shape.iter().position(Option::is_none);
                let unlimited = unlimited.ok_or_else(|| {
                    damaged("an extensible array of chunks has no axis without limit")
                })?;
                let elements = extensible_array::elements(input, self)?;
                self.in_array(&grid, Some(unlimited), elements)
            }
        };
        if let Some(within) = within {
            records.retain(|record| within.contains(&record.index));
        }
        records.sort_unstable_by_key(|record| record.index);
        if records
            .windows(2)
            .any(|pair| pair[0].index == pair[1].index)
        {
            return Err(damaged("the index names one chunk twice"));
        }
        for record in &mut records {
            let end = record.address.checked_add(record.stored_bytes);
            if end.is_none_or(|end| end > input.bytes()) {
                return Err(damaged(format!(
                    "a chunk lies outside the file (address {}, {} bytes; the file has {} bytes)",
                    record.address,
                    record.stored_bytes,
                    input.bytes()
                )));
            }
            record.address += input.base();
        }
        Ok(records)
    }

    fn chunk_bytes(&self) -> Result<u64> {
        let bytes = self
            .chunk
            .iter()
            .try_fold(self.element_bytes, |bytes, &n| bytes.checked_mul(n));
        bytes.ok_or_else(|| damaged("a chunk has more bytes than can be counted"))
    }

    fn in_tree1(
        &self,
        input: &Input,
        grid: &ChunkGrid,
        within: Option<&Range<u64>>,
    ) -> Result<Vec<ChunkRecord>> {
        // Behind a chunk's place stands a byte's place in the element.
        let steps = [self.chunk, &[self.element_bytes]].concat();
        let kind = tree1::Kind {
            number: TREE1_OF_CHUNKS,
            key_bytes: 8 + 8 * steps.len(),
            numbers: Some(tree1::Numbers {
                at: 8,
                steps: &steps,
                ends: self.shape,
            }),
            rank: self.tree_rank,
        };
        let key = |index: u64| {
            let numbers = grid.offset(index).into_iter().chain([0]);
            numbers.flat_map(u64::to_le_bytes).collect()
        };
        let window = within.map(|within| tree1::Window {
            first: key(within.start),
            last: key(within.end.saturating_sub(1)),
        });
        let mut records = Vec::new();
        let mut offset = vec![0; self.chunk.len()];
        tree1::each_entry(
            input,
            self.address,
            &kind,
            window.as_ref(),
            |key, address| {
                let mut at = input.cursor(key);
                let (stored_bytes, filter_mask) = (at.uint(4)?, at.u32()?);
                for number in &mut offset {
                    *number = at.uint(8)?;
                }
                // Readers look for an element's first byte.
                if at.uint(8)? != 0 {
                    return Err(damaged("the keys of a B-tree are out of order"));
                }
                records.extend(grid.index_of_offset(&offset).map(|index| ChunkRecord {
                    index,
                    filter_mask,
                    address,
                    stored_bytes,
                }));
                Ok(())
            },
        )?;
        Ok(records)
    }

    fn offset(&self, at: &mut Cursor<'_>) -> Result<Vec<u64>> {
        self.chunk.iter().map(|_| at.uint(8)).collect()
    }

    fn in_tree2(
        &self,
        input: &Input,
        grid: &ChunkGrid,
        within: Option<&Range<u64>>,
    ) -> Result<Vec<ChunkRecord>> {
        let tree = Tree2::read(input, self.address)?;
        let kind = if self.has_filters {
            TREE2_OF_FILTERED_CHUNKS
        } else {
            TREE2_OF_CHUNKS
        };
        let fixed = usize::from(input.sizes().address) + 8 * self.chunk.len();
        let size_bytes = match (
            tree.kind(),
            usize::from(tree.record_bytes).checked_sub(fixed),
        ) {
            (TREE2_OF_CHUNKS, Some(0)) => 0,
            (TREE2_OF_FILTERED_CHUNKS, Some(rest @ 5..=12)) => rest - 4,
            _ => {
                return Err(damaged(
                    "a B-tree of chunks has records of no possible size",
                ));
            }
        };
        let chunk_bytes = self.chunk_bytes()?;
        let mut records = Vec::new();
        let mut before: Option<Vec<u64>> = None;
        let found = match within {
            None => tree.records(input, kind)?,
            Some(within) => {
                let first = grid.indices(within.start);
                let last = grid.indices(within.end.saturating_sub(1));
                // A chunk's place comes last in its record.
                let places_at = usize::from(tree.record_bytes) - 8 * self.chunk.len();
                let place = |record: &[u8]| {
                    let place = record.get(places_at..).unwrap_or_default();
                    let place = self.offset(&mut input.cursor(place))?;
                    let is_before = place < first;
                    Ok(if is_before {
                        Ordering::Less
                    } else {
                        place.cmp(&last).max(Ordering::Equal)
                    })
                };
                tree.records_where(input, kind, Some(&place))?
            }
        };
        for record in found {
            let mut at = input.cursor(&record);
            let address = at
                .address()?
                .ok_or_else(|| damaged("a chunk lies nowhere"))?;
            let (stored_bytes, filter_mask) = match size_bytes {
                0 => (chunk_bytes, 0),
                _ => (at.uint(size_bytes)?, at.u32()?),
            };
            let place = self.offset(&mut at)?;
            // Readers look chunks up by their places: those out of order would not be found.
            if before.as_ref().is_some_and(|before| *before >= place) {
                return Err(damaged("the chunks in a B-tree are out of order"));
            }
            before = Some(place.clone());
            let offset = (place.iter().zip(self.chunk))
                .map(|(&place, &length)| place.checked_mul(length))
                .collect::<Option<Vec<u64>>>();
            let index = offset.and_then(|offset| grid.index_of_offset(&offset));
            records.extend(index.map(|index| ChunkRecord {
                index,
                filter_mask,
                address,
                stored_bytes,
            }));
        }
        Ok(records)
    }

    fn single(&self, filtered: Option<(u64, u32)>) -> Result<Vec<ChunkRecord>> {
        let (stored_bytes, filter_mask) = match filtered {
            Some(stored) => stored,
            None => (self.chunk_bytes()?, 0),
        };
        if self.shape.contains(&0) {
            return Ok(Vec::new());
        }
        Ok(vec![ChunkRecord {
            index: 0,
            filter_mask,
            address: self.address,
            stored_bytes,
        }])
    }

    /// All chunks one behind the other, in the order of the largest grid.
    fn implicit(&self, input: &Input, grid: &ChunkGrid) -> Result<Vec<ChunkRecord>> {
        let bytes = self.chunk_bytes()?;
        let most = input.bytes() / bytes.max(1);
        let counts = self.counts()?;
        let mut records = Vec::new();
        for number in 0..self.most_elements()? {
            if number > most {
                return Err(damaged("chunks lie outside the file"));
            }
            let address = number
                .checked_mul(bytes)
                .and_then(|skip| self.address.checked_add(skip));
            let address = address.ok_or_else(|| damaged("chunks lie outside the file"))?;
            let offset = self.offset_of(number, &counts, None);
            records.extend(grid.index_of_offset(&offset).map(|index| ChunkRecord {
                index,
                filter_mask: 0,
                address,
                stored_bytes: bytes,
            }));
        }
        Ok(records)
    }

    /// Chunks along each axis, as far as it may grow; 1 where there is no limit.
    fn counts(&self) -> Result<Vec<u64>> {
        let count =
            |(most, &length): (&Option<u64>, &u64)| most.map_or(1, |most| most.div_ceil(length));
        Ok(self.max_shape.iter().zip(self.chunk).map(count).collect())
    }

    /// Chunks of an array that has a largest shape.
    fn most_elements(&self) -> Result<u64> {
        let counts = self.counts()?;
        let most = counts
            .iter()
            .try_fold(1_u64, |product, &n| product.checked_mul(n));
        match self.max_shape.contains(&None) {
            true => Err(damaged("an array of chunks has no end")),
            false => most.ok_or_else(|| damaged("the number of chunks is beyond counting")),
        }
    }

    /// Where the chunk of this number begins; `unlimited` is the slowest axis of the numbering, if there is one.
    fn offset_of(&self, mut number: u64, counts: &[u64], unlimited: Option<usize>) -> Vec<u64> {
        let mut offset = vec![0; self.chunk.len()];
        for axis in (0..self.chunk.len())
            .rev()
            .filter(|&axis| Some(axis) != unlimited)
        {
            let count = counts[axis].max(1);
            offset[axis] = (number % count).saturating_mul(self.chunk[axis]);
            number /= count;
        }
        if let Some(axis) = unlimited {
            offset[axis] = number.saturating_mul(self.chunk[axis]);
        }
        offset
    }

    fn in_array(
        &self,
        grid: &ChunkGrid,
        unlimited: Option<usize>,
        elements: Vec<(u64, Element)>,
    ) -> Vec<ChunkRecord> {
        let counts = self.counts().unwrap_or_default();
        let record = |(number, element): (u64, Element)| {
            let offset = self.offset_of(number, &counts, unlimited);
            Some(ChunkRecord {
                index: grid.index_of_offset(&offset)?,
                filter_mask: element.filter_mask,
                address: element.address,
                stored_bytes: element.stored_bytes,
            })
        };
        elements.into_iter().filter_map(record).collect()
    }
}

/// How the elements of an array of chunks are stored.
struct ElementForm {
    bytes: usize,
    /// Bytes of a stored size; 0: chunks have no filters.
    size_bytes: usize,
    chunk_bytes: u64,
}

impl ElementForm {
    /// `client` is 0 for chunks without filters, 1 for those with.
    fn new(input: &Input, dataset: &Chunked<'_>, client: u8, bytes: u8) -> Result<Self> {
        let rest = usize::from(bytes).checked_sub(input.sizes().address.into());
        let size_bytes = match (client, dataset.has_filters, rest) {
            (0, false, Some(0)) => 0,
            (1, true, Some(rest @ 5..=12)) => rest - 4,
            _ => {
                return Err(damaged(
                    "an array of chunks has elements of no possible size",
                ));
            }
        };
        Ok(Self {
            bytes: bytes.into(),
            size_bytes,
            chunk_bytes: dataset.chunk_bytes()?,
        })
    }

    /// Decodes `count` elements, of which the first has a number; those without a chunk are left out.
    fn decode(
        &self,
        at: &mut Cursor<'_>,
        first: u64,
        count: u64,
        elements: &mut Vec<(u64, Element)>,
    ) -> Result<()> {
        for number in first..first.saturating_add(count) {
            let Some(address) = at.address()? else {
                at.skip(self.bytes_behind_address())?;
                continue;
            };
            let (stored_bytes, filter_mask) = match self.size_bytes {
                0 => (self.chunk_bytes, 0),
                size => (at.uint(size)?, at.u32()?),
            };
            let element = Element {
                address,
                stored_bytes,
                filter_mask,
            };
            elements.push((number, element));
        }
        Ok(())
    }

    fn bytes_behind_address(&self) -> usize {
        if self.size_bytes == 0 {
            0
        } else {
            self.size_bytes + 4
        }
    }
}
