//! How to read a variable in slabs that lie in the file as they are.

use frazil_types::{ChunkGrid, FileAddress, FileExtent};

use super::error::ClassicError;
use super::locate::{VariableLocation, product};

impl VariableLocation {
    /// Cuts the variable into slabs of about `target_bytes`, each of which is one run of bytes in
    /// the file, or several whole records of equal length.
    ///
    /// A slab's shape is `[1, .., 1, k, full, .., full]`: only the axis of `k`, the *split axis*,
    /// can have a shorter last slab. `k` is as large as `target_bytes` permits (at least 1, so a
    /// slab may be larger than the target only if it is one element), and slabs along the split
    /// axis are made nearly equal.
    ///
    /// `preferred_leading` is the extent along axis 0 that the consumer works in, say the chunk
    /// extent of the output. Where the split axis is axis 0, `k` becomes a multiple of it, or, if
    /// `target_bytes` is too small for that, a divisor of it where a good one exists.
    ///
    /// # Errors
    /// [`ClassicError::Layout`] if a count overflows 64 bits.
    pub fn slabs(
        &self,
        target_bytes: u64,
        preferred_leading: Option<u64>,
    ) -> Result<Slabs, ClassicError> {
        self.cut(target_bytes, preferred_leading)
            .ok_or_else(|| ClassicError::Layout {
                variable: self.name.clone(),
                what: "the number of values overflows 64 bits".to_owned(),
            })
    }

    fn cut(&self, target_bytes: u64, preferred_leading: Option<u64>) -> Option<Slabs> {
        let mut chunk = vec![1; self.shape.len()];
        let mut run_bytes = self.element_bytes();
        for axis in (0..self.shape.len()).rev() {
            let extent = self.shape[axis].max(1);
            let fitting = (target_bytes / run_bytes).clamp(1, extent);
            chunk[axis] = match preferred_leading {
                _ if fitting == extent => extent,
                Some(preferred) if axis == 0 && preferred > 1 => aligned(fitting, preferred),
                _ => extent.div_ceil(extent.div_ceil(fitting)),
            };
            if fitting < extent {
                break;
            }
            run_bytes = run_bytes.checked_mul(extent)?;
        }
        // Records of several variables are interleaved: slabs of whole records take strides, and
        // these never follow a split inside a record, because then the chunk's first extent is 1.
        let inner = self.shape.get(1..).unwrap_or_default();
        let record = match self.record_stride {
            Some(stride_bytes) => Some(Record {
                bytes: product(inner, self.element_bytes())?,
                stride_bytes,
            }),
            None => None,
        };
        Some(Slabs {
            grid: ChunkGrid::new(&self.shape, &chunk)?,
            begin: self.begin,
            element_bytes: self.element_bytes(),
            record: record.filter(|record| record.bytes != record.stride_bytes),
        })
    }
}

/// The multiple of `preferred` at or below `fitting`, else a divisor of `preferred` that wastes at
/// most half of `fitting`, else `fitting`.
fn aligned(fitting: u64, preferred: u64) -> u64 {
    /// Divisors are tried down from the largest; a longer search is not worth its time.
    const TRIES: u64 = 4096;
    if fitting >= preferred {
        return fitting - fitting % preferred;
    }
    let lowest = fitting.div_ceil(2).max(fitting.saturating_sub(TRIES));
    (lowest..=fitting)
        .rev()
        .find(|&divisor| preferred.is_multiple_of(divisor))
        .unwrap_or(fitting)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Record {
    bytes: u64,
    stride_bytes: u64,
}

/// A variable cut into virtual chunks that lie in the file as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slabs {
    grid: ChunkGrid,
    begin: FileAddress,
    element_bytes: u64,
    /// For records interleaved with those of other variables.
    record: Option<Record>,
}

impl Slabs {
    /// The grid of slabs over the variable's shape.
    #[must_use]
    pub fn grid(&self) -> &ChunkGrid {
        &self.grid
    }

