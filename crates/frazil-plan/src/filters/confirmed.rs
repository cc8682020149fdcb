//! What finalists made of more chunks than the samples have.

use super::FilterChoice;
use super::current::SMALLER_SHARE;
use crate::explain;
use crate::goal::Goal;

/// Takes the finalist that made least of some chunks, `bytes` by finalist; the chosen stays where nothing
/// is smaller by more than the goal tolerates. `whole`: raw bytes of the variable, where these are all
/// of its chunks. `current`: what is stored now of these chunks, if it may stay: it does, unless something
/// is smaller.
pub fn confirmed(
    choice: &mut FilterChoice,
    bytes: &[u64],
    current: Option<u64>,
    whole: Option<u64>,
) {
    let smallest = (0..bytes.len()).min_by_key(|&i| bytes[i]);
    let (Some(smallest), Some(&of_chosen)) = (smallest, bytes.first()) else {
        return;
    };
    let tolerance = Goal::Archive.ratio_tolerance().unwrap_or(0.0);
    let limit = of_chosen as f64 * (1.0 - tolerance);
    let taken = if (bytes[smallest] as f64) < limit {
        smallest
    } else {
        0
    };
    let on = if whole.is_some() {
        "every chunk"
    } else {
        "64 MiB"
    };
    match whole {
        Some(raw_bytes) => {
            choice.predicted_ratio = bytes[taken] as f64 / raw_bytes as f64;
            choice.uncertainty = 0.0;
        }
        None => choice.predicted_ratio *= bytes[taken] as f64 / of_chosen.max(1) as f64,
    }
    let finalist = &choice.finalists[taken];
    let smaller = (taken > 0).then(|| 1.0 - bytes[taken] as f64 / of_chosen.max(1) as f64);
    choice.reason = explain::confirmed(
        &choice.reason,
        &finalist.pipeline.summary(),
        bytes.len() - 1,
        on,
        smaller,
    );
    choice.pipeline = finalist.pipeline.clone();
    choice.deflate_encoder = finalist.deflate_encoder;
    if let (Some(current), Some(pipeline)) = (current, choice.keepable.take())
        && bytes[taken] as f64 > current as f64 * SMALLER_SHARE
    {
        choice.reason = explain::kept_on(&pipeline.summary(), &choice.pipeline.summary(), on);
        choice.predicted_ratio *= current as f64 / bytes[taken].max(1) as f64;
        choice.pipeline = pipeline;
        choice.deflate_encoder = None;
        choice.keep_current = true;
    }
}
