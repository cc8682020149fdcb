//! What packs a dataset's deflate: libdeflate, or zlib where that makes smaller chunks.
//!
//! Levels are promises of zlib's size, which libdeflate does not keep on everything: evenly repeated values
//! take up to a fifth more.

use frazil_codec::{BoundEncoder, Scratch};
use frazil_types::{DeflateEncoder, filter_id};

use crate::dataset::Dataset;

/// What libdeflate may take more than zlib, in percent.
const MORE_PERCENT: usize = 1;
/// libdeflate's highest level that is quicker than zlib's; it is one more than the one that is asked for.
const HIGHEST: i32 = 9;

/// What packs deflate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packer {
    Libdeflate,
    Zlib,
}

impl Packer {
    /// Filters that go by it.
    pub(crate) fn bind(self, dataset: &Dataset, chunk_bytes: usize) -> Option<BoundEncoder> {
        let level = level_of(dataset).unwrap_or(0);
        let deflate = match (self, level) {
            (_, 0) => None,
            (Self::Libdeflate, level) => Some(DeflateEncoder::Libdeflate((level + 1).min(HIGHEST))),
            (Self::Zlib, level) => Some(DeflateEncoder::Zlib(level)),
        };
        let element_bytes = dataset.element_bytes;
        BoundEncoder::bind(&dataset.filters, deflate, element_bytes, chunk_bytes).ok()
    }

    /// The one for a dataset with chunks like this one.
    pub(crate) fn for_chunk(dataset: &Dataset, raw: &[u8], scratch: &mut Scratch) -> Option<Self> {
        if level_of(dataset).unwrap_or(0) == 0 {
            return Some(Self::Libdeflate);
        }
        let mut bytes = |packer: Self| {
            let encoder = packer.bind(dataset, raw.len())?;
            encoder.encode_in(raw, scratch).ok().map(<[u8]>::len)
        };
        let (quick, zlib) = (bytes(Self::Libdeflate)?, bytes(Self::Zlib)?);
        Some(match quick <= zlib + zlib * MORE_PERCENT / 100 {
            true => Self::Libdeflate,
            false => Self::Zlib,
        })
    }
}

/// The level of its deflate; `None`: it has none.
fn level_of(dataset: &Dataset) -> Option<i32> {
    let place = dataset.filters.position(filter_id::DEFLATE)?;
    i32::try_from(*dataset.filters.0.get(place)?.cd_values.first()?).ok()
}
