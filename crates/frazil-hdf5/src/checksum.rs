//! The checksum of metadata: Bob Jenkins' `lookup3`, as `H5_checksum_metadata` has it.

use crate::error::{Result, damaged};

/// Splits a block whose last four bytes are its checksum, and checks it.
pub(crate) fn checked<'a>(block: &'a [u8], name: &str) -> Result<&'a [u8]> {
    let split = block.len().checked_sub(4).map(|end| block.split_at(end));
    let (content, stored) = split.ok_or_else(|| damaged(format!("{name} ends too early")))?;
    // Fuzzers change what is behind checksums.
    let is_right = cfg!(fuzzing) || lookup3(content).to_le_bytes() == *stored;
    match is_right {
        true => Ok(content),
        false => Err(damaged(format!("the checksum of {name} is wrong"))),
    }
}

/// The checksum of these bytes.
#[must_use]
pub fn lookup3(bytes: &[u8]) -> u32 {
    let start = 0xdead_beef_u32.wrapping_add(bytes.len() as u32);
    let mut state = [start; 3];
    if bytes.is_empty() {
        return start;
    }
    let whole = (bytes.len() - 1) / 12 * 12;
    for words in bytes[..whole].chunks_exact(12) {
        add(&mut state, words);
        mix(&mut state);
    }
    let mut last = [0; 12];
    last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
    add(&mut state, &last);
    finish(&mut state);
    state[2]
}

fn add(state: &mut [u32; 3], words: &[u8]) {
    for (number, word) in state.iter_mut().zip(words.chunks_exact(4)) {
        *number = number.wrapping_add(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    }
}

fn mix([a, b, c]: &mut [u32; 3]) {
    for turn in [4, 6, 8, 16, 19, 4] {
        // Each step is the same with the names turned round.
        *a = a.wrapping_sub(*c) ^ c.rotate_left(turn);
        *c = c.wrapping_add(*b);
        (*a, *b, *c) = (*b, *c, *a);
    }
}

fn finish([a, b, c]: &mut [u32; 3]) {
    for turn in [14, 11, 25, 16, 4, 14, 24] {
        *c = (*c ^ *b).wrapping_sub(b.rotate_left(turn));
        (*a, *b, *c) = (*b, *c, *a);
    }
    // Seven steps leave the names turned by one.
    (*a, *b, *c) = (*c, *a, *b);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_authors_test() {
        assert_eq!(lookup3(b""), 0xdead_beef);
        assert_eq!(lookup3(b"Four score and seven years ago"), 0x1777_0551);
    }

    #[test]
    fn a_changed_bit_is_seen() {
        let mut block = b"some metadata".to_vec();
        let sum = lookup3(&block).to_le_bytes();
        block.extend(sum);
        assert_eq!(checked(&block, "it").unwrap(), b"some metadata");
        block[3] ^= 1;
        assert!(checked(&block, "it").is_err());
        assert!(checked(b"abc", "it").is_err());
    }
}
