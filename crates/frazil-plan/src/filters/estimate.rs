//! From samples to the whole: what a variable is likely to take, and how sure that is.

use frazil_types::FilterSpec;

use super::CurrentStorage;
use crate::requests::FilterOptions;
use crate::spread::{OF_ONE, share, spread};
use crate::trial::{Compressor, Trial, shuffle_spec};

/// Nine of ten lie within so many standard errors.
const NINE_OF_TEN: f64 = 1.645;
/// What a standard error does not know of: samples may be unlike all the rest.
const UNSEEN: f64 = 0.02;
/// Of shares far below, one says nothing about another: values are all alike, and filters differ in what
/// they need to say so.
const ALIKE: f64 = 0.02;
/// If none of `n` places has a property, then nine times of ten no more than `LN_TEN / n` of all places have it.
const LN_TEN: f64 = std::f64::consts::LN_10;

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
    /// Stored bytes per raw byte of the samples and of the whole, by filters that have seen both.
    of_samples: f64,
    of_whole: f64,
    /// How much larger whole chunks come out than samples that are parts of them.
    per_chunk: f64,
    /// The share of the raw bytes that no sample has.
    unseen: f64,
    known: Known,
    /// Another figure for `of_samples`, where either may be the better one.
    or_of_samples: Option<f64>,
}

/// What is known of a whole variable and of its samples alike.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Known {
    Nothing,
    /// What the input's own filters made of it.
    StoredBytes,
    /// The same, of values that are to be rounded.
    BytesBeforeRounding,
    /// What fast filters make of windows all over it.
    Windows {
        /// The standard error of their share.
        spread: f64,
        count: usize,
    },
}

impl Default for Whole {
    /// Samples are all of it.
    fn default() -> Self {
        Self {
            of_samples: 1.0,
            of_whole: 1.0,
            per_chunk: 1.0,
            unseen: 0.0,
            known: Known::Nothing,
            or_of_samples: None,
        }
    }
}

impl Whole {
    /// What is known of a variable whose samples a trial has.
    pub(super) fn of(
        trial: &mut Trial<'_>,
        requests: &FilterOptions,
        current: Option<&CurrentStorage<'_>>,
    ) -> Self {
        let raw_bytes = requests.raw_bytes.unwrap_or(u64::MAX).max(1);
        let unseen = 1.0 - (trial.raw_bytes() as f64 / raw_bytes as f64).min(1.0);
        let Some(now) = current.filter(|now| now.sampled_ratio > 0.0) else {
            return Self {
                unseen,
                ..Self::default()
            };
        };
        Self {
            of_samples: ratio_of_samples(now, trial),
            of_whole: now.ratio,
            per_chunk: 1.0,
            unseen,
            or_of_samples: None,
            known: match (now.pipeline.is_empty(), now.is_rounded) {
                (true, _) => Known::Nothing,
                (false, false) => Known::StoredBytes,
                (false, true) => Known::BytesBeforeRounding,
            },
        }
    }

    /// The same for predictions: with what windows all over the variable tell, where there are any. Where chunks get
    /// another shape, the input's filters may keep other shares for that alone: then what they kept of all chunks
    /// that samples lie in may tell more, or less, than what they make of the samples.
    pub(super) fn for_prediction(
        self,
        trial: &mut Trial<'_>,
        current: Option<&CurrentStorage<'_>>,
    ) -> Self {
        let Some(now) = current.filter(|now| now.sampled_ratio > 0.0) else {
            return self;
        };
        let is_stored = !matches!(self.known, Known::Nothing | Known::Windows { .. });
        if is_stored && !now.keeps_shape {
            return Self {
                or_of_samples: Some(now.sampled_ratio),
                ..self
            };
        }
        match by_windows(trial, now.windows).filter(|_| self.known == Known::Nothing) {
            Some((of_samples, of_whole, known)) => Self {
                of_samples,
                // Of what was never written there are no windows.
                of_whole: of_whole * self.of_whole / self.of_samples,
                known,
                ..self
            },
            None => self,
        }
    }

