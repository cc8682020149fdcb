//! What filters cost by a goal: one figure, the lower the better.

use std::str::FromStr;

use frazil_types::spelling;
use serde::{Deserialize, Serialize};

use crate::candidates::CandidateFilters;
use crate::error::PlanError;
use crate::goal::Goal;

/// Where files go, in MB/s of one core's share: what does not shrink takes longer to write and read.
const STORAGE_MB_S: f64 = 1000.0;
/// Raw MB/s at which chunks without filters are copied.
const COPY_MB_S: f64 = 4000.0;
/// `speed` and `energy` want what shrinks to less than this share.
const SHRINKS_SHARE: f64 = 1.0 / 1.2;
/// What decisions for small files leave: filters that keep more than this share of the bytes.
const SAVES_ANYTHING_SHARE: f64 = 0.998;
/// What does not shrink costs them so many times as much: more than the slowest filter that they take.
const DOES_NOT_SHRINK: f64 = 10.0;
/// Share of the raw bytes that is added to what is stored: differences of some thousandths between
/// what shrinks to next to nothing matter to nobody.
const NEXT_TO_NOTHING: f64 = 0.005;
/// Watts of a busy core with its share of memory and power supply.
const WATTS_OF_CORE: f64 = 12.0;
/// Joules for a byte to get to storage or back: some 20 W for 1 GB/s.
const JOULES_PER_BYTE: f64 = 2e-8;

/// Whether filters keep so little of raw bytes that it tells nothing of how they do on others.
#[must_use]
pub fn is_next_to_nothing(share: f64) -> bool {
    share <= NEXT_TO_NOTHING
}

/// How much each side of a choice counts, in any unit: only their proportions matter.
///
/// With weights `s`, `w`, `r` and `e` that add up to 1, filters cost
/// `sizeˢ × write secondsʷ × read secondsʳ × joulesᵉ`, size being the stored share of the raw bytes and
/// 0.005. So with `size=1,write=0.5` half the size is worth
/// four times the time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Of stored bytes.
    pub size: f64,
    /// Of seconds that one core takes to encode and store.
    pub write: f64,
    /// Of seconds that one core takes to fetch and decode.
    pub read: f64,
    /// Of joules for writing once and reading once.
    pub energy: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            size: 0.0,
            write: 0.0,
            read: 0.0,
            energy: 0.0,
        }
    }
}

impl FromStr for Weights {
    type Err = PlanError;

    /// Reads `size=1,write=0.5,read=0.2,energy=0`; what is not named has no weight.
    fn from_str(text: &str) -> Result<Self, PlanError> {
        let refuse = |why: String| PlanError::Weights(why);
        let mut weights = Self::default();
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(|| {
                refuse(format!("{part:?} is no weight: name=number is, as size=1"))
            })?;
            let value: f64 = value
                .trim()
                .parse()
                .map_err(|_| refuse(format!("{value:?} is no number")))?;
            let place = match name.trim() {
                "size" => &mut weights.size,
                "write" => &mut weights.write,
                "read" => &mut weights.read,
                "energy" => &mut weights.energy,
                other => {
                    let known = "there are size, write, read and energy";
                    let meant = spelling::question(other, ["size", "write", "read", "energy"]);
                    return Err(refuse(format!(
                        "nothing is called {other:?}; {known}{meant}"
                    )));
                }
            };
            *place = value;
        }
        weights.checked()
    }
}

impl Weights {
    /// These weights, if they can be.
    ///
    /// # Errors
    /// [`PlanError::Weights`] for weights that are negative, not finite, or all 0.
    pub fn checked(self) -> Result<Self, PlanError> {
        let all = [self.size, self.write, self.read, self.energy];
        let possible = all
            .iter()
            .all(|weight| weight.is_finite() && *weight >= 0.0);
        match possible && self.sum() > 0.0 && self.sum().is_finite() {
            true => Ok(self),
            false => Err(PlanError::Weights(
                "weights are numbers from 0, and one of them is more than 0".to_owned(),
            )),
        }
    }

    /// What a goal stands for.
    #[must_use]
    pub fn of(goal: Goal) -> Self {
        let (size, write, read, energy) = match goal {
            Goal::Balanced => (1.0, 0.15, 0.1, 0.0),
            Goal::Size => (1.0, 0.02, 0.01, 0.0),
            Goal::Speed => (0.0, 1.0, 0.0, 0.0),
            Goal::Archive => (1.0, 0.0, 0.0, 0.0),
            Goal::Energy => (0.0, 0.0, 0.0, 1.0),
        };
        Self {
            size,
            write,
            read,
            energy,
        }
    }

    fn sum(&self) -> f64 {
        self.size + self.write + self.read + self.energy
    }
}

