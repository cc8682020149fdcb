//! From samples to the whole: what a variable is likely to take, and how sure that is.

use super::{CurrentStorage, FilterWishes};
use crate::trial::Trial;

/// Nine of ten lie within so many standard errors.
const NINE_OF_TEN: f64 = 1.645;
/// What a standard error does not know of: samples may be unlike all the rest.
const UNSEEN: f64 = 0.02;
/// Of one sample nothing is known about how much samples differ.
const OF_ONE: f64 = 0.25;

/// Stored bytes by raw bytes of a whole variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The likeliest.
    pub ratio: f64,
    /// Half of the range in which nine of ten lie, by the ratio.
    pub uncertainty: f64,
}

impl Estimate {
    /// From the least to the most that nine of ten come to.
    #[must_use]
    pub fn range(self) -> [f64; 2] {
        let half = self.ratio * self.uncertainty;
        [(self.ratio - half).max(0.0), self.ratio + half]
    }
}

/// How a whole variable differs from its samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Whole {
    /// How much larger the whole is than the samples in the input: its own filters have seen all of it,
    /// and what was never written is known.
    correction: f64,
    /// The share of the raw bytes that no sample has.
    unseen: f64,
    /// Whether the input's filters say how samples differ from the rest.
    is_compressed: bool,
}

impl Default for Whole {
    /// Samples are all of it.
    fn default() -> Self {
        Self {
            correction: 1.0,
            unseen: 0.0,
            is_compressed: false,
        }
    }
}

impl Whole {
    /// What is known of a variable whose samples a trial has.
    pub(super) fn of(
        trial: &mut Trial<'_>,
        wishes: &FilterWishes,
        current: Option<&CurrentStorage<'_>>,
    ) -> Self {
        let raw_bytes = wishes.raw_bytes.unwrap_or(u64::MAX).max(1);
        let known = current.filter(|now| now.sampled_ratio > 0.0);
        Self {
            correction: known.map_or(1.0, |now| now.ratio / ratio_of_samples(now, trial)),
            unseen: 1.0 - (trial.raw_bytes() as f64 / raw_bytes as f64).min(1.0),
            is_compressed: known.is_some_and(|now| !now.pipeline.is_empty()),
        }
    }

    /// Whether samples are all of the variable.
    pub(super) fn is_seen(&self) -> bool {
        self.unseen == 0.0
    }

    /// What filters come to on all of the variable that keep `share` of the samples' raw bytes, with this
    /// standard error ([`spread`]).
    #[must_use]
    pub fn estimate(&self, share: f64, spread: f64) -> Estimate {
        if self.is_seen() {
            return Estimate {
                ratio: share,
                uncertainty: 0.0,
            };
        }
        // What the input's sizes tell is no longer unknown; the more they correct, the less is it certain.
        let uncertainty = match self.is_compressed {
            true => {
                let corrected = self.correction.ln().abs() / 10.0;
                NINE_OF_TEN * spread.min(OF_ONE) / 4.0 + UNSEEN + corrected
            }
            false => NINE_OF_TEN * spread + UNSEEN,
        };
        Estimate {
            ratio: (share * self.correction).min(1.0),
            uncertainty: self.unseen.sqrt() * uncertainty,
        }
    }
}

/// What the input's filters make of the samples: of all that lies in the same chunks, unless the samples
/// are a part of it that these filters can be tried on.
fn ratio_of_samples(now: &CurrentStorage<'_>, trial: &mut Trial<'_>) -> f64 {
    if !now.is_sampled_in_part || now.pipeline.is_empty() {
        return now.sampled_ratio;
    }
    let Ok(sizes) = trial.sizes(&now.pipeline.0, None) else {
        return now.sampled_ratio;
    };
    let (raw, stored) = (sizes.iter()).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    match stored {
        0 => now.sampled_ratio,
        _ => stored as f64 / raw as f64,
    }
}

/// The standard error of the stored share of samples, by that share; `sizes`: raw and stored bytes of each.
#[must_use]
pub fn spread(sizes: &[(usize, usize)]) -> f64 {
    if sizes.len() < 2 {
        return OF_ONE;
    }
    let sums = sizes.iter();
    let (raw, stored) = sums.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let ratio = stored as f64 / (raw as f64).max(1.0);
    let count = sizes.len() as f64;
    let differences = sizes
        .iter()
        .map(|&(raw, stored)| (stored as f64 - ratio * raw as f64).powi(2));
    let variance = differences.sum::<f64>() / (count - 1.0);
    variance.sqrt() * count.sqrt() / (stored as f64).max(1.0)
}
