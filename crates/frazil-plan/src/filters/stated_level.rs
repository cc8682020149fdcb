//! Shuffle and encoder by trial, where a level is stated.

use frazil_types::{DeflateEncoder, FilterSpec, ReaderLevel};

use super::{Fresh, ZSTD_DEFAULT, summary};
use crate::error::PlanError;
use crate::explain;
use crate::goal::Goal;
use crate::requests::{FilterOptions, ShuffleRequest};
use crate::trial::{Compressor, Trial, deflate_spec, shuffle_spec};

/// "zlib's size" means at most this factor of it.
const ZLIB_PARITY: f64 = 1.001;

/// Libdeflate levels tried above the stated one before zlib itself is taken, and the level up to
/// which libdeflate is not slower than zlib's fastest.
const PARITY_STEPS: i32 = 3;
const LIBDEFLATE_QUICK_HIGHEST: i32 = 6;
const LIBDEFLATE_HIGHEST: i32 = 12;

/// Decides the shuffle, then the encoder, and gives up on data that do not shrink.
pub(super) fn at_level(
    trial: &mut Trial<'_>,
    level: u32,
    requests: &FilterOptions,
) -> Result<Fresh, PlanError> {
    let shuffle = try_shuffle(trial, requests)?;
    let found = match requests.reader_level {
        ReaderLevel::Any => reach_zlib(trial, shuffle.on, level.cast_signed())?,
        ReaderLevel::Plugins | ReaderLevel::Frazil => {
            Level::of(trial, shuffle.on, Compressor::Zstd(level))?
        }
    };
    let ratio = found.bytes as f64 / trial.raw_bytes() as f64;
    if ratio > Goal::Balanced.worthwhile_share() {
        return Ok(Fresh::unfiltered(explain::does_not_shrink(ratio)));
    }
    let mut stages = Vec::new();
    if shuffle.on {
        stages.push(shuffle_spec(trial.element()));
    }
    stages.push(found.spec);
    let encoder = match found.encoder {
        Some(DeflateEncoder::Zlib(_)) => ", zlib itself",
        _ => "",
    };
    Ok(Fresh {
        reason: explain::chosen(&summary(&stages), encoder, ratio, shuffle.why),
        encoder: found.encoder,
        ratio: Some(ratio),
        ..Fresh::of(stages)
    })
}

/// The outcome of the shuffle trial.
struct Shuffle {
    on: bool,
    why: &'static str,
}

fn try_shuffle(trial: &mut Trial<'_>, requests: &FilterOptions) -> Result<Shuffle, PlanError> {
    let decided = |on, why| Shuffle { on, why };
    if trial.element().size_bytes < 2 {
        return Ok(decided(false, "single bytes need no shuffle"));
    }
    match requests.shuffle {
        ShuffleRequest::On => return Ok(decided(true, "shuffle as asked")),
        ShuffleRequest::Off => return Ok(decided(false, "no shuffle as asked")),
        ShuffleRequest::Auto => {}
    }
    let cheapest = match requests.reader_level {
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

impl Level {
    fn of(trial: &mut Trial<'_>, shuffle: bool, compressor: Compressor) -> Result<Self, PlanError> {
        Ok(Self {
            spec: compressor.spec(),
            encoder: compressor.encoder(),
            bytes: trial.encoded_bytes(shuffle, compressor)?,
        })
    }
}

/// Deflate at a stated level: the promise is zlib's size, the encoder the fastest that keeps it on the
/// samples.
fn reach_zlib(trial: &mut Trial<'_>, shuffle: bool, level: i32) -> Result<Level, PlanError> {
    let zlib = Level::of(
        trial,
        shuffle,
        Compressor::Deflate(DeflateEncoder::Zlib(level)),
    )?;
    let limit = zlib.bytes as f64 * ZLIB_PARITY;
    let highest = (level + PARITY_STEPS).clamp(LIBDEFLATE_QUICK_HIGHEST, LIBDEFLATE_HIGHEST);
    for candidate in level..=highest {
        let compressor = Compressor::Deflate(DeflateEncoder::Libdeflate(candidate));
        let found = Level::of(trial, shuffle, compressor)?;
        if found.bytes as f64 <= limit {
            return Ok(Level {
                spec: deflate_spec(level.cast_unsigned()),
                ..found
            });
        }
    }
    Ok(zlib)
}
