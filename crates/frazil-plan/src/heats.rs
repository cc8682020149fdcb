//! Trials in two heats: all filters on one sample or a part of it, the best of them on all samples.
//!
//! Of what is named for a variable most is clearly worse than the best, and slow filters take longer to
//! try than the chosen ones take to pack: a sample of some size says so, and so does a fast level of the
//! same filters.

mod drifts;
mod entry;
mod piece;
mod settle;
mod stand_in;

use drifts::Drifts;
use entry::{Entry, entries, on_all};
use piece::{Heat, heat_of, shorter};
use settle::settle;
use stand_in::by_stand_in;

use crate::allowance::{bytes_within, seconds_of};
use crate::candidates::{CandidateFilters, candidates};
use crate::error::PlanError;
use crate::score::NEXT_TO_NOTHING;
use crate::trial::{Chosen, Trial, TriedChain};

/// Of dear filters trials on less are not worth what they cost.
const LEAST_ALONE_BYTES: usize = 16 << 10;

/// What leaves no more than this of the samples says nothing of filters unlike it: they may keep many times as much.
pub(crate) const LITTLE: f64 = 0.05;

/// The share of what was not tried, and nothing like it either.
const UNKNOWN: f64 = f64::INFINITY;

/// So many go on at most: the best, and those within the factor of it.
const MOST_FINALISTS: usize = 3;
const CLOSE: f64 = 1.02;

/// Slow filters are tried only where a faster level of the same filters keeps at most so many times what the best
/// of the fast ones keep. Both with [`NEXT_TO_NOTHING`] added.
const FAR: f64 = 1.1;
/// The same where some loss is tolerated, as for `archive`, and time counts less.
const FARTHER: f64 = 1.2;

/// Where fast levels leave more than this, the highest level of zstd takes up to three times as long as the one below it
/// for nothing: of 200 variables of real data it makes one in fifty more than 0.5 % smaller.
const ENOUGH_LEFT: f64 = 0.1;

/// Where trials may take some time only, they must also be worth more than what was tried if they kept so many
/// times less than that level.
const SLOW_GAIN: f64 = 1.05;

/// Where some loss is tolerated, a finalist goes no further if another is at least so many times as fast, and as
/// good but for the tolerance.
const MUCH_FASTER: f64 = 4.0;

/// What the first heat is held on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstHeat {
    /// There is none: all candidates are tried on all samples.
    None,
    /// One sample of several.
    Sample,
    /// A part of one sample: where filters are slow, and variables small, trying them on whole samples
    /// takes longer than packing.
    Part,
    /// What is named first is taken; what a fast compressor makes of the samples tells whether filters pay.
    StandIn,
}

/// How trials go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) first: FirstHeat,
    /// Of levels of the same filters within this of the best, the fastest goes on.
    pub(crate) tolerance: f64,
    /// Seconds that trials may take, by the speeds of what is tried; `None`: what they need.
    pub(crate) seconds: Option<f64>,
}

/// A candidate with what it made of the samples.
pub(crate) struct Tried {
    pub(crate) candidate: &'static CandidateFilters,
    pub(crate) chosen: Chosen,
}

/// What trials found.
pub(crate) struct Outcome {
    /// Those that went on to the second heat, as they were named.
    pub(crate) finalists: Vec<Tried>,
    /// All that was tried, as it was named; of what was dropped the share is an estimate.
    pub(crate) tried: Vec<TriedChain>,
}

/// What the first trials found besides shares.
struct FirstTrials {
    is_tried: Vec<bool>,
    /// Where trials were of a part and shares are not: they are estimates of those of all samples, or these.
    drifts: Option<Drifts>,
}

/// How the trials of a variable go.
enum Course {
    StandIn,
    AllOnAll,
    InHeats(Heat),
}

