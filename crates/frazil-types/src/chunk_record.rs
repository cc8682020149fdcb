//! Where stored bytes lie in a file.

use serde::{Deserialize, Serialize};

/// Absolute byte address in a file (HDF5's `haddr_t`, user block included).
pub type FileAddress = u64;

/// One stored chunk of a chunked dataset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkRecord {
    /// Linear position in the chunk grid, row-major (see [`crate::ChunkGrid`]).
    pub index: u64,
    /// Bit i set: filter i of the pipeline was not applied to this chunk.
    pub filter_mask: u32,
    /// Where the stored bytes begin.
    pub address: FileAddress,
    /// How many bytes are stored.
    pub stored_bytes: u64,
}

/// Bytes of one source chunk: `segments` runs of `segment_bytes`, `stride_bytes` apart.
///
/// HDF5 chunks and slabs of contiguous data have one segment; several records of a classic netCDF
/// record variable have one segment per record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileExtent {
    /// Address of the first segment.
    pub address: FileAddress,
    /// Bytes in each segment.
    pub segment_bytes: u64,
    /// Number of segments, at least 1.
    pub segments: u64,
    /// Distance between the starts of two segments; unused when there is one.
    pub stride_bytes: u64,
}

impl FileExtent {
    /// One contiguous run of bytes.
    #[must_use]
    pub fn contiguous(address: FileAddress, bytes: u64) -> Self {
        Self {
            address,
            segment_bytes: bytes,
            segments: 1,
            stride_bytes: bytes,
        }
    }

    /// Sum of the segments' bytes; `None` on overflow.
    #[must_use]
    pub fn total_bytes(&self) -> Option<u64> {
        self.segment_bytes.checked_mul(self.segments)
    }

    /// First address past the last segment; `None` on overflow.
    #[must_use]
    pub fn end(&self) -> Option<FileAddress> {
        let last = self
            .segments
            .checked_sub(1)?
            .checked_mul(self.stride_bytes)?;
        self.address
            .checked_add(last)?
            .checked_add(self.segment_bytes)
    }
}
