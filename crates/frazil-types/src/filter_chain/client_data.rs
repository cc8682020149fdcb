//! Client data values of a filter for one variable, as libhdf5 would have set them.

use super::stage::{Axes, Blosc, Coding, Inside, Stage};
use crate::chunk_goal::ChunkGoal;
use crate::element::{ByteOrder, ElementClass, ElementType};
use crate::filter_spec::FilterSpec;
use crate::grid::MAX_RANK;

impl Stage {
    /// The filter of one variable; `None` if it means nothing for its elements.
    pub(super) fn resolve(self, element: ElementType, chunk: &[u64]) -> Option<FilterSpec> {
        let element_bytes = u32::try_from(element.size_bytes).unwrap_or(u32::MAX);
        let values = match self {
            Self::Shuffle if element_bytes < 2 => return None,
            Self::Shuffle => vec![element_bytes],
            Self::Deflate { level } => vec![level],
            Self::Fletcher32 => Vec::new(),
            Self::Szip { coding, pixels } => szip_values(coding, pixels, element, chunk)?,
            Self::Bzip2 { level } => vec![level],
            Self::Lz4 => vec![0],
            Self::Zstd { level } => vec![level.cast_unsigned()],
            Self::Bitshuffle(inside) => bitshuffle_values(inside, element_bytes),
            Self::Blosc(blosc) => blosc_values(blosc, element_bytes, chunk),
            Self::Pcodec { level } => {
                vec![1, pcodec_kind(element)?, is_big_endian(element), level]
            }
            Self::Delta(axes) => delta_values(axes, element, chunk)?,
            Self::Mafisc { methods } => mafisc_values(methods, element, chunk)?,
            Self::Frazil { goal, level } => frazil_values(goal, level, element, chunk)?,
        };
        Some(FilterSpec::new(self.id(), values))
    }
}

fn bitshuffle_values(inside: Inside, element_bytes: u32) -> Vec<u32> {
    // Version 0.4 of the format, and the block size that the filter takes by itself.
    let mut values = vec![0, 4, element_bytes, 0];
    match inside {
        Inside::Nothing => values.push(0),
        Inside::Lz4 => values.push(2),
        Inside::Zstd(level) => values.extend([3, level.cast_unsigned()]),
    }
    values
}

/// As `blosc_filter.c` stores them.
fn blosc_values(blosc: Blosc, element_bytes: u32, chunk: &[u64]) -> Vec<u32> {
    const LONGEST_ELEMENT: u32 = 255;
    let chunk_bytes = elements(chunk).saturating_mul(u64::from(element_bytes));
    let shuffled_bytes = match element_bytes {
        0..=LONGEST_ELEMENT => element_bytes,
        _ => 1,
    };
    vec![
        2,
        2,
        shuffled_bytes,
        u32::try_from(chunk_bytes).unwrap_or(u32::MAX),
        blosc.level,
        blosc.shuffle as u32,
        blosc.compressor as u32,
    ]
}

/// As `H5Pset_szip` and the filter's `set_local` make them; `None` where szip cannot be applied.
///
/// Source: `H5Zszip.c`, `H5Pdcpl.c`.
fn szip_values(
    coding: Coding,
    pixels: u32,
    element: ElementType,
    chunk: &[u64],
) -> Option<Vec<u32>> {
    const ALLOW_K13: u32 = 1;
    const ENTROPY: u32 = 4;
    const LSB_FIRST: u32 = 8;
    const MSB_FIRST: u32 = 16;
    const NEAREST_NEIGHBOUR: u32 = 32;
    const RAW: u32 = 128;
    if !is_number(element) {
        return None;
    }
    let line = szip_line(u64::from(pixels), chunk)?;
    let options = match coding {
        Coding::NearestNeighbour => NEAREST_NEIGHBOUR,
        Coding::Entropy => ENTROPY,
    };
    let order = match element.order {
        ByteOrder::Big => MSB_FIRST,
        ByteOrder::Little | ByteOrder::None => LSB_FIRST,
    };
    let bits = 8 * u32::try_from(element.size_bytes).ok()?;
    Some(vec![
        ALLOW_K13 | RAW | options | order,
        pixels,
        bits,
        u32::try_from(line).ok()?,
    ])
}

