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
            let one = |range: &Range<u64>| {
                let length = usize::try_from(range.end.saturating_sub(range.start));
                let mut bytes = vec![0; length.unwrap_or(usize::MAX)];
                let read = generation.bytes.read_exact_at(&mut bytes, range.start);
                read.map_err(|error| Error::io(&error, "read", self.path()))?;
                Ok(bytes)
            };
            let beyond = |range: &&Range<u64>| range.end > generation.file_bytes();
            match ranges.iter().find(beyond) {
                Some(range) => Err(outside(range)),
                None => ranges.iter().map(one).collect(),
            }
        })
    }

    /// Whether the file is HDF5, netCDF-4 included.
    #[must_use]
    pub fn is_hdf5(&self) -> bool {
        matches!(self.current().kind, Kind::Hdf5(_))
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

fn outside(range: &Range<u64>) -> Error {
    let cause = format!(
        "its values lie outside the file (address {}, {} bytes)",
        range.start,
        range.end - range.start
    );
    Error::new(ErrorCode::Corrupt, cause)
}
