//! Which filters, at which level, by trial on samples.
//!
//! Trials are few, since they cost what packing costs: the shuffle is decided first with the
//! cheapest compressor, then only levels are tried, stopping at the first that will do.

use frazil_codec::Scratch;
use frazil_types::{
    DeflateEncoder, ElementClass, ElementType, FilterChain, FilterPipeline, FilterSpec,
    ReaderLevel, filter_id,
};

use crate::advised;
use crate::chunking::DEFAULT_TARGET_BYTES;
use crate::error::PlanError;
use crate::explain;
use crate::goal::Goal;
use crate::trial::{Chosen, Compressor, Trial, TriedChain, deflate_spec, shuffle_spec};
use crate::weighing::Weighing;

/// Chunks are encoded again only for sizes below this share of the current one.
const BETTER_SHARE: f64 = 0.95;

/// The same where the goal is a small file.
const SMALLER_SHARE: f64 = 0.99;

/// A level is as good as the best if its size is within this factor.
pub(crate) const LEVEL_SLACK: f64 = 1.03;

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

const DEFLATE_HIGHEST: u32 = 9;
const LIBDEFLATE_HIGHEST: i32 = 12;
const ZSTD_HIGHEST: u32 = 22;

/// Levels tried where none is stated: prototypes show no others worth their time.
const DEFLATE_CANDIDATES: [i32; 3] = [1, 4, 6];
const ZSTD_CANDIDATES: [u32; 3] = [1, 3, 9];

/// Level used where there are no data to try.
const DEFLATE_DEFAULT: u32 = 4;
const ZSTD_DEFAULT: u32 = 3;

/// Use of the byte shuffle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShuffleWish {
    /// With or without, whichever is smaller.
    #[default]
    Auto,
    /// Always, for elements of 2 bytes and more.
    On,
    /// Never.
    Off,
}

/// What the user asks of the filters.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterWishes {
    /// Deflate (or zstd) level; `None`: chosen by trial. 0: no compression.
    pub level: Option<u32>,
    /// Use of the byte shuffle.
    pub shuffle: ShuffleWish,
    /// Who must be able to read the result.
    pub reader_level: ReaderLevel,
    /// Add a Fletcher-32 checksum.
    pub checksum: bool,
    /// What filters are chosen for, where nobody states them.
    pub goal: Goal,
    /// What is stated beside the goal.
    pub weighing: Weighing,
    /// These filters and no others; level, shuffle, readers and goal then mean nothing.
    pub chain: Option<FilterChain>,
    /// Who wants the chain, as a reason says it: `as asked`, `from wishes`.
    pub chain_origin: &'static str,
    /// Of candidates only those whose filters all have these identifiers; `None`: all.
    pub only: Option<&'static [i32]>,
    /// Shape of the output's chunks in elements; empty if it is not known. Filters that look at
    /// neighbours need it.
    pub chunk: Vec<u64>,
    /// Uncompressed bytes of a chunk, where the variable is chunked in any case: it can then carry
    /// a checksum without compression. `None`: contiguous unless filtered, and trials assume
    /// chunks of the default size.
    pub chunk_bytes: Option<u64>,
}

impl Default for FilterWishes {
    fn default() -> Self {
        Self {
            level: None,
            shuffle: ShuffleWish::Auto,
            reader_level: ReaderLevel::Any,
            checksum: false,
            goal: Goal::default(),
            weighing: Weighing::default(),
            chain: None,
            chain_origin: "as asked",
            only: None,
            chunk: Vec::new(),
            chunk_bytes: None,
        }
    }
}

/// How the variable is stored now.
#[derive(Debug, Clone, Copy)]
pub struct CurrentStorage<'a> {
    /// Its filters.
    pub pipeline: &'a FilterPipeline,
    /// Stored bytes per raw byte, of the sampled chunks or of the whole variable.
    pub ratio: f64,
    /// Stored chunks could be copied as they are: the chunk shape stays.
    pub keepable: bool,
}

/// The chosen filters.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterChoice {
    /// Filters of the output, in writing order: shuffle, compressor, checksum.
    pub pipeline: FilterPipeline,
    /// Encoder behind a deflate stage.
    pub deflate_encoder: Option<DeflateEncoder>,
    /// Stored bytes per raw byte expected from the trial; 1 where none was made.
    pub predicted_ratio: f64,
    /// Copy the stored chunks as they are; `pipeline` is then the current one.
    pub keep_current: bool,
    /// Why, in one line.
    pub reason: String,
    /// What a decision tree named and trials compared, the likeliest first; empty where none was asked.
    pub tried: Vec<TriedChain>,
}

