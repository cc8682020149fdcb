//! Filters as a user names them, `delta+shuffle+zstd(3)`, before any variable is known.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::chunk_goal::{ChunkGoal, chosen_by_chunk};
use crate::element::{ByteOrder, ElementClass, ElementType};
use crate::filter_spec::{FilterPipeline, FilterSpec, ReaderLevel, filter_id};

/// Levels where none is stated.
const DEFLATE_DEFAULT: u32 = 4;
const ZSTD_DEFAULT: i32 = 3;
const BLOSC_DEFAULT: u32 = 5;
const ZSTD_HIGHEST: u32 = 22;
const PCODEC_DEFAULT: u32 = 8;
const BZIP2_DEFAULT: u32 = 9;
/// Methods of MAFISC that are compressed to be compared, where no number is stated.
const MAFISC_DEFAULT: u32 = 4;
/// Methods that there are.
const MAFISC_METHODS: u32 = 270;
/// Pixels of a block where none are stated.
const SZIP_DEFAULT: u32 = 8;

/// A chain of filters for every variable that it can be applied to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FilterChain(Vec<Stage>);

/// One filter with what a user may state about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Shuffle,
    Deflate {
        level: u32,
    },
    Fletcher32,
    Szip {
        coding: Coding,
        pixels: u32,
    },
    Bzip2 {
        level: u32,
    },
    Lz4,
    Zstd {
        level: i32,
    },
    Bitshuffle(Inside),
    Blosc(Blosc),
    Pcodec {
        level: u32,
    },
    Delta(Axes),
    /// How many methods are compressed to be compared; 0: all.
    Mafisc {
        methods: u32,
    },
    /// Chosen for every chunk; level 0: as the goal says.
    Frazil {
        goal: ChunkGoal,
        level: u32,
    },
}

/// The compressor inside a bitshuffle filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Lz4,
    Zstd(i32),
}

/// How szip treats neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    NearestNeighbour,
    Entropy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Blosc {
    compressor: BloscCompressor,
    level: u32,
    shuffle: BloscShuffle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BloscCompressor {
    BloscLz,
    Lz4,
    Snappy,
    Zlib,
    Zstd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BloscShuffle {
    None,
    Bytes,
    Bits,
}

/// Axes along which differences are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axes {
    Fastest,
    All,
    /// By number, slowest first.
    These(u32),
}

/// Why a text names no chain of filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterChainError(String);

impl Display for FilterChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FilterChainError {}

/// What there is, for messages.
const KNOWN: &str = "shuffle, deflate(0-9), fletcher32, szip(PIXELS[,ec]), bzip2(1-9), lz4, zstd(-7-22), \
    bitshuffle, bitshuffle+lz4, bitshuffle+zstd(LEVEL), blosc(blosclz|lz4|snappy|zlib|zstd[,LEVEL][,SHUFFLE]), \
    pcodec(0-12), delta[(AXIS,...)], lorenzo, mafisc(0-270), frazil[(GOAL[,LEVEL])], none";

impl FromStr for FilterChain {
    type Err = FilterChainError;

    /// Reads `shuffle+deflate(4)`: filters in the order in which they are applied, with a `+`
    /// between them; `none` for none.
    fn from_str(text: &str) -> Result<Self, FilterChainError> {
        let text = text.trim();
        if text == "none" {
            return Ok(Self(Vec::new()));
        }
        let mut stages: Vec<Stage> = Vec::new();
        for word in text.split('+') {
            let stage = Stage::parse(word.trim())?;
            // As the registered filter has it: one filter with a compressor inside.
            match (stages.last_mut(), stage) {
                (Some(last @ Stage::Bitshuffle(Inside::Nothing)), Stage::Lz4) => {
                    *last = Stage::Bitshuffle(Inside::Lz4);
                }
                (Some(last @ Stage::Bitshuffle(Inside::Nothing)), Stage::Zstd { level }) => {
                    *last = Stage::Bitshuffle(Inside::Zstd(level));
                }
                _ => stages.push(stage),
            }
        }
        for (i, stage) in stages.iter().enumerate() {
            if stages[..i].iter().any(|other| other.id() == stage.id()) {
                let again = format!("{text:?} names {stage} twice");
                return Err(FilterChainError(again));
            }
        }
        Ok(Self(stages))
    }
}

impl TryFrom<String> for FilterChain {
    type Error = FilterChainError;

    fn try_from(text: String) -> Result<Self, FilterChainError> {
        text.parse()
    }
}

impl From<FilterChain> for String {
    fn from(chain: FilterChain) -> Self {
        chain.to_string()
    }
}

impl Display for FilterChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (i, stage) in self.0.iter().enumerate() {
            let plus = if i == 0 { "" } else { "+" };
            write!(f, "{plus}{stage}")?;
        }
        Ok(())
    }
}

