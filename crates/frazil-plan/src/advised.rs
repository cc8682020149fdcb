//! Filters by a decision tree and trials: the tree names a few, the samples say which serves the
//! goal best.

use frazil_types::{ByteOrder, ElementClass, ElementType, ReaderLevel};

use crate::candidates::{CandidateFilters, candidate, candidates};
use crate::error::PlanError;
use crate::explain;
use crate::filters::{FilterWishes, ShuffleWish};
use crate::goal::Goal;
use crate::heats::{self, FirstHeat, Rules, Tried};
use crate::score::Score;
use crate::tree::Advice;
use crate::trial::{Chosen, Trial, TriedChain};

/// Of own filters within this factor of the smallest, the fastest to encode is taken.
const SIZE_SLACK: f64 = 1.005;

/// Samples of fewer bytes than this and half a chunk decide nothing: the tree does.
const LEAST_TRIAL_BYTES: u64 = 16 << 10;

/// What was chosen, why, and what else was tried.
pub(crate) struct Advised {
    pub(crate) chosen: Chosen,
    pub(crate) reason: String,
    /// Whether it is better than no filters.
    pub(crate) pays: bool,
    pub(crate) tried: Vec<TriedChain>,
}

/// Chooses by the tree of the wishes; `None` if no filters are as fast as they must be.
pub(crate) fn choose(
    trial: &mut Trial<'_>,
    wishes: &FilterWishes,
) -> Result<Option<Advised>, PlanError> {
    let features = trial.features();
    let tree = wishes.weighing.tree();
    let readers = wishes.reader_level;
    let advice: Vec<Advice<'_>> = goals(wishes)
        .iter()
        .filter_map(|&goal| tree.advise(|name| features.feature(name), readers, goal))
        .collect();
    let named = advice.iter().flat_map(|advice| advice.chains);
    let named = named.filter_map(|name| candidate(name));
    let mut shortlist = wanted(named, wishes);
    if shortlist.is_empty() {
        shortlist = standard(wishes);
    }
    // The tree of the goal itself names the likeliest first.
    let likeliest = shortlist.first().copied();
    let seconds = (wishes.allowance.zip(likeliest)).map(|(allowance, one)| allowance.seconds(one));
    if wishes.ratio_tolerance().is_some() {
        add_faster_levels(&mut shortlist, wishes);
    }
    let score = wishes.score();
    let rules = Rules {
        first: first_heat(trial, wishes),
        tolerance: wishes.ratio_tolerance().unwrap_or(0.0),
        seconds,
    };
    let rank = |one: &CandidateFilters, share| score.cost(one, share);
    let outcome = heats::run(trial, &shortlist, rules, rank)?;
    let raw_bytes = trial.raw_bytes() as f64;
    // The way through one tree is told, that of the goal; all that was tried is in `tried`.
    let path = match (advice.first(), wishes.weighing.weights) {
        (Some(advice), None) => advice.to_string(),
        _ => String::new(),
    };
    let choice = best_of(outcome.finalists, wishes, raw_bytes, &path);
    Ok(choice.map(|(chosen, pays, reason)| Advised {
        chosen,
        reason,
        pays,
        tried: outcome.tried,
    }))
}

