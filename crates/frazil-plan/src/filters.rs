//! Which filters, at which level, by trial on samples.
//!
//! What the user asks ([`crate::requests`]) and what samples shrink to lead to a choice, which counts unless
//! the current storage is as good ([`current`]). A contest chooses ([`crate::contest`]); where a level
//! is stated, only shuffle and encoder are open ([`stated_level`]).

mod confirmed;
mod current;
mod estimate;
mod stated_level;

use frazil_types::{
    DeflateEncoder, ElementClass, ElementType, FilterChain, FilterPipeline, FilterSpec,
    ReaderLevel, filter_id,
};

use crate::choice::{self, Rival};
use crate::error::PlanError;
use crate::explain;
use crate::requests::{FilterOptions, ShuffleRequest};
use crate::spread::spread;
use crate::trial::{Chosen, Trial, TriedChain, deflate_spec, shuffle_spec};
use crate::trial_sizes::TrialSizes;
pub use confirmed::confirmed;
pub use current::CurrentStorage;
use current::kept_or;
pub use estimate::{Estimate, Whole};
use stated_level::at_level;

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
    /// Stored bytes per raw byte expected of the whole variable; 1 where no trial was made.
    pub predicted_ratio: f64,
    /// Half of the range that nine of ten variables lie in, by that ratio.
    pub uncertainty: f64,
    /// What the whole variable takes at least, nine times of ten, by what deciding knows: predictions know more.
    pub least_ratio: f64,
    /// Stored bytes per raw byte of the samples and the standard error of that, where there are filters.
    pub sampled: Option<(f64, f64)>,
    /// How samples tell of the whole variable.
    pub whole: Whole,
    /// Copy the stored chunks as they are; `pipeline` is then the current one.
    pub keep_current: bool,
    /// What is stored now, in its own chunk shape, would do as well, should the choice come out larger.
    pub may_stay: bool,
    /// Filters of the stored chunks, which could be copied as they are, where finalists are compared with them.
    pub keepable: Option<FilterPipeline>,
    /// Why, in one line.
    pub reason: String,
    /// What was tried to the end, then what was given up; empty where nothing was compared.
    pub tried: Vec<TriedChain>,
    /// What may be better on more of the variable than the samples are, the chosen first; empty where the
    /// goal is not a small file, or the samples are all of it.
    pub finalists: Vec<Finalist>,
    /// By how much finalists may be larger than the smallest and count as equal.
    pub ratio_tolerance: f64,
}

impl FilterChoice {
    /// Foretells that whole chunks come out by this factor larger than samples that are parts of them;
    /// `of_chunks`: what is known of these chunks as it is of the whole.
    pub fn foretell_in_whole_chunks(&mut self, factor: f64, of_chunks: f64) {
        self.foretell(self.whole.in_whole_chunks(factor, of_chunks));
    }

    fn foretell(&mut self, whole: Whole) {
        self.whole = whole;
        if let Some((share, spread)) = self.sampled.filter(|_| !self.keep_current) {
            let foretold = whole.estimate(share, spread);
            self.predicted_ratio = foretold.ratio;
            self.uncertainty = foretold.uncertainty;
        }
    }
}

/// Filters that may be the best for the whole variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Finalist {
    /// Filters of the output, in writing order.
    pub pipeline: FilterPipeline,
    /// Encoder behind a deflate stage.
    pub deflate_encoder: Option<DeflateEncoder>,
    /// What encoding and decoding a megabyte once take.
    pub seconds: f64,
}