/// What filters are judged by: weights, and what is asked beside them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    weights: Weights,
    wants_shrinking: bool,
    /// Of filters that keep more than this share of the bytes there is no use.
    worthwhile_share: f64,
    /// Of those that keep less there always is: time decides among filters, not for none.
    always_pays: bool,
    /// What no filters keep of the raw bytes.
    share_of_none: f64,
}

impl Score {
    /// Of a goal.
    #[must_use]
    pub fn of(goal: Goal) -> Self {
        Self {
            weights: Weights::of(goal),
            wants_shrinking: matches!(goal, Goal::Speed | Goal::Energy),
            worthwhile_share: goal.worthwhile_share(),
            always_pays: false,
            share_of_none: 1.0,
        }
    }

    /// What decisions for a goal go by: as [`Self::of`], by which trees are grown that name what is worth
    /// trying, but that goals of small files take the smallest, and no goal that is about size leaves what
    /// saves something.
    #[must_use]
    pub(crate) fn strict(goal: Goal) -> Self {
        match goal {
            Goal::Size | Goal::Archive => Self {
                weights: Weights::of(Goal::Archive),
                worthwhile_share: SAVES_ANYTHING_SHARE,
                wants_shrinking: false,
                always_pays: true,
                share_of_none: 1.0,
            },
            Goal::Balanced => Self {
                always_pays: true,
                ..Self::of(goal)
            },
            Goal::Speed | Goal::Energy => Self::of(goal),
        }
    }

    /// Of weights.
    #[must_use]
    pub fn weighted(weights: Weights) -> Self {
        Self {
            weights,
            wants_shrinking: false,
            worthwhile_share: Goal::Balanced.worthwhile_share(),
            always_pays: false,
            share_of_none: 1.0,
        }
    }

    /// The same where no filters keep this share of the raw bytes.
    #[must_use]
    pub(crate) fn beside_none(self, share: f64) -> Self {
        Self {
            share_of_none: share,
            ..self
        }
    }

    /// Cost of filters that keep `share` of the raw bytes; where they do not pay, that of none, or more
    /// than that of any that do.
    #[must_use]
    pub fn cost(&self, candidate: &CandidateFilters, share: f64) -> f64 {
        match self.pays(candidate, share) {
            true => self.cost_of(candidate.encode_mb_s, candidate.decode_mb_s, share),
            false if self.always_pays => f64::INFINITY,
            false => self.cost_of_none(),
        }
    }

    /// Whether filters that keep `share` of the raw bytes are better than none.
    #[must_use]
    pub fn pays(&self, candidate: &CandidateFilters, share: f64) -> bool {
        let cost = || self.cost_of(candidate.encode_mb_s, candidate.decode_mb_s, share);
        share <= self.worthwhile_share * self.share_of_none
            && (self.always_pays || cost() < self.cost_of_none())
    }

    /// What the tolerance of a choice is about: the stored share, or joules where they count and
    /// bytes do not. The lower the better.
    fn tolerated(&self, candidate: &CandidateFilters, share: f64) -> f64 {
        match self.is_about_energy() {
            true => self.cost(candidate, share),
            false => share,
        }
    }

    fn is_about_energy(&self) -> bool {
        self.weights.energy > 0.0 && self.weights.size == 0.0
    }

    /// Whether filters that keep `share` of the bytes are as good as the best, but for a tolerance:
    /// a ratio lower by that share, or joules more by it. `best`: filters and share.
    pub(crate) fn is_as_good(
        &self,
        (candidate, share): (&CandidateFilters, f64),
        best: (&CandidateFilters, f64),
        tolerance: f64,
    ) -> bool {
        let best = self.tolerated(best.0, best.1);
        self.tolerated(candidate, share) <= self.most(best, tolerance)
    }

    /// Whether no filters are as good as the best, but for a tolerance.
    pub(crate) fn is_none_as_good(
        &self,
        (best, share): (&CandidateFilters, f64),
        tolerance: f64,
    ) -> bool {
        let none = match self.is_about_energy() {
            true => self.cost_of_none(),
            false => self.share_of_none,
        };
        tolerance > 0.0 && none <= self.most(self.tolerated(best, share), tolerance)
    }

    /// The most that counts as equal.
    fn most(&self, best: f64, tolerance: f64) -> f64 {
        match self.is_about_energy() {
            true => best * (1.0 + tolerance),
            false => best / (1.0 - tolerance),
        }
    }