/// Of what was tried the best, or the fastest of what is as good; whether it pays, and why it is taken.
fn best_of(
    mut tried: Vec<Tried>,
    wishes: &FilterWishes,
    raw_bytes: f64,
    path: &str,
) -> Option<(Chosen, bool, String)> {
    let score = wishes.score();
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
    let goal = match wishes.weighing.weights {
        Some(_) => "weights",
        None => wishes.goal.name(),
    };
    let floors = wishes.weighing.floors();
    let of_best = (tried[best].candidate, share(&tried[best]));
    let summary = tried[best].chosen.pipeline.summary();
    if !score.pays(of_best.0, of_best.1) {
        let reason = explain::does_not_pay(&summary, goal, of_best.1, &floors);
        return Some((tried.swap_remove(best).chosen, false, reason));
    }
    let what = score.tolerated_name();
    let Some(tolerance) = wishes.ratio_tolerance() else {
        let reason = explain::for_goal(&summary, goal, of_best.1, &[&floors, path]);
        return Some((tried.swap_remove(best).chosen, true, reason));
    };
    if score.is_none_as_good(of_best, tolerance) {
        let reason = explain::no_better_than_none(&summary, of_best.1, tolerance, what);
        return Some((tried.swap_remove(best).chosen, false, reason));
    }
    let fastest = fastest_of_equal(&tried, best, &score, tolerance, raw_bytes);
    let instead = (fastest != best).then_some((summary.as_str(), of_best.1));
    let within = explain::within(tolerance, what, instead);
    let grounds = [floors.as_str(), &within, path];
    let taken = tried.swap_remove(fastest);
    let reason = explain::for_goal(
        &taken.chosen.pipeline.summary(),
        goal,
        share(&taken),
        &grounds,
    );
    Some((taken.chosen, true, reason))
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
    let seconds = |i: usize| {
        let one = tried[i].candidate;
        1.0 / one.encode_mb_s + 1.0 / one.decode_mb_s
    };
    let equal = (0..tried.len()).filter(|&i| is_equal(&tried[i]));
    let fastest = equal.min_by(|&a, &b| seconds(a).total_cmp(&seconds(b)));
    fastest.unwrap_or(best)
}

/// Where some loss is tolerated: the faster levels of the same filters, each at least twice as fast as
/// the one before, so that trying them takes less than what was to be tried anyway.
fn add_faster_levels(shortlist: &mut Vec<&'static CandidateFilters>, wishes: &FilterWishes) {
    for named in shortlist.clone() {
        let mut least = 2.0 * named.encode_mb_s;
        let same = candidates()
            .iter()
            .filter(|one| one.family() == named.family() && serves(one, wishes));
        // Each family goes from its fastest level to its slowest.
        for one in same.rev().filter(|one| wishes.is_fast_enough(one)) {
            if one.encode_mb_s >= least {
                least = 2.0 * one.encode_mb_s;
                if !shortlist.contains(&one) {
                    shortlist.push(one);
                }
            }
        }
    }
}

fn first_heat(trial: &Trial<'_>, wishes: &FilterWishes) -> FirstHeat {
    if tells_little(trial, wishes) {
        return FirstHeat::StandIn;
    }
    let is_archive = wishes.goal == Goal::Archive && wishes.weighing.weights.is_none();
    match wishes.weighing.ratio_tolerance {
        // What is as good but for the tolerance may be far from the best.
        Some(_) => FirstHeat::None,
        None if is_archive => FirstHeat::Part,
        None => FirstHeat::Sample,
    }
}

/// Whether trials would cost more than they tell: of small variables in large files little is sampled.
fn tells_little(trial: &Trial<'_>, wishes: &FilterWishes) -> bool {
    let size = trial.element().size_bytes as u64;
    let chunk_bytes = wishes.chunk.iter().fold(size, |n, &c| n.saturating_mul(c));
    trial.raw_bytes() < LEAST_TRIAL_BYTES.min(chunk_bytes / 2)
}

/// The goals whose leaves are asked: with weights the filters for any goal may be the best.
fn goals(wishes: &FilterWishes) -> &'static [Goal] {
    match wishes.weighing.weights {
        Some(_) => &Goal::ALL,
        None => wishes.goal.asked(),
    }
}