/// Chooses the filters of one variable from samples of its raw bytes.
///
/// Each sample is a run of whole elements (see [`crate::sample_window`]). With a stated deflate
/// level the result has at most about zlib's size at that level, from the fastest encoder that
/// reaches it. An existing Fletcher-32 checksum is always carried over.
///
/// # Errors
/// [`PlanError::Level`] for a level the compressor does not have; [`PlanError::Codec`] if a trial
/// fails.
pub fn choose_filters(
    samples: &[Vec<u8>],
    element: ElementType,
    wishes: &FilterWishes,
    current: Option<&CurrentStorage<'_>>,
    scratch: &mut Scratch,
) -> Result<FilterChoice, PlanError> {
    check_level(wishes)?;
    if let Some(chain) = wishes.chain.as_ref().filter(|_| wishes.level != Some(0)) {
        let asked = as_asked(samples, element, chain, wishes, scratch)?;
        return Ok(kept_or(asked, element, wishes, current));
    }
    if wishes.level == Some(0) {
        let unfiltered = Fresh::unfiltered(explain::no_compression_asked());
        return Ok(kept_or(unfiltered, element, wishes, current));
    }
    if element.class == ElementClass::Indirect {
        let unfiltered = Fresh::unfiltered(explain::indirect());
        return Ok(kept_or(unfiltered, element, wishes, current));
    }
    let mut trial = Trial::new(samples, element, &wishes.chunk, scratch);
    if trial.raw_bytes() == 0 {
        let untried = Fresh::untried(element, wishes);
        return Ok(kept_or(untried, element, wishes, current));
    }
    let by_tree = wishes.level.is_none() && wishes.weighing.decides(wishes.goal);
    let best = match by_tree {
        true => by_goal(&mut trial, wishes)?,
        false => try_filters(&mut trial, wishes)?,
    };
    let best = match wishes.level {
        // Without a wish, frazil's own filters compete where they may.
        None if !by_tree && wishes.reader_level == ReaderLevel::Frazil => {
            better_by_own(best, &mut trial)?
        }
        _ => best,
    };
    Ok(kept_or(best, element, wishes, current))
}

/// By a decision tree and trials of what it names.
fn by_goal(trial: &mut Trial<'_>, wishes: &FilterWishes) -> Result<Fresh, PlanError> {
    let raw_bytes = trial.raw_bytes();
    let Some(advised) = advised::choose(trial, wishes)? else {
        let floors = wishes.all_floors();
        return Ok(Fresh::unfiltered(explain::too_slow(&floors)));
    };
    let ratio = advised.chosen.bytes as f64 / raw_bytes as f64;
    let fresh = match advised.pays {
        true => Fresh::shrunk(advised.chosen, advised.reason, ratio),
        false => Fresh::unfiltered(advised.reason),
    };
    Ok(Fresh {
        tried: advised.tried,
        ..fresh
    })
}

/// The filters that somebody stated, for the variable's elements.
fn as_asked(
    samples: &[Vec<u8>],
    element: ElementType,
    chain: &FilterChain,
    wishes: &FilterWishes,
    scratch: &mut Scratch,
) -> Result<Fresh, PlanError> {
    if element.class == ElementClass::Indirect {
        return Ok(Fresh::unfiltered(explain::indirect()));
    }
    let pipeline = chain.resolve(element, &wishes.chunk);
    let level = pipeline
        .position(filter_id::DEFLATE)
        .and_then(|stage| pipeline.0[stage].cd_values.first().copied());
    let encoder = level.map(|level| DeflateEncoder::Libdeflate(level.cast_signed()));
    let mut trial = Trial::new(samples, element, &wishes.chunk, scratch);
    let mut ratio = None;
    if trial.raw_bytes() > 0 {
        let bytes = trial.chain(chain, encoder)?.bytes;
        ratio = Some(bytes as f64 / trial.raw_bytes() as f64);
    }
    Ok(Fresh {
        reason: explain::chain_asked(&pipeline.summary(), wishes.chain_origin, ratio),
        stages: pipeline.0,
        encoder,
        ratio,
        tried: Vec::new(),
    })
}

/// The best of frazil's own filters, if they make the data clearly smaller than `other` does.
fn better_by_own(other: Fresh, trial: &mut Trial<'_>) -> Result<Fresh, PlanError> {
    let Some((chosen, reason)) = advised::own_filters(trial)? else {
        return Ok(other);
    };
    let own = Fresh::tried(chosen, reason, trial.raw_bytes());
    let limit = other.ratio.unwrap_or(1.0) / LEVEL_SLACK;
    let is_better = own.ratio.is_some_and(|ratio| ratio < limit);
    Ok(if is_better { own } else { other })
}

