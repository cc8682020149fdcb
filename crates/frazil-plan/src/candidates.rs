//! What filters there are to choose from, and how fast each is.
//!
//! Speeds are constants, so that the same data give the same choice on every machine and at any
//! load.

use frazil_types::sync::Lazy;
use frazil_types::{DeflateEncoder, FilterChain, ReaderLevel};

/// A chain of filters at a level.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateFilters {
    name: String,
    /// Filters as a chain is written, without the level.
    family: &'static str,
    level: Option<i32>,
    chain: FilterChain,
    /// Behind a deflate stage.
    encoder: Option<DeflateEncoder>,
    /// Who can read what it writes.
    pub readers: ReaderLevel,
    /// Raw MB/s that one core encodes.
    pub encode_mb_s: f64,
    /// Raw MB/s that one core decodes.
    pub decode_mb_s: f64,
}

impl CandidateFilters {
    /// Its name, `shuffle+zstd(3)`: the chain, but that `deflate` has libdeflate's levels to 12.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its filters without a level: candidates that differ in the level only have the same.
    #[must_use]
    pub fn family(&self) -> &'static str {
        self.family
    }

    /// Its level, where it has one.
    pub(crate) fn level(&self) -> Option<i32> {
        self.level
    }

    /// Whether bytes or bits are shuffled.
    #[must_use]
    pub fn shuffles(&self) -> bool {
        self.family.contains("shuffle") || self.family.starts_with("blosc")
    }

    /// Its filters.
    #[must_use]
    pub fn chain(&self) -> &FilterChain {
        &self.chain
    }

    /// The encoder behind a deflate stage.
    #[must_use]
    pub fn encoder(&self) -> Option<DeflateEncoder> {
        self.encoder
    }

    /// One of a family; `None` if its name is no chain.
    fn of(family: &Family, speed: &Level) -> Option<Self> {
        // `bitshuffle+zstd`, `delta(0)+zstd`: the level is the last filter's.
        let at_level = |level| format!("{}({level})", family.chain);
        let name = speed.level.map_or(family.chain.to_owned(), at_level);
        // Deflate's format has levels to 9; libdeflate's encoder has three more.
        let of_deflate = speed.level.filter(|_| family.chain.ends_with("deflate"));
        let written = of_deflate.map_or(name.clone(), |level| at_level(level.min(9)));
        Some(Self {
            chain: written.parse().ok()?,
            encoder: of_deflate.map(DeflateEncoder::Libdeflate),
            name,
            family: family.chain,
            level: speed.level,
            readers: family.readers,
            encode_mb_s: speed.encode_mb_s,
            decode_mb_s: speed.decode_mb_s,
        })
    }
}

/// All candidates, by family, each from its fastest level to its slowest.
#[must_use]
pub fn candidates() -> &'static [CandidateFilters] {
    static ALL: Lazy<Vec<CandidateFilters>> = Lazy::new(|| {
        let of = |family: &'static Family| {
            let levels = family.levels.iter();
            levels.filter_map(|level| CandidateFilters::of(family, level))
        };
        FAMILIES.iter().flat_map(of).collect()
    });
    &ALL
}

/// zlib itself, at levels that people state: no larger than libdeflate's but on some data. Decisions for
/// small files compare it, so that none is larger than at such a level.
#[must_use]
pub fn zlib_candidates() -> &'static [CandidateFilters] {
    static ALL: Lazy<Vec<CandidateFilters>> = Lazy::new(|| {
        let of = |(family, levels): &(&'static Family, [Level; 2])| {
            let found = levels.iter().filter_map(|speed| {
                let one = CandidateFilters::of(family, speed)?;
                Some(CandidateFilters {
                    name: one.name.replace("deflate", "zlib"),
                    encoder: one.level.map(DeflateEncoder::Zlib),
                    ..one
                })
            });
            found.collect::<Vec<_>>()
        };
        let families = [(&FAMILIES[0], SHUFFLE_ZLIB), (&FAMILIES[1], ZLIB)];
        families.iter().flat_map(of).collect()
    });
    &ALL
}

/// The candidate of that name; `None` if there is none.
#[must_use]
pub fn candidate(name: &str) -> Option<&'static CandidateFilters> {
    candidates().iter().find(|one| one.name == name)
}

/// Filters at their levels, fastest first.
struct Family {
    chain: &'static str,
    readers: ReaderLevel,
    levels: &'static [Level],
}

#[derive(Clone, Copy)]
struct Level {
    level: Option<i32>,
    /// Raw MB/s that one core encodes and decodes, of a smooth float32 field of 256 KiB:
    /// `examples/candidate_speeds.rs` on an AMD EPYC that did nothing else. Where two levels come to
    /// the same, the higher counts as a little slower.
    encode_mb_s: f64,
    decode_mb_s: f64,
}

const fn at(level: i32, encode_mb_s: f64, decode_mb_s: f64) -> Level {
    Level {
        level: Some(level),
        encode_mb_s,
        decode_mb_s,
    }
}

const fn only(encode_mb_s: f64, decode_mb_s: f64) -> Level {
    Level {
        level: None,
        encode_mb_s,
        decode_mb_s,
    }
}

const fn any(chain: &'static str, levels: &'static [Level]) -> Family {
    Family {
        chain,
        readers: ReaderLevel::Any,
        levels,
    }
}

const fn plugins(chain: &'static str, levels: &'static [Level]) -> Family {
    Family {
        chain,
        readers: ReaderLevel::Plugins,
        levels,
    }
}

