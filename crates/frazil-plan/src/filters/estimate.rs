//! From samples to the whole: what a variable is likely to take, and how sure that is.

use frazil_types::FilterSpec;

use super::{CurrentStorage, FilterWishes, Fresh};
use crate::error::PlanError;
use crate::trial::Trial;

/// Nine of ten lie within so many standard errors.
const NINE_OF_TEN: f64 = 1.645;
/// What a standard error does not know of: samples may be unlike all the rest.
const UNSEEN: f64 = 0.02;
/// Of one sample nothing is known about how much samples differ.
const OF_ONE: f64 = 0.25;

/// Stored bytes by raw bytes of a whole variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub(super) ratio: f64,
    /// Half of the range in which nine of ten lie, by the ratio.
    pub(super) uncertainty: f64,
}

/// The ratio of the samples, corrected by how much larger the whole is than they are in the input, where
/// that is compressed: the input's own filters have seen all of it.
pub(super) fn of_whole(
    fresh: &Fresh,
    trial: &mut Trial<'_>,
    wishes: &FilterWishes,
    current: Option<&CurrentStorage<'_>>,
) -> Result<Estimate, PlanError> {
    let ratio = fresh.ratio.unwrap_or(1.0);
    let raw_bytes = wishes.raw_bytes.unwrap_or(u64::MAX).max(1);
    let unseen = 1.0 - (trial.raw_bytes() as f64 / raw_bytes as f64).min(1.0);
    if fresh.stages.is_empty() || fresh.ratio.is_none() || unseen == 0.0 {
        return Ok(Estimate {
            ratio,
            uncertainty: 0.0,
        });
    }
    let spread = standard_error(trial, &fresh.stages, fresh)?;
    let known = current.filter(|now| !now.pipeline.is_empty() && now.sampled_ratio > 0.0);
    let Some(now) = known else {
        return Ok(Estimate {
            ratio,
            uncertainty: unseen.sqrt() * (NINE_OF_TEN * spread + UNSEEN),
        });
    };
    let correction = now.ratio / now.sampled_ratio;
    Ok(Estimate {
        ratio: (ratio * correction).min(1.0),
        // What the input's sizes tell is no longer unknown; the more they correct, the less is it certain.
        uncertainty: unseen.sqrt()
            * (NINE_OF_TEN * spread.min(OF_ONE) / 4.0 + UNSEEN + correction.ln().abs() / 10.0),
    })
}

/// The standard error of the samples' ratio, by that ratio.
fn standard_error(
    trial: &mut Trial<'_>,
    stages: &[FilterSpec],
    fresh: &Fresh,
) -> Result<f64, PlanError> {
    let sizes = trial.sizes(stages, fresh.encoder)?;
    if sizes.len() < 2 {
        return Ok(OF_ONE);
    }
    let (raw, stored) = sizes
        .iter()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let ratio = stored as f64 / raw as f64;
    let count = sizes.len() as f64;
    let differences = sizes
        .iter()
        .map(|&(raw, stored)| (stored as f64 - ratio * raw as f64).powi(2));
    let variance = differences.sum::<f64>() / (count - 1.0);
    Ok(variance.sqrt() * count.sqrt() / (stored as f64).max(1.0))
}
