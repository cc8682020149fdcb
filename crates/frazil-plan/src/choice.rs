//! Filters by a contest on samples: which of those that came to its last round serves best, and why.

use frazil_types::DeflateEncoder;

use crate::contest::{self, KNOWN_AS_SMALLEST, Tried, by_name};
use crate::error::PlanError;
use crate::explain;
use crate::goal::Goal;
use crate::requests::FilterOptions;
use crate::score::Score;
use crate::tree::Advice;
use crate::trial::{Chosen, Trial, TriedChain};

/// Filters that take more than the chosen by no more than this share may be better on the whole variable; for
/// `archive` also those within the standard error of the samples.
const CLOSE: f64 = 0.01;
/// So many are compared there, one more for `archive`.
const MOST_FINALISTS: usize = 3;

/// What was chosen, why, and what else was tried.
pub(crate) struct Advised {
    pub(crate) chosen: Chosen,
    pub(crate) reason: String,
    /// Whether it is better than no filters.
    pub(crate) pays: bool,
    /// What may be better on more of the variable, the chosen first.
    pub(crate) rivals: Vec<Rival>,
    pub(crate) tried: Vec<TriedChain>,
}

/// Filters that may be better on more of the variable.
#[derive(Clone)]
pub(crate) struct Rival {
    pub(crate) chosen: Chosen,
    /// What encoding and decoding a megabyte once take.
    pub(crate) seconds: f64,
}

impl From<&Tried> for Rival {
    fn from(tried: &Tried) -> Self {
        Self {
            chosen: tried.chosen.clone(),
            seconds: seconds(tried),
        }
    }
}

fn seconds(tried: &Tried) -> f64 {
    1.0 / tried.candidate.encode_mb_s + 1.0 / tried.candidate.decode_mb_s
}

/// Chooses by a contest; `None` if no filters are as fast as they must be.
pub(crate) fn choose(
    trial: &mut Trial<'_>,
    requests: &FilterOptions,
) -> Result<Option<Advised>, PlanError> {
    let features = trial.features();
    let tree = requests.weighing.tree();
    let readers = requests.reader_level;
    let advice: Vec<Advice<'_>> = goals(requests)
        .iter()
        .filter_map(|&goal| tree.advise(|name| features.feature(name), readers, goal))
        .collect();
    let likeliest = by_name(advice.iter().flat_map(|advice| advice.chains));
    let outcome = contest::hold(trial, requests, &likeliest)?;
    let raw_bytes = trial.raw_bytes() as f64;
    // The way through a tree matters where that decides what is tried.
    let path = match (advice.first(), &requests.weighing.tree) {
        (Some(advice), Some(_)) if requests.weighing.weights.is_none() => advice.to_string(),
        _ => String::new(),
    };
    let choice = best_of(&outcome.finalists, requests, raw_bytes, &path);
    Ok(choice.map(|(best, pays, reason)| {
        let best = &outcome.finalists[best];
        Advised {
            rivals: near(&outcome.finalists, best, requests.goal),
            chosen: best.chosen.clone(),
            reason,
            pays,
            tried: outcome.tried,
        }
    }))
}

/// The chosen, what is almost as small, and what is promised not to be smaller, whatever samples say: what narrower
/// reader levels would have chosen, and what a stated level leads to.
fn near(tried: &[Tried], best: &Tried, goal: Goal) -> Vec<Rival> {
    let chosen = &best.chosen;
    let is_archive = goal == Goal::Archive;
    let close = if is_archive {
        chosen.spread.max(CLOSE)
    } else {
        CLOSE
    };
    let limit = chosen.bytes as f64 * (1.0 + close);
    let of_stated_levels = strongest_deflate(tried);
    let is_promised = |one: &Tried| {
        let is_narrower = one.candidate.readers < best.candidate.readers;
        let same_readers = tried
            .iter()
            .filter(|other| other.candidate.readers == one.candidate.readers);
        let least = same_readers.map(|other| other.chosen.bytes).min();
        let is_known = is_archive && one.candidate.name() == KNOWN_AS_SMALLEST;
        let is_stated = of_stated_levels.is_some_and(|other| std::ptr::eq(one, other));
        is_known || is_stated || (is_narrower && least == Some(one.chosen.bytes))
    };
    let is_other = |one: &&Tried| {
        let is_same =
            one.chosen.pipeline == chosen.pipeline && one.chosen.encoder == chosen.encoder;
        !is_same && (one.chosen.bytes as f64 <= limit || is_promised(one))
    };
    let mut others: Vec<&Tried> = tried.iter().filter(is_other).collect();
    others.sort_by_key(|one| (!is_promised(one), one.chosen.bytes));
    let promised = others.iter().filter(|one| is_promised(one)).count();
    others.truncate(promised.max(MOST_FINALISTS - usize::from(!is_archive)));
    std::iter::once(best)
        .chain(others)
        .map(Rival::from)
        .collect()
}