impl FilterChain {
    /// Whether nothing is filtered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Who can read what this chain writes.
    #[must_use]
    pub fn reader_level(&self) -> ReaderLevel {
        let specs = self
            .0
            .iter()
            .map(|stage| FilterSpec::new(stage.id(), vec![]));
        FilterPipeline(specs.collect()).reader_level()
    }

    /// The filters of a variable, with their client data values as libhdf5 would have set them.
    ///
    /// `chunk` is the chunk's shape in elements, slowest axis first. Filters that mean nothing for
    /// the element are left out: shuffles of single bytes; szip, pcodec and differences of anything
    /// but numbers of 1, 2, 4 or 8 bytes.
    #[must_use]
    pub fn resolve(&self, element: ElementType, chunk: &[u64]) -> FilterPipeline {
        let resolve = |stage: &Stage| stage.resolve(element, chunk);
        FilterPipeline(self.0.iter().filter_map(resolve).collect())
    }
}

impl Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shuffle => f.write_str("shuffle"),
            Self::Deflate { level } => write!(f, "deflate({level})"),
            Self::Fletcher32 => f.write_str("fletcher32"),
            Self::Szip { coding, pixels } => match coding {
                Coding::NearestNeighbour => write!(f, "szip({pixels})"),
                Coding::Entropy => write!(f, "szip({pixels},ec)"),
            },
            Self::Bzip2 { level } => write!(f, "bzip2({level})"),
            Self::Lz4 => f.write_str("lz4"),
            Self::Zstd { level } => write!(f, "zstd({level})"),
            Self::Bitshuffle(Inside::Nothing) => f.write_str("bitshuffle"),
            Self::Bitshuffle(Inside::Lz4) => f.write_str("bitshuffle+lz4"),
            Self::Bitshuffle(Inside::Zstd(level)) => write!(f, "bitshuffle+zstd({level})"),
            Self::Blosc(blosc) => {
                let compressor = match blosc.compressor {
                    BloscCompressor::BloscLz => "blosclz",
                    BloscCompressor::Lz4 => "lz4",
                    BloscCompressor::Snappy => "snappy",
                    BloscCompressor::Zlib => "zlib",
                    BloscCompressor::Zstd => "zstd",
                };
                let shuffle = match blosc.shuffle {
                    BloscShuffle::None => ",noshuffle",
                    BloscShuffle::Bytes => "",
                    BloscShuffle::Bits => ",bitshuffle",
                };
                write!(f, "blosc({compressor},{}{shuffle})", blosc.level)
            }
            Self::Pcodec { level } => write!(f, "pcodec({level})"),
            Self::Delta(Axes::Fastest) => f.write_str("delta"),
            Self::Delta(Axes::All) => f.write_str("lorenzo"),
            Self::Delta(Axes::These(mask)) => {
                let axes = (0..u32::BITS).filter(|axis| mask >> axis & 1 == 1);
                let axes: Vec<String> = axes.map(|axis| axis.to_string()).collect();
                write!(f, "delta({})", axes.join(","))
            }
            Self::Mafisc { methods } => write!(f, "mafisc({methods})"),
            Self::Frazil { goal, level } => f.write_str(&chosen_by_chunk(*goal as u32, *level)),
        }
    }
}

impl Stage {
    fn id(self) -> i32 {
        match self {
            Self::Shuffle => filter_id::SHUFFLE,
            Self::Deflate { .. } => filter_id::DEFLATE,
            Self::Fletcher32 => filter_id::FLETCHER32,
            Self::Szip { .. } => filter_id::SZIP,
            Self::Bzip2 { .. } => filter_id::BZIP2,
            Self::Lz4 => filter_id::LZ4,
            Self::Zstd { .. } => filter_id::ZSTD,
            Self::Bitshuffle(_) => filter_id::BITSHUFFLE,
            Self::Blosc(_) => filter_id::BLOSC,
            Self::Pcodec { .. } => filter_id::PCODEC,
            Self::Delta(_) => filter_id::DELTA,
            Self::Mafisc { .. } => filter_id::MAFISC,
            Self::Frazil { .. } => filter_id::FRAZIL,
        }
    }