/// Of named candidates those that serve the wishes, each once. In place of one that is too slow
/// comes the slowest level of the same filters that is not.
fn wanted(
    named: impl Iterator<Item = &'static CandidateFilters>,
    wishes: &FilterWishes,
) -> Vec<&'static CandidateFilters> {
    let mut found: Vec<&CandidateFilters> = Vec::new();
    for one in named.filter(|one| serves(one, wishes)) {
        let same = candidates()
            .iter()
            .filter(|other| other.family() == one.family() && wishes.is_fast_enough(other));
        let replacement = match wishes.is_fast_enough(one) {
            true => Some(one),
            false => same.min_by(|a, b| a.encode_mb_s.total_cmp(&b.encode_mb_s)),
        };
        found.extend(replacement.filter(|one| !found.contains(one)));
    }
    found
}

/// Where a tree names nothing that serves: a middling level of all filters that do.
fn standard(wishes: &FilterWishes) -> Vec<&'static CandidateFilters> {
    let all = candidates();
    let middling = all.iter().enumerate().filter(|&(i, one)| {
        let family = |i: usize| all.get(i).map(CandidateFilters::family);
        let before = i.checked_sub(1).and_then(family);
        let is_first = before != Some(one.family());
        let is_second = !is_first && i.checked_sub(2).and_then(family) != before;
        is_second || (is_first && family(i + 1) != Some(one.family()))
    });
    wanted(middling.map(|(_, one)| one), wishes)
}

fn serves(one: &CandidateFilters, wishes: &FilterWishes) -> bool {
    let is_wished = match wishes.shuffle {
        ShuffleWish::Auto => true,
        ShuffleWish::On => one.shuffles(),
        ShuffleWish::Off => !one.shuffles(),
    };
    is_wished && one.readers <= wishes.reader_level && has_only(one, wishes)
}

/// Whether all filters of a candidate are among those that there may be.
fn has_only(one: &CandidateFilters, wishes: &FilterWishes) -> bool {
    let Some(only) = wishes.only else { return true };
    let element = ElementType {
        class: ElementClass::Float,
        size_bytes: 4,
        order: ByteOrder::Little,
    };
    let filters = one.chain().resolve(element, &[16, 16]);
    filters.0.iter().all(|stage| only.contains(&stage.id))
}

/// At reader level `frazil`, what is chosen without a stated goal (`other`; `None`: no filters) competes with frazil's
/// own filters.
pub(crate) fn own_filters(
    trial: &mut Trial<'_>,
    wishes: &FilterWishes,
    other: Option<&CandidateFilters>,
) -> Result<Option<(Chosen, String)>, PlanError> {
    const OWN: [&str; 4] = [
        "lorenzo+shuffle+zstd(3)",
        "delta+shuffle+zstd(3)",
        "lorenzo+bitshuffle+zstd(3)",
        "pcodec(8)",
    ];
    let own: Vec<&CandidateFilters> = OWN.iter().filter_map(|name| candidate(name)).collect();
    debug_assert!(own.iter().all(|one| one.readers == ReaderLevel::Frazil));
    let likeliest = other.or(own.first().copied());
    let rules = Rules {
        first: FirstHeat::Sample,
        tolerance: 0.0,
        seconds: (wishes.allowance.zip(likeliest)).map(|(allowance, one)| allowance.seconds(one)),
    };
    let tried = heats::run(trial, &own, rules, |_, share| share)?.finalists;
    let least = tried.iter().map(|one| one.chosen.bytes).min();
    let limit = least.unwrap_or(0) as f64 * SIZE_SLACK;
    let near = tried
        .into_iter()
        .filter(|one| one.chosen.bytes as f64 <= limit);
    let best = near.max_by(|a, b| a.candidate.encode_mb_s.total_cmp(&b.candidate.encode_mb_s));
    Ok(best.map(|best| {
        let share = best.chosen.bytes as f64 / trial.raw_bytes() as f64;
        let name = Goal::Balanced.name();
        let reason = explain::for_goal(&best.chosen.pipeline.summary(), name, share, &[]);
        (best.chosen, reason)
    }))
}

#[cfg(test)]
mod tests {
    use frazil_types::filter_id;

