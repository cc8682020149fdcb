//! What is tried on all samples after a part of one.

use super::entry::{Entry, on_all};
use crate::candidates::CandidateFilters;
use crate::error::PlanError;
use crate::trial::Trial;

/// Slow filters are tried on all samples where they may keep at most so many times what the best keep.
const HOPED_FOR: f64 = 0.98;

/// Tries on all samples what may be better there than all that was: the most hopeful first, while there is time, after
/// which estimates count. Says whose shares are not estimates, or count.
pub(super) fn settle(
    trial: &mut Trial<'_>,
    entries: &mut [Entry],
    is_tried: &[bool],
    mut seconds: Option<f64>,
    rank: impl Fn(&CandidateFilters, f64) -> f64,
) -> Result<Vec<bool>, PlanError> {
    while let Some(next) = most_hopeful(entries, is_tried, &rank) {
        let next = &mut entries[next];
        next.hope = None;
        let took = next.candidate.seconds_of(trial.raw_bytes() as usize);
        if seconds.is_none_or(|left| took <= left) {
            seconds = seconds.map(|left| left - took);
            next.share = on_all(trial, next, None)?;
        }
    }
    let tried = entries.iter().zip(is_tried);
    Ok(tried
        .map(|(one, &is_tried)| is_tried && one.hope.is_none())
        .collect())
}

/// Of estimates the one that may be the best of all, if any may be better than what is known.
fn most_hopeful(
    entries: &[Entry],
    is_tried: &[bool],
    rank: impl Fn(&CandidateFilters, f64) -> f64,
) -> Option<usize> {
    let tried = || {
        (0..entries.len())
            .filter(|&i| is_tried[i])
            .map(|i| (i, &entries[i]))
    };
    let known = tried().filter(|(_, one)| one.hope.is_none());
    let worths = known.map(|(_, one)| rank(one.candidate, one.share));
    let best = worths.fold(f64::INFINITY, f64::min);
    let hopes = tried().filter_map(|(i, one)| {
        let must_gain = if one.is_slow() { HOPED_FOR } else { 1.0 };
        Some((i, rank(one.candidate, one.hope? / must_gain)))
    });
    let hopeful = hopes.filter(|one| one.1 < best);
    hopeful.min_by(|a, b| a.1.total_cmp(&b.1)).map(|one| one.0)
}
