//! How a variable is stored now, and when that stays.

use frazil_types::{ElementType, FilterChain, FilterPipeline, FilterSpec, filter_id};

use super::estimate::{Estimate, Whole};
use super::{FilterChoice, Finalist, Fresh};
use crate::choice::Rival;
use crate::explain;
use crate::goal::Goal;
use crate::requests::{FilterOptions, ShuffleRequest};

/// Chunks are encoded again only for sizes below this share of the current one.
const BETTER_SHARE: f64 = 0.95;

/// The same where the goal is a small file.
pub(super) const SMALLER_SHARE: f64 = 0.998;

/// How the variable is stored now.
#[derive(Debug, Clone, Copy)]
pub struct CurrentStorage<'a> {
    /// Its filters.
    pub pipeline: &'a FilterPipeline,
    /// Stored bytes per raw byte of the whole variable.
    pub ratio: f64,
    /// The same of the chunks that samples come from: what trials are compared with, since a variable may not
    /// be alike everywhere.
    pub sampled_ratio: f64,
    /// The samples as the input has them, where they are only a part of those chunks: what these filters make of the
    /// samples themselves says more.
    pub partly_sampled: Option<&'a [Vec<u8>]>,
    /// The output's values are rounded, the stored ones are not.
    pub is_rounded: bool,
    /// For predictions: small windows from all over the variable, as it is to be packed, all of the same bytes
    /// but for edges. Where it has filters, their sizes tell as much.
    pub windows: &'a [Vec<u8>],
    /// The output's chunks have the shape of the stored ones: what filters keep of these says what they keep of those.
    pub keeps_shape: bool,
    /// Stored chunks could be copied as they are: the chunk shape stays.
    pub keepable: bool,
    /// The current chunk shape would do as well as the one that was chosen.
    pub may_stay: bool,
}

/// The fresh choice with its checksum, unless the current storage is as good.
pub(super) fn kept_or(
    mut fresh: Fresh,
    estimate: Estimate,
    element: ElementType,
    requests: &FilterOptions,
    current: Option<&CurrentStorage<'_>>,
) -> FilterChoice {
    let has_one = fresh.stages.iter().any(is_checksum);
    let has_checksum = !has_one && carries_checksum(!fresh.stages.is_empty(), requests, current);
    if has_checksum {
        fresh.stages.push(checksum());
    }
    let is_small = matches!(requests.goal, Goal::Size | Goal::Archive) && requests.chain.is_none();
    let keepable = current
        .filter(|now| is_small && now.keepable && agrees(now.pipeline, element, requests))
        .map(|now| now.pipeline.clone());
    let may_stay = current.is_some_and(|now| now.may_stay && does_as_well(now, element, requests));
    match current.filter(|now| now.keepable && now.is_as_good(&fresh, estimate, element, requests))
    {
        Some(now) => now.kept(fresh, requests),
        None => FilterChoice {
            pipeline: FilterPipeline(fresh.stages),
            deflate_encoder: fresh.encoder,
            predicted_ratio: estimate.ratio,
            uncertainty: estimate.uncertainty,
            least_ratio: estimate.range()[0],
            sampled: None,
            whole: Whole::default(),
            keep_current: false,
            may_stay,
            keepable,
            reason: fresh.reason,
            tried: fresh.tried,
            finalists: with_checksum(fresh.rivals, has_checksum),
            ratio_tolerance: 0.0,
        },
    }
}

fn checksum() -> FilterSpec {
    FilterSpec::new(filter_id::FLETCHER32, Vec::new())
}

/// Finalists as the output would have them.
fn with_checksum(rivals: Vec<Rival>, has_checksum: bool) -> Vec<Finalist> {
    let finish = |Rival {
                      mut chosen,
                      seconds,
                  }: Rival| {
        chosen.pipeline.0.extend(has_checksum.then(checksum));
        Finalist {
            pipeline: chosen.pipeline,
            deflate_encoder: chosen.encoder,
            seconds,
        }
    };
    rivals.into_iter().map(finish).collect()
}