    /// Whether samples are all of the variable.
    pub(super) fn is_seen(&self) -> bool {
        self.unseen == 0.0
    }

    /// The same where whole chunks come out by this factor larger than samples that are parts of them;
    /// `of_chunks`: what the input's filters keep of these chunks.
    pub(super) fn in_whole_chunks(self, factor: f64, of_chunks: f64) -> Self {
        Self {
            of_samples: of_chunks,
            per_chunk: factor,
            ..self
        }
    }

    /// What filters keep of the whole that keep `share` of the samples: as much more or less as what is known of
    /// both differs. What is more does not shrink as the samples do, where these are all alike.
    fn share_of_whole(&self, share: f64, samples: f64) -> f64 {
        let whole = self.of_whole;
        let share_of_whole = match whole > samples {
            true => share + (whole - samples) * (share + ALIKE) / (samples + ALIKE),
            false => share * whole / samples,
        };
        (share_of_whole * self.per_chunk).min(1.0)
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
        let of_samples = [Some(self.of_samples), self.or_of_samples];
        let [one, other] = of_samples.map(|known| known.unwrap_or(self.of_samples));
        let [one, other] = [one, other].map(|samples| self.share_of_whole(share, samples));
        let ratio = f64::midpoint(one, other);
        let doubt = (one - other).abs() / (one + other);
        // The more is corrected, the less is it certain.
        let correction = (ratio / share).ln().abs();
        // What is known of the whole is no longer uncertain.
        let rest = spread.min(OF_ONE) / 4.0;
        let uncertainty = match self.known {
            Known::Nothing => NINE_OF_TEN * spread,
            Known::StoredBytes => NINE_OF_TEN * rest + correction / 10.0,
            // What the samples lack may shrink by rounding more than they do, down to nothing.
            Known::BytesBeforeRounding => NINE_OF_TEN * rest + 1.0 - (-correction).exp(),
            Known::Windows { spread, count } => {
                let unlike_all = LN_TEN / count as f64 * (1.0 - ratio) / ratio;
                NINE_OF_TEN * rest.hypot(spread) + correction / 10.0 + unlike_all
            }
        };
        Estimate {
            ratio,
            uncertainty: self.unseen.sqrt() * (uncertainty + UNSEEN) + doubt,
        }
    }
}

/// What fast filters keep of windows of the samples, and of windows all over the variable. `None`: there are
/// none, or no filters for such elements.
fn by_windows(trial: &mut Trial<'_>, windows: &[Vec<u8>]) -> Option<(f64, f64, Known)> {
    let bytes = windows
        .iter()
        .map(Vec::len)
        .max()
        .filter(|&bytes| bytes > 0)?;
    let element = trial.element();
    let mut filters: Vec<FilterSpec> = Vec::new();
    filters.extend((element.size_bytes > 1).then(|| shuffle_spec(element)));
    filters.push(Compressor::Zstd(1).spec());
    let of_samples = trial.windows(bytes);
    let of_samples = trial.sizes_of(of_samples, &filters, None).ok()?;
    let windows = windows.iter().map(Vec::as_slice);
    let of_all = trial.sizes_of(windows, &filters, None).ok()?;
    let known = Known::Windows {
        spread: spread(&of_all),
        count: of_all.len(),
    };
    // Windows of the whole lie inside the array, those of samples where chunks stick out do not.
    Some((trial.share_inside(&of_samples)?, share(&of_all)?, known))
}

/// What the input's filters make of the samples: of all that lies in the same chunks, unless the samples
/// are a part of it that these filters can be tried on.
fn ratio_of_samples(now: &CurrentStorage<'_>, trial: &mut Trial<'_>) -> f64 {
    let samples = now.partly_sampled.unwrap_or_default();
    if samples.is_empty() || now.pipeline.is_empty() {
        return now.sampled_ratio;
    }
    let samples = samples.iter().map(Vec::as_slice);
    let sizes = trial.sizes_of(samples, &now.pipeline.0, None);
    let share = trial.share_inside(&sizes.unwrap_or_default());
    share.unwrap_or(now.sampled_ratio)
}