    /// Reads `name` or `name(argument,...)`.
    fn parse(word: &str) -> Result<Self, FilterChainError> {
        let unknown =
            || FilterChainError(format!("no filter is called {word:?}; there are {KNOWN}"));
        let (name, arguments) = match word.split_once('(') {
            Some((name, rest)) => (name, rest.strip_suffix(')').ok_or_else(unknown)?),
            None => (word, ""),
        };
        let arguments: Vec<&str> = match arguments.trim() {
            "" => Vec::new(),
            list => list.split(',').map(str::trim).collect(),
        };
        let wrong = || FilterChainError(format!("{word:?} cannot be; there are {KNOWN}"));
        match (name.trim(), &arguments[..]) {
            ("shuffle", []) => Ok(Self::Shuffle),
            ("fletcher32", []) => Ok(Self::Fletcher32),
            ("lz4", []) => Ok(Self::Lz4),
            ("bitshuffle", []) => Ok(Self::Bitshuffle(Inside::Nothing)),
            ("lorenzo", []) => Ok(Self::Delta(Axes::All)),
            ("deflate", level) => number(level, DEFLATE_DEFAULT, 0..=9)
                .map(|level| Self::Deflate { level })
                .ok_or_else(wrong),
            ("zstd", level) => number(level, ZSTD_DEFAULT, -7..=22)
                .map(|level| Self::Zstd { level })
                .ok_or_else(wrong),
            ("bzip2", level) => number(level, BZIP2_DEFAULT, 1..=9)
                .map(|level| Self::Bzip2 { level })
                .ok_or_else(wrong),
            ("pcodec", level) => number(level, PCODEC_DEFAULT, 0..=12)
                .map(|level| Self::Pcodec { level })
                .ok_or_else(wrong),
            ("mafisc", methods) => number(methods, MAFISC_DEFAULT, 0..=MAFISC_METHODS)
                .map(|methods| Self::Mafisc { methods })
                .ok_or_else(wrong),
            ("frazil", arguments) => frazil(arguments).ok_or_else(wrong),
            ("szip", arguments) => szip(arguments).ok_or_else(wrong),
            ("blosc", arguments) => blosc(arguments).ok_or_else(wrong),
            ("delta", []) => Ok(Self::Delta(Axes::Fastest)),
            ("delta", axes) => {
                let axis = |text: &&str| text.parse::<u32>().ok().filter(|&axis| axis < 32);
                let axes: Option<Vec<u32>> = axes.iter().map(axis).collect();
                let mask = axes.ok_or_else(wrong)?;
                let mask = mask.iter().fold(0, |mask, axis| mask | 1 << axis);
                Ok(Self::Delta(Axes::These(mask)))
            }
            _ => Err(unknown()),
        }
    }

