//! Sorting bits: within each number (`bb`), or of all numbers into planes (`bg`).
//!
//! Source: `bit-sorter-filter.c`. Bytes lie in little-endian order.

use std::sync::LazyLock;

use super::number::Number;

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
type Tables = [LazyLock<Table>; 4];

static SORTED: Tables = [
    LazyLock::new(|| sorting(8)),
    LazyLock::new(|| sorting(16)),
    LazyLock::new(|| sorting(32)),
    LazyLock::new(|| sorting(64)),
];

static UNSORTED: Tables = [
    LazyLock::new(|| unsorting(8)),
    LazyLock::new(|| unsorting(16)),
    LazyLock::new(|| unsorting(32)),
    LazyLock::new(|| unsorting(64)),
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

/// Eight bytes as an 8 x 8 matrix of bits, transposed; the highest byte is the first row.
///
/// Source: H. S. Warren, Hacker's Delight, transpose8.
fn transposed(mut x: u64) -> u64 {
    let mut t = (x ^ x >> 7) & 0x00AA_00AA_00AA_00AA;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000_CCCC_0000_CCCC;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x0000_0000_F0F0_F0F0;
    x ^ t ^ t << 28
}

/// Replaces the numbers by their bits, one plane after the other: first the highest bits of the
/// lowest bytes.
pub(crate) fn sort_all<T: Number>(numbers: &mut [T]) {
    let mut bytes = Vec::with_capacity(numbers.len() * T::BYTES);
    numbers.iter().for_each(|number| number.write(&mut bytes));
    let mut planes = vec![0; bytes.len()];
    let count = numbers.len();
    let planes_are_bytes = count.is_multiple_of(8);
    for byte in 0..T::BYTES {
        for (group, first) in (0..count).step_by(8).enumerate() {
            let cells = first..(first + 8).min(count);
            let width = cells.len();
            let mut rows = [0; 8];
            for (row, cell) in rows.iter_mut().zip(cells) {
                *row = bytes[cell * T::BYTES + byte];
            }
            let columns = transposed(u64::from_be_bytes(rows)).to_be_bytes();
            for (bit, column) in columns.into_iter().enumerate() {
                let plane = 8 * byte + bit;
                match planes_are_bytes {
                    true => planes[plane * (count / 8) + group] = column,
                    false => put_bits(&mut planes, plane * count + 8 * group, column, width),
                }
            }
        }
    }
    for (number, bytes) in numbers.iter_mut().zip(planes.chunks_exact(T::BYTES)) {
        *number = T::read(bytes);
    }
}

/// Undoes [`sort_all`].
pub(crate) fn unsort_all<T: Number>(numbers: &mut [T]) {
    let mut planes = Vec::with_capacity(numbers.len() * T::BYTES);
    numbers.iter().for_each(|number| number.write(&mut planes));
    let mut bytes = vec![0; planes.len()];
    let count = numbers.len();
    for byte in 0..T::BYTES {
        for (group, first) in (0..count).step_by(8).enumerate() {
            let cells = first..(first + 8).min(count);
            let mut columns = [0; 8];
            for (bit, column) in columns.iter_mut().enumerate() {
                *column = get_bits(&planes, (8 * byte + bit) * count + 8 * group);
            }
            let rows = transposed(u64::from_be_bytes(columns)).to_be_bytes();
            for (row, cell) in rows.into_iter().zip(cells) {
                bytes[cell * T::BYTES + byte] = row;
            }
        }
    }
    for (number, bytes) in numbers.iter_mut().zip(bytes.chunks_exact(T::BYTES)) {
        *number = T::read(bytes);
    }
}

/// Adds the highest `width` bits of `bits` at a place in zeros, the highest bit of a byte first.
fn put_bits(planes: &mut [u8], at: usize, bits: u8, width: usize) {
    let bits = u16::from(bits) << 8 & !(0xFFFF >> width);
    let [first, second] = (bits >> (at % 8)).to_be_bytes();
    planes[at / 8] |= first;
    if let Some(next) = planes.get_mut(at / 8 + 1) {
        *next |= second;
    }
}

/// Eight bits from a place; zeros follow the end.
fn get_bits(planes: &[u8], at: usize) -> u8 {
    let pair = [planes[at / 8], planes.get(at / 8 + 1).copied().unwrap_or(0)];
    (u16::from_be_bytes(pair) << (at % 8) >> 8) as u8
}
