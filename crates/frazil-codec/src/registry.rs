//! What this build can decode and encode: the one list behind documentation, command line and
//! tests.

use frazil_types::{filter_id, filter_name};

/// Largest chunk this machine can address with room for intermediate results.
pub(crate) const MAX_CHUNK_BYTES: usize = isize::MAX as usize / 4;

/// One filter and what this build does with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterInfo {
    /// Filter identifier.
    pub id: i32,
    /// Its name.
    pub name: &'static str,
    /// Whether chunks can be decoded.
    pub can_decode: bool,
    /// Whether chunks can be encoded.
    pub can_encode: bool,
    /// The library that does the work.
    pub library: &'static str,
    /// What a user should know, or empty.
    pub note: &'static str,
}

const OWN: &str = "frazil";

/// A filter that is decoded and encoded.
const fn both(id: i32, name: &'static str, library: &'static str) -> FilterInfo {
    FilterInfo {
        id,
        name,
        can_decode: true,
        can_encode: true,
        library,
        note: "",
    }
}

/// A filter that is only decoded.
const fn decoded(
    id: i32,
    name: &'static str,
    library: &'static str,
    note: &'static str,
) -> FilterInfo {
    FilterInfo {
        id,
        name,
        can_decode: true,
        can_encode: false,
        library,
        note,
    }
}

/// A filter that is neither decoded nor encoded.
const fn refused(id: i32, name: &'static str, note: &'static str) -> FilterInfo {
    FilterInfo {
        id,
        name,
        can_decode: false,
        can_encode: false,
        library: "",
        note,
    }
}

/// The same filter with something that a user should know.
const fn noted(info: FilterInfo, note: &'static str) -> FilterInfo {
    FilterInfo { note, ..info }
}

const PRIVATE: &str = "frazil's own: read by frazil and by its plugins";
const LOSSY_ON_WRITE: &str = "changes values on writing only; reading needs nothing";

static FILTERS: [FilterInfo; 20] = [
    both(filter_id::DEFLATE, "deflate", "libdeflate 1.26, zlib 1.3"),
    both(filter_id::SHUFFLE, "shuffle", OWN),
    both(filter_id::FLETCHER32, "fletcher32", OWN),
    both(filter_id::SZIP, "szip", "libaec 1.1.4"),
    decoded(filter_id::NBIT, "nbit", OWN, ""),
    decoded(filter_id::SCALEOFFSET, "scaleoffset", OWN, ""),
    refused(
        filter_id::LZO,
        "lzo",
        "LZO is licensed under the GPL and cannot be part of frazil",
    ),
    both(filter_id::BZIP2, "bzip2", OWN),
    decoded(filter_id::LZF, "lzf", OWN, ""),
    noted(
        both(filter_id::BLOSC, "blosc", OWN),
        "with BloscLZ, LZ4, Snappy, zlib or zstd inside; LZ4HC is written as LZ4",
    ),
    noted(
        both(filter_id::MAFISC, "mafisc", "frazil, liblzma 5.8"),
        "all methods compete for every chunk; few readers have a plugin for it",
    ),
    both(filter_id::LZ4, "lz4", "lz4_flex 0.14"),
    noted(
        both(filter_id::BITSHUFFLE, "bitshuffle", OWN),
        "alone or with LZ4 or zstd inside",
    ),
    both(filter_id::ZSTD, "zstd", "zstd 1.5.7"),
    decoded(filter_id::BITGROOM, "bitgroom", OWN, LOSSY_ON_WRITE),
    decoded(
        filter_id::GRANULAR_BITROUND,
        "granular_bitround",
        OWN,
        LOSSY_ON_WRITE,
    ),
    decoded(filter_id::BITROUND, "bitround", OWN, LOSSY_ON_WRITE),
    noted(both(filter_id::PCODEC, "pcodec", "pco 1.1"), PRIVATE),
    noted(both(filter_id::DELTA, "delta", OWN), PRIVATE),
    noted(both(filter_id::FRAZIL, "frazil", OWN), PRIVATE),
];

/// The filters this build knows something about, by identifier.
#[must_use]
pub fn filters() -> &'static [FilterInfo] {
    &FILTERS
}

/// What a user can do about a filter that this build cannot decode, in one sentence.
#[must_use]
pub fn cure_for(id: i32) -> String {
    match id {
        filter_id::LZO => "rewrite the file without LZO (GPL, so no plugin comes with frazil): \
             with PyTables `ptrepack --complib=zlib in.h5 out.h5`, or with `h5repack -f GZIP=4` of \
             an installation that has the LZO plugin"
            .to_owned(),
        // The plugins that the Python package hdf5plugin brings.
        32013 | 32018 | 32024 | 32026 | 32028 => format!(
            "run `pip install hdf5plugin`, and set HDF5_PLUGIN_PATH to its folder `plugins`, which has {}",
            filter_name(id).unwrap_or("this filter")
        ),
        id => match filter_name(id) {
            Some(name) => format!(
                "set HDF5_PLUGIN_PATH to a folder with the {name} plugin (see the HDF Group's list of \
                 registered filters)"
            ),
            None => format!(
                "ask the file's producer for the HDF5 plugin of filter {id}, which is not \
                 registered, and set HDF5_PLUGIN_PATH to its folder"
            ),
        },
    }
}

#[cfg(test)]
mod tests {
    use frazil_types::{FilterPipeline, FilterSpec};

    use super::*;
    use crate::{BoundDecoder, BoundEncoder, CodecError};

    #[test]
    fn the_list_is_sorted_and_names_filters_as_everybody_does() {
        assert!(FILTERS.windows(2).all(|pair| pair[0].id < pair[1].id));
        for filter in filters() {
            assert_eq!(filter_name(filter.id), Some(filter.name));
            assert_eq!(filter.library.is_empty(), !filter.can_decode);
        }
    }

    #[test]
    fn the_list_says_what_the_code_does() {
        for id in (1..400).chain(32000..32100).chain(47100..47110) {
            let info = filters().iter().find(|info| info.id == id);
            let pipeline = FilterPipeline(vec![FilterSpec::new(id, vec![])]);
            let decodes = match BoundDecoder::bind(&pipeline, 4, 8) {
                Ok(decoder) => decoder.missing().is_empty(),
                Err(_) => true,
            };
            assert_eq!(decodes, info.is_some_and(|info| info.can_decode), "{id}");
            let refused = BoundEncoder::bind(&pipeline, None, 4, 8);
            let encodes = !matches!(refused, Err(CodecError::CannotEncode { .. }));
            assert_eq!(encodes, info.is_some_and(|info| info.can_encode), "{id}");
        }
    }

    #[test]
    fn every_missing_filter_has_a_cure() {
        assert!(cure_for(filter_id::LZO).contains("GPL"));
        assert!(cure_for(32013).contains("zfp"));
        assert!(cure_for(32003).contains("snappy"));
        assert!(cure_for(40000).contains("40000"));
    }
}