fn check_level(wishes: &FilterWishes) -> Result<(), PlanError> {
    let (filter, highest) = match wishes.reader_level {
        ReaderLevel::Any => ("deflate", DEFLATE_HIGHEST),
        ReaderLevel::Plugins | ReaderLevel::Frazil => ("zstd", ZSTD_HIGHEST),
    };
    match wishes.level {
        Some(level) if level > highest => Err(PlanError::Level {
            filter,
            level,
            highest,
        }),
        _ => Ok(()),
    }
}

/// A choice made without looking at the current storage and the checksum.
struct Fresh {
    stages: Vec<FilterSpec>,
    encoder: Option<DeflateEncoder>,
    /// Stored bytes per raw byte; `None` if nothing was tried.
    ratio: Option<f64>,
    reason: String,
    tried: Vec<TriedChain>,
}

impl Fresh {
    fn unfiltered(reason: String) -> Self {
        Self {
            stages: Vec::new(),
            encoder: None,
            ratio: Some(1.0),
            reason,
            tried: Vec::new(),
        }
    }

    /// What a trial chose, unless it does not shrink.
    fn tried(chosen: Chosen, reason: String, raw_bytes: u64) -> Self {
        let ratio = chosen.bytes as f64 / raw_bytes as f64;
        match ratio > Goal::Balanced.worthwhile_share() {
            true => Self::unfiltered(explain::does_not_shrink(ratio)),
            false => Self::shrunk(chosen, reason, ratio),
        }
    }

    fn shrunk(chosen: Chosen, reason: String, ratio: f64) -> Self {
        Self {
            stages: chosen.pipeline.0,
            encoder: chosen.encoder,
            ratio: Some(ratio),
            reason,
            tried: Vec::new(),
        }
    }

    /// The default without samples: shuffle, and a middling level.
    fn untried(element: ElementType, wishes: &FilterWishes) -> Self {
        let mut stages = Vec::new();
        if element.size_bytes >= 2 && wishes.shuffle != ShuffleWish::Off {
            stages.push(shuffle_spec(element));
        }
        let encoder = match wishes.reader_level {
            ReaderLevel::Any => {
                let level = wishes.level.unwrap_or(DEFLATE_DEFAULT);
                stages.push(deflate_spec(level));
                Some(DeflateEncoder::Libdeflate(level.cast_signed()))
            }
            ReaderLevel::Plugins | ReaderLevel::Frazil => {
                let level = wishes.level.unwrap_or(ZSTD_DEFAULT);
                stages.push(FilterSpec::new(filter_id::ZSTD, vec![level]));
                None
            }
        };
        let reason = explain::no_samples(&summary(&stages));
        Self {
            stages,
            encoder,
            ratio: None,
            reason,
            tried: Vec::new(),
        }
    }
}

fn summary(stages: &[FilterSpec]) -> String {
    FilterPipeline(stages.to_vec()).summary()
}