/// The highest level of deflate, shuffled or not as a stated level would have it: as the fastest is smaller. Where samples
/// tell nothing of the rest, effort still does.
fn strongest_deflate(tried: &[Tried]) -> Option<&Tried> {
    let deflated = || {
        let is_deflated = |one: &&Tried| {
            let encoder = one.candidate.encoder();
            matches!(encoder, Some(DeflateEncoder::Libdeflate(_)))
        };
        tried.iter().filter(is_deflated)
    };
    let level = |one: &Tried| one.candidate.level();
    let fastest = deflated().min_by_key(|one| {
        let shuffles = one.candidate.shuffles();
        (level(one), one.chosen.bytes, !shuffles)
    })?;
    let is_alike = |one: &&Tried| one.candidate.shuffles() == fastest.candidate.shuffles();
    deflated().filter(is_alike).max_by_key(|one| level(one))
}

/// Of what was tried on all samples the best, or the fastest of what is as good; whether it pays, and why
/// it is taken.
fn best_of(
    tried: &[Tried],
    requests: &FilterOptions,
    raw_bytes: f64,
    path: &str,
) -> Option<(usize, bool, String)> {
    let score = requests.score();
    let share = |one: &Tried| one.chosen.bytes as f64 / raw_bytes;
    let rank = |one: &Tried| {
        let cost = score.cost(one.candidate, share(one));
        // Where no filters pay, the smallest says so.
        (cost, share(one), -one.candidate.encode_mb_s)
    };
    let best = (0..tried.len()).min_by(|&a, &b| {
        let (a, b) = (rank(&tried[a]), rank(&tried[b]));
        let costs = a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        costs.then(a.2.total_cmp(&b.2))
    })?;
    let goal = match requests.weighing.weights {
        Some(_) => "weights",
        None => requests.goal.name(),
    };
    let floors = requests.weighing.floors();
    let of_best = (tried[best].candidate, share(&tried[best]));
    let summary = named(&tried[best]);
    if !score.pays(of_best.0, of_best.1) {
        let reason = explain::does_not_pay(&summary, goal, of_best.1, &floors);
        return Some((best, false, reason));
    }
    let what = score.tolerated_name();
    let Some(tolerance) = requests.ratio_tolerance() else {
        let reason = explain::for_goal(&summary, goal, of_best.1, &[&floors, path]);
        return Some((best, true, reason));
    };
    if score.is_none_as_good(of_best, tolerance) {
        let reason = explain::no_better_than_none(&summary, of_best.1, tolerance, what);
        return Some((best, false, reason));
    }
    let fastest = fastest_of_equal(tried, best, &score, tolerance, raw_bytes);
    let instead = (fastest != best).then_some((summary.as_str(), of_best.1));
    let within = explain::within(tolerance, what, instead);
    let taken = &tried[fastest];
    let reason = explain::for_goal(&named(taken), goal, share(taken), &[&floors, &within, path]);
    Some((fastest, true, reason))
}

fn named(tried: &Tried) -> String {
    explain::filters_by(&tried.chosen.pipeline, tried.chosen.encoder)
}

/// Of what was tried and is as good as the best but for the tolerance, what takes least to encode and
/// to decode a megabyte once.
fn fastest_of_equal(
    tried: &[Tried],
    best: usize,
    score: &Score,
    tolerance: f64,
    raw_bytes: f64,
) -> usize {
    let with_share = |one: &Tried| (one.candidate, one.chosen.bytes as f64 / raw_bytes);
    let of_best = with_share(&tried[best]);
    let is_equal = |one: &Tried| {
        let (candidate, share) = with_share(one);
        score.pays(candidate, share) && score.is_as_good((candidate, share), of_best, tolerance)
    };
    let equal = (0..tried.len()).filter(|&i| is_equal(&tried[i]));
    let fastest = equal.min_by(|&a, &b| seconds(&tried[a]).total_cmp(&seconds(&tried[b])));
    fastest.unwrap_or(best)
}

/// The goals whose leaves are asked: with weights the filters for any goal may be the best.
fn goals(requests: &FilterOptions) -> &'static [Goal] {
    match requests.weighing.weights {
        Some(_) => &Goal::ALL,
        None => requests.goal.asked(),
    }
}
