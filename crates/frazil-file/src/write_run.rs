//! Bytes that follow each other in a file are written together.

use crate::error::Result;

/// Neighbours that wait to be written with one call.
#[derive(Debug)]
pub struct WriteRun {
    bytes: Vec<u8>,
    address: u64,
    most_bytes: usize,
    alone_bytes: usize,
}

impl WriteRun {
    /// Holds back up to `most_bytes`. What has more than `alone_bytes` gains nothing by that, and
    /// is written at once if nothing waits before it.
    #[must_use]
    pub fn new(most_bytes: usize, alone_bytes: usize) -> Self {
        Self {
            bytes: Vec::new(),
            address: 0,
            most_bytes,
            alone_bytes,
        }
    }

    /// Takes bytes for an address. `write` brings bytes to an address of the file.
    ///
    /// # Errors
    /// What `write` gives.
    pub fn add(
        &mut self,
        address: u64,
        bytes: &[u8],
        write: impl Fn(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let follows = self.address + self.bytes.len() as u64 == address;
        if !follows || self.bytes.len() + bytes.len() > self.most_bytes {
            self.flush(&write)?;
            self.address = address;
        }
        if self.bytes.is_empty() && bytes.len() > self.alone_bytes {
            return write(address, bytes);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes what waits.
    ///
    /// # Errors
    /// What `write` gives; the bytes wait still.
    pub fn flush(&mut self, write: impl Fn(u64, &[u8]) -> Result<()>) -> Result<()> {
        if !self.bytes.is_empty() {
            write(self.address, &self.bytes)?;
            self.bytes.clear();
        }
        Ok(())
    }

    /// Forgets what waits.
    pub fn forget(&mut self) {
        self.bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn neighbours_are_written_together_and_in_order() {
        let written = RefCell::new(Vec::new());
        let write = |address, bytes: &[u8]| {
            written.borrow_mut().push((address, bytes.len()));
            Ok(())
        };
        let mut run = WriteRun::new(8, 4);
        for (address, bytes) in [(0, 3), (3, 3), (6, 3), (20, 5), (25, 2), (27, 6), (33, 9)] {
            run.add(address, &vec![1; bytes], write).unwrap();
        }
        run.flush(write).unwrap();
        run.flush(write).unwrap();
        let expected = [(0, 6), (6, 3), (20, 5), (25, 8), (33, 9)];
        assert_eq!(*written.borrow(), expected);
    }
}