    /// Where the bytes of slab `index` (row-major in [`grid`](Self::grid)) lie.
    ///
    /// Inner slabs cover exactly the bytes of one chunk of the grid. The last slab along the split
    /// axis may be shorter: its extent covers **only the values inside the variable**. Because that
    /// axis is preceded by extents of 1 only, these values are the first bytes of the chunk, in C
    /// order; whoever wants a whole chunk pads behind them. Extents have one segment, or one per
    /// record where the records of several variables are interleaved.
    ///
    /// `None` if there is no such slab.
    #[must_use]
    pub fn extent(&self, index: u64) -> Option<FileExtent> {
        if index >= self.grid.chunk_count() {
            return None;
        }
        let inside = self.grid.valid_box(index);
        let bytes = product(&inside.count, self.element_bytes)?;
        let Some((record, (&first, &records))) = self
            .record
            .zip(inside.start.first().zip(inside.count.first()))
        else {
            let skipped = self.elements_before(&inside.start, self.grid.shape())?;
            let address = self
                .begin
                .checked_add(skipped.checked_mul(self.element_bytes)?)?;
            return Some(FileExtent::contiguous(address, bytes));
        };
        let skipped = self.elements_before(&inside.start[1..], &self.grid.shape()[1..])?;
        let address = first
            .checked_mul(record.stride_bytes)?
            .checked_add(self.begin)?
            .checked_add(skipped.checked_mul(self.element_bytes)?)?;
        Some(FileExtent {
            address,
            segment_bytes: bytes.checked_div(records)?,
            segments: records,
            stride_bytes: record.stride_bytes,
        })
    }

    /// Elements before `start` in C order.
    fn elements_before(&self, start: &[u64], shape: &[u64]) -> Option<u64> {
        start
            .iter()
            .zip(shape)
            .try_fold(0_u64, |before, (&position, &extent)| {
                before.checked_mul(extent)?.checked_add(position)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::NcType;
    use super::*;

    fn location(shape: &[u64], record_stride: Option<u64>) -> VariableLocation {
        VariableLocation {
            name: "v".to_owned(),
            shape: shape.to_vec(),
            element: NcType::Int.element(),
            begin: 100,
            record_stride,
        }
    }

    fn chunk(shape: &[u64], target_bytes: u64, preferred_leading: Option<u64>) -> Vec<u64> {
        let slabs = location(shape, None).slabs(target_bytes, preferred_leading);
        slabs.unwrap().grid().chunk().to_vec()
    }

    #[test]
    fn slabs_are_ones_then_a_split_then_whole_axes() {
        assert_eq!(chunk(&[6, 10, 50], 1 << 20, None), [6, 10, 50]);
        assert_eq!(chunk(&[6, 10, 50], 2000 * 4, None), [3, 10, 50]);
        assert_eq!(chunk(&[6, 10, 50], 2000, None), [1, 10, 50]);
        assert_eq!(chunk(&[6, 10, 50], 1999, None), [1, 5, 50]);
        assert_eq!(chunk(&[6, 10, 50], 199, None), [1, 1, 25]);
        assert_eq!(chunk(&[6, 10, 50], 0, None), [1, 1, 1]);
        assert!(chunk(&[], 0, None).is_empty());
    }

    #[test]
    fn a_preferred_extent_aligns_slabs_along_the_leading_axis() {
        assert_eq!(chunk(&[1000], 370 * 4, Some(100)), [300]);
        assert_eq!(chunk(&[1000], 60 * 4, Some(100)), [50]);
        assert_eq!(chunk(&[1000], 60 * 4, Some(997)), [60]);
        assert_eq!(chunk(&[1000], 1000 * 4, Some(300)), [1000]);
        assert_eq!(chunk(&[5, 1000], 370 * 4, Some(100)), [1, 334]);
    }

    #[test]
    fn interleaved_records_are_grouped_by_strides() {
        let slabs = location(&[7, 10], Some(64)).slabs(3 * 40, None).unwrap();
        assert_eq!(slabs.grid().chunk(), [3, 10]);
        let extent = |address, segments| FileExtent {
            address,
            segment_bytes: 40,
            segments,
            stride_bytes: 64,
        };
        assert_eq!(slabs.extent(0), Some(extent(100, 3)));
        assert_eq!(slabs.extent(2), Some(extent(100 + 6 * 64, 1)));
        assert_eq!(slabs.extent(3), None);
    }

    #[test]
    fn a_record_may_be_split() {
        let slabs = location(&[2, 10], Some(64)).slabs(16, None).unwrap();
        assert_eq!(slabs.grid().chunk(), [1, 4]);
        let extent = slabs.extent(5).unwrap();
        assert_eq!((extent.address, extent.segments), (100 + 64 + 8 * 4, 1));
        assert_eq!(extent.segment_bytes, 2 * 4);
    }

    #[test]
    fn records_of_a_lone_variable_are_one_run() {
        let slabs = location(&[7, 10], Some(40)).slabs(1000, None).unwrap();
        assert_eq!(slabs.extent(0), Some(FileExtent::contiguous(100, 280)));
        let none = location(&[0, 10], Some(40)).slabs(1000, None).unwrap();
        assert_eq!(none.extent(0), None);
    }
}
