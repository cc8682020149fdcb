//! Sorting bits: within each number (`bb`), or of all numbers into planes (`bg`).
//!
//! Source: `bit-sorter-filter.c`. Bytes lie in little-endian order.

use frazil_types::sync::Lazy;

use super::number::{Number, written};
use crate::filter::bit_transpose::{self, GROUP};
use crate::simd::Simd;

/// What every byte of a number becomes, by its place.
type Table = Vec<[u64; 256]>;

/// Where bit `t` of a number, counted from the highest, goes: byte `t % bytes`, from its highest bit
/// on.
fn sorted_place(t: u32, bytes: u32) -> u32 {
    8 * (t % bytes) + 7 - t / bytes
}

/// The table of a permutation of bits: `place` gives the new place of a bit, lowest first.
fn table(bits: u32, place: impl Fn(u32) -> u32) -> Table {
    let mut table = vec![[0; 256]; bits as usize / 8];
    for bit in 0..bits {
        let moved = 1_u64 << place(bit);
        for (byte, entry) in table[bit as usize / 8].iter_mut().enumerate() {
            if byte >> (bit % 8) & 1 == 1 {
                *entry |= moved;
            }
        }
    }
    table
}

fn permute<T: Number>(numbers: &mut [T], table: &Table) {
    for number in numbers {
        let bytes = number.bits().to_le_bytes();
        let moved = table.iter().zip(bytes);
        *number = T::of_bits(moved.fold(0, |all, (entry, byte)| all | entry[usize::from(byte)]));
    }
}

/// Tables of all widths, of 1, 2, 4 and 8 bytes: making one takes as long as sorting some thousand numbers.
type Tables = [Lazy<Table>; 4];

static SORTED: Tables = [
    Lazy::new(|| sorting(8)),
    Lazy::new(|| sorting(16)),
    Lazy::new(|| sorting(32)),
    Lazy::new(|| sorting(64)),
];

static UNSORTED: Tables = [
    Lazy::new(|| unsorting(8)),
    Lazy::new(|| unsorting(16)),
    Lazy::new(|| unsorting(32)),
    Lazy::new(|| unsorting(64)),
];

fn sorting(bits: u32) -> Table {
    table(bits, |bit| sorted_place(bits - 1 - bit, bits / 8))
}

fn unsorting(bits: u32) -> Table {
    let mut back = vec![0; bits as usize];
    for bit in 0..bits {
        back[sorted_place(bits - 1 - bit, bits / 8) as usize] = bit;
    }
    table(bits, |bit| back[bit as usize])
}

fn table_of<T: Number>(tables: &Tables) -> &Table {
    &tables[T::BYTES.trailing_zeros() as usize]
}

/// Sorts the bits of each number.
pub(crate) fn sort_each<T: Number>(numbers: &mut [T]) {
    permute(numbers, table_of::<T>(&SORTED));
}

/// Undoes [`sort_each`].
pub(crate) fn unsort_each<T: Number>(numbers: &mut [T]) {
    permute(numbers, table_of::<T>(&UNSORTED));
}

/// Replaces the numbers by their bits, one plane after the other: first the highest bits of the
/// lowest bytes, of which the first number has the highest bit of the first byte.
///
/// Planes that do not fill whole bytes follow each other without a gap.
pub(crate) fn sort_all<T: Number>(numbers: &mut [T]) {
    let count = numbers.len();
    let mut bytes = written(numbers);
    bytes.resize(padded(count) * T::BYTES, 0);
    // The rows of the bit transpose have the lowest bits first, and the first number's bit lowest: backwards
    // it is as wanted.
    bytes.reverse();
    let mut rows = vec![0; bytes.len()];
    bit_transpose::transpose(Simd::detect(), T::BYTES, &bytes, &mut rows, &mut Vec::new());
    rows.reverse();
    let planes = &mut bytes[..count * T::BYTES];
    planes.fill(0);
    for (plane, row) in rows.chunks_exact(padded(count) / GROUP).enumerate() {
        put_bits(planes, plane * count, row);
    }
    set_all(numbers, planes);
}

/// Undoes [`sort_all`].
pub(crate) fn unsort_all<T: Number>(numbers: &mut [T]) {
    let count = numbers.len();
    let mut planes = written(numbers);
    let mut rows = vec![0; padded(count) * T::BYTES];
    for (plane, row) in rows.chunks_exact_mut(padded(count) / GROUP).enumerate() {
        get_bits(&planes, plane * count, row);
    }
    rows.reverse();
    let mut bytes = vec![0; rows.len()];
    bit_transpose::untranspose(Simd::detect(), T::BYTES, &rows, &mut bytes, &mut planes);
    bytes.reverse();
    set_all(numbers, &bytes);
}

/// So many numbers fill whole groups.
fn padded(count: usize) -> usize {
    count.next_multiple_of(GROUP)
}

fn set_all<T: Number>(numbers: &mut [T], bytes: &[u8]) {
    for (number, bytes) in numbers.iter_mut().zip(bytes.chunks_exact(T::BYTES)) {
        *number = T::read(bytes);
    }
}

/// Adds bits, the highest of a byte first, from a bit on to zeros. What does not fit must be zeros.
fn put_bits(planes: &mut [u8], at: usize, bits: &[u8]) {
    let shift = at % 8;
    let places = &mut planes[at / 8..];
    for (place, &byte) in places.iter_mut().zip(bits) {
        *place |= byte >> shift;
    }
    if shift > 0 {
        for (place, &byte) in places[1..].iter_mut().zip(bits) {
            *place |= byte << (8 - shift);
        }
    }
}

/// Sets zeros to the bits from a bit on, as many as there are.
fn get_bits(planes: &[u8], at: usize, bits: &mut [u8]) {
    let shift = at % 8;
    let places = &planes[at / 8..];
    for (byte, &place) in bits.iter_mut().zip(places) {
        *byte = place << shift;
    }
    if shift > 0 {
        for (byte, &place) in bits.iter_mut().zip(&places[1..]) {
            *byte |= place >> (8 - shift);
        }
    }
}
