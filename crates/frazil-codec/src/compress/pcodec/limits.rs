//! What a run may ask of memory before any of it is decoded.
//!
//! Pcodec's decoder makes room for dictionaries and windows of up to 2^25 numbers by numbers in the
//! stream. No encoder has a use for more than the run's own numbers, so the first bits are read here
//! as well, and a run that asks for more is refused. What remains are tables of states: 2^14 at most.

use super::{NO_RUN, corrupt};
use crate::CodecError;

/// Widths of the fields, in bits (`constants.rs` of pco).
const MODE_BITS: u32 = 4;
const QUANTUM_BITS: u32 = 8;
const DELTA_BITS: u32 = 4;
const WINDOW_BITS: u32 = 5;
const STATE_BITS: u32 = 4;
/// The delta encoding that looks back into a window.
const LOOKBACK: u64 = 2;
/// Smallest window that the encoder makes, however few the numbers.
const SMALLEST_WINDOW: usize = 16;

/// Refuses a run of `numbers` of `width` bits that asks for more than they can use.
pub(super) fn check(stored: &[u8], width: u32, numbers: usize) -> Result<(), CodecError> {
    let mut bits = Bits {
        bytes: stored,
        at: 0,
    };
    let parameter = match bits.take(MODE_BITS)? {
        0 => 0,
        // The base that numbers are multiples of.
        1 | 2 => width,
        3 => QUANTUM_BITS,
        // Dictionaries are never written.
        _ => return Err(corrupt("a mode that frazil does not write")),
    };
    bits.at += parameter;
    if bits.take(DELTA_BITS)? != LOOKBACK {
        return Ok(());
    }
    let window = 1_usize << (1 + bits.take(WINDOW_BITS)?);
    let state = 1_usize << bits.take(STATE_BITS)?;
    let allowed = numbers.next_power_of_two().max(SMALLEST_WINDOW);
    if window > allowed || state > allowed {
        return Err(corrupt("a window longer than the run"));
    }
    Ok(())
}

/// Reads numbers of up to 8 bits, least significant bit first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: u32,
}

impl Bits<'_> {
    fn take(&mut self, bits: u32) -> Result<u64, CodecError> {
        let first = (self.at / 8) as usize;
        let byte = |i: usize| self.bytes.get(i).copied();
        let low = u16::from(byte(first).ok_or(NO_RUN)?);
        let high = u16::from(byte(first + 1).unwrap_or(0));
        let value = (low | high << 8) >> (self.at % 8) & ((1 << bits) - 1);
        self.at += bits;
        Ok(u64::from(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mode 0 (4 bits), lookback (4 bits), window 2^(1+w) (5 bits), state 2^s (4 bits).
    fn lookback(window: u32, state: u32) -> [u8; 3] {
        let bits = 2 << 4 | (window - 1) << 8 | state << 13;
        let [a, b, c, _] = bits.to_le_bytes();
        [a, b, c]
    }

    #[test]
    fn windows_are_no_longer_than_the_run() {
        assert!(check(&lookback(10, 3), 32, 1000).is_ok());
        assert!(check(&lookback(11, 3), 32, 1000).is_err());
        assert!(check(&lookback(24, 3), 64, 1 << 18).is_err());
        assert!(check(&lookback(4, 2), 8, 1).is_ok());
        assert!(check(&lookback(4, 5), 8, 1).is_err());
    }

    #[test]
    fn dictionaries_and_unknown_modes_are_refused() {
        for mode in 4..16 {
            assert!(check(&[mode, 0, 0, 0], 32, 1000).is_err());
        }
        assert!(check(&[], 32, 1000).is_err());
    }

    #[test]
    fn the_window_is_found_behind_every_mode() {
        for (mode, parameter) in [(1_u128, 64), (2, 64), (3, 8)] {
            for (window, fits) in [(4_u128, true), (23, false)] {
                let bits = mode | 2 << (4 + parameter) | window << (8 + parameter);
                assert_eq!(check(&bits.to_le_bytes(), 64, 1 << 18).is_ok(), fits);
            }
        }
    }
}
