//! Bits, least significant first, gathered into bytes.

/// Bits that were not written out yet.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    held: u64,
    count: u32,
}

impl BitWriter {
    /// Adds the lowest `count` bits of `value`, whose other bits are zero. With those held there
    /// must not be more than 63 of them.
    #[inline(always)]
    pub(super) fn add(&mut self, value: u64, count: u32) {
        self.held |= value << self.count;
        self.count += count;
    }

    /// Writes whole bytes to `buffer` from `at` on, where there is room for 8; the place behind
    /// them. At most 7 bits stay.
    #[inline(always)]
    pub(super) fn flush(&mut self, buffer: &mut [u8], at: usize) -> usize {
        if let Some(target) = buffer[at..].first_chunk_mut::<8>() {
            *target = self.held.to_le_bytes();
        }
        let bytes = self.count >> 3;
        self.held >>= bytes * 8;
        self.count &= 7;
        at + bytes as usize
    }

    /// Fills the last byte with zero bits, and writes it.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        let bytes = self.count.div_ceil(8) as usize;
        out.extend_from_slice(&self.held.to_le_bytes()[..bytes]);
        (self.held, self.count) = (0, 0);
    }
}
