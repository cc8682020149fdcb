//! Reading numbers and runs of bytes from a stored chunk without running past its end.

use crate::CodecError;

/// What is left of a stored chunk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    filter: &'static str,
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `bytes`; errors name `filter`.
    pub(crate) fn new(filter: &'static str, bytes: &'a [u8]) -> Self {
        Self {
            filter,
            rest: bytes,
        }
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], CodecError> {
        let cut = self.rest.split_at_checked(count);
        let (taken, rest) = cut.ok_or(CodecError::Corrupt {
            filter: self.filter,
            reason: "cut short",
        })?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    pub(crate) fn u32_be(&mut self) -> Result<u32, CodecError> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u64_be(&mut self) -> Result<u64, CodecError> {
        self.array().map(u64::from_be_bytes)
    }

    pub(crate) fn u64_le(&mut self) -> Result<u64, CodecError> {
        self.array().map(u64::from_le_bytes)
    }

    /// Everything that was not taken yet.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Whether everything was taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn u32_le(&mut self) -> Result<u32, CodecError> {
        self.array().map(u32::from_le_bytes)
    }
}
