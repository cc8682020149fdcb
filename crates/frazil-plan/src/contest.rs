//! The decision unit: candidates meet on the same samples, round by round.
//!
//! A round looks at a part of every sample, four times as much as the one before, and the better third
//! goes on; the last is on samples as they are, whole chunks of the output, and it alone decides. A
//! contest is one of leagues. Filters that fewer readers know, or that serve a dearer goal, meet among
//! themselves first; winners of all leagues meet in the end. So a goal, or a wider reader level, has on
//! the samples never more bytes than a cheaper or narrower one: that one's winner is among its own.

use frazil_types::{FilterPipeline, ReaderLevel};

use crate::candidates::{CandidateFilters, candidate, candidates, zlib_candidates};
use crate::error::PlanError;
use crate::explain::filters_by;
use crate::goal::Goal;
use crate::requests::FilterOptions;
use crate::score::Score;
use crate::serving::serves;
use crate::trial::{Chosen, Trial, TriedChain};

/// The rounds: each looks at one byte in so many of every sample.
const ROUNDS: [usize; 3] = [16, 4, 1];
/// The last round, on all of every sample.
const LAST: usize = ROUNDS.len() - 1;
/// A round on fewer bytes of all samples together is left out: it says too little, the less the closer the race.
const LEAST_ROUND_BYTES: u64 = 8 << 10;
const LEAST_ROUND_BYTES_FOR_SMALL_FILES: u64 = 64 << 10;
/// By how much filters may become smaller than what is known when their turn comes; they hardly ever become smaller:
/// than they were in an earlier round, than the smallest at a faster level of the same filters, and than the smallest
/// of all.
const HOPE_OF_SEEN: f64 = 0.8;
const HOPE_OF_FAMILY: f64 = 0.7;
const HOPE_OF_ALL: f64 = 0.5;
/// The same where a faster level of the same filters has seen the round: what a larger part of the samples makes of one
/// level it makes of the others.
const HOPE_OF_PAIRED: f64 = 0.98;
/// One in so many goes on to the next round.
const GOES_ON: usize = 3;
/// So many come to the last round of a league at least.
const FINALISTS: usize = 3;
/// Where only bytes count, the best level of filters that take no more than this beside the smallest goes on, too:
/// parts of chunks say little of differences along several axes.
const FAMILY_DOUBT: f64 = 0.15;
/// Filters that encode so many raw MB/s are fast.
const FAST_MB_S: f64 = 100.0;
/// What people take for their smallest files is always tried to the end for `archive`.
pub(crate) const KNOWN_AS_SMALLEST: &str = "shuffle+zstd(19)";
const LEVELS: [ReaderLevel; 3] = [ReaderLevel::Any, ReaderLevel::Plugins, ReaderLevel::Frazil];

/// A candidate, and what it made of all samples.
#[derive(Clone)]
pub(crate) struct Tried {
    pub(crate) candidate: &'static CandidateFilters,
    pub(crate) chosen: Chosen,
}

/// What a contest found.
pub(crate) struct Outcome {
    /// Those that came to the last round of a league.
    pub(crate) finalists: Vec<Tried>,
    /// All that was tried, finalists first; of others the share is that of the last round that they saw.
    pub(crate) tried: Vec<TriedChain>,
}

/// One candidate in a contest.
struct Contender {
    candidate: &'static CandidateFilters,
    pipeline: FilterPipeline,
    /// Stored bytes by raw bytes in the last round that it saw, and its number.
    share: f64,
    /// The standard error of that.
    spread: f64,
    seen: Option<usize>,
}

/// Candidates that meet among themselves first.
struct League<'a> {
    score: Score,
    /// Nobody leaves before the last round.
    is_open: bool,
    least_round_bytes: u64,
    /// Who is slow may be hopeless; where only bytes count, nobody is.
    weighs_time: bool,
    /// What is fast does not leave, either: some difference is tolerated for its sake.
    keeps_fast: bool,
    /// Do not leave after the first round.
    advised: &'a [&'static CandidateFilters],
}

