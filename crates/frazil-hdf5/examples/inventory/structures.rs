//! Where the parts of a file are that begin with a signature, and where their checksums are.

use std::ops::Range;

use frazil_hdf5::lookup3;

/// How parts with a checksum begin, and parts without.
const SIGNATURES: [&[u8; 4]; 20] = [
    b"\x89HDF", b"OHDR", b"OCHK", b"BTHD", b"BTIN", b"BTLF", b"FRHP", b"FHIB", b"FHDB", b"FAHD",
    b"FADB", b"EAHD", b"EAIB", b"EASB", b"EADB", b"SMTB", b"TREE", b"SNOD", b"HEAP", b"GCOL",
];
const HEAP_BLOCK: &[u8] = b"FHDB";
/// Longest part whose checksum is looked for.
const LONGEST: usize = 4096;
/// A part without a checksum is taken to be so long.
const UNCHECKED: usize = 512;
/// Bytes of a checksum.
const SUM: usize = 4;

/// A part of a file.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) bytes: Range<usize>,
    /// Where its checksum is in the file.
    sum: Option<usize>,
}

impl Part {
    /// Makes its checksum right.
    pub(crate) fn repair(&self, file: &mut [u8]) {
        let Some(sum) = self.sum.filter(|sum| sum + SUM <= file.len()) else {
            return;
        };
        let right = lookup3(&covered(file, &self.bytes, sum));
        file[sum..sum + SUM].copy_from_slice(&right.to_le_bytes());
    }
}

/// The bytes that a checksum is of: all before it, or all with zeros in its place.
fn covered(file: &[u8], bytes: &Range<usize>, sum: usize) -> Vec<u8> {
    let end = bytes.end.min(file.len());
    if sum + SUM == end {
        return file[bytes.start..sum].to_vec();
    }
    let mut part = file[bytes.start..end].to_vec();
    part[sum - bytes.start..][..SUM].fill(0);
    part
}

/// The parts of a file that begin with a signature.
pub(crate) fn parts(file: &[u8]) -> Vec<Part> {
    let begins = (0..file.len().saturating_sub(SUM)).filter(|&at| {
        SIGNATURES
            .iter()
            .any(|signature| file[at..].starts_with(*signature))
    });
    begins.map(|begin| part_at(file, begin)).collect()
}

fn part_at(file: &[u8], begin: usize) -> Part {
    let known = match file[begin..].starts_with(HEAP_BLOCK) {
        true => heap_block(file, begin),
        false => checked_part(file, begin),
    };
    known.unwrap_or(Part {
        bytes: begin..(begin + UNCHECKED).min(file.len()),
        sum: None,
    })
}

/// A part whose last bytes are the checksum of the others: the first length that fits.
fn checked_part(file: &[u8], begin: usize) -> Option<Part> {
    let last = file.len().min(begin + LONGEST).checked_sub(SUM)?;
    let is_sum = |sum: &usize| file[*sum..].starts_with(&lookup3(&file[begin..*sum]).to_le_bytes());
    let sum = (begin + 2 * SUM..=last).find(is_sum)?;
    Some(Part {
        bytes: begin..sum + SUM,
        sum: Some(sum),
    })
}

/// A block of a fractal heap: a power of two long, its checksum behind numbers whose sizes the heap says.
fn heap_block(file: &[u8], begin: usize) -> Option<Part> {
    let lengths = (5..18).map(|bits| begin + (1 << bits));
    for end in lengths.filter(|&end| end <= file.len()) {
        for sum in begin + 10..(begin + 24).min(end - SUM) {
            let bytes = begin..end;
            if file[sum..].starts_with(&lookup3(&covered(file, &bytes, sum)).to_le_bytes()) {
                return Some(Part {
                    bytes,
                    sum: Some(sum),
                });
            }
        }
    }
    None
}