/// Chooses the filters of one variable from samples of its raw bytes.
///
/// Each sample is a run of whole elements (see [`crate::sample_window`]). With a stated deflate
/// level the result has at most about zlib's size at that level, from the fastest encoder that
/// reaches it. An existing Fletcher-32 checksum is always carried over. `encodings` encodes the samples: a
/// [`Scratch`](frazil_codec::Scratch) does.
///
/// # Errors
/// [`PlanError::Level`] for a level the compressor does not have; [`PlanError::Codec`] if a trial
/// fails.
pub fn choose_filters(
    samples: &[Vec<u8>],
    element: ElementType,
    requests: &FilterOptions,
    current: Option<&CurrentStorage<'_>>,
    encodings: &mut dyn TrialSizes,
) -> Result<FilterChoice, PlanError> {
    requests.check_level()?;
    let mut trial = Trial::new(
        samples,
        element,
        &requests.chunk,
        encodings,
        requests.padding,
    );
    let mut fresh = worth_its_index(choose_fresh(&mut trial, requests)?, requests);
    if fresh.stages.is_empty() && fresh.ratio.is_some() {
        fresh.ratio = Some(requests.share_of_none);
    }
    let whole = Whole::of(&mut trial, requests, current);
    let sampled = sampled_share(&whole, &fresh, &mut trial)?;
    let estimate = match sampled {
        Some((share, spread)) => whole.estimate(share, spread),
        None => Estimate {
            ratio: fresh.ratio.unwrap_or(1.0),
            uncertainty: 0.0,
        },
    };
    let mut choice = kept_or(fresh, estimate, element, requests, current);
    // Windows are there for predictions only: they must not change what is chosen.
    choice.sampled = sampled;
    choice.foretell(whole.for_prediction(&mut trial, current));
    choice.ratio_tolerance = requests.ratio_tolerance().unwrap_or(0.0);
    if choice.keep_current || requests.raw_bytes.is_none() || whole.is_seen() {
        choice.finalists.clear();
        choice.keepable = None;
    }
    if choice.keepable.is_some() && choice.finalists.is_empty() && !choice.pipeline.is_empty() {
        choice.finalists.push(Finalist {
            pipeline: choice.pipeline.clone(),
            deflate_encoder: choice.deflate_encoder,
            // It has no rivals but what is stored now.
            seconds: 0.0,
        });
    }
    Ok(choice)
}

/// What the fresh filters keep of the samples' bytes, and the standard error of that; `None`: there are no
/// filters, or nothing was tried.
fn sampled_share(
    whole: &Whole,
    fresh: &Fresh,
    trial: &mut Trial<'_>,
) -> Result<Option<(f64, f64)>, PlanError> {
    let Some(share) = fresh.ratio.filter(|_| !fresh.stages.is_empty()) else {
        return Ok(None);
    };
    let spread = match fresh.spread {
        Some(spread) => spread,
        None if whole.is_seen() => 0.0,
        None => spread(&trial.sizes(&fresh.stages, fresh.encoder)?),
    };
    Ok(Some((share, spread)))
}

fn choose_fresh(trial: &mut Trial<'_>, requests: &FilterOptions) -> Result<Fresh, PlanError> {
    if requests.level == Some(0) {
        let reason = match requests.chunk_bytes {
            Some(_) => explain::no_compression_asked(),
            None => explain::contiguous(),
        };
        return Ok(Fresh::unfiltered(reason));
    }
    if trial.element().class == ElementClass::Indirect {
        return Ok(Fresh::unfiltered(explain::indirect()));
    }
    if let Some(chain) = &requests.chain {
        return as_asked(trial, chain, requests);
    }
    if trial.raw_bytes() == 0 {
        return Ok(Fresh::untried(trial.element(), requests));
    }
    match requests.level {
        Some(level) => at_level(trial, level, requests),
        None => by_contest(trial, requests),
    }
}

/// The choice, unless an index of chunks takes what filters save.
fn worth_its_index(fresh: Fresh, requests: &FilterOptions) -> Fresh {
    let (Some(raw_bytes), Some(ratio), None) = (requests.raw_bytes, fresh.ratio, &requests.chain)
    else {
        return fresh;
    };
    let saved = (1.0 - ratio) * raw_bytes as f64;
    match fresh.stages.is_empty() || saved > requests.index_bytes as f64 {
        true => fresh,
        false => Fresh::unfiltered(explain::index_takes_more(ratio, requests.index_bytes)),
    }
}

fn by_contest(trial: &mut Trial<'_>, requests: &FilterOptions) -> Result<Fresh, PlanError> {
    let raw_bytes = trial.raw_bytes();
    let Some(found) = choice::choose(trial, requests)? else {
        let floors = requests.all_floors();
        return Ok(Fresh::unfiltered(explain::too_slow(&floors)));
    };
    let ratio = found.chosen.bytes as f64 / raw_bytes as f64;
    let fresh = match found.pays {
        true => Fresh::shrunk(found.chosen, found.reason, ratio),
        false => Fresh::unfiltered(found.reason),
    };
    // Size alone decides: for other goals samples say enough.
    let is_small_file =
        requests.goal.ratio_tolerance().is_some() && requests.weighing.weights.is_none();
    Ok(Fresh {
        tried: found.tried,
        rivals: match found.pays && is_small_file {
            true => found.rivals,
            false => Vec::new(),
        },
        ..fresh
    })
}

