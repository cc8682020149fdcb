//! Takes numbers from bytes, and never more than there are.

use crate::error::{Result, damaged};
use crate::input::NumberSizes;

/// A place in bytes that were read.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    sizes: NumberSizes,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], sizes: NumberSizes) -> Self {
        Self { rest: bytes, sizes }
    }

    /// Bytes that were not taken yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Takes the next bytes.
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let split = self.rest.split_at_checked(length);
        let (taken, rest) =
            split.ok_or_else(|| damaged("a part of its metadata ends too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    /// A cursor over the next bytes.
    pub(crate) fn part(&mut self, length: usize) -> Result<Self> {
        Ok(Self::new(self.take(length)?, self.sizes))
    }

    /// Passes over bytes.
    pub(crate) fn skip(&mut self, length: usize) -> Result<()> {
        self.take(length).map(drop)
    }

    /// An unsigned number of up to 8 bytes, little-endian.
    pub(crate) fn uint(&mut self, size: usize) -> Result<u64> {
        let bytes = self.take(size)?;
        let mut number = [0; 8];
        match bytes.get(8..) {
            Some(high) if high.iter().any(|&byte| byte != 0) => {
                Err(damaged("a number in its metadata is too large"))
            }
            _ => {
                let size = size.min(8);
                number[..size].copy_from_slice(&bytes[..size]);
                Ok(u64::from_le_bytes(number))
            }
        }
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        self.uint(2).map(|number| number as u16)
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.uint(4).map(|number| number as u32)
    }

    /// A number that counts things in memory.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize> {
        usize::try_from(self.uint(size)?)
            .map_err(|_| damaged("a number in its metadata is too large"))
    }

    /// A length.
    pub(crate) fn length(&mut self) -> Result<u64> {
        self.uint(self.sizes.length.into())
    }

    /// A length that may be without limit: all bits of 64 are set. Files with shorter lengths cannot say so: as libhdf5
    /// reads them, theirs is a limit.
    pub(crate) fn optional_length(&mut self) -> Result<Option<u64>> {
        self.length()
            .map(|length| Some(length).filter(|&length| length != u64::MAX))
    }

    /// An address; `None` if it is undefined.
    pub(crate) fn address(&mut self) -> Result<Option<u64>> {
        let size = self.sizes.address;
        let bytes = self.clone().take(size.into())?;
        if bytes.iter().all(|&byte| byte == 0xff) {
            self.skip(size.into())?;
            return Ok(None);
        }
        self.uint(size.into()).map(Some)
    }

    /// Bytes up to a NUL, which is passed over.
    pub(crate) fn until_nul(&mut self) -> Result<&'a [u8]> {
        let end = self.rest.iter().position(|&byte| byte == 0);
        let text = self.take(end.ok_or_else(|| damaged("a text in its metadata has no end"))?)?;
        self.skip(1)?;
        Ok(text)
    }

    /// Demands that the next bytes are these.
    pub(crate) fn signature(&mut self, signature: &[u8; 4], name: &str) -> Result<()> {
        match self.take(4)? == signature {
            true => Ok(()),
            false => Err(damaged(format!("{name} does not begin as one"))),
        }
    }

    /// Demands a version.
    pub(crate) fn version(&mut self, known: &[u8], name: &str) -> Result<u8> {
        let version = self.u8()?;
        match known.contains(&version) {
            true => Ok(version),
            false => Err(damaged(format!(
                "{name} has version {version}, which is none"
            ))),
        }
    }
}

/// Bytes that the HDF5 format takes for numbers up to `limit`.
pub(crate) fn bytes_for(limit: u64) -> usize {
    (limit.max(1).ilog2() / 8 + 1) as usize
}
