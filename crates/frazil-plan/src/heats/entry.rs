//! Candidates as a variable will have them, and what they keep of its samples.

use frazil_types::FilterPipeline;

use super::Tried;
use crate::candidates::CandidateFilters;
use crate::error::PlanError;
use crate::trial::{Chosen, Trial, TriedChain};

/// A candidate as the variable will have it.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) candidate: &'static CandidateFilters,
    pub(super) pipeline: FilterPipeline,
    /// Stored bytes by raw bytes, of what it was tried on last; or [`super::UNKNOWN`].
    pub(super) share: f64,
    /// The least share of all samples that is likely, where `share` is an estimate of it.
    pub(super) hope: Option<f64>,
}

impl Entry {
    /// Whether what is the same as long before takes next to no bytes.
    pub(super) fn finds_repetitions(&self) -> bool {
        !self.candidate.family().ends_with("pcodec")
    }

    pub(super) fn is_slow(&self) -> bool {
        self.candidate.is_slow()
    }

    pub(super) fn tried(&self) -> TriedChain {
        TriedChain {
            filters: self.pipeline.summary(),
            share: self.share,
        }
    }

    pub(super) fn finish(self, raw_bytes: f64) -> Tried {
        Tried {
            candidate: self.candidate,
            chosen: Chosen {
                pipeline: self.pipeline,
                encoder: self.candidate.encoder(),
                bytes: (self.share * raw_bytes).round() as u64,
            },
        }
    }
}

/// Candidates, of those that are the same filters for this variable the first.
pub(super) fn entries(trial: &Trial<'_>, shortlist: &[&'static CandidateFilters]) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    for &candidate in shortlist {
        let pipeline = trial.resolve(candidate.chain());
        let is_known = |one: &Entry| {
            one.pipeline == pipeline && one.candidate.encoder() == candidate.encoder()
        };
        // Differences without a compressor, where pcodec and the like mean nothing.
        if pipeline.is_empty() || found.iter().any(is_known) {
            continue;
        }
        found.push(Entry {
            candidate,
            pipeline,
            share: 1.0,
            hope: None,
        });
    }
    found
}

/// The share that filters keep of all samples, one of which may be known.
pub(super) fn on_all(
    trial: &mut Trial<'_>,
    entry: &Entry,
    known: Option<usize>,
) -> Result<f64, PlanError> {
    let samples = trial.samples();
    let mut stored = 0.0;
    for (i, sample) in samples.iter().enumerate() {
        stored += match known == Some(i) {
            true => entry.share * sample.len() as f64,
            false => trial.bytes_with(entry.candidate, sample)? as f64,
        };
    }
    Ok(stored / trial.raw_bytes() as f64)
}