/// Tries candidates on samples; `rank` says what one is worth that keeps a share of the bytes, the lower
/// the better.
pub(crate) fn run(
    trial: &mut Trial<'_>,
    shortlist: &[&'static CandidateFilters],
    rules: Rules,
    rank: impl Fn(&CandidateFilters, f64) -> f64,
) -> Result<Outcome, PlanError> {
    let mut entries = entries(trial, shortlist);
    if let Some(seconds) = rules.seconds {
        leave_out(&mut entries, seconds);
    }
    let heat = match course_of(trial, &entries, rules) {
        Course::InHeats(heat) => heat,
        Course::AllOnAll => {
            let share = |trial: &mut Trial<'_>, entry: &Entry| on_all(trial, entry, None);
            let first = try_each(trial, &mut entries, rules, None, &rank, share)?;
            return Ok(outcome(trial, entries, |i| first.is_tried[i]));
        }
        Course::StandIn => return by_stand_in(trial, entries),
    };
    let bytes = &trial.samples()[heat.sample][heat.bytes.clone()];
    let is_part = bytes.len() < trial.samples()[heat.sample].len();
    let part_bytes = is_part.then_some(bytes.len());
    let share = |trial: &mut Trial<'_>, entry: &Entry| {
        let stored = trial.bytes_with(entry.candidate, bytes)?;
        Ok(stored as f64 / bytes.len() as f64)
    };
    let first = try_each(trial, &mut entries, rules, part_bytes, &rank, share)?;
    let is_tried = first.is_tried;
    if let Some(drifts) = first.drifts {
        let goes_on = settle(trial, &mut entries, &is_tried, drifts.seconds_left, &rank)?;
        return Ok(outcome(trial, entries, |i| goes_on[i]));
    }
    let worth = |one: &Entry| rank(one.candidate, one.share);
    let goes_on = finalists(&entries, &is_tried, rules.tolerance, worth);
    // A part of a sample that left one decides alone.
    let has_decided = is_part && goes_on.iter().filter(|&&one| one).count() == 1;
    if !has_decided && rules.allows_second(trial, &entries, &is_tried, &goes_on, &heat) {
        second(trial, &mut entries, &goes_on, &heat)?;
        return Ok(outcome(trial, entries, |i| goes_on[i]));
    }
    let trusted = trusted(&entries, &is_tried);
    let goes_on = finalists(&entries, &trusted, rules.tolerance, worth);
    Ok(outcome(trial, entries, |i| goes_on[i]))
}

/// Leaves out what takes longest to try, until all that is left can be tried within so many seconds on as much as
/// decides something alone. What is slow and the likeliest stays: nothing else comes near it. Where nothing would
/// be left to compare, all stay.
fn leave_out(entries: &mut Vec<Entry>, seconds: f64) {
    let fits = |left: &[usize]| {
        let filters = left.iter().map(|&i| entries[i].candidate);
        bytes_within(seconds, filters).is_some_and(|bytes| bytes >= LEAST_ALONE_BYTES)
    };
    let took = |i: &usize| entries[*i].candidate.seconds_of(LEAST_ALONE_BYTES);
    let kept = entries.first().filter(|first| first.is_slow()).map(|_| 0);
    let mut left: Vec<usize> = (0..entries.len()).collect();
    while left.len() > 1 && !fits(&left) {
        let others = (0..left.len()).filter(|&place| Some(left[place]) != kept);
        let dearest = others.max_by(|&a, &b| took(&left[a]).total_cmp(&took(&left[b])));
        left.remove(dearest.unwrap_or(0));
    }
    if left.len() > 1 {
        let mut number = 0..;
        entries.retain(|_| number.next().is_some_and(|i| left.contains(&i)));
    }
}

/// Which trials of one piece can be trusted: where next to nothing is left of it, what matters is how often it comes
/// again, and only filters that look for repetitions make use of that.
fn trusted(entries: &[Entry], is_tried: &[bool]) -> Vec<bool> {
    let tried = || entries.iter().zip(is_tried).filter(|one| *one.1);
    let least = tried()
        .map(|(one, _)| one.share)
        .fold(f64::INFINITY, f64::min);
    let has_others = tried().any(|(one, _)| one.finds_repetitions());
    let all = least > LITTLE || !has_others;
    let found = entries.iter().zip(is_tried);
    found
        .map(|(one, &is_tried)| is_tried && (all || one.finds_repetitions()))
        .collect()
}

/// Heats where they decide something, else all on all, or on as much as is allowed.
fn course_of(trial: &Trial<'_>, entries: &[Entry], rules: Rules) -> Course {
    if rules.first == FirstHeat::StandIn {
        return Course::StandIn;
    }
    let heat = match entries.len() > 1 {
        true => heat_of(trial, rules.first),
        false => None,
    };
    let all = entries.iter().map(|one| one.candidate);
    let allowed = match rules.seconds {
        None => Some(usize::MAX),
        Some(seconds) => bytes_within(seconds, all),
    };
    let of_each = match &heat {
        Some(heat) => heat.bytes.len() as u64,
        None => trial.raw_bytes(),
    };
    let Some(allowed) = allowed else {
        return Course::StandIn;
    };
    match heat {
        heat if (allowed as u64) < of_each => Course::InHeats(shorter(trial, heat, allowed)),
        Some(heat) => Course::InHeats(heat),
        None => Course::AllOnAll,
    }
}

