//! What finalists made of more chunks than the samples have.

use super::FilterChoice;
use super::current::SMALLER_SHARE;
use crate::explain;

/// Takes the finalist that serves some chunks best, `bytes` by finalist: the fastest of those that are
/// as small as the smallest but for the choice's tolerance. `whole`: raw bytes of the variable, if these
/// are all of its chunks. `current`: what is stored now of these chunks, if it may stay: it does, unless
/// something is smaller.
pub fn confirmed(
    choice: &mut FilterChoice,
    bytes: &[u64],
    current: Option<u64>,
    whole: Option<u64>,
) {
    let (Some(&smallest), Some(&of_chosen)) = (bytes.iter().min(), bytes.first()) else {
        return;
    };
    let most = smallest as f64 / (1.0 - choice.ratio_tolerance);
    let seconds = |i: usize| choice.finalists[i].seconds;
    let taken = (0..bytes.len())
        .filter(|&i| bytes[i] as f64 <= most)
        .min_by(|&a, &b| {
            seconds(a)
                .total_cmp(&seconds(b))
                .then(bytes[a].cmp(&bytes[b]))
        })
        .unwrap_or(0);
    let on = if whole.is_some() {
        "every chunk"
    } else {
        "more chunks"
    };
    match whole {
        Some(raw_bytes) => {
            choice.predicted_ratio = bytes[taken] as f64 / raw_bytes as f64;
            choice.uncertainty = 0.0;
            choice.least_ratio = choice.predicted_ratio;
        }
        None => scale(choice, bytes[taken] as f64 / of_chosen.max(1) as f64),
    }
    let finalist = &choice.finalists[taken];
    let saved = (taken > 0).then(|| 1.0 - bytes[taken] as f64 / of_chosen.max(1) as f64);
    choice.reason = explain::confirmed(
        &choice.reason,
        &explain::filters_by(&finalist.pipeline, finalist.deflate_encoder),
        bytes.len() - 1,
        on,
        saved,
    );
    choice.pipeline = finalist.pipeline.clone();
    choice.deflate_encoder = finalist.deflate_encoder;
    if let (Some(current), Some(pipeline)) = (current, choice.keepable.take())
        && bytes[taken] as f64 > current as f64 * SMALLER_SHARE
    {
        let other = explain::filters_by(&choice.pipeline, choice.deflate_encoder);
        choice.reason = explain::kept_on(&pipeline.summary(), &other, on);
        scale(choice, current as f64 / bytes[taken].max(1) as f64);
        choice.pipeline = pipeline;
        choice.deflate_encoder = None;
        choice.keep_current = true;
    }
}

fn scale(choice: &mut FilterChoice, factor: f64) {
    choice.predicted_ratio *= factor;
    choice.least_ratio *= factor;
}

#[cfg(test)]
mod tests {
    use frazil_types::{FilterPipeline, FilterSpec, filter_id};

    use super::super::{Finalist, Whole};
    use super::*;

    fn finalist(level: u32, seconds: f64) -> Finalist {
        Finalist {
            pipeline: FilterPipeline(vec![FilterSpec::new(filter_id::DEFLATE, vec![level])]),
            deflate_encoder: None,
            seconds,
        }
    }

    /// The level of deflate that is taken; samples said 1, the fastest.
    fn taken(ratio_tolerance: f64, bytes: [u64; 3]) -> u32 {
        let finalists = vec![finalist(1, 0.1), finalist(6, 0.3), finalist(9, 0.9)];
        let mut choice = FilterChoice {
            pipeline: finalists[0].pipeline.clone(),
            deflate_encoder: None,
            predicted_ratio: 0.5,
            uncertainty: 0.0,
            least_ratio: 0.5,
            sampled: None,
            whole: Whole::default(),
            keep_current: false,
            may_stay: false,
            keepable: None,
            reason: "samples".to_owned(),
            tried: Vec::new(),
            finalists,
            ratio_tolerance,
        };
        confirmed(&mut choice, &bytes, None, Some(2000));
        choice.pipeline.0[0].cd_values[0]
    }

    #[test]
    fn of_what_is_as_small_but_for_the_tolerance_the_fastest_is_taken() {
        assert_eq!(taken(0.002, [1000, 999, 999]), 1);
        assert_eq!(taken(0.002, [1000, 999, 990]), 9);
        assert_eq!(taken(0.05, [1000, 999, 990]), 1);
        assert_eq!(taken(0.05, [1050, 999, 990]), 6);
        assert_eq!(taken(0.0, [1000, 1000, 999]), 9);
    }
}
