//! The words of one filter, `blosc(zstd,9,bitshuffle)`: read and written.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::FilterChainError;
use super::stage::{Axes, Blosc, BloscCompressor, BloscShuffle, Coding, Inside, Stage};
use crate::chunk_goal::{ChunkGoal, chosen_by_chunk};
use crate::spelling;

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

/// What there is, for messages.
const KNOWN: &str = "shuffle, deflate(0-9), fletcher32, szip(PIXELS[,ec]), bzip2(1-9), lz4, \
                     zstd(-7-22), \
    bitshuffle, bitshuffle+lz4, bitshuffle+zstd(LEVEL), blosc(blosclz|lz4|snappy|zlib|zstd[,LEVEL][,SHUFFLE]), \
    pcodec(0-12), delta[(AXIS,...)], lorenzo, mafisc(0-270), frazil[(GOAL[,LEVEL])], none";

impl FromStr for Stage {
    type Err = FilterChainError;

    /// Reads `name` or `name(argument,...)`.
    fn from_str(word: &str) -> Result<Self, FilterChainError> {
        let unknown = || {
            let name = |word: &'static str| word.split(['(', '[']).next().unwrap_or(word);
            let stated = word.split('(').next().unwrap_or(word);
            let meant = match stated {
                "gzip" | "zlib" => format!("; is `deflate{}` meant?", &word[stated.len()..]),
                stated => spelling::question(stated, KNOWN.split(", ").map(name)),
            };
            FilterChainError(format!(
                "there is no filter {word:?}; the filters are {KNOWN}{meant}"
            ))
        };
        let (name, arguments) = match word.split_once('(') {
            Some((name, rest)) => (name, rest.strip_suffix(')').ok_or_else(unknown)?),
            None => (word, ""),
        };
        let arguments: Vec<&str> = match arguments.trim() {
            "" => Vec::new(),
            list => list.split(',').map(str::trim).collect(),
        };
        let stage = match (name.trim(), &arguments[..]) {
            ("shuffle", []) => Some(Self::Shuffle),
            ("fletcher32", []) => Some(Self::Fletcher32),
            ("lz4", []) => Some(Self::Lz4),
            ("bitshuffle", []) => Some(Self::Bitshuffle(Inside::Nothing)),
            ("lorenzo", []) => Some(Self::Delta(Axes::All)),
            ("deflate", level) => {
                number(level, DEFLATE_DEFAULT, 0..=9).map(|level| Self::Deflate { level })
            }
            ("zstd", level) => {
                number(level, ZSTD_DEFAULT, -7..=22).map(|level| Self::Zstd { level })
            }
            ("bzip2", level) => {
                number(level, BZIP2_DEFAULT, 1..=9).map(|level| Self::Bzip2 { level })
            }
            ("pcodec", level) => {
                number(level, PCODEC_DEFAULT, 0..=12).map(|level| Self::Pcodec { level })
            }
            ("mafisc", methods) => number(methods, MAFISC_DEFAULT, 0..=MAFISC_METHODS)
                .map(|methods| Self::Mafisc { methods }),
            ("szip", arguments) => szip(arguments),
            ("blosc", arguments) => blosc(arguments),
            ("delta", axes) => delta(axes),
            ("frazil", arguments) => frazil(arguments),
            _ => return Err(unknown()),
        };
        stage.ok_or_else(|| FilterChainError(format!("{word:?} cannot be; there are {KNOWN}")))
    }
}

/// One number within limits, or the default where there is none.
fn number<T: FromStr + PartialOrd>(
    arguments: &[&str],
    default: T,
    limits: RangeInclusive<T>,
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

fn blosc(arguments: &[&str]) -> Option<Stage> {
    let (&compressor, options) = arguments.split_first()?;
    let mut made = Blosc {
        compressor: BloscCompressor::from_name(compressor)?,
        level: BLOSC_DEFAULT,
        shuffle: BloscShuffle::Bytes,
    };
    for &option in options {
        match BloscShuffle::from_name(option) {
            Some(shuffle) => made.shuffle = shuffle,
            None => made.level = option.parse().ok().filter(|level| *level <= 9)?,
        }
    }
    Some(Stage::Blosc(made))
}

fn delta(axes: &[&str]) -> Option<Stage> {
    if axes.is_empty() {
        return Some(Stage::Delta(Axes::Fastest));
    }
    let mut mask = 0;
    for axis in axes {
        mask |= 1 << axis.parse::<u32>().ok().filter(|&axis| axis < u32::BITS)?;
    }
    Some(Stage::Delta(Axes::These(mask)))
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
            Self::Blosc(blosc) => blosc.fmt(f),
            Self::Pcodec { level } => write!(f, "pcodec({level})"),
            Self::Delta(axes) => axes.fmt(f),
            Self::Mafisc { methods } => write!(f, "mafisc({methods})"),
            Self::Frazil { goal, level } => f.write_str(&chosen_by_chunk(*goal as u32, *level)),
        }
    }
}

impl Display for Blosc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blosc({},{}", self.compressor.name(), self.level)?;
        // A blosc filter shuffles bytes where nothing is said.
        match self.shuffle {
            BloscShuffle::Bytes => f.write_str(")"),
            shuffle => write!(f, ",{})", shuffle.name()),
        }
    }
}

crate::words!(BloscCompressor: BloscLz "blosclz", Lz4 "lz4", Snappy "snappy", Zlib "zlib", Zstd "zstd");
crate::words!(BloscShuffle: None "noshuffle", Bytes "shuffle", Bits "bitshuffle");

impl Display for Axes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fastest => f.write_str("delta"),
            Self::All => f.write_str("lorenzo"),
            Self::These(mask) => {
                let axes = (0..u32::BITS).filter(|axis| mask >> axis & 1 == 1);
                let axes: Vec<String> = axes.map(|axis| axis.to_string()).collect();
                write!(f, "delta({})", axes.join(","))
            }
        }
    }
}
