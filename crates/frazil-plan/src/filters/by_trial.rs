//! Shuffle and level by trial, where there is no goal to choose whole chains for.
//!
//! Trials are few, since they cost what packing costs: the shuffle is decided first with the
//! cheapest compressor, then only levels are tried, stopping at the first that will do.

use frazil_types::{DeflateEncoder, FilterSpec, ReaderLevel};

use super::{FilterWishes, Fresh, LEVEL_SLACK, ShuffleWish, ZSTD_DEFAULT, summary};
use crate::allowance::{TrialAllowance, bytes_within};
use crate::candidates::{CandidateFilters, candidate};
use crate::chunking::DEFAULT_TARGET_BYTES;
use crate::error::PlanError;
use crate::explain;
use crate::goal::Goal;
use crate::trial::{Compressor, Trial, deflate_spec, shuffle_spec};

/// "zlib's size" means at most this factor of it on samples that are whole chunks.
const ZLIB_PARITY: f64 = 1.001;

/// Samples smaller than a chunk can flatter libdeflate next to zlib's fast levels (1 to 3), whose
/// short blocks adapt better in long streams: share by which its size must be lower for every
/// doubling from sample to chunk. Measured on smooth shuffled floats from 16 KiB to 1 MiB; the lazy
/// levels (4 and up) drift less than their tolerance.
const PARITY_DRIFT: f64 = 0.003;
const ZLIB_FAST_HIGHEST: i32 = 3;

/// Libdeflate levels tried above the stated one before zlib itself is taken, and the level up to
/// which libdeflate is not slower than zlib's fastest.
const PARITY_STEPS: i32 = 3;
const LIBDEFLATE_QUICK_HIGHEST: i32 = 6;
const LIBDEFLATE_HIGHEST: i32 = 12;

/// Levels tried where none is stated: prototypes show no others worth their time.
const DEFLATE_CANDIDATES: [i32; 3] = [1, 4, 6];
const ZSTD_CANDIDATES: [u32; 3] = [1, 3, 9];

/// What is tried with all of that, the likeliest first.
const DEFLATE_TRIALS: [&str; 4] = [
    "shuffle+deflate(1)",
    "deflate(1)",
    "shuffle+deflate(4)",
    "shuffle+deflate(6)",
];
const ZSTD_TRIALS: [&str; 4] = [
    "shuffle+zstd(3)",
    "zstd(3)",
    "shuffle+zstd(1)",
    "shuffle+zstd(9)",
];

/// Decides the shuffle, then the level, and gives up on data that do not shrink.
pub(super) fn try_filters(
    trial: &mut Trial<'_>,
    wishes: &FilterWishes,
) -> Result<Fresh, PlanError> {
    if let (None, Some(allowance)) = (wishes.level, wishes.allowance) {
        match within(allowance, wishes.reader_level) {
            Some(bytes) => trial.keep_to(bytes),
            None => return untried(trial, wishes),
        }
    }
    let shuffle = try_shuffle(trial, wishes)?;
    let level = try_levels(trial, shuffle.on, wishes)?;
    let ratio = level.bytes as f64 / trial.tried_bytes() as f64;
    if ratio > Goal::Balanced.worthwhile_share() {
        return Ok(Fresh::unfiltered(explain::does_not_shrink(ratio)));
    }
    let mut stages = Vec::new();
    if shuffle.on {
        stages.push(shuffle_spec(trial.element()));
    }
    stages.push(level.spec);
    let encoder = level.encoder.map_or("", |encoder| match encoder {
        DeflateEncoder::Quick | DeflateEncoder::Fastest | DeflateEncoder::Libdeflate(_) => "",
        DeflateEncoder::Zlib(_) => ", zlib itself",
    });
    Ok(Fresh {
        reason: explain::chosen(&summary(&stages), encoder, ratio, shuffle.why),
        stages,
        encoder: level.encoder,
        ratio: Some(ratio),
        tried: Vec::new(),
    })
}

/// Bytes of samples that shuffle and levels may be tried on; `None`: too few to decide anything.
fn within(allowance: TrialAllowance, readers: ReaderLevel) -> Option<usize> {
    let names = match readers {
        ReaderLevel::Any => &DEFLATE_TRIALS,
        ReaderLevel::Plugins | ReaderLevel::Frazil => &ZSTD_TRIALS,
    };
    let tried: Vec<&CandidateFilters> = names.iter().filter_map(|name| candidate(name)).collect();
    bytes_within(allowance.seconds(tried.first()?), tried)
}

/// The default, where a fast compressor says that filters pay.
fn untried(trial: &mut Trial<'_>, wishes: &FilterWishes) -> Result<Fresh, PlanError> {
    let fresh = Fresh::untried(trial.element(), wishes);
    let shuffles = fresh.stages.len() > 1;
    let bytes = trial.encoded_bytes(shuffles, Compressor::Zstd(1))?;
    let ratio = bytes as f64 / trial.tried_bytes() as f64;
    if ratio > Goal::Balanced.worthwhile_share() {
        return Ok(Fresh::unfiltered(explain::does_not_shrink(ratio)));
    }
    Ok(Fresh {
        reason: explain::by_default(&summary(&fresh.stages), ratio),
        ratio: Some(ratio),
        ..fresh
    })
}

