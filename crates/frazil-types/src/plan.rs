//! What was decided for each variable: printable, serialisable, replayable.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{FilterPipeline, QuantizePlan};

/// A named layout of a whole file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayoutProfile {
    /// No special demands.
    #[default]
    Standard,
    /// What `check_cmip7_packing` demands: time and its bounds in one chunk, data chunks of at
    /// least 4 MiB, all internal metadata before the data.
    Cmip7,
}

crate::words!(pub LayoutProfile: Standard "standard", Cmip7 "cmip7");

impl FromStr for LayoutProfile {
    type Err = String;

    fn from_str(word: &str) -> std::result::Result<Self, String> {
        Self::from_name(word).ok_or_else(|| format!("{word:?} is none of its words"))
    }
}

/// How a variable's values lie in the output file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum StorageLayout {
    /// One run of bytes, no filters.
    Contiguous,
    /// Equal chunks.
    Chunked {
        /// Chunk shape in elements.
        chunk: Vec<u64>,
    },
}

/// The encoder that reaches the wanted deflate level (the level in the file says what size to
/// expect: zlib's at that level).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "encoder", content = "level")]
pub enum DeflateEncoder {
    /// Our own, quicker than any level of libdeflate and made for shuffled numbers.
    Quick,
    /// Our own or libdeflate at level 1: for each chunk the one that does better on pieces of it.
    Fastest,
    /// libdeflate at this level (1 to 12).
    Libdeflate(i32),
    /// zlib itself, where libdeflate cannot reach zlib's size.
    Zlib(i32),
}

/// The chunk cache that a reader should give a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReaderCache {
    /// Bytes of decoded chunks: those that a sweep of neighbouring reads touches again and again.
    pub bytes: u64,
    /// Slots of the hash table (HDF5's `rdcc_nslots`): a prime, about ten a chunk.
    pub slots: u64,
}

/// The decision for one variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariablePlan {
    /// Absolute path in the file, `/group/name`.
    pub path: String,
    /// Layout of the output.
    pub layout: StorageLayout,
    /// How values are rounded before they are filtered; `None`: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantize: Option<QuantizePlan>,
    /// Filters of the output, in writing order.
    pub pipeline: FilterPipeline,
    /// Encoder behind a deflate stage.
    pub deflate_encoder: Option<DeflateEncoder>,
    /// Copy stored chunks as they are: neither chunk shape nor filters change.
    #[serde(default)]
    pub copy_raw: bool,
    /// Stored bytes expected from the trial, if one was made.
    pub predicted_bytes: Option<u64>,
    /// The chunk cache that a reader should use; `None`: its default will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<ReaderCache>,
    /// Why, in one line; for people only.
    #[serde(default)]
    pub reason: String,
}

/// The decisions for one file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WritePlan {
    /// Layout of the file; `None`: no special one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<LayoutProfile>,
    /// One entry per variable, in file order.
    pub variables: Vec<VariablePlan>,
}
