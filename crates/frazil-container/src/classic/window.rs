//! A part of a file in memory, for writes that lie close together.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes held at a time.
const WINDOW_BYTES: usize = 1 << 20;

/// Some bytes of a file, changed but not yet written.
#[derive(Debug, Default)]
pub(super) struct Window {
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// Writes `run` at `address`, sooner or later; the file is as long as it will be.
    pub(super) fn write(&mut self, file: &File, address: u64, run: &[u8]) -> io::Result<()> {
        let mut at = 0;
        while at < run.len() {
            let address = address + at as u64;
            if !(self.start..self.start + self.bytes.len() as u64).contains(&address) {
                self.flush(file)?;
                self.move_to(file, address)?;
            }
            let offset = (address - self.start) as usize;
            let length = (run.len() - at).min(self.bytes.len() - offset);
            self.bytes[offset..offset + length].copy_from_slice(&run[at..at + length]);
            at += length;
        }
        Ok(())
    }

    /// Writes what is held.
    pub(super) fn flush(&mut self, file: &File) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.bytes);
        file.write_all_at(&bytes, self.start)
    }

    fn move_to(&mut self, file: &File, address: u64) -> io::Result<()> {
        let left = file.metadata()?.len().saturating_sub(address);
        let length = left.min(WINDOW_BYTES as u64) as usize;
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.bytes = vec![0; length];
        self.start = address;
        file.read_exact_at(&mut self.bytes, address)
    }
}