impl CurrentStorage<'_> {
    fn is_as_good(
        &self,
        fresh: &Fresh,
        estimate: Estimate,
        element: ElementType,
        requests: &FilterOptions,
    ) -> bool {
        let share = match requests.goal {
            Goal::Balanced | Goal::Speed | Goal::Energy => BETTER_SHARE,
            Goal::Size | Goal::Archive => SMALLER_SHARE,
        };
        // What may be better is compared on the variable itself, where the goal is a small file.
        let hope = match requests.goal {
            Goal::Size | Goal::Archive => estimate.uncertainty,
            _ => 0.0,
        };
        let least = estimate.ratio * (1.0 - hope);
        let is_better = fresh.ratio.is_some() && least <= self.ratio * share;
        let is_same = fresh.encoder.is_none() && fresh.stages == self.pipeline.0;
        // Without filters there may be no chunks, either, and nothing that sticks out of the array.
        (is_same && !(fresh.stages.is_empty() && is_better))
            || (!is_better && agrees(self.pipeline, element, requests))
    }

    fn kept(&self, fresh: Fresh, requests: &FilterOptions) -> FilterChoice {
        // Why there are none says more than that there are none.
        let reason = match self.pipeline.is_empty() && fresh.stages.is_empty() {
            true => fresh.reason,
            false => explain::kept_filters(
                &self.pipeline.summary(),
                self.sampled_ratio,
                fresh.ratio,
                &requests.weighing.floors(),
            ),
        };
        FilterChoice {
            pipeline: self.pipeline.clone(),
            deflate_encoder: None,
            predicted_ratio: self.ratio,
            uncertainty: 0.0,
            least_ratio: self.ratio,
            sampled: None,
            whole: Whole::default(),
            keep_current: true,
            may_stay: false,
            keepable: None,
            reason,
            tried: fresh.tried,
            finalists: Vec::new(),
            ratio_tolerance: 0.0,
        }
    }
}

/// Whether the output carries a checksum: an existing one always, a requested one where it can.
fn carries_checksum(
    compressed: bool,
    requests: &FilterOptions,
    current: Option<&CurrentStorage<'_>>,
) -> bool {
    let has_one = current.is_some_and(|now| now.pipeline.contains(filter_id::FLETCHER32));
    has_one || (requests.checksum && (compressed || requests.chunk_bytes.is_some()))
}

/// Whether what is stored now serves the requests at any level: whoever states one wants smaller files. Whoever wants
/// none has no storage that may stay.
fn does_as_well(now: &CurrentStorage<'_>, element: ElementType, requests: &FilterOptions) -> bool {
    let any_level = FilterOptions {
        level: None,
        ..requests.clone()
    };
    agrees(now.pipeline, element, &any_level)
}

/// Whether a pipeline is one that the requests could have led to.
fn agrees(pipeline: &FilterPipeline, element: ElementType, requests: &FilterOptions) -> bool {
    match &requests.chain {
        Some(chain) => agrees_with_chain(pipeline, chain, element, requests),
        None => agrees_with_settings(pipeline, element, requests),
    }
}

fn agrees_with_chain(
    pipeline: &FilterPipeline,
    chain: &FilterChain,
    element: ElementType,
    requests: &FilterOptions,
) -> bool {
    let asked = chain.resolve(element, &requests.chunk);
    let wants_checksum = requests.checksum || asked.contains(filter_id::FLETCHER32);
    // Checksums are carried over, stated or not.
    let checksum_agrees = !wants_checksum || pipeline.contains(filter_id::FLETCHER32);
    let asked = asked.0.iter().filter(|stage| !is_checksum(stage));
    let stored = pipeline.0.iter().filter(|stage| !is_checksum(stage));
    checksum_agrees
        && asked
            .map(|stage| (stage.id, &stage.cd_values))
            .eq(stored.map(|stage| (stage.id, &stage.cd_values)))
}

/// By level, shuffle, checksum and readers.
fn agrees_with_settings(
    pipeline: &FilterPipeline,
    element: ElementType,
    requests: &FilterOptions,
) -> bool {
    let has_level = |level: u32| {
        pipeline.0.iter().any(|stage| {
            matches!(stage.id, filter_id::DEFLATE | filter_id::ZSTD)
                && stage.cd_values.first() == Some(&level)
        })
    };
    let level_agrees = match requests.level {
        None => true,
        Some(0) => pipeline.0.iter().all(is_checksum),
        Some(level) => has_level(level),
    };
    let shuffle_agrees = match requests.shuffle {
        ShuffleRequest::Auto => true,
        ShuffleRequest::On => element.size_bytes < 2 || pipeline.contains(filter_id::SHUFFLE),
        ShuffleRequest::Off => !pipeline.contains(filter_id::SHUFFLE),
    };
    let checksum_agrees = !requests.checksum || pipeline.contains(filter_id::FLETCHER32);
    level_agrees
        && shuffle_agrees
        && checksum_agrees
        && requests.is_read_fast_enough(pipeline)
        && pipeline.reader_level() <= requests.reader_level
}

fn is_checksum(stage: &FilterSpec) -> bool {
    stage.id == filter_id::FLETCHER32
}