    /// The filter of one variable; `None` if it means nothing for its elements.
    fn resolve(self, element: ElementType, chunk: &[u64]) -> Option<FilterSpec> {
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
            Self::Bitshuffle(inside) => {
                // Version 0.4 of the format, and the block size that the filter takes by itself.
                let head = [0, 4, element_bytes, 0];
                match inside {
                    Inside::Nothing => [&head[..], &[0]].concat(),
                    Inside::Lz4 => [&head[..], &[2]].concat(),
                    Inside::Zstd(level) => [&head[..], &[3, level.cast_unsigned()]].concat(),
                }
            }
            Self::Blosc(blosc) => blosc.values(element_bytes, chunk),
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

/// One number within limits, or the default where there is none.
fn number<T: FromStr + PartialOrd>(
    arguments: &[&str],
    default: T,
    limits: std::ops::RangeInclusive<T>,
) -> Option<T> {
    match arguments {
        [] => Some(default),
        [text] => text.parse().ok().filter(|value| limits.contains(value)),
        _ => None,
    }
}

fn szip(arguments: &[&str]) -> Option<Stage> {
    let (pixels, coding) = match arguments {
        [] => (SZIP_DEFAULT, Coding::NearestNeighbour),
        [pixels] | [pixels, "nn"] => (pixels.parse().ok()?, Coding::NearestNeighbour),
        [pixels, "ec"] => (pixels.parse().ok()?, Coding::Entropy),
        _ => return None,
    };
    let possible = (2..=32).contains(&pixels) && pixels % 2 == 0;
    possible.then_some(Stage::Szip { coding, pixels })
}

fn frazil(arguments: &[&str]) -> Option<Stage> {
    let (goal, level) = match arguments {
        [] => (ChunkGoal::default(), 0),
        [goal] => (ChunkGoal::from_name(goal)?, 0),
        [goal, level] => (ChunkGoal::from_name(goal)?, level.parse().ok()?),
        _ => return None,
    };
    (level <= ZSTD_HIGHEST).then_some(Stage::Frazil { goal, level })
}

fn blosc(arguments: &[&str]) -> Option<Stage> {
    let (&compressor, options) = arguments.split_first()?;
    let compressor = match compressor {
        "blosclz" => BloscCompressor::BloscLz,
        "lz4" => BloscCompressor::Lz4,
        "snappy" => BloscCompressor::Snappy,
        "zlib" => BloscCompressor::Zlib,
        "zstd" => BloscCompressor::Zstd,
        _ => return None,
    };
    let mut made = Blosc {
        compressor,
        level: BLOSC_DEFAULT,
        shuffle: BloscShuffle::Bytes,
    };
    for &option in options {
        match option {
            "shuffle" => made.shuffle = BloscShuffle::Bytes,
            "noshuffle" => made.shuffle = BloscShuffle::None,
            "bitshuffle" => made.shuffle = BloscShuffle::Bits,
            level => made.level = level.parse().ok().filter(|level| *level <= 9)?,
        }
    }
    Some(Stage::Blosc(made))
}

impl Blosc {
    /// As `blosc_filter.c` stores them.
    fn values(self, element_bytes: u32, chunk: &[u64]) -> Vec<u32> {
        let chunk_bytes = elements(chunk).saturating_mul(u64::from(element_bytes));
        let compressor = match self.compressor {
            BloscCompressor::BloscLz => 0,
            BloscCompressor::Lz4 => 1,
            BloscCompressor::Snappy => 3,
            BloscCompressor::Zlib => 4,
            BloscCompressor::Zstd => 5,
        };
        vec![
            2,
            2,
            if element_bytes > 255 {
                1
            } else {
                element_bytes
            },
            u32::try_from(chunk_bytes).unwrap_or(u32::MAX),
            self.level,
            self.shuffle as u32,
            compressor,
        ]
    }
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
    const BLOCKS_PER_LINE: u64 = 128;
    const LONGEST_LINE: u64 = 4096;
    if !is_number(element) {
        return None;
    }
    let (block, last) = (u64::from(pixels), chunk.last().copied()?);
    let all = elements(chunk);
    let line = if last < block {
        if all < block {
            return None;
        }
        (block * BLOCKS_PER_LINE).min(all)
    } else if last <= LONGEST_LINE {
        (block * BLOCKS_PER_LINE).min(last)
    } else {
        block * BLOCKS_PER_LINE
    };
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

/// The values of frazil's filter of differences (`docs/format.md`).
fn delta_values(axes: Axes, element: ElementType, chunk: &[u64]) -> Option<Vec<u32>> {
    const FLOAT: u32 = 2;
    if !is_number(element) || chunk.is_empty() || chunk.len() > 32 {
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
    let mut values = vec![1, size, flags, mask, rank];
    for &length in chunk {
        values.push(u32::try_from(length).ok()?);
    }
    Some(values)
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
    if !is_possible || !is_number(element) || chunk.is_empty() || chunk.len() > 32 {
        return None;
    }
    let size = u32::try_from(element.size_bytes).ok()?;
    let is_float = u32::from(element.class == ElementClass::Float);
    let is_little = 1 - is_big_endian(element);
    let rank = u32::try_from(chunk.len()).ok()?;
    let mut values = vec![0, OF_FRAZIL | methods, size, is_float, is_little, rank];
    for &length in chunk {
        values.push(u32::try_from(length).ok()?);
    }
    Some(values)
}

/// The values of the filter that chooses for every chunk (`docs/format.md`).
fn frazil_values(
    goal: ChunkGoal,
    level: u32,
    element: ElementType,
    chunk: &[u64],
) -> Option<Vec<u32>> {
    if chunk.len() > 32 {
        return None;
    }
    // Elements that are no numbers, or are too long to be told apart by a shuffle, are bytes.
    let kind = pcodec_kind(element).unwrap_or(0);
    let size = u32::try_from(element.size_bytes).ok()?;
    let rank = u32::try_from(chunk.len()).ok()?;
    let order = if kind == 0 { 0 } else { is_big_endian(element) };
    let mut values = vec![1, kind, order, size, goal as u32, level, rank];
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

#[cfg(test)]
mod tests;