/// Pixels of szip's scanlines; `None` where a chunk has less than a block.
fn szip_line(block: u64, chunk: &[u64]) -> Option<u64> {
    const BLOCKS_PER_LINE: u64 = 128;
    const LONGEST_LINE: u64 = 4096;
    let last = chunk.last().copied()?;
    let longest = block * BLOCKS_PER_LINE;
    if last > LONGEST_LINE {
        return Some(longest);
    }
    if last >= block {
        return Some(longest.min(last));
    }
    let all = elements(chunk);
    (all >= block).then(|| longest.min(all))
}

/// The values of frazil's filter of differences (`docs/format.md`).
fn delta_values(axes: Axes, element: ElementType, chunk: &[u64]) -> Option<Vec<u32>> {
    const FLOAT: u32 = 2;
    if !is_number(element) || chunk.is_empty() || chunk.len() > MAX_RANK {
        return None;
    }
    let rank = u32::try_from(chunk.len()).ok()?;
    let all = u32::MAX >> (32 - rank);
    let mask = match axes {
        Axes::Fastest => 1 << (rank - 1),
        Axes::All => all,
        // A list that was made for a variable of more axes.
        Axes::These(mask) => mask & all,
    };
    let is_float = element.class == ElementClass::Float;
    let flags = is_big_endian(element) | if is_float { FLOAT } else { 0 };
    let size = u32::try_from(element.size_bytes).ok()?;
    with_shape(vec![1, size, flags, mask], chunk)
}

/// The values that MAFISC's `set_local` makes, but for the number of the dataset, which is random
/// there. Only encoders look at it: here it says how many methods are compared.
///
/// Source: `mafisc.c`.
fn mafisc_values(methods: u32, element: ElementType, chunk: &[u64]) -> Option<Vec<u32>> {
    const OF_FRAZIL: u32 = 0x667A_0000;
    let is_possible = matches!(
        element.class,
        ElementClass::Float | ElementClass::SignedInteger | ElementClass::UnsignedInteger
    );
    if !is_possible || !is_number(element) || chunk.is_empty() || chunk.len() > MAX_RANK {
        return None;
    }
    let size = u32::try_from(element.size_bytes).ok()?;
    let is_float = u32::from(element.class == ElementClass::Float);
    let is_little = 1 - is_big_endian(element);
    let values = vec![0, OF_FRAZIL | methods, size, is_float, is_little];
    with_shape(values, chunk)
}

/// The values of the filter that chooses for every chunk (`docs/format.md`).
fn frazil_values(
    goal: ChunkGoal,
    level: u32,
    element: ElementType,
    chunk: &[u64],
) -> Option<Vec<u32>> {
    if chunk.len() > MAX_RANK {
        return None;
    }
    // Elements that are no numbers, or are too long to be told apart by a shuffle, are bytes.
    let kind = pcodec_kind(element).unwrap_or(0);
    let size = u32::try_from(element.size_bytes).ok()?;
    let order = if kind == 0 { 0 } else { is_big_endian(element) };
    with_shape(vec![1, kind, order, size, goal as u32, level], chunk)
}

/// The values, and behind them the chunk's rank and shape.
fn with_shape(mut values: Vec<u32>, chunk: &[u64]) -> Option<Vec<u32>> {
    values.push(u32::try_from(chunk.len()).ok()?);
    for &length in chunk {
        values.push(u32::try_from(length).ok()?);
    }
    Some(values)
}

/// Pcodec's code of a kind of number.
fn pcodec_kind(element: ElementType) -> Option<u32> {
    use ElementClass::{Enumeration, Float, SignedInteger, UnsignedInteger};
    Some(match (element.class, element.size_bytes) {
        (UnsignedInteger | Enumeration, 4) => 1,
        (UnsignedInteger | Enumeration, 8) => 2,
        (SignedInteger, 4) => 3,
        (SignedInteger, 8) => 4,
        (Float, 4) => 5,
        (Float, 8) => 6,
        // Numbers of half precision are near each other as integers, too.
        (UnsignedInteger | Enumeration | Float, 2) => 7,
        (SignedInteger, 2) => 8,
        (UnsignedInteger | Enumeration, 1) => 10,
        (SignedInteger, 1) => 11,
        _ => return None,
    })
}

fn is_number(element: ElementType) -> bool {
    pcodec_kind(element).is_some()
}

fn is_big_endian(element: ElementType) -> u32 {
    u32::from(element.order == ByteOrder::Big)
}

fn elements(chunk: &[u64]) -> u64 {
    chunk.iter().fold(1, |n, &length| n.saturating_mul(length))
}