    /// What differs within a tolerance, in words.
    pub(crate) fn tolerated_name(&self) -> &'static str {
        match self.is_about_energy() {
            true => "the joules",
            false => "the ratio",
        }
    }

    /// Cost of no filters.
    #[must_use]
    pub fn cost_of_none(&self) -> f64 {
        self.cost_of(COPY_MB_S, COPY_MB_S, self.share_of_none)
    }

    /// Of raw megabytes: seconds and joules of one.
    fn cost_of(&self, encode_mb_s: f64, decode_mb_s: f64, share: f64) -> f64 {
        let (encode, decode) = (1.0 / encode_mb_s, 1.0 / decode_mb_s);
        let moved = share / STORAGE_MB_S;
        let (write, read) = (encode + moved, decode + moved);
        let joules = joules_of(encode + decode, 2.0 * share * 1e6);
        let Weights {
            size,
            write: write_weight,
            read: read_weight,
            energy,
        } = self.weights;
        let exponent = size * (share + NEXT_TO_NOTHING).ln()
            + write_weight * write.ln()
            + read_weight * read.ln()
            + energy * joules.ln();
        let cost = (exponent / self.weights.sum()).exp();
        match self.wants_shrinking && share >= SHRINKS_SHARE {
            true => cost * DOES_NOT_SHRINK,
            false => cost,
        }
    }
}

/// Joules of some work: a busy core's, and those of moving bytes. Waiting costs nothing here: other
/// work has the machine meanwhile.
fn joules_of(cpu_seconds: f64, bytes: f64) -> f64 {
    cpu_seconds * WATTS_OF_CORE + bytes * JOULES_PER_BYTE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::candidate;

    fn cost(score: Score, name: &str, share: f64) -> f64 {
        score.cost(candidate(name).unwrap(), share)
    }

    #[test]
    fn weights_are_read_and_checked() {
        let weights: Weights = "size=1, write=0.5,energy=2".parse().unwrap();
        assert_eq!(weights.size, 1.0);
        assert_eq!(weights.write, 0.5);
        assert_eq!((weights.read, weights.energy), (0.0, 2.0));
        for wrong in [
            "", "size", "size=x", "colour=1", "size=-1", "size=0", "size=nan",
        ] {
            assert!(wrong.parse::<Weights>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn proportions_of_weights_matter_only() {
        let score = |text: &str| Score::weighted(text.parse().unwrap());
        let (one, ten) = (score("size=1,write=0.5"), score("size=10,write=5"));
        let (left, right) = (cost(one, "lz4", 0.5), cost(ten, "lz4", 0.5));
        assert!((left / right - 1.0).abs() < 1e-12);
    }

    #[test]
    fn goals_prefer_what_they_are_named_for() {
        let (fast, small) = (("shuffle+lz4", 0.6), ("shuffle+zstd(19)", 0.5));
        let prefers_small = |goal| {
            let score = Score::of(goal);
            cost(score, small.0, small.1) < cost(score, fast.0, fast.1)
        };
        assert!(prefers_small(Goal::Archive));
        assert!(prefers_small(Goal::Size));
        assert!(!prefers_small(Goal::Speed));
        assert!(!prefers_small(Goal::Energy));
    }

    #[test]
    fn a_tolerance_is_about_ratios_or_joules() {
        let of = |name: &str, share| (candidate(name).unwrap(), share);
        let archive = Score::of(Goal::Archive);
        let best = of("shuffle+zstd(22)", 0.40);
        assert!(archive.is_as_good(best, best, 0.0));
        assert!(!archive.is_as_good(of("lz4", 0.41), best, 0.0));
        // A ratio of 2.5, and one of 2.44.
        assert!(archive.is_as_good(of("lz4", 0.41), best, 0.03));
        assert!(!archive.is_as_good(of("lz4", 0.42), best, 0.03));
        assert!(!archive.is_none_as_good(best, 0.03));
        assert!(archive.is_none_as_good(of("lz4", 0.98), 0.03));
        assert!(!archive.is_none_as_good(of("lz4", 0.98), 0.0));
        let energy = Score::of(Goal::Energy);
        let joules = |name: &str, share| cost(energy, name, share);
        let more = joules("shuffle+zstd(3)", 0.5) / joules("lz4", 0.5) - 1.0;
        assert!(more > 0.0);
        let (quick, slow) = (of("lz4", 0.5), of("shuffle+zstd(3)", 0.5));
        assert!(energy.is_as_good(slow, quick, more + 0.01));
        assert!(!energy.is_as_good(slow, quick, more - 0.01));
    }

    #[test]
    fn what_does_not_shrink_costs_as_none() {
        for goal in Goal::ALL {
            let score = Score::of(goal);
            assert_eq!(cost(score, "lz4", 0.995), score.cost_of_none());
            assert!(cost(score, "shuffle+zstd(3)", 0.3) < score.cost_of_none());
        }
        // Saving 4 % is worth it for an archive, and for nothing else.
        let archive = Score::of(Goal::Archive);
        assert!(cost(archive, "lz4", 0.96) < archive.cost_of_none());
        let balanced = Score::of(Goal::Balanced);
        assert_eq!(cost(balanced, "lz4", 0.96), balanced.cost_of_none());
    }
}
