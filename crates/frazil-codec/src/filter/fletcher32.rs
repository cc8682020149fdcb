//! Fletcher-32 checksum (filter 3).
//!
//! Source: `H5checksum.c` (`H5_checksum_fletcher32`) and `H5Zfletcher32.c`. The data are summed as
//! big-endian 16-bit words; the checksum `sum2 << 16 | sum1` follows them in little-endian order.

use crate::CodecError;

/// Bytes that the filter appends.
pub(crate) const CHECKSUM_BYTES: usize = 4;

/// Words summed side by side, so that the compiler can use vectors.
const LANES: usize = 16;
/// Rows of lanes before reducing: 256 * 257 / 2 * 65535 still fits a `u32`.
const ROWS: usize = 256;

/// Sums modulo 65535, where a sum that is not 0 is represented by 1..=65535.
///
/// The C code folds carries instead of dividing; folding keeps the residue and never turns a
/// positive sum into 0, so both end at the same numbers.
fn reduce(sum: u64) -> u64 {
    if sum == 0 { 0 } else { (sum - 1) % 65535 + 1 }
}

/// Adds full rows of words to both running sums.
fn add_rows(rows: &[u8], sum1: &mut u64, sum2: &mut u64) {
    let mut plain = [0_u32; LANES];
    let mut weighted = [0_u32; LANES];
    for row in rows.chunks_exact(2 * LANES) {
        for lane in 0..LANES {
            let word = u16::from_be_bytes([row[2 * lane], row[2 * lane + 1]]);
            plain[lane] += u32::from(word);
            weighted[lane] += plain[lane];
        }
    }
    let words = (rows.len() / 2) as u64;
    let mut total = 0;
    let mut weights = 0;
    let mut lag = 0;
    for lane in 0..LANES {
        total += u64::from(plain[lane]);
        weights += u64::from(weighted[lane]);
        lag += lane as u64 * u64::from(plain[lane]);
    }
    // Word p of m counts m - p times in sum2; p = row * LANES + lane.
    *sum2 = reduce(*sum2 + words * *sum1 + LANES as u64 * weights - lag);
    *sum1 = reduce(*sum1 + total);
}

/// The checksum of `data`.
pub(crate) fn checksum(data: &[u8]) -> u32 {
    let (mut sum1, mut sum2) = (0_u64, 0_u64);
    let whole = data.len() - data.len() % (2 * LANES);
    for rows in data[..whole].chunks(2 * LANES * ROWS) {
        add_rows(rows, &mut sum1, &mut sum2);
    }
    for pair in data[whole..].chunks(2) {
        // An odd last byte is the high byte of a word.
        let word = u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]);
        sum1 = reduce(sum1 + u64::from(word));
        sum2 = reduce(sum2 + sum1);
    }
    ((sum2 as u32) << 16) | sum1 as u32
}

/// Appends the checksum of `data` to it.
pub(crate) fn encode(data: &mut Vec<u8>) {
    let sum = checksum(data);
    data.extend_from_slice(&sum.to_le_bytes());
}

/// Length of the data before the checksum, which is not looked at.
pub(crate) fn data_bytes(stored: &[u8]) -> Result<usize, CodecError> {
    split(stored).map(|(data, _)| data.len())
}

fn split(stored: &[u8]) -> Result<(&[u8], &[u8; CHECKSUM_BYTES]), CodecError> {
    stored.split_last_chunk().ok_or(CodecError::Corrupt {
        filter: "fletcher32",
        reason: "shorter than its checksum",
    })
}

/// Verifies the checksum at the end of `stored` and returns how many bytes precede it.
pub(crate) fn decode(stored: &[u8]) -> Result<usize, CodecError> {
    let (data, tail) = split(stored)?;
    let stored = u32::from_le_bytes(*tail);
    let computed = checksum(data);
    // Files of little-endian HDF5 up to 1.6.2 have the bytes of each half swapped.
    let [a, b, c, d] = computed.to_le_bytes();
    if stored == computed || *tail == [b, a, d, c] {
        Ok(data.len())
    } else {
        Err(CodecError::Checksum { stored, computed })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The sums as `H5checksum.c` describes them: folded every 360 words and at the end.
    fn folded(data: &[u8]) -> u32 {
        let fold = |x: u32| (x & 0xffff) + (x >> 16);
        let (mut sum1, mut sum2) = (0_u32, 0_u32);
        let even = data.len() & !1;
        for block in data[..even].chunks(720) {
            for pair in block.chunks_exact(2) {
                sum1 += u32::from(u16::from_be_bytes([pair[0], pair[1]]));
                sum2 += sum1;
            }
            (sum1, sum2) = (fold(sum1), fold(sum2));
        }
        if let Some(&last) = data[even..].first() {
            sum1 += u32::from(last) << 8;
            sum2 += sum1;
            (sum1, sum2) = (fold(sum1), fold(sum2));
        }
        (fold(sum2) << 16) | fold(sum1)
    }

    proptest! {
        #[test]
        fn sums_equal_the_folded_ones(data in proptest::collection::vec(any::<u8>(), 0..20_000)) {
            prop_assert_eq!(checksum(&data), folded(&data));
        }

        #[test]
        fn sparse_data_sum_alike(data in proptest::collection::vec(prop_oneof![9 => Just(0xff_u8), 1 => Just(0)], 0..20_000)) {
            prop_assert_eq!(checksum(&data), folded(&data));
        }
    }

    #[test]
    fn extremes_sum_alike() {
        for len in [0, 1, 2, 31, 32, 33, 8191, 8192, 8193, 70_001] {
            for byte in [0, 1, 0xff] {
                let data = vec![byte; len];
                assert_eq!(checksum(&data), folded(&data), "{len} bytes of {byte}");
            }
        }
    }

    #[test]
    fn old_byte_order_is_accepted_and_damage_is_not() {
        let mut stored = b"ice crystals".to_vec();
        encode(&mut stored);
        assert_eq!(decode(&stored), Ok(12));
        let n = stored.len();
        stored.swap(n - 4, n - 3);
        stored.swap(n - 2, n - 1);
        assert_eq!(decode(&stored), Ok(12));
        stored[0] ^= 1;
        assert!(matches!(decode(&stored), Err(CodecError::Checksum { .. })));
        assert!(matches!(
            decode(&[1, 2, 3]),
            Err(CodecError::Corrupt { .. })
        ));
    }
}
