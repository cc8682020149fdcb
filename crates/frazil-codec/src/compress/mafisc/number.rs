//! Numbers as MAFISC computes with them: integers of the element's width.

/// A signed integer. Sums and differences are modulo 2^bits; predictions are what C makes of them,
/// where 8 and 16 bits are computed with 32.
pub(crate) trait Number: Copy + Default {
    const BYTES: usize;

    /// From little-endian bytes, of which there must be [`Self::BYTES`].
    fn read(bytes: &[u8]) -> Self;
    /// As little-endian bytes, of which there must be [`Self::BYTES`].
    fn write(self, bytes: &mut [u8]);
    fn swapped(self) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// The bits, the rest zeros.
    fn bits(self) -> u64;
    /// The lowest bits.
    fn of_bits(bits: u64) -> Self;
    fn wide(self) -> i64;
    /// Of a prediction: the lowest bits.
    fn narrow(wide: i64) -> Self;
    /// The bits other than the sign inverted if the sign is set.
    fn sign_inverted(self) -> Self;
    /// The sign in the lowest bit, the others inverted if it is set.
    fn sign_to_lowest(self) -> Self;
    fn sign_to_highest(self) -> Self;
    /// 2a - b.
    fn linear(a: Self, b: Self) -> i64;
    /// 3(a - b) + c.
    fn quadratic(a: Self, b: Self, c: Self) -> i64;
}

/// Numbers as little-endian bytes, one behind the other.
pub(crate) fn written<T: Number>(numbers: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; numbers.len() * T::BYTES];
    for (cell, number) in bytes.chunks_exact_mut(T::BYTES).zip(numbers) {
        number.write(cell);
    }
    bytes
}

macro_rules! number {
    ($($signed:ty, $unsigned:ty, $wide:ty);*) => {$(
        impl Number for $signed {
            const BYTES: usize = size_of::<$signed>();

            fn read(bytes: &[u8]) -> Self {
                let mut cell = [0; size_of::<$signed>()];
                cell.copy_from_slice(bytes);
                Self::from_le_bytes(cell)
            }

            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }

            fn swapped(self) -> Self {
                self.swap_bytes()
            }

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            fn bits(self) -> u64 {
                u64::from(self.cast_unsigned())
            }

            fn of_bits(bits: u64) -> Self {
                (bits as $unsigned).cast_signed()
            }

            fn wide(self) -> i64 {
                i64::from(self)
            }

            fn narrow(wide: i64) -> Self {
                wide as Self
            }

            fn sign_inverted(self) -> Self {
                let mask = (self >> (Self::BITS - 1)).cast_unsigned() >> 1;
                self ^ mask.cast_signed()
            }

            fn sign_to_lowest(self) -> Self {
                self << 1 ^ self >> (Self::BITS - 1)
            }

            fn sign_to_highest(self) -> Self {
                let mask = (self & 1).wrapping_neg();
                (self.cast_unsigned() >> 1).cast_signed() ^ mask
            }

            fn linear(a: Self, b: Self) -> i64 {
                let (a, b) = (<$wide>::from(a), <$wide>::from(b));
                i64::from(a.wrapping_mul(2).wrapping_sub(b))
            }

            fn quadratic(a: Self, b: Self, c: Self) -> i64 {
                let (a, b, c) = (<$wide>::from(a), <$wide>::from(b), <$wide>::from(c));
                i64::from(a.wrapping_sub(b).wrapping_mul(3).wrapping_add(c))
            }
        }
    )*};
}

number!(i8, u8, i32; i16, u16, i32; i32, u32, i32; i64, u64, i64);
