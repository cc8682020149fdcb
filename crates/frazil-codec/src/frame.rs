//! The 16 bytes at the start of a chunk under one of frazil's own filters.
//!
//! Source: `docs/format.md`. Magic (4 bytes), version, element kind, flags, a byte of the filter,
//! and the raw length (8 bytes, little-endian). Nothing else in a chunk says how long it decodes to,
//! and the chunk's size is known beforehand, so that a damaged length is found at once.

use crate::CodecError;
use crate::buffer::OutputSize;
use crate::cursor::Cursor;

/// Length of the frame's start.
pub(crate) const FRAME_BYTES: usize = 16;
/// The one version there is.
const VERSION: u8 = 1;

/// What the start of a frame says, but for its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The filter, for errors.
    pub(crate) filter: &'static str,
    /// Four bytes that name the filter.
    pub(crate) magic: [u8; 4],
    /// Element kind, flags, and a byte of the filter's own.
    pub(crate) parameters: [u8; 3],
}

impl Frame {
    /// Replaces the content of `out` by the frame's start.
    pub(crate) fn begin(self, raw_bytes: usize, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.magic);
        out.push(VERSION);
        out.extend_from_slice(&self.parameters);
        out.extend_from_slice(&(raw_bytes as u64).to_le_bytes());
    }

    /// Checks the start of `stored`; returns the raw length and what follows.
    pub(crate) fn open(
        self,
        stored: &[u8],
        size: OutputSize,
    ) -> Result<(usize, Cursor<'_>), CodecError> {
        let mut cursor = Cursor::new(self.filter, stored);
        let corrupt = |reason| CodecError::Corrupt {
            filter: self.filter,
            reason,
        };
        if cursor.take(4)? != self.magic {
            return Err(corrupt("it does not begin as frazil's chunks do"));
        }
        if cursor.take(1)? != [VERSION] {
            return Err(corrupt("of a version that this build does not know"));
        }
        if cursor.take(3)? != self.parameters {
            return Err(corrupt("it contradicts the filter's client data values"));
        }
        let raw_bytes = usize::try_from(cursor.u64_le()?).unwrap_or(usize::MAX);
        Ok((size.check(raw_bytes)?, cursor))
    }
}
