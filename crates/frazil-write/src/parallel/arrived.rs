//! A message that has arrived.

use std::ops::Range;

use super::node::Shared;
use super::wire::broken;
use frazil_file::error::Result;

/// The bytes of a message, wherever they are.
pub(super) enum Message {
    Own(Vec<u8>),
    Shared(Shared),
}

impl Message {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Own(bytes) => bytes.len(),
            Self::Shared(shared) => shared.len(),
        }
    }

    /// Some of the bytes, read into `buffer` if they are not in this rank's memory.
    pub(super) fn look<'a>(
        &'a self,
        range: Range<usize>,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8]> {
        match self {
            Self::Own(bytes) => bytes.get(range).ok_or_else(|| broken("it ends early")),
            Self::Shared(shared) => {
                buffer.resize(range.len(), 0);
                shared.read(range.start, buffer)?;
                Ok(buffer)
            }
        }
    }

    /// Reads some of the bytes, as many as `target` has.
    pub(super) fn read(&self, range: Range<usize>, target: &mut [u8]) -> Result<()> {
        if range.len() != target.len() {
            return Err(broken("it has another length"));
        }
        match self {
            Self::Own(bytes) => {
                let bytes = bytes.get(range).ok_or_else(|| broken("it ends early"))?;
                target.copy_from_slice(bytes);
                Ok(())
            }
            Self::Shared(shared) => shared.read(range.start, target),
        }
    }

    /// All of the bytes.
    pub(super) fn into_bytes(self) -> Result<Vec<u8>> {
        match self {
            Self::Own(bytes) => Ok(bytes),
            Self::Shared(shared) => {
                let mut bytes = vec![0; shared.len()];
                shared.read(0, &mut bytes)?;
                Ok(bytes)
            }
        }
    }
}