const fn own(chain: &'static str, levels: &'static [Level]) -> Family {
    Family {
        chain,
        readers: ReaderLevel::Frazil,
        levels,
    }
}

/// The filter that chooses for every chunk (47103) is not among them: it tries what is chosen among here,
/// and costs more than the strongest of it.
static FAMILIES: [Family; 18] = [
    any("shuffle+deflate", &SHUFFLE_DEFLATE),
    any("deflate", &DEFLATE),
    plugins("shuffle+lz4", &[only(5500.0, 11000.0)]),
    // Of a field that it does not shrink it says 15 000 and 50 000.
    plugins("lz4", &[only(5500.0, 11000.0)]),
    plugins("bitshuffle+lz4", &[only(3000.0, 2950.0)]),
    plugins("blosc(lz4)", &[only(5100.0, 11000.0)]),
    plugins("shuffle+zstd", &SHUFFLE_ZSTD),
    plugins("zstd", &ZSTD),
    plugins("bitshuffle+zstd", &BITSHUFFLE_ZSTD),
    plugins("szip(32)", &[only(273.0, 253.0)]),
    plugins("bzip2", &[at(9, 15.0, 55.0)]),
    plugins("shuffle+bzip2", &[at(9, 19.0, 82.0)]),
    own("pcodec", &PCODEC),
    own("delta+shuffle+zstd", &DELTA),
    own("lorenzo+shuffle+zstd", &LORENZO),
    own("delta+bitshuffle+zstd", &DELTA_BITSHUFFLE),
    own("lorenzo+bitshuffle+zstd", &LORENZO_BITSHUFFLE),
    own("mafisc", &[at(4, 3.0, 168.0)]),
];

// libdeflate's level 12 makes a seventh of a per cent less of real data, in almost twice the time.
static DEFLATE: [Level; 5] = [
    at(1, 145.0, 540.0),
    at(4, 100.0, 410.0),
    at(6, 91.0, 410.0),
    at(9, 79.0, 410.0),
    at(11, 28.0, 420.0),
];
static SHUFFLE_DEFLATE: [Level; 5] = [
    at(1, 236.0, 1260.0),
    at(4, 180.0, 950.0),
    at(6, 158.0, 940.0),
    at(9, 69.0, 940.0),
    at(11, 11.5, 980.0),
];
// By libdeflate's level 6 above: beside it on another machine.
const ZLIB: [Level; 2] = [at(6, 20.5, 410.0), at(9, 20.0, 410.0)];
const SHUFFLE_ZLIB: [Level; 2] = [at(6, 65.0, 940.0), at(9, 22.0, 940.0)];
static ZSTD: [Level; 6] = [
    at(1, 1375.0, 2150.0),
    at(3, 757.0, 2040.0),
    at(9, 250.0, 2000.0),
    at(15, 22.5, 960.0),
    at(19, 11.2, 670.0),
    at(22, 11.0, 670.0),
];
static SHUFFLE_ZSTD: [Level; 6] = [
    at(1, 3400.0, 6200.0),
    at(3, 3100.0, 6700.0),
    at(9, 420.0, 9500.0),
    at(15, 24.0, 4800.0),
    at(19, 10.5, 4500.0),
    at(22, 9.0, 4500.0),
];
static BITSHUFFLE_ZSTD: [Level; 6] = [
    at(1, 830.0, 1570.0),
    at(3, 700.0, 2240.0),
    at(9, 136.0, 3000.0),
    at(15, 29.0, 2930.0),
    at(19, 15.0, 2940.0),
    at(22, 4.0, 2970.0),
];
static DELTA: [Level; 6] = [
    at(1, 1800.0, 2000.0),
    at(3, 1770.0, 2140.0),
    at(9, 1130.0, 2140.0),
    at(15, 230.0, 2050.0),
    at(19, 22.0, 1700.0),
    at(22, 15.0, 1700.0),
];
static LORENZO: [Level; 6] = [
    at(1, 1540.0, 1340.0),
    at(3, 1470.0, 1350.0),
    at(9, 437.0, 1250.0),
    at(15, 124.0, 1500.0),
    at(19, 15.0, 1390.0),
    at(22, 14.5, 1390.0),
];
static DELTA_BITSHUFFLE: [Level; 3] = [
    at(3, 670.0, 2230.0),
    at(9, 167.0, 2860.0),
    at(22, 3.0, 2560.0),
];
static LORENZO_BITSHUFFLE: [Level; 3] = [
    at(3, 730.0, 2120.0),
    at(9, 311.0, 2290.0),
    at(22, 15.0, 2130.0),
];
static PCODEC: [Level; 3] = [
    at(4, 350.0, 1640.0),
    at(8, 163.0, 1660.0),
    at(12, 13.0, 1500.0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_is_a_chain_of_its_reader_level_fastest_first() {
        let levels = FAMILIES.iter().map(|family| family.levels.len());
        assert_eq!(candidates().len(), levels.sum::<usize>());
        for one in candidates() {
            assert_eq!(one.chain().reader_level(), one.readers, "{}", one.name());
            let is_deflate = one.family().ends_with("deflate");
            assert_eq!(one.encoder().is_some(), is_deflate);
            assert_eq!(candidate(one.name()), Some(one));
            assert!(one.encode_mb_s > 0.0 && one.decode_mb_s > 0.0);
        }
        for pair in candidates().windows(2) {
            let same = pair[0].family() == pair[1].family();
            assert!(!same || pair[0].encode_mb_s > pair[1].encode_mb_s);
        }
        assert_eq!(candidate("zip"), None);
    }
}
