//! Reading numbers of any width from a bit stream, most significant bit first.

/// A cursor over a byte slice.
#[derive(Debug, Clone)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Next bits, left-aligned.
    held: u64,
    /// How many of them are valid.
    held_bits: u32,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            held: 0,
            held_bits: 0,
        }
    }

    /// Tops up `held` to at least 57 bits, as far as there are bytes.
    fn refill(&mut self) {
        if let Some((head, _)) = self.bytes.split_first_chunk::<8>() {
            // Only whole bytes are counted; the bits of a partial one are the same when read again.
            self.held |= u64::from_be_bytes(*head) >> self.held_bits;
            let taken = (63 - self.held_bits) / 8;
            self.bytes = &self.bytes[taken as usize..];
            self.held_bits += taken * 8;
            return;
        }
        while self.held_bits <= 56 {
            let Some((&byte, rest)) = self.bytes.split_first() else {
                return;
            };
            self.held |= u64::from(byte) << (56 - self.held_bits);
            self.held_bits += 8;
            self.bytes = rest;
        }
    }

    /// The next `bits` (1 to 32) as a number, without taking them; 0 bits follow the end.
    #[inline]
    pub(crate) fn peek(&mut self, bits: u32) -> u64 {
        if self.held_bits < bits {
            self.refill();
        }
        self.held >> (64 - bits)
    }

    /// Takes `bits` (0 to 32) that were peeked at; `None` past the end.
    #[inline]
    pub(crate) fn skip(&mut self, bits: u32) -> Option<()> {
        self.held_bits = self.held_bits.checked_sub(bits)?;
        self.held <<= bits;
        Some(())
    }

    /// The next `bits` (0 to 32) as a number; `None` past the end.
    fn read_short(&mut self, bits: u32) -> Option<u64> {
        if bits == 0 {
            return Some(0);
        }
        let value = self.peek(bits);
        self.skip(bits)?;
        Some(value)
    }

    /// The next `bits` (0 to 64) as a number; `None` past the end.
    pub(crate) fn read(&mut self, bits: u32) -> Option<u64> {
        if bits <= 32 {
            return self.read_short(bits);
        }
        let high = self.read_short(bits - 32)?;
        Some(high << 32 | self.read_short(32)?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(widths in proptest::collection::vec((0_u32..=64, any::<u64>()), 0..200)) {
            let mut bits = Vec::new();
            for &(width, value) in &widths {
                bits.extend((0..width).rev().map(|bit| value >> bit & 1 == 1));
            }
            let bytes: Vec<u8> = bits
                .chunks(8)
                .map(|byte| byte.iter().enumerate().map(|(i, &bit)| u8::from(bit) << (7 - i)).sum())
                .collect();
            let mut reader = BitReader::new(&bytes);
            for &(width, value) in &widths {
                let expected = if width == 64 { value } else { value & ((1 << width) - 1) };
                prop_assert_eq!(reader.read(width), Some(expected));
            }
            prop_assert_eq!(reader.read(8), None);
        }
    }
}
