//! The on-disk transform list of a dataset, as plain data.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::chunk_goal::chosen_by_chunk;

/// Registered HDF5 filter identifiers.
/// Source: the HDF Group's registry of filter plugins, and `H5Zpublic.h`.
pub mod filter_id {
    /// zlib streams.
    pub const DEFLATE: i32 = 1;
    /// Byte shuffle.
    pub const SHUFFLE: i32 = 2;
    /// Fletcher-32 checksum.
    pub const FLETCHER32: i32 = 3;
    /// CCSDS 121 (szip, AEC).
    pub const SZIP: i32 = 4;
    /// N-bit packing.
    pub const NBIT: i32 = 5;
    /// Scale-offset packing.
    pub const SCALEOFFSET: i32 = 6;
    /// LZO (PyTables); GPL, never linked here.
    pub const LZO: i32 = 305;
    /// bzip2.
    pub const BZIP2: i32 = 307;
    /// LZF (h5py).
    pub const LZF: i32 = 32000;
    /// Blosc 1.
    pub const BLOSC: i32 = 32001;
    /// MAFISC: predictors of numbers before LZMA.
    pub const MAFISC: i32 = 32002;
    /// LZ4.
    pub const LZ4: i32 = 32004;
    /// Bitshuffle, alone or with LZ4 or zstd.
    pub const BITSHUFFLE: i32 = 32008;
    /// Zstandard.
    pub const ZSTD: i32 = 32015;
    /// BitGroom (quantization; decoding is the identity).
    pub const BITGROOM: i32 = 32022;
    /// Granular BitRound (quantization; decoding is the identity).
    pub const GRANULAR_BITROUND: i32 = 32023;
    /// Blosc 2.
    pub const BLOSC2: i32 = 32026;
    /// BitRound (quantization; decoding is the identity).
    pub const BITROUND: i32 = 32032;
    /// Pcodec in frazil's frame: a private number, see `docs/format.md`.
    pub const PCODEC: i32 = 47101;
    /// Differences between neighbours in frazil's frame: a private number, see `docs/format.md`.
    pub const DELTA: i32 = 47102;
    /// Filters chosen anew for every chunk: a private number, see `docs/format.md`.
    pub const FRAZIL: i32 = 47103;
}

/// Filters that only frazil and its plugins know.
const OWN_FILTERS: [i32; 3] = [filter_id::PCODEC, filter_id::DELTA, filter_id::FRAZIL];

/// The field's name for a filter id, or `None` if it is neither registered nor frazil's own.
#[must_use]
pub fn filter_name(id: i32) -> Option<&'static str> {
    Some(match id {
        filter_id::DEFLATE => "deflate",
        filter_id::SHUFFLE => "shuffle",
        filter_id::FLETCHER32 => "fletcher32",
        filter_id::SZIP => "szip",
        filter_id::NBIT => "nbit",
        filter_id::SCALEOFFSET => "scaleoffset",
        filter_id::LZO => "lzo",
        filter_id::BZIP2 => "bzip2",
        filter_id::LZF => "lzf",
        filter_id::BLOSC => "blosc",
        filter_id::MAFISC => "mafisc",
        32003 => "snappy",
        filter_id::LZ4 => "lz4",
        filter_id::BITSHUFFLE => "bitshuffle",
        32009 => "spdp",
        32013 => "zfp",
        32014 => "fpzip",
        filter_id::ZSTD => "zstd",
        32017 => "sz",
        32018 => "fcidecomp",
        32019 => "jpeg",
        32020 => "vbz",
        filter_id::BITGROOM => "bitgroom",
        filter_id::GRANULAR_BITROUND => "granular_bitround",
        32024 => "sz3",
        32025 => "delta_rice",
        filter_id::BLOSC2 => "blosc2",
        32027 => "flac",
        32028 => "sperr",
        32030 => "ffmpeg",
        32031 => "jpeg2000",
        filter_id::BITROUND => "bitround",
        filter_id::PCODEC => "pcodec",
        filter_id::DELTA => "delta",
        filter_id::FRAZIL => "frazil",
        _ => return None,
    })
}

/// Who must be able to read a file.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ReaderLevel {
    /// Every netCDF-4 reader since 2008: shuffle, deflate and Fletcher-32 only.
    #[default]
    #[serde(alias = "netcdf4")]
    Any,
    /// Readers with the registered filter plugins at hand.
    Plugins,
    /// frazil, and readers with frazil's own plugins at hand.
    Frazil,
}

crate::words!(pub ReaderLevel: Any "any", Plugins "plugins", Frazil "frazil");