    use super::*;
    use crate::weighing::SpeedFloor;

    fn names<'a>(found: &[&'a CandidateFilters]) -> Vec<&'a str> {
        found.iter().map(|one| one.name()).collect()
    }

    #[test]
    fn what_is_too_slow_is_tried_at_a_faster_level() {
        let mut wishes = FilterWishes {
            reader_level: ReaderLevel::Plugins,
            ..FilterWishes::default()
        };
        let named = || {
            ["shuffle+zstd(19)", "shuffle+bzip2(9)", "lz4", "lz4"]
                .iter()
                .filter_map(|name| candidate(name))
        };
        assert_eq!(
            names(&wanted(named(), &wishes)),
            ["shuffle+zstd(19)", "shuffle+bzip2(9)", "lz4"]
        );
        let floor = |mb_s| {
            Some(SpeedFloor {
                mb_s,
                origin: "as asked".to_owned(),
            })
        };
        wishes.weighing.encode_floor = floor(400.0);
        assert_eq!(names(&wanted(named(), &wishes)), ["shuffle+zstd(9)", "lz4"]);
        wishes.shuffle = ShuffleWish::Off;
        assert_eq!(names(&wanted(named(), &wishes)), ["lz4"]);
        wishes.reader_level = ReaderLevel::Any;
        assert!(wanted(named(), &wishes).is_empty());

        wishes = FilterWishes {
            reader_level: ReaderLevel::Plugins,
            ..FilterWishes::default()
        };
        wishes.weighing.decode_floor = floor(5000.0);
        assert_eq!(names(&wanted(named(), &wishes)), ["shuffle+zstd(9)", "lz4"]);
        wishes.weighing.decode_floor = floor(10_000.0);
        assert_eq!(names(&wanted(named(), &wishes)), ["lz4"]);
    }

    #[test]
    fn where_loss_is_tolerated_faster_levels_are_tried_too() {
        let mut wishes = FilterWishes {
            reader_level: ReaderLevel::Plugins,
            ..FilterWishes::default()
        };
        let named = ["shuffle+zstd(22)", "lz4"];
        let shortlist = |wishes: &FilterWishes| {
            let mut found: Vec<_> = named.iter().filter_map(|name| candidate(name)).collect();
            add_faster_levels(&mut found, wishes);
            names(&found)
        };
        let found = shortlist(&wishes);
        assert_eq!(found[..2], named);
        assert!(found.contains(&"shuffle+zstd(9)"), "{found:?}");
        assert!(!found.contains(&"shuffle+zstd(19)"), "{found:?}");
        wishes.shuffle = ShuffleWish::Off;
        assert_eq!(shortlist(&wishes), named);
    }

    #[test]
    fn candidates_can_be_kept_to_some_filters() {
        let wishes = FilterWishes {
            reader_level: ReaderLevel::Plugins,
            only: Some(&[filter_id::SHUFFLE, filter_id::ZSTD]),
            ..FilterWishes::default()
        };
        assert_eq!(names(&standard(&wishes)), ["shuffle+zstd(3)", "zstd(3)"]);
    }

    #[test]
    fn standard_candidates_are_one_of_each_kind() {
        let wishes = |reader_level| FilterWishes {
            reader_level,
            ..FilterWishes::default()
        };
        assert_eq!(
            names(&standard(&wishes(ReaderLevel::Any))),
            ["shuffle+deflate(4)", "deflate(4)"]
        );
        let plugins = names(&standard(&wishes(ReaderLevel::Plugins)));
        assert!(plugins.contains(&"lz4"), "{plugins:?}");
        assert!(plugins.contains(&"shuffle+zstd(3)"), "{plugins:?}");
        let all = standard(&wishes(ReaderLevel::Frazil));
        let mut families: Vec<&str> = all.iter().map(|one| one.family()).collect();
        let count = families.len();
        families.dedup();
        assert_eq!(families.len(), count);
    }
}