/// The best of a round, in all leagues of a goal.
#[derive(Default)]
struct Records {
    least_cost: Option<f64>,
    /// Least stored share of filters, whatever their level.
    least_shares: Vec<(&'static str, f64)>,
}

impl Records {
    /// Whether one that has not seen the round would lose, however well it did.
    fn is_hopeless(&self, one: &Contender, score: Score) -> bool {
        if self.least_cost.is_none() {
            return false;
        }
        let least = |is_of: &dyn Fn(&str) -> bool| {
            let shares = self.least_shares.iter().filter(|(family, _)| is_of(family));
            shares.map(|(_, share)| *share).min_by(f64::total_cmp)
        };
        let family = one.candidate.family();
        let hope = match (one.seen, least(&|known| known == family)) {
            (Some(_), _) => one.share * HOPE_OF_SEEN,
            (None, Some(of_family)) => of_family * HOPE_OF_FAMILY,
            (None, None) => least(&|_| true).unwrap_or(0.0) * HOPE_OF_ALL,
        };
        self.is_beaten(one, hope, score)
    }

    /// Whether one would lose with such a share.
    fn is_beaten(&self, one: &Contender, share: f64, score: Score) -> bool {
        let least = self.least_cost.unwrap_or(f64::INFINITY);
        score.cost(one.candidate, share) > least
    }

