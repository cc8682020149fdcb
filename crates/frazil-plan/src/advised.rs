//! Filters by a decision tree and trials: the tree names a few, the samples say which serves the
//! goal best.

use frazil_types::{DeflateEncoder, FilterPipeline, ReaderLevel};

use crate::candidates::{CandidateFilters, candidate, candidates};
use crate::error::PlanError;
use crate::explain;
use crate::filters::{FilterWishes, ShuffleWish};
use crate::goal::Goal;
use crate::tree::Advice;
use crate::trial::{Chosen, Trial, TriedChain};

/// Of own filters within this factor of the smallest, the fastest to encode is taken.
const SIZE_SLACK: f64 = 1.005;

/// What was chosen, why, and what else was tried.
pub(crate) struct Advised {
    pub(crate) chosen: Chosen,
    pub(crate) reason: String,
    /// Whether it is better than no filters.
    pub(crate) pays: bool,
    pub(crate) tried: Vec<TriedChain>,
}

/// A candidate with what it made of the samples.
struct Tried {
    candidate: &'static CandidateFilters,
    chosen: Chosen,
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
        .filter_map(|&goal| tree.advise(&features, readers, goal))
        .collect();
    let named = advice.iter().flat_map(|advice| advice.chains);
    let named = named.filter_map(|name| candidate(name));
    let mut shortlist = wanted(named, wishes);
    if shortlist.is_empty() {
        shortlist = standard(wishes);
    }
    let tried = try_all(trial, &shortlist)?;
    let raw_bytes = trial.raw_bytes() as f64;
    let share = |one: &Tried| one.chosen.bytes as f64 / raw_bytes;
    let all_tried = tried.iter().map(|one| TriedChain {
        filters: one.chosen.pipeline.summary(),
        share: share(one),
    });
    let all_tried = all_tried.collect();
    let score = wishes.score();
    let rank = |one: &Tried| {
        let cost = score.cost(one.candidate, share(one));
        // Where no filters pay, the smallest says so.
        (cost, share(one), -one.candidate.encode_mb_s)
    };
    let best = tried.into_iter().min_by(|a, b| {
        let (a, b) = (rank(a), rank(b));
        let costs = a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        costs.then(a.2.total_cmp(&b.2))
    });
    Ok(best.map(|best| {
        let goal = match wishes.weighing.weights {
            Some(_) => "weights",
            None => wishes.goal.name(),
        };
        // The way through one tree is told, that of the goal; all that was tried is in `tried`.
        let path = match (advice.first(), wishes.weighing.weights) {
            (Some(advice), None) => advice.to_string(),
            _ => String::new(),
        };
        let share = share(&best);
        let pays = score.pays(best.candidate, share);
        let summary = best.chosen.pipeline.summary();
        Advised {
            reason: match pays {
                true => explain::for_goal(&summary, goal, share, &path),
                false => explain::does_not_pay(&summary, goal, share),
            },
            chosen: best.chosen,
            pays,
            tried: all_tried,
        }
    }))
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
    let least = wishes.least_encode_mb_s();
    let mut found: Vec<&CandidateFilters> = Vec::new();
    for one in named.filter(|one| serves(one, wishes)) {
        let same = candidates()
            .iter()
            .filter(|other| other.family() == one.family() && other.encode_mb_s >= least);
        let replacement = match one.encode_mb_s >= least {
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
    is_wished && one.readers <= wishes.reader_level
}

/// Tries candidates on the samples; those that are the same filters for this variable once.
fn try_all(
    trial: &mut Trial<'_>,
    shortlist: &[&'static CandidateFilters],
) -> Result<Vec<Tried>, PlanError> {
    let mut known: Vec<(FilterPipeline, Option<DeflateEncoder>)> = Vec::new();
    let mut tried = Vec::new();
    for &candidate in shortlist {
        let (chain, encoder) = candidate.chain().map_err(PlanError::Chain)?;
        let filters = (trial.resolve(&chain), encoder);
        // Differences without a compressor, where pcodec and the like mean nothing.
        if filters.0.is_empty() || known.contains(&filters) {
            continue;
        }
        known.push(filters);
        let chosen = trial.chain(&chain, encoder)?;
        tried.push(Tried { candidate, chosen });
    }
    Ok(tried)
}

/// At reader level `frazil`, what is chosen without a stated goal competes with frazil's own filters.
pub(crate) fn own_filters(trial: &mut Trial<'_>) -> Result<Option<(Chosen, String)>, PlanError> {
    const OWN: [&str; 4] = [
        "pcodec(8)",
        "delta+shuffle+zstd(3)",
        "lorenzo+shuffle+zstd(3)",
        "lorenzo+bitshuffle+zstd(3)",
    ];
    let own: Vec<&CandidateFilters> = OWN.iter().filter_map(|name| candidate(name)).collect();
    debug_assert!(own.iter().all(|one| one.readers == ReaderLevel::Frazil));
    let tried = try_all(trial, &own)?;
    let least = tried.iter().map(|one| one.chosen.bytes).min();
    let limit = least.unwrap_or(0) as f64 * SIZE_SLACK;
    let near = tried
        .into_iter()
        .filter(|one| one.chosen.bytes as f64 <= limit);
    let best = near.max_by(|a, b| a.candidate.encode_mb_s.total_cmp(&b.candidate.encode_mb_s));
    Ok(best.map(|best| {
        let share = best.chosen.bytes as f64 / trial.raw_bytes() as f64;
        let name = Goal::Balanced.name();
        let reason = explain::for_goal(&best.chosen.pipeline.summary(), name, share, "");
        (best.chosen, reason)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: &[&CandidateFilters]) -> Vec<String> {
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
        wishes.weighing.least_encode_mb_s = Some(400.0);
        assert_eq!(names(&wanted(named(), &wishes)), ["shuffle+zstd(9)", "lz4"]);
        wishes.shuffle = ShuffleWish::Off;
        assert_eq!(names(&wanted(named(), &wishes)), ["lz4"]);
        wishes.reader_level = ReaderLevel::Any;
        assert!(wanted(named(), &wishes).is_empty());
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
        assert!(plugins.contains(&"lz4".to_owned()), "{plugins:?}");
        assert!(
            plugins.contains(&"shuffle+zstd(3)".to_owned()),
            "{plugins:?}"
        );
        let all = standard(&wishes(ReaderLevel::Frazil));
        let mut families: Vec<&str> = all.iter().map(|one| one.family()).collect();
        let count = families.len();
        families.dedup();
        assert_eq!(families.len(), count);
    }
}