impl Rules {
    /// Whether a second heat may follow the first.
    fn allows_second(
        &self,
        trial: &Trial<'_>,
        entries: &[Entry],
        is_tried: &[bool],
        goes_on: &[bool],
        heat: &Heat,
    ) -> bool {
        let of = |marked: &[bool]| -> Vec<&CandidateFilters> {
            let marked = entries.iter().zip(marked).filter(|one| *one.1);
            marked.map(|one| one.0.candidate).collect()
        };
        let Some(allowed) = self.seconds else {
            return true;
        };
        let took = seconds_of(heat.bytes.len(), of(is_tried));
        let others = (trial.raw_bytes() as usize).saturating_sub(heat.bytes.len());
        took + seconds_of(others, of(goes_on)) <= allowed
    }
}

/// Finds the shares of entries, and says which were tried. Shares of a part of so many bytes are made those of all
/// samples, as fast levels tell.
fn try_each<'a>(
    trial: &mut Trial<'a>,
    entries: &mut Vec<Entry>,
    rules: Rules,
    part_bytes: Option<usize>,
    rank: impl Fn(&CandidateFilters, f64) -> f64,
    share: impl Fn(&mut Trial<'a>, &Entry) -> Result<f64, PlanError>,
) -> Result<FirstTrials, PlanError> {
    let mut fast = try_fast(trial, entries, &share)?;
    let drifts = match part_bytes {
        Some(bytes) => {
            let on_part = seconds_of(bytes, entries.iter().map(|one| one.candidate));
            let left = rules.seconds.map(|seconds| seconds - on_part);
            Drifts::within(trial, &mut fast, left)?
        }
        None => None,
    };
    if rules.tolerance > 0.0 {
        lower_highest(trial, entries, &fast);
    }
    let mut is_tried = vec![true; entries.len()];
    for (entry, known) in entries.iter_mut().filter(|one| !one.is_slow()).zip(&fast) {
        *entry = known.clone();
    }
    let tried = entries.iter().filter(|one| !one.is_slow());
    let worths = tried.map(|one| rank(one.candidate, one.share));
    let mut best = worths.fold(f64::INFINITY, f64::min);
    let slow = entries.iter_mut().zip(&mut is_tried);
    for (entry, is_tried) in slow.filter(|one| one.0.is_slow()) {
        let quick = least(&fast, |one| {
            one.candidate.family() == entry.candidate.family()
        });
        if is_in_vain(entry, quick, &fast, rules, best, &rank) {
            entry.share = quick.unwrap_or(UNKNOWN);
            *is_tried = false;
            continue;
        }
        entry.share = share(trial, entry)?;
        if let Some(drifts) = &drifts {
            drifts.estimate(entry);
        }
        best = best.min(rank(entry.candidate, entry.share));
    }
    Ok(FirstTrials { is_tried, drifts })
}

/// The fast entries, and fast levels of slow ones that have none among them, with their shares.
fn try_fast<'a>(
    trial: &mut Trial<'a>,
    entries: &[Entry],
    share: impl Fn(&mut Trial<'a>, &Entry) -> Result<f64, PlanError>,
) -> Result<Vec<Entry>, PlanError> {
    let fast = entries.iter().filter(|one| !one.is_slow());
    let mut fast: Vec<Entry> = fast.cloned().collect();
    if entries.len() > 1 {
        fast.extend(probes(trial, entries, &fast));
    }
    for entry in &mut fast {
        entry.share = share(trial, entry)?;
    }
    Ok(fast)
}

/// The least share of some fast levels.
fn least(fast: &[Entry], counts: impl Fn(&Entry) -> bool) -> Option<f64> {
    let shares = fast.iter().filter(|one| counts(one)).map(|one| one.share);
    shares.min_by(f64::total_cmp)
}

/// Whether a slow filter need not be tried. `quick`: the share of a faster level of it, which is far from the best, or
/// it is too slow to be worth more; without a faster level, where fast ones leave next to nothing.
fn is_in_vain(
    slow: &Entry,
    quick: Option<f64>,
    fast: &[Entry],
    rules: Rules,
    best: f64,
    rank: impl Fn(&CandidateFilters, f64) -> f64,
) -> bool {
    let Some(least) = least(fast, |_| true) else {
        return false;
    };
    let Some(quick) = quick else {
        return least <= LITTLE;
    };
    let far = if rules.tolerance > 0.0 { FARTHER } else { FAR };
    quick + NEXT_TO_NOTHING > far * (least + NEXT_TO_NOTHING)
        || (rules.seconds.is_some() && rank(slow.candidate, quick / SLOW_GAIN) > best)
}