impl FromStr for ReaderLevel {
    type Err = String;

    /// The words, and `netcdf4` for the first.
    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "netcdf4" => Ok(Self::Any),
            other => {
                Self::from_name(other).ok_or_else(|| format!("no readers are called {other:?}"))
            }
        }
    }
}

/// One stage of a filter pipeline as stored in the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterSpec {
    /// Registered filter identifier.
    pub id: i32,
    /// `H5Z_FLAG_OPTIONAL` (1) or 0 for mandatory.
    pub flags: u32,
    /// Client data values, as read back from the created dataset.
    pub cd_values: Vec<u32>,
    /// The name stored in the file; empty for built-in filters.
    #[serde(default)]
    pub name: String,
}

impl FilterSpec {
    /// A filter with the flag libhdf5's own setters give it: Fletcher-32 is mandatory, all others
    /// are optional but for frazil's own.
    #[must_use]
    pub fn new(id: i32, cd_values: Vec<u32>) -> Self {
        let mandatory = id == filter_id::FLETCHER32 || OWN_FILTERS.contains(&id);
        let flags = u32::from(!mandatory);
        Self {
            id,
            flags,
            cd_values,
            name: String::new(),
        }
    }

    /// The registered name, else the stored one, else `filter N`.
    #[must_use]
    pub fn display_name(&self) -> String {
        match filter_name(self.id) {
            Some(name) => name.to_owned(),
            None if self.name.is_empty() => format!("filter {}", self.id),
            None => self.name.clone(),
        }
    }
}

/// A dataset's filters in the order in which they are applied on writing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FilterPipeline(pub Vec<FilterSpec>);

impl FilterPipeline {
    /// Whether data are stored as they are.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The position of a filter in the pipeline: its bit in a chunk's filter mask.
    #[must_use]
    pub fn position(&self, id: i32) -> Option<usize> {
        self.0.iter().position(|filter| filter.id == id)
    }

    /// Whether the pipeline holds a filter.
    #[must_use]
    pub fn contains(&self, id: i32) -> bool {
        self.position(id).is_some()
    }

    /// Whether chunks of one are decoded by the other: the same filters with the same values, but
    /// for levels that only an encoder looks at.
    #[must_use]
    pub fn decodes_like(&self, other: &Self) -> bool {
        let same = |(a, b): (&FilterSpec, &FilterSpec)| {
            let is_level = matches!(a.id, filter_id::DEFLATE | filter_id::ZSTD);
            a.id == b.id && (is_level || a.cd_values == b.cd_values)
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same)
    }

    /// The reader level this pipeline needs, judged by filter ids alone.
    #[must_use]
    pub fn reader_level(&self) -> ReaderLevel {
        let portable = [
            filter_id::DEFLATE,
            filter_id::SHUFFLE,
            filter_id::FLETCHER32,
        ];
        let needs = |filter: &FilterSpec| match filter.id {
            id if portable.contains(&id) => ReaderLevel::Any,
            id if OWN_FILTERS.contains(&id) => ReaderLevel::Frazil,
            // Registered, but in none of the collections of plugins that readers have.
            filter_id::MAFISC => ReaderLevel::Frazil,
            _ => ReaderLevel::Plugins,
        };
        self.0.iter().map(needs).max().unwrap_or_default()
    }

    /// One short line: `shuffle+deflate(4)+fletcher32`, or `none`.
    #[must_use]
    pub fn summary(&self) -> String {
        if self.0.is_empty() {
            return "none".to_owned();
        }
        let words: Vec<String> = self
            .0
            .iter()
            .map(|filter| match (filter.id, &filter.cd_values[..]) {
                (filter_id::DEFLATE | filter_id::ZSTD | filter_id::BZIP2, [level, ..])
                | (filter_id::PCODEC, [_, _, _, level]) => {
                    format!("{}({})", filter.display_name(), level.cast_signed())
                }
                (filter_id::FRAZIL, [_, _, _, _, goal, level, ..]) => {
                    chosen_by_chunk(*goal, *level)
                }
                // The registered filter with a compressor inside, as a chain names it.
                (filter_id::BITSHUFFLE, [_, _, _, _, 2, ..]) => "bitshuffle+lz4".to_owned(),
                (filter_id::BITSHUFFLE, [_, _, _, _, 3]) => "bitshuffle+zstd".to_owned(),
                (filter_id::BITSHUFFLE, [_, _, _, _, 3, level, ..]) => {
                    format!("bitshuffle+zstd({})", level.cast_signed())
                }
                _ => filter.display_name(),
            })
            .collect();
        words.join("+")
    }
}
