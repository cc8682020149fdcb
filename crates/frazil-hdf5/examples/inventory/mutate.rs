//! Changed copies of a file.

use std::error::Error;
use std::fs;
use std::time::{Duration, Instant};

use frazil_hdf5::File;

use crate::structures::{Part, parts};
use crate::walk::inventory;

/// Longest that one copy may take.
const LONGEST: Duration = Duration::from_secs(2);

/// Reads `count` changed copies of a file; the seed says which. Most changes are within a part of the metadata, whose
/// checksum is made right again.
pub(crate) fn run(path: &str, seed: u64, count: u64) -> Result<(), Box<dyn Error>> {
    let original = fs::read(path)?;
    let parts = parts(&original);
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut slowest = Duration::ZERO;
    let mut whole = 0_u64;
    for number in 0..count {
        let mut copy = original.clone();
        random.change(&mut copy, &parts);
        let begin = Instant::now();
        if let Ok(file) = File::open(Box::new(copy), None) {
            whole += u64::from(inventory(&file).1.is_ok());
        }
        let took = begin.elapsed();
        slowest = slowest.max(took);
        if took > LONGEST {
            return Err(format!("copy {number} of {path} took {took:?} (seed {seed})").into());
        }
    }
    println!("{count} copies of {path}: {whole} read whole, the slowest in {slowest:?}");
    Ok(())
}

/// Numbers that look like chance (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit.max(1)
    }

    /// Changes bytes of some parts, or anywhere; sometimes cuts the copy.
    fn change(&mut self, copy: &mut Vec<u8>, parts: &[Part]) {
        for _ in 0..=self.below(3) {
            if parts.is_empty() || self.below(4) == 0 {
                self.change_bytes(copy);
                continue;
            }
            let part = &parts[self.below(parts.len())];
            let other = &parts[self.below(parts.len())];
            if self.below(3) == 0 {
                self.copy_word(copy, other, part);
            } else {
                self.change_bytes(&mut copy[part.bytes.clone()]);
            }
            part.repair(copy);
        }
        if self.below(40) == 0 {
            copy.truncate(self.below(copy.len()));
        }
    }

    /// Puts a number of one part, or its address, into another: so parts come to lead to each other.
    fn copy_word(&mut self, copy: &mut [u8], from: &Part, to: &Part) {
        let size = [1, 2, 4, 8][self.below(4)];
        let place = to.bytes.start + self.below((to.bytes.len()).saturating_sub(size));
        let word = match self.below(2) {
            0 => (from.bytes.start as u64).to_le_bytes(),
            _ => {
                let begin = from.bytes.start + self.below(from.bytes.len());
                let mut word = [0; 8];
                let end = (begin + word.len()).min(copy.len());
                word[..end - begin].copy_from_slice(&copy[begin..end]);
                word
            }
        };
        let end = (place + size).min(copy.len());
        copy[place..end].copy_from_slice(&word[..end - place]);
    }

    /// Changes some bytes: bits, small and extreme numbers, neighbours of what is there, other bytes of the same.
    fn change_bytes(&mut self, bytes: &mut [u8]) {
        let at = self.below(bytes.len());
        let length = (1_usize << self.below(4)).min(bytes.len() - at);
        match self.below(8) {
            0 => bytes[at] ^= 1 << self.below(8),
            1 => bytes[at..at + length].fill(0xff),
            2 => bytes[at..at + length].fill(0),
            3 => bytes[at] = self.below(33) as u8,
            4 => bytes[at] = self.next() as u8,
            5 => bytes[at] = bytes[at].wrapping_add(1),
            6 => bytes[at] = bytes[at].wrapping_sub(1),
            _ => {
                let from = self.below(bytes.len() - length + 1);
                bytes.copy_within(from..from + length, at);
            }
        }
    }
}