/// Puts in place of the highest level of zstd the one below it, where fast ones say that it makes nothing smaller.
fn lower_highest(trial: &Trial<'_>, entries: &mut Vec<Entry>, fast: &[Entry]) {
    let is_same = |a: &CandidateFilters, b: &CandidateFilters| a.family() == b.family();
    for i in (0..entries.len()).rev() {
        let highest = entries[i].candidate;
        let left = least(fast, |one| is_same(one.candidate, highest));
        if !highest.is_highest_zstd() || left.is_none_or(|left| left <= ENOUGH_LEFT) {
            continue;
        }
        // Each family goes from its fastest level to its slowest.
        let mut faster = candidates().iter().rev().skip_while(|one| *one != highest);
        let below = faster
            .nth(1)
            .filter(|one| is_same(one, highest) && one.is_slow());
        let Some(below) = below.and_then(|below| self::entries(trial, &[below]).pop()) else {
            continue;
        };
        match entries.iter().any(|one| one.candidate == below.candidate) {
            true => drop(entries.remove(i)),
            false => entries[i] = below,
        }
    }
}

/// Of slow filters of which no fast level is known, the slowest that is fast.
fn probes(trial: &Trial<'_>, entries: &[Entry], known: &[Entry]) -> Vec<Entry> {
    let mut found: Vec<&CandidateFilters> = Vec::new();
    for slow in entries.iter().filter(|entry| entry.is_slow()) {
        let family = slow.candidate.family();
        let is_known = known.iter().any(|one| one.candidate.family() == family);
        if !is_known && found.iter().all(|one| one.family() != family) {
            // Each family goes from its fastest level to its slowest.
            let mut of_family = candidates().iter();
            found.extend(of_family.rfind(|one| one.family() == family && !one.is_slow()));
        }
    }
    self::entries(trial, &found)
}

/// The second heat; the shares of what was dropped change as those of the last finalist do.
fn second(
    trial: &mut Trial<'_>,
    entries: &mut [Entry],
    goes_on: &[bool],
    heat: &Heat,
) -> Result<(), PlanError> {
    let is_part = heat.bytes.len() < trial.samples()[heat.sample].len();
    let known = (!is_part).then_some(heat.sample);
    let mut drift = 1.0;
    for (entry, _) in entries
        .iter_mut()
        .zip(goes_on)
        .filter(|(_, goes_on)| **goes_on)
    {
        let share = on_all(trial, entry, known)?;
        drift = share / entry.share.max(f64::MIN_POSITIVE);
        entry.share = share;
    }
    let dropped = entries
        .iter_mut()
        .zip(goes_on)
        .filter(|(_, goes_on)| !**goes_on);
    dropped.for_each(|(entry, _)| entry.share *= drift);
    Ok(())
}

fn outcome(trial: &Trial<'_>, entries: Vec<Entry>, is_finalist: impl Fn(usize) -> bool) -> Outcome {
    let known = entries.iter().filter(|one| one.share < UNKNOWN);
    let tried = known.map(Entry::tried).collect();
    let raw_bytes = trial.raw_bytes() as f64;
    let finalists = entries
        .into_iter()
        .enumerate()
        .filter(|&(i, _)| is_finalist(i));
    Outcome {
        finalists: finalists.map(|(_, one)| one.finish(raw_bytes)).collect(),
        tried,
    }
}

/// Which entries go on, by what they are worth after the first heat: of levels of the same filters, which
/// differ alike wherever they are tried, the best, or the fastest within the tolerance of it.
fn finalists(
    entries: &[Entry],
    is_tried: &[bool],
    tolerance: f64,
    worth: impl Fn(&Entry) -> f64,
) -> Vec<bool> {
    let worths: Vec<f64> = entries.iter().map(worth).collect();
    let mut order: Vec<usize> = (0..entries.len()).filter(|&i| is_tried[i]).collect();
    order.sort_by(|&a, &b| worths[a].total_cmp(&worths[b]));
    let is_as_good = |i: usize, best: usize| worths[i] <= worths[best] / (1.0 - tolerance);
    let speed = |i: usize| entries[i].candidate.encode_mb_s;
    let mut found: Vec<usize> = Vec::new();
    let mut families: Vec<&str> = Vec::new();
    for &best in &order {
        let family = entries[best].candidate.family();
        if families.contains(&family) {
            continue;
        }
        if families.len() == MOST_FINALISTS || worths[best] > worths[order[0]] * CLOSE {
            break;
        }
        families.push(family);
        let equal = order
            .iter()
            .copied()
            .filter(|&i| is_as_good(i, best) && entries[i].candidate.family() == family);
        let fastest = equal.max_by(|&a, &b| speed(a).total_cmp(&speed(b)));
        found.push(fastest.unwrap_or(best));
    }
    let is_in_vain = |one: usize| {
        let is_better =
            |&other: &usize| is_as_good(other, one) && speed(other) >= MUCH_FASTER * speed(one);
        tolerance > 0.0 && found.iter().any(is_better)
    };
    (0..entries.len())
        .map(|i| found.contains(&i) && !is_in_vain(i))
        .collect()
}

#[cfg(test)]
mod tests;