    /// Takes account of one that has seen the round.
    fn take(&mut self, one: &Contender, score: Score) {
        let cost = score.cost(one.candidate, one.share);
        self.least_cost = Some(self.least_cost.map_or(cost, |least| least.min(cost)));
        let family = one.candidate.family();
        match self
            .least_shares
            .iter_mut()
            .find(|(known, _)| *known == family)
        {
            Some((_, least)) => *least = least.min(one.share),
            None => self.least_shares.push((family, one.share)),
        }
    }
}

/// Lets all candidates that serve the requests meet; `advised` are the likeliest. No finalists: nothing is
/// as fast as it must be.
pub(crate) fn hold(
    trial: &mut Trial<'_>,
    requests: &FilterOptions,
    advised: &[&'static CandidateFilters],
) -> Result<Outcome, PlanError> {
    let mut all = contenders(trial, requests);
    // A tree that somebody states names all that is tried.
    let is_named = |one: &Contender| advised.contains(&one.candidate);
    if requests.weighing.tree.is_some() && all.iter().any(is_named) {
        all.retain(is_named);
    }
    let goals: &[Goal] = match requests.weighing.weights {
        Some(_) => &[requests.goal],
        None => requests.goal.asked(),
    };
    for &goal in goals {
        let mut records: [Records; ROUNDS.len()] = Default::default();
        // What few readers know is often the fastest, and shows what of the others is hopeless.
        for level in LEVELS.into_iter().rev() {
            let is_of = |one: &&mut Contender| {
                let is_fast_enough = one.candidate.encode_mb_s >= goal.least_encode_mb_s();
                one.candidate.readers == level && is_fast_enough
            };
            let mut members: Vec<&mut Contender> = all.iter_mut().filter(is_of).collect();
            let league = League {
                score: requests.score_of(goal),
                is_open: is_open(requests, goal, level),
                weighs_time: requests.weighing.weights.is_some()
                    || !matches!(goal, Goal::Size | Goal::Archive),
                least_round_bytes: match goal {
                    Goal::Size | Goal::Archive => LEAST_ROUND_BYTES_FOR_SMALL_FILES,
                    Goal::Balanced | Goal::Speed | Goal::Energy => LEAST_ROUND_BYTES,
                },
                keeps_fast: requests.weighing.ratio_tolerance.is_some(),
                advised,
            };
            league.play(trial, &mut members, &mut records)?;
        }
    }
    see_what_is_stated(trial, requests, &mut all)?;
    let is_last = |one: &Contender| one.seen == Some(LAST);
    let raw_bytes = trial.raw_bytes() as f64;
    all.sort_by_key(|one| !is_last(one));
    let seen = all.iter().filter(|one| one.seen.is_some());
    Ok(Outcome {
        tried: seen.map(Contender::tried).collect(),
        finalists: (all.into_iter().filter(is_last))
            .map(|one| one.finish(raw_bytes))
            .collect(),
    })
}

/// Where a small file is the goal, also tries what people state for one: zlib itself, shuffled or not as
/// the smallest so far, and a high level of zstd.
fn see_what_is_stated(
    trial: &mut Trial<'_>,
    requests: &FilterOptions,
    all: &mut Vec<Contender>,
) -> Result<(), PlanError> {
    let is_small = matches!(requests.goal, Goal::Size | Goal::Archive);
    if !is_small || requests.weighing.weights.is_some() || requests.weighing.tree.is_some() {
        return Ok(());
    }
    let is_unseen =
        |one: &&mut Contender| one.candidate.name() == KNOWN_AS_SMALLEST && one.seen != Some(LAST);
    if let (Goal::Archive, Some(known)) = (requests.goal, all.iter_mut().find(is_unseen)) {
        known.see(trial, LAST)?;
    }
    let deflated = all.iter().filter(|one| one.candidate.encoder().is_some());
    let Some(smallest) = deflated.min_by(|a, b| a.share.total_cmp(&b.share)) else {
        return Ok(());
    };
    let shuffles = smallest.candidate.shuffles();
    for candidate in zlib_candidates() {
        let is_wanted = candidate.shuffles() == shuffles
            && candidate.encode_mb_s >= requests.goal.least_encode_mb_s()
            && serves(candidate, requests)
            && requests.is_fast_enough(candidate);
        if is_wanted {
            let mut zlib = Contender::new(candidate, trial.resolve(candidate.chain()));
            zlib.see(trial, LAST)?;
            all.push(zlib);
        }
    }
    Ok(())
}

/// Small files are promised not to be larger than at any level that somebody might state: there the
/// standard filters all go to the end.
fn is_open(requests: &FilterOptions, goal: Goal, level: ReaderLevel) -> bool {
    let is_small =
        matches!(goal, Goal::Size | Goal::Archive) && requests.weighing.weights.is_none();
    is_small && level == ReaderLevel::Any
}

/// All candidates that serve the requests; of those that are the same filters for this variable the first.
fn contenders(trial: &Trial<'_>, requests: &FilterOptions) -> Vec<Contender> {
    let mut found: Vec<Contender> = Vec::new();
    let fit = candidates().iter().filter(|one| serves(one, requests));
    for candidate in fit.filter(|one| requests.is_fast_enough(one)) {
        let pipeline = trial.resolve(candidate.chain());
        let is_known = |one: &Contender| {
            one.pipeline == pipeline && one.candidate.encoder() == candidate.encoder()
        };
        // Differences without a compressor, where pcodec and the like mean nothing.
        if pipeline.is_empty() || found.iter().any(is_known) {
            continue;
        }
        found.push(Contender::new(candidate, pipeline));
    }
    found
}

impl Contender {
    fn new(candidate: &'static CandidateFilters, pipeline: FilterPipeline) -> Self {
        Self {
            candidate,
            pipeline,
            share: f64::INFINITY,
            spread: 0.0,
            seen: None,
        }
    }

    /// Tries it on the part of the samples that a round looks at.
    fn see(&mut self, trial: &mut Trial<'_>, round: usize) -> Result<(), PlanError> {
        (self.share, self.spread) = trial.share_in_part(self.candidate, ROUNDS[round])?;
        self.seen = Some(round);
        Ok(())
    }

    fn tried(&self) -> TriedChain {
        TriedChain {
            filters: filters_by(&self.pipeline, self.candidate.encoder()),
            share: self.share,
            spread: (self.seen == Some(LAST)).then_some(self.spread),
        }
    }

    fn finish(self, raw_bytes: f64) -> Tried {
        Tried {
            candidate: self.candidate,
            chosen: Chosen {
                pipeline: self.pipeline,
                encoder: self.candidate.encoder(),
                bytes: (self.share * raw_bytes).round() as u64,
                spread: self.spread,
            },
        }
    }
}

impl League<'_> {
    fn play(
        &self,
        trial: &mut Trial<'_>,
        members: &mut Vec<&mut Contender>,
        records: &mut [Records; ROUNDS.len()],
    ) -> Result<(), PlanError> {
        for round in 0..=LAST {
            let bytes = trial.raw_bytes() / ROUNDS[round] as u64;
            let is_left_out = self.is_open || bytes < self.least_round_bytes;
            if round < LAST && (is_left_out || members.len() <= FINALISTS) {
                continue;
            }
            self.see_all(trial, members, round, &mut records[round])?;
            if round < LAST {
                self.send_home(members, round);
            }
        }
        Ok(())
    }

    /// Lets members see a round, the fastest first; who is hopeless leaves unseen.
    fn see_all(
        &self,
        trial: &mut Trial<'_>,
        members: &mut Vec<&mut Contender>,
        round: usize,
        records: &mut Records,
    ) -> Result<(), PlanError> {
        members.sort_by(|a, b| b.candidate.encode_mb_s.total_cmp(&a.candidate.encode_mb_s));
        let mut found = Vec::with_capacity(members.len());
        // By filters: the share of a level in this round by that in the round before.
        let mut changes: Vec<(&str, f64)> = Vec::new();
        for one in members.drain(..) {
            // Some saw it in another league.
            if one.seen.is_none_or(|seen| seen < round) {
                let stays = !self.weighs_time || self.advised.contains(&one.candidate);
                if !stays && records.is_hopeless(one, self.score) {
                    continue;
                }
                let family = one.candidate.family();
                let change = changes.iter().find(|(known, _)| *known == family);
                if self.weighs_time && !self.keeps_fast && one.seen.is_some() {
                    let hope = change.map(|(_, change)| one.share * change * HOPE_OF_PAIRED);
                    if hope.is_some_and(|hope| records.is_beaten(one, hope, self.score)) {
                        continue;
                    }
                }
                let before = one.seen.map(|_| one.share);
                one.see(trial, round)?;
                if let (Some(before), None) = (before, change) {
                    changes.push((family, one.share / before.max(f64::MIN_POSITIVE)));
                }
            }
            records.take(one, self.score);
            found.push(one);
        }
        *members = found;
        Ok(())
    }

    /// Leaves in the league who goes on to the next round.
    fn send_home(&self, members: &mut Vec<&mut Contender>, round: usize) {
        let cost = |one: &Contender| (self.score.cost(one.candidate, one.share), one.share);
        members.sort_by(|a, b| {
            let (a, b) = (cost(a), cost(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let stay = members.len().div_ceil(GOES_ON).max(FINALISTS);
        let least = members
            .iter()
            .map(|one| one.share)
            .fold(f64::INFINITY, f64::min);
        let mut families: Vec<&str> = Vec::new();
        let mut place = 0;
        members.retain(|one| {
            place += 1;
            let is_close = !self.weighs_time && one.share <= least * (1.0 + FAMILY_DOUBT);
            let is_new = !families.contains(&one.candidate.family());
            if is_close && is_new {
                families.push(one.candidate.family());
                return true;
            }
            let is_advised = round == 0 && self.advised.contains(&one.candidate);
            let is_fast = self.keeps_fast && one.candidate.encode_mb_s >= FAST_MB_S;
            place <= stay || is_advised || is_fast
        });
    }
}

/// The candidates that a decision tree calls the likeliest.
pub(crate) fn by_name<'a>(
    names: impl Iterator<Item = &'a String>,
) -> Vec<&'static CandidateFilters> {
    names.filter_map(|name| candidate(name)).collect()
}
