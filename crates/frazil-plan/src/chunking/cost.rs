//! What a read costs under a chunk shape, in seconds.
//!
//! ```text
//! seconds = read_seconds
//!         + seeks  * seek_seconds
//!         + chunks * (chunk_seconds + raw_bytes / decode_rate + stored_bytes / fetch_rate)
//! ```
//!
//! `chunks` are those that the read touches, each whole: along an axis of `n` elements in chunks of `c`, a
//! read of `q` elements at any place touches `1 + (q - 1) / c` of them on average, and all of them
//! if it takes the whole axis. `seeks` are runs of chunks that lie behind each other in the file, where
//! chunks are placed row by row of their grid; in an object store each chunk is a request. What sticks out of the variable is decoded, but
//! stored as next to nothing where there is compression.

use frazil_types::{Calibration, Storage, StorageSpeed};

use super::read_cost::bytes_of;
use super::reads::ReadBox;

/// What one read costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cost {
    /// Chunks touched, on average over places.
    pub(crate) chunks: f64,
    pub(crate) seconds: f64,
}

/// What costs depend on beside read and chunk shape.
#[derive(Debug, Clone)]
pub(crate) struct CostModel<'a> {
    /// Shape in elements, no extent 0.
    pub(crate) shape: &'a [u64],
    pub(crate) element_bytes: usize,
    /// Raw bytes by stored bytes; `None`: no filters.
    pub(crate) ratio: Option<f64>,
    read_seconds: f64,
    chunk_seconds: f64,
    /// Seconds for each raw byte of a chunk, and for each stored byte.
    raw_byte_seconds: f64,
    stored_byte_seconds: f64,
    seek_seconds: f64,
    /// Whether chunks that lie behind each other are one request.
    joins_runs: bool,
}

impl<'a> CostModel<'a> {
    pub(crate) fn new(
        shape: &'a [u64],
        element_bytes: usize,
        ratio: Option<f64>,
        storage: Storage,
        calibration: &Calibration,
    ) -> Self {
        let StorageSpeed {
            seek_seconds,
            fetch_bytes_per_second,
            ..
        } = calibration.speed(storage);
        let raw_rate = match ratio {
            Some(_) => calibration.decode_bytes_per_second,
            None => calibration.copy_bytes_per_second,
        };
        Self {
            shape,
            element_bytes,
            ratio,
            read_seconds: calibration.read_seconds,
            chunk_seconds: calibration.chunk_seconds,
            raw_byte_seconds: 1.0 / raw_rate,
            stored_byte_seconds: 1.0 / fetch_bytes_per_second,
            seek_seconds,
            joins_runs: storage != Storage::ObjectStore,
        }
    }

    /// What a read costs with chunks of `chunk` (same rank, no extent 0).
    pub(crate) fn of(&self, read: &ReadBox, chunk: &[u64]) -> Cost {
        let (mut chunks, mut seeks) = (1.0_f64, 1.0_f64);
        // Share of a chunk's elements that lie inside the variable, on average.
        let mut inside = 1.0;
        let mut is_run = self.joins_runs;
        for axis in (0..self.shape.len()).rev() {
            let (length, extent) = (self.shape[axis], chunk[axis]);
            let count = length.div_ceil(extent) as f64;
            inside *= length as f64 / (count * extent as f64);
            let touched = touched(length, extent, read.counts[axis]);
            chunks *= touched;
            // A run goes on over an axis as long as all faster ones are touched whole.
            if !is_run {
                seeks *= touched;
            }
            is_run &= touched >= count;
        }
        let raw_bytes = bytes_of(chunk, self.element_bytes) as f64;
        let stored_bytes = match self.ratio {
            Some(ratio) => raw_bytes * inside / ratio,
            None => raw_bytes,
        };
        let each = self.chunk_seconds
            + raw_bytes * self.raw_byte_seconds
            + stored_bytes * self.stored_byte_seconds;
        Cost {
            chunks,
            seconds: self.read_seconds + seeks * self.seek_seconds + chunks * each,
        }
    }
}

/// Chunks of `extent` elements that `wanted` elements of an axis touch.
fn touched(length: u64, extent: u64, wanted: u64) -> f64 {
    let all = length.div_ceil(extent) as f64;
    if wanted >= length {
        return all;
    }
    (1.0 + (wanted.saturating_sub(1)) as f64 / extent as f64).min(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(shape: &[u64], storage: Storage) -> CostModel<'_> {
        CostModel::new(shape, 4, Some(2.0), storage, &Calibration::default())
    }

    fn read(counts: &[u64]) -> ReadBox {
        ReadBox {
            counts: counts.to_vec(),
        }
    }

    #[test]
    fn a_read_costs_its_whole_chunks() {
        let (shape, constants) = ([100, 64, 64], Calibration::default());
        let model = model(&shape, Storage::Local);
        let map = model.of(&read(&[1, 64, 64]), &[10, 16, 32]);
        assert_eq!(map.chunks, 8.0);
        let raw_bytes = f64::from(10 * 16 * 32 * 4);
        let each = constants.chunk_seconds
            + raw_bytes / constants.decode_bytes_per_second
            + raw_bytes / 2.0 / constants.local.fetch_bytes_per_second;
        // All chunks of one time lie behind each other.
        let seconds = constants.read_seconds + constants.local.seek_seconds + 8.0 * each;
        assert!((map.seconds / seconds - 1.0).abs() < 1e-12);
    }

    #[test]
    fn chunks_of_a_series_lie_apart() {
        let shape = [100, 64, 64];
        let series = read(&[100, 1, 1]);
        let near = model(&shape, Storage::Local).of(&series, &[10, 16, 32]);
        let far = model(&shape, Storage::Disk).of(&series, &[10, 16, 32]);
        let seek = Calibration::default().disk.seek_seconds;
        assert_eq!(near.chunks, 10.0);
        assert!(far.seconds > near.seconds + 9.9 * seek);
        // With whole maps in a chunk nothing lies between them.
        let maps = model(&shape, Storage::Disk).of(&series, &[10, 64, 64]);
        assert!(maps.seconds < 5.0 * seek);
    }

    #[test]
    fn a_read_at_any_place_touches_more_than_its_share() {
        assert_eq!(touched(100, 10, 1), 1.0);
        assert_eq!(touched(100, 10, 11), 2.0);
        assert_eq!(touched(100, 10, 100), 10.0);
        assert_eq!(touched(105, 10, 105), 11.0);
        assert_eq!(touched(20, 15, 19), 2.0);
    }
}