/// The outcome of the shuffle trial.
struct Shuffle {
    on: bool,
    why: &'static str,
}

fn try_shuffle(trial: &mut Trial<'_>, wishes: &FilterWishes) -> Result<Shuffle, PlanError> {
    let decided = |on, why| Shuffle { on, why };
    if trial.element().size_bytes < 2 {
        return Ok(decided(false, "single bytes need no shuffle"));
    }
    match wishes.shuffle {
        ShuffleWish::On => return Ok(decided(true, "shuffle as asked")),
        ShuffleWish::Off => return Ok(decided(false, "no shuffle as asked")),
        ShuffleWish::Auto => {}
    }
    let cheapest = match wishes.reader_level {
        ReaderLevel::Any => Compressor::Deflate(DeflateEncoder::Libdeflate(1)),
        ReaderLevel::Plugins | ReaderLevel::Frazil => Compressor::Zstd(ZSTD_DEFAULT),
    };
    let plain = trial.encoded_bytes(false, cheapest)?;
    let shuffled = trial.encoded_bytes(true, cheapest)?;
    // Of equal sizes the shuffled one decodes faster: its streams have long matches.
    let on = shuffled <= plain;
    let why = if on {
        "smaller with shuffle"
    } else {
        "smaller without shuffle"
    };
    Ok(decided(on, why))
}

/// A compressor with the stage it gets in the file and the samples' size.
struct Level {
    spec: FilterSpec,
    encoder: Option<DeflateEncoder>,
    bytes: u64,
}

/// The stated level, or the cheapest that is good.
fn try_levels(
    trial: &mut Trial<'_>,
    shuffle: bool,
    wishes: &FilterWishes,
) -> Result<Level, PlanError> {
    match (wishes.reader_level, wishes.level) {
        (ReaderLevel::Any, Some(level)) => {
            let chunk_bytes = wishes.chunk_bytes.unwrap_or(DEFAULT_TARGET_BYTES);
            reach_zlib(trial, shuffle, level.cast_signed(), chunk_bytes)
        }
        (ReaderLevel::Any, None) => {
            let candidates = DEFLATE_CANDIDATES
                .map(|level| Compressor::Deflate(DeflateEncoder::Libdeflate(level)));
            lowest_good(trial, shuffle, &candidates)
        }
        (ReaderLevel::Plugins | ReaderLevel::Frazil, Some(level)) => {
            lowest_good(trial, shuffle, &[Compressor::Zstd(level)])
        }
        (ReaderLevel::Plugins | ReaderLevel::Frazil, None) => {
            lowest_good(trial, shuffle, &ZSTD_CANDIDATES.map(Compressor::Zstd))
        }
    }
}

/// The first of `candidates`, cheapest first, whose size is within the slack of the best.
fn lowest_good(
    trial: &mut Trial<'_>,
    shuffle: bool,
    candidates: &[Compressor],
) -> Result<Level, PlanError> {
    let mut sizes = Vec::with_capacity(candidates.len());
    for &compressor in candidates {
        sizes.push((compressor, trial.encoded_bytes(shuffle, compressor)?));
    }
    let best = sizes.iter().map(|&(_, bytes)| bytes).min().unwrap_or(0);
    let limit = best as f64 * LEVEL_SLACK;
    let (compressor, bytes) = sizes
        .into_iter()
        .find(|&(_, bytes)| bytes as f64 <= limit)
        .unwrap_or((candidates[0], best));
    Ok(Level {
        spec: compressor.spec(),
        encoder: compressor.encoder(),
        bytes,
    })
}

/// Deflate at a stated level: the promise is zlib's size, the encoder the fastest that keeps it.
///
/// The promise is judged by samples. Where they are much shorter than chunks, data that shrink to
/// a few per cent can still miss it by a few per cent of that.
fn reach_zlib(
    trial: &mut Trial<'_>,
    shuffle: bool,
    level: i32,
    chunk_bytes: u64,
) -> Result<Level, PlanError> {
    let zlib = DeflateEncoder::Zlib(level);
    let promised = trial.encoded_bytes(shuffle, Compressor::Deflate(zlib))?;
    let drift = if level <= ZLIB_FAST_HIGHEST {
        PARITY_DRIFT
    } else {
        0.0
    };
    let doublings = doublings_between(trial.longest_bytes(), chunk_bytes);
    let limit = promised as f64 * (ZLIB_PARITY - drift * f64::from(doublings));
    let spec = deflate_spec(level.cast_unsigned());
    let highest = (level + PARITY_STEPS).clamp(LIBDEFLATE_QUICK_HIGHEST, LIBDEFLATE_HIGHEST);
    for candidate in level..=highest {
        let encoder = DeflateEncoder::Libdeflate(candidate);
        let bytes = trial.encoded_bytes(shuffle, Compressor::Deflate(encoder))?;
        if bytes as f64 <= limit {
            return Ok(Level {
                spec,
                encoder: Some(encoder),
                bytes,
            });
        }
    }
    Ok(Level {
        spec,
        encoder: Some(zlib),
        bytes: promised,
    })
}

/// How often `from` must be doubled to reach `to`, rounded up.
fn doublings_between(from: u64, to: u64) -> u32 {
    to.div_ceil(from.max(1))
        .next_power_of_two()
        .trailing_zeros()
}
