//! Changed copies of a file.

use std::error::Error;
use std::fs;
use std::time::{Duration, Instant};

use frazil_hdf5::File;

use crate::walk::inventory;

/// Longest that one copy may take.
const LONGEST: Duration = Duration::from_secs(2);

/// Reads `count` changed copies of a file; the seed says which. Built with `--cfg fuzzing` wrong checksums are believed,
/// so that changes reach what lies behind them.
pub(crate) fn run(path: &str, seed: u64, count: u64) -> Result<(), Box<dyn Error>> {
    let original = fs::read(path)?;
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut slowest = Duration::ZERO;
    let mut whole = 0_u64;
    for number in 0..count {
        let mut copy = original.clone();
        random.change(&mut copy);
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

    /// Changes some bytes: bits, small and extreme numbers, other parts of the file; sometimes cuts it.
    fn change(&mut self, copy: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            let at = self.below(copy.len());
            let length = (1_usize << self.below(4)).min(copy.len() - at);
            match self.below(6) {
                0 => copy[at] ^= 1 << self.below(8),
                1 => copy[at..at + length].fill(0xff),
                2 => copy[at..at + length].fill(0),
                3 => copy[at] = self.below(20) as u8,
                4 => copy[at] = self.next() as u8,
                _ => {
                    let from = self.below(copy.len() - length + 1);
                    copy.copy_within(from..from + length, at);
                }
            }
        }
        if self.below(40) == 0 {
            copy.truncate(self.below(copy.len()));
        }
    }
}