/// The filters that somebody stated, for the variable's elements.
fn as_asked(
    trial: &mut Trial<'_>,
    chain: &FilterChain,
    requests: &FilterOptions,
) -> Result<Fresh, PlanError> {
    let pipeline = trial.resolve(chain);
    let level = pipeline
        .position(filter_id::DEFLATE)
        .and_then(|stage| pipeline.0[stage].cd_values.first().copied());
    let encoder = level.map(|level| DeflateEncoder::Libdeflate(level.cast_signed()));
    // Filters that state the chunk's extents fit no part of it: those of samples are resolved anew.
    let sizes = trial.sizes_of_chain(chain, encoder)?;
    let stored: usize = sizes.iter().map(|&(_, stored)| stored).sum();
    let ratio = match trial.raw_bytes() {
        0 => None,
        raw_bytes => Some(stored as f64 / raw_bytes as f64),
    };
    Ok(Fresh {
        reason: explain::chain_asked(&pipeline.summary(), requests.chain_origin, ratio),
        encoder,
        ratio,
        spread: Some(spread(&sizes)),
        ..Fresh::of(pipeline.0)
    })
}

/// A choice made without looking at the current storage and the checksum.
struct Fresh {
    stages: Vec<FilterSpec>,
    encoder: Option<DeflateEncoder>,
    /// Stored bytes per raw byte; `None` if nothing was tried.
    ratio: Option<f64>,
    /// Its standard error, where it is known already.
    spread: Option<f64>,
    reason: String,
    tried: Vec<TriedChain>,
    rivals: Vec<Rival>,
}

impl Fresh {
    /// These filters, of which nothing else is known.
    fn of(stages: Vec<FilterSpec>) -> Self {
        Self {
            stages,
            encoder: None,
            ratio: None,
            spread: None,
            reason: String::new(),
            tried: Vec::new(),
            rivals: Vec::new(),
        }
    }

    fn unfiltered(reason: String) -> Self {
        Self {
            ratio: Some(1.0),
            reason,
            ..Self::of(Vec::new())
        }
    }

    fn shrunk(chosen: Chosen, reason: String, ratio: f64) -> Self {
        Self {
            encoder: chosen.encoder,
            ratio: Some(ratio),
            spread: Some(chosen.spread),
            reason,
            ..Self::of(chosen.pipeline.0)
        }
    }

    /// The default without samples: shuffle, and a middling level, or a lower one where that is too
    /// slow; nothing where all are.
    fn untried(element: ElementType, requests: &FilterOptions) -> Self {
        let shuffles = element.size_bytes >= 2 && requests.shuffle != ShuffleRequest::Off;
        let (family, default) = match (requests.reader_level, shuffles) {
            (ReaderLevel::Any, true) => ("shuffle+deflate", DEFLATE_DEFAULT),
            (ReaderLevel::Any, false) => ("deflate", DEFLATE_DEFAULT),
            (_, true) => ("shuffle+zstd", ZSTD_DEFAULT),
            (_, false) => ("zstd", ZSTD_DEFAULT),
        };
        let Some(level) = requests
            .level
            .or_else(|| requests.level_to(family, default))
        else {
            return Self::unfiltered(explain::too_slow(&requests.all_floors()));
        };
        let mut stages: Vec<FilterSpec> = Vec::new();
        stages.extend(shuffles.then(|| shuffle_spec(element)));
        let encoder = match requests.reader_level {
            ReaderLevel::Any => {
                stages.push(deflate_spec(level));
                Some(DeflateEncoder::Libdeflate(level.cast_signed()))
            }
            ReaderLevel::Plugins | ReaderLevel::Frazil => {
                stages.push(FilterSpec::new(filter_id::ZSTD, vec![level]));
                None
            }
        };
        Self {
            reason: explain::no_samples(&summary(&stages)),
            encoder,
            ..Self::of(stages)
        }
    }
}

fn summary(stages: &[FilterSpec]) -> String {
    FilterPipeline(stages.to_vec()).summary()
}
