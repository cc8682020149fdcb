//! Which filters, at which level, by trial on samples.
//!
//! What the user asks ([`wishes`]) and what samples shrink to lead to a choice, which counts unless
//! the current storage is as good ([`current`]). With a goal a decision tree names what is tried
//! ([`crate::advised`]); without one shuffle and level are ([`by_trial`]).

mod by_trial;
mod current;
mod wishes;

use frazil_codec::Scratch;
use frazil_types::{
    DeflateEncoder, ElementClass, ElementType, FilterChain, FilterPipeline, FilterSpec,
    ReaderLevel, filter_id,
};

use crate::advised;
use crate::candidates::candidate;
use crate::error::PlanError;
use crate::explain;
use crate::goal::Goal;
use crate::trial::{Chosen, Trial, TriedChain, deflate_spec, shuffle_spec};
use by_trial::try_filters;
pub use current::CurrentStorage;
use current::kept_or;
pub use wishes::{FilterWishes, ShuffleWish};

/// A level is as good as the best if its size is within this factor.
pub(crate) const LEVEL_SLACK: f64 = 1.03;

/// Level used where there are no data to try.
const DEFLATE_DEFAULT: u32 = 4;
const ZSTD_DEFAULT: u32 = 3;

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
    /// What is stored now, in its own chunk shape, would do as well, should the choice come out larger.
    pub may_stay: bool,
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
    wishes.check_level()?;
    let fresh = choose_fresh(samples, element, wishes, scratch)?;
    Ok(kept_or(fresh, element, wishes, current))
}

fn choose_fresh(
    samples: &[Vec<u8>],
    element: ElementType,
    wishes: &FilterWishes,
    scratch: &mut Scratch,
) -> Result<Fresh, PlanError> {
    if wishes.level == Some(0) {
        return Ok(Fresh::unfiltered(explain::no_compression_asked()));
    }
    if element.class == ElementClass::Indirect {
        return Ok(Fresh::unfiltered(explain::indirect()));
    }
    if let Some(chain) = &wishes.chain {
        return as_asked(samples, element, chain, wishes, scratch);
    }
    let mut trial = Trial::new(samples, element, &wishes.chunk, scratch);
    if trial.raw_bytes() == 0 {
        return Ok(Fresh::untried(element, wishes));
    }
    if wishes.level.is_none() && wishes.weighing.decides(wishes.goal) {
        return by_goal(&mut trial, wishes);
    }
    let best = try_filters(&mut trial, wishes)?;
    match wishes.level {
        // Without a wish, frazil's own filters compete where they may.
        None if wishes.reader_level == ReaderLevel::Frazil => {
            better_by_own(best, &mut trial, wishes)
        }
        _ => Ok(best),
    }
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
    let pipeline = chain.resolve(element, &wishes.chunk);
    let level = pipeline
        .position(filter_id::DEFLATE)
        .and_then(|stage| pipeline.0[stage].cd_values.first().copied());
    let encoder = level.map(|level| DeflateEncoder::Libdeflate(level.cast_signed()));
    let mut trial = Trial::new(samples, element, &wishes.chunk, scratch);
    let mut ratio = None;
    if trial.raw_bytes() > 0 {
        let mut bytes = 0;
        for sample in samples {
            bytes += trial.bytes_of(chain, encoder, sample)?;
        }
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
fn better_by_own(
    other: Fresh,
    trial: &mut Trial<'_>,
    wishes: &FilterWishes,
) -> Result<Fresh, PlanError> {
    let beaten = candidate(&summary(&other.stages));
    let Some((chosen, reason)) = advised::own_filters(trial, wishes, beaten)? else {
        return Ok(other);
    };
    let own = Fresh::tried(chosen, reason, trial.raw_bytes());
    let limit = other.ratio.unwrap_or(1.0) / LEVEL_SLACK;
    let is_better = own.ratio.is_some_and(|ratio| ratio < limit);
    Ok(if is_better { own } else { other })
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

    /// The default without samples: shuffle, and a middling level, or a lower one where that is too
    /// slow; nothing where all are.
    fn untried(element: ElementType, wishes: &FilterWishes) -> Self {
        let shuffles = element.size_bytes >= 2 && wishes.shuffle != ShuffleWish::Off;
        let (family, default) = match (wishes.reader_level, shuffles) {
            (ReaderLevel::Any, true) => ("shuffle+deflate", DEFLATE_DEFAULT),
            (ReaderLevel::Any, false) => ("deflate", DEFLATE_DEFAULT),
            (_, true) => ("shuffle+zstd", ZSTD_DEFAULT),
            (_, false) => ("zstd", ZSTD_DEFAULT),
        };
        let Some(level) = wishes.level.or_else(|| wishes.level_to(family, default)) else {
            return Self::unfiltered(explain::too_slow(&wishes.all_floors()));
        };
        let mut stages: Vec<FilterSpec> = Vec::new();
        stages.extend(shuffles.then(|| shuffle_spec(element)));
        let encoder = match wishes.reader_level {
            ReaderLevel::Any => {
                stages.push(deflate_spec(level));
                Some(DeflateEncoder::Libdeflate(level.cast_signed()))
            }
            ReaderLevel::Plugins | ReaderLevel::Frazil => {
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
