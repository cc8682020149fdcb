//! Where a variable's values lie in its file, for those who read them there themselves.

use std::ops::Range;

use frazil_container::hdf5::DatasetStorage;
use frazil_container::schema::VariableId;
use frazil_pipeline::ByteSource;
use frazil_types::{ChunkRecord, ErrorCode};

use crate::generation::{FileSnapshot, Kind};
use crate::reader::Reader;
use frazil_file::error::{Error, Result};
use frazil_file::storage_error::from_container;

/// Ranges no further apart are read at once, up to so many bytes together.
const GAP_BYTES: u64 = 16 << 10;
const RUN_BYTES: u64 = 1 << 20;

/// Where a variable's values lie in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Places {
    /// In chunks, in row-major order of the grid; those that were never written are not among them.
    Chunks(Vec<ChunkRecord>),
    /// One after the other.
    Run {
        /// Where the first one begins.
        address: u64,
        /// Bytes of all.
        bytes: u64,
    },
    /// Record by record, each one run, in a classic file.
    Records {
        /// Where the first record begins.
        address: u64,
        /// Bytes of one record.
        bytes: u64,
        /// From the begin of one to that of the next.
        stride: u64,
        /// How many there are.
        count: u64,
    },
    /// Among the metadata: these bytes, as they are stored.
    Held(Vec<u8>),
    /// Nowhere: none was ever written.
    Nowhere,
    /// In other files, or in other datasets.
    Elsewhere,
}

impl Reader {
    /// Finds the chunks of all variables in as few rounds of requests as one of them takes, where requests take long: for
    /// those who ask for the [`Self::places`] of all.
    pub fn prepare_places(&self) {
        let generation = self.current();
        if let (true, Ok(input)) = (generation.bytes.is_far(), generation.input()) {
            // Whoever reads a damaged index is told of it.
            let _ = input.prefetch_indexes();
        }
    }

    /// Where a variable's values lie.
    ///
    /// # Errors
    /// If they cannot be located, or lie outside the file; [`ErrorCode::FileChanged`].
    pub fn places(&self, id: VariableId) -> Result<Places> {
        self.with_generation(id, places)
    }

    /// Bytes of the file as they are stored, range by range. Ranges are those of [`Self::places`].
    ///
    /// # Errors
    /// If they cannot be read; [`ErrorCode::FileChanged`].
    pub fn stored_bytes(&self, id: VariableId, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        self.with_generation(id, |generation, _| {
            let beyond = |range: &&Range<u64>| range.end > generation.file_bytes();
            if let Some(range) = ranges.iter().find(beyond) {
                return Err(outside(range));
            }
            stored(&*generation.bytes, ranges)
                .map_err(|error| Error::io(&error, "read", self.path()))
        })
    }

    /// Whether the file is HDF5, netCDF-4 included.
    #[must_use]
    pub fn is_hdf5(&self) -> bool {
        matches!(self.current().kind, Kind::Hdf5(_))
    }

    /// Whether every group keeps the order in which its variables and groups were made.
    #[must_use]
    pub fn keeps_link_order(&self) -> bool {
        match &self.current().kind {
            Kind::Hdf5(contents) => contents.keeps_link_order(),
            Kind::Classic(_) => true,
        }
    }

    /// Size of the file.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.current().file_bytes()
    }
}

fn places(generation: &FileSnapshot, number: usize) -> Result<Places> {
    let dataset = &generation.model.variables[number].dataset;
    let failed = |error| from_container(error, &generation.path);
    if dataset.is_null || dataset.shape.contains(&0) {
        return Ok(Places::Nowhere);
    }
    let bytes = (dataset.raw_bytes())
        .ok_or_else(|| Error::new(ErrorCode::Corrupt, "its size overflows"))?;
    match (&dataset.storage, &generation.kind) {
        (DatasetStorage::Contiguous { .. }, Kind::Classic(classic)) => {
            let location = &classic.locations()[number];
            let address = location.begin();
            Ok(
                match (location.record_stride_bytes(), dataset.shape.first()) {
                    (Some(stride), Some(&count)) => Places::Records {
                        address,
                        bytes: bytes / count.max(1),
                        stride,
                        count,
                    },
                    _ => Places::Run { address, bytes },
                },
            )
        }
        (DatasetStorage::Contiguous { address: None }, _) => Ok(Places::Nowhere),
        (
            &DatasetStorage::Contiguous {
                address: Some(address),
            },
            _,
        ) => {
            let end = address.saturating_add(bytes);
            match end <= generation.file_bytes() {
                true => Ok(Places::Run { address, bytes }),
                false => Err(outside(&(address..end))),
            }
        }
        (DatasetStorage::Chunked { .. }, _) => {
            let records = generation.input()?.locate(dataset).map_err(failed)?;
            Ok(Places::Chunks(records))
        }
        (DatasetStorage::Compact, _) => {
            let values = generation
                .input()?
                .compact_values(dataset)
                .map_err(failed)?;
            Ok(Places::Held(values))
        }
        (DatasetStorage::External | DatasetStorage::Virtual, _) => Ok(Places::Elsewhere),
    }
}

/// Reads ranges, those that are neighbours at once.
fn stored(source: &dyn ByteSource, ranges: &[Range<u64>]) -> std::io::Result<Vec<Vec<u8>>> {
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    order.sort_unstable_by_key(|&one| ranges[one].start);
    let mut found = vec![Vec::new(); ranges.len()];
    let mut rest = order.as_slice();
    while let Some(&first) = rest.first() {
        let begin = ranges[first].start;
        let mut end = ranges[first].end;
        let mut count = 0;
        for range in rest.iter().map(|&one| &ranges[one]) {
            let is_near = range.start <= end.saturating_add(GAP_BYTES);
            if count > 0 && (!is_near || range.end - begin > RUN_BYTES) {
                break;
            }
            end = end.max(range.end);
            count += 1;
        }
        let (run, behind) = rest.split_at(count);
        let mut bytes = vec![0; usize::try_from(end - begin).unwrap_or(usize::MAX)];
        source.read_exact_at(&mut bytes, begin)?;
        for &one in run {
            let at = (ranges[one].start - begin) as usize..(ranges[one].end - begin) as usize;
            found[one] = bytes.get(at).unwrap_or_default().to_vec();
        }
        rest = behind;
    }
    Ok(found)
}

fn outside(range: &Range<u64>) -> Error {
    let cause = format!(
        "its values lie outside the file (address {}, {} bytes)",
        range.start,
        range.end - range.start
    );
    Error::new(ErrorCode::Corrupt, cause)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Bytes that are their own addresses, and how often they were asked for.
    struct Numbers(AtomicUsize);

    impl ByteSource for Numbers {
        fn read_exact_at(&self, buffer: &mut [u8], address: u64) -> std::io::Result<()> {
            self.0.fetch_add(1, Ordering::Relaxed);
            for (i, byte) in buffer.iter_mut().enumerate() {
                *byte = (address + i as u64) as u8;
            }
            Ok(())
        }
    }

    #[test]
    fn neighbours_are_read_at_once_and_come_in_the_order_asked_for() {
        let far = 10 * GAP_BYTES;
        let source = Numbers(AtomicUsize::new(0));
        let found = stored(&source, &[40..43, far..far + 2, 10..12, 11..13]).unwrap();
        assert_eq!(source.0.into_inner(), 2);
        assert_eq!(found[0], [40, 41, 42]);
        assert_eq!(found[1], [far as u8, (far + 1) as u8]);
        assert_eq!((&*found[2], &*found[3]), (&[10, 11][..], &[11, 12][..]));
    }
}