/// Decides the shuffle, then the level, and gives up on data that do not shrink.
fn try_filters(trial: &mut Trial<'_>, wishes: &FilterWishes) -> Result<Fresh, PlanError> {
    let cheapest = match wishes.reader_level {
        ReaderLevel::Any => Compressor::Deflate(DeflateEncoder::Libdeflate(1)),
        ReaderLevel::Plugins | ReaderLevel::Frazil => Compressor::Zstd(ZSTD_DEFAULT),
    };
    let shuffle = try_shuffle(trial, wishes.shuffle, cheapest)?;
    let level = match (wishes.reader_level, wishes.level) {
        (ReaderLevel::Any, Some(level)) => {
            let chunk_bytes = wishes.chunk_bytes.unwrap_or(DEFAULT_TARGET_BYTES);
            reach_zlib(trial, shuffle.on, level.cast_signed(), chunk_bytes)?
        }
        (ReaderLevel::Any, None) => {
            let candidates = DEFLATE_CANDIDATES
                .map(|level| Compressor::Deflate(DeflateEncoder::Libdeflate(level)));
            lowest_good(trial, shuffle.on, &candidates)?
        }
        (ReaderLevel::Plugins | ReaderLevel::Frazil, Some(level)) => {
            lowest_good(trial, shuffle.on, &[Compressor::Zstd(level)])?
        }
        (ReaderLevel::Plugins | ReaderLevel::Frazil, None) => {
            lowest_good(trial, shuffle.on, &ZSTD_CANDIDATES.map(Compressor::Zstd))?
        }
    };
    let ratio = level.bytes as f64 / trial.raw_bytes() as f64;
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

/// The outcome of the shuffle trial.
struct Shuffle {
    on: bool,
    why: &'static str,
}

fn try_shuffle(
    trial: &mut Trial<'_>,
    wish: ShuffleWish,
    compressor: Compressor,
) -> Result<Shuffle, PlanError> {
    let decided = |on, why| Shuffle { on, why };
    if trial.element().size_bytes < 2 {
        return Ok(decided(false, "single bytes need no shuffle"));
    }
    match wish {
        ShuffleWish::On => return Ok(decided(true, "shuffle as asked")),
        ShuffleWish::Off => return Ok(decided(false, "no shuffle as asked")),
        ShuffleWish::Auto => {}
    }
    let plain = trial.encoded_bytes(false, compressor)?;
    let shuffled = trial.encoded_bytes(true, compressor)?;
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

/// The fresh choice with its checksum, unless the current storage is as good.
fn kept_or(
    fresh: Fresh,
    element: ElementType,
    wishes: &FilterWishes,
    current: Option<&CurrentStorage<'_>>,
) -> FilterChoice {
    let mut stages = fresh.stages;
    let has_one = stages.iter().any(|stage| stage.id == filter_id::FLETCHER32);
    if !has_one && carries_checksum(!stages.is_empty(), wishes, current) {
        stages.push(FilterSpec::new(filter_id::FLETCHER32, Vec::new()));
    }
    if let Some(now) = current.filter(|now| now.keepable) {
        let share = match wishes.goal {
            Goal::Balanced | Goal::Speed | Goal::Energy => BETTER_SHARE,
            Goal::Size | Goal::Archive => SMALLER_SHARE,
        };
        let better = fresh.ratio.is_some_and(|ratio| ratio <= now.ratio * share);
        let as_good = !better && agrees(now.pipeline, element, wishes);
        if as_good || (fresh.encoder.is_none() && stages == now.pipeline.0) {
            return FilterChoice {
                pipeline: now.pipeline.clone(),
                deflate_encoder: None,
                predicted_ratio: now.ratio,
                keep_current: true,
                // Why there are none says more than that there are none.
                reason: match now.pipeline.is_empty() && stages.is_empty() {
                    true => fresh.reason,
                    false => explain::kept_filters(
                        &now.pipeline.summary(),
                        now.ratio,
                        fresh.ratio,
                        &wishes.weighing.floors(),
                    ),
                },
                tried: fresh.tried,
            };
        }
    }
    FilterChoice {
        pipeline: FilterPipeline(stages),
        deflate_encoder: fresh.encoder,
        predicted_ratio: fresh.ratio.unwrap_or(1.0),
        keep_current: false,
        reason: fresh.reason,
        tried: fresh.tried,
    }
}

/// Whether the output carries a checksum: an existing one always, a wished one where it can.
fn carries_checksum(
    compressed: bool,
    wishes: &FilterWishes,
    current: Option<&CurrentStorage<'_>>,
) -> bool {
    let has_one = current.is_some_and(|now| now.pipeline.contains(filter_id::FLETCHER32));
    has_one || (wishes.checksum && (compressed || wishes.chunk_bytes.is_some()))
}

/// Whether a pipeline is one that the wishes could have led to.
fn agrees(pipeline: &FilterPipeline, element: ElementType, wishes: &FilterWishes) -> bool {
    if let Some(chain) = &wishes.chain {
        // Checksums are carried over, stated or not.
        let asked = chain.resolve(element, &wishes.chunk);
        let compressing = |pipeline: &FilterPipeline| -> Vec<(i32, Vec<u32>)> {
            let stages = pipeline.0.iter();
            let kept = stages.filter(|stage| stage.id != filter_id::FLETCHER32);
            kept.map(|stage| (stage.id, stage.cd_values.clone()))
                .collect()
        };
        let checked = |pipeline: &FilterPipeline| pipeline.contains(filter_id::FLETCHER32);
        let checksum_agrees = checked(pipeline) || !(wishes.checksum || checked(&asked));
        return checksum_agrees && compressing(&asked) == compressing(pipeline);
    }
    let holds_level = |level: u32| {
        pipeline.0.iter().any(|stage| {
            matches!(stage.id, filter_id::DEFLATE | filter_id::ZSTD)
                && stage.cd_values.first() == Some(&level)
        })
    };
    let level_agrees = match wishes.level {
        None => true,
        Some(0) => pipeline
            .0
            .iter()
            .all(|stage| stage.id == filter_id::FLETCHER32),
        Some(level) => holds_level(level),
    };
    let shuffle_agrees = match wishes.shuffle {
        ShuffleWish::Auto => true,
        ShuffleWish::On => element.size_bytes < 2 || pipeline.contains(filter_id::SHUFFLE),
        ShuffleWish::Off => !pipeline.contains(filter_id::SHUFFLE),
    };
    let checksum_agrees = !wishes.checksum || pipeline.contains(filter_id::FLETCHER32);
    level_agrees
        && shuffle_agrees
        && checksum_agrees
        && wishes.is_read_fast_enough(pipeline)
        && pipeline.reader_level() <= wishes.reader_level
}
