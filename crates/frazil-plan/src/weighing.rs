//! What is stated of a choice beside its goal.

use std::fmt;
use std::sync::Arc;

use frazil_types::{Calibration, FilterPipeline, SpeedDemand, Transfer, filter_id};
use serde::{Deserialize, Serialize};

use crate::candidates::{CandidateFilters, candidates};
use crate::filters::FilterWishes;
use crate::goal::Goal;
use crate::score::{Score, Weights};
use crate::tree::FilterTree;

/// What is stated of a choice of filters beside its goal.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weighing {
    /// How much size, time and energy count, in place of what the goal stands for.
    pub weights: Option<Weights>,
    /// How fast one core must at least encode.
    pub encode_floor: Option<SpeedFloor>,
    /// How fast one core must at least decode.
    pub decode_floor: Option<SpeedFloor>,
    /// Share by which a ratio may be lower and count as equal, from 0 to below 1; the fastest of
    /// what is equal is taken. Where joules are what counts: by which they may be more.
    pub ratio_tolerance: Option<f64>,
    /// The tree that names what is tried; `None`: the shipped one.
    pub tree: Option<Arc<FilterTree>>,
}

/// A speed that filters must reach on one core, by the constants of [`crate::candidates()`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeedFloor {
    /// Raw MB/s, above 0.
    pub mb_s: f64,
    /// The end of a sentence that says who wants it: `as asked`, `(network) from wishes`.
    pub origin: String,
}

impl SpeedFloor {
    /// What somebody demands, words being what the calibration says of writing or of reading; `origin`
    /// ends a sentence about it: `as asked`, `from wishes`.
    #[must_use]
    pub fn of(
        demand: &SpeedDemand,
        transfer: Transfer,
        calibration: &Calibration,
        origin: &str,
    ) -> Self {
        Self {
            mb_s: demand.mb_s(transfer, calibration),
            origin: match demand.words() {
                Some(words) => format!("({words}) {origin}"),
                None => origin.to_owned(),
            },
        }
    }
}

impl fmt::Display for SpeedFloor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mb_s, origin } = self;
        match *mb_s < 10.0 {
            true => write!(f, "floor of {mb_s} MB/s {origin}"),
            false => write!(f, "floor of {mb_s:.0} MB/s {origin}"),
        }
    }
}

impl Weighing {
    pub(crate) fn tree(&self) -> &FilterTree {
        self.tree
            .as_deref()
            .unwrap_or_else(|| FilterTree::shipped())
    }

    /// `write floor of 400 MB/s as asked, read floor of 800 MB/s (shared) from wishes`; empty where
    /// none is stated.
    pub(crate) fn floors(&self) -> String {
        let named = [("write", &self.encode_floor), ("read", &self.decode_floor)];
        let stated = named
            .iter()
            .filter_map(|(name, floor)| floor.as_ref().map(|floor| format!("{name} {floor}")));
        stated.collect::<Vec<String>>().join(", ")
    }
}

impl FilterWishes {
    /// What filters are judged by.
    pub(crate) fn score(&self) -> Score {
        self.score_of(self.goal)
    }

    /// The same for another goal.
    pub(crate) fn score_of(&self, goal: Goal) -> Score {
        let score = match self.weighing.weights {
            Some(weights) => Score::weighted(weights),
            None => Score::strict(goal),
        };
        score.beside_none(self.share_of_none)
    }

    /// By how much a ratio may be lower and count as equal: as stated, or as the goal has it.
    pub(crate) fn ratio_tolerance(&self) -> Option<f64> {
        let of_goal = match self.weighing.weights {
            Some(_) => None,
            None => self.goal.ratio_tolerance(),
        };
        self.weighing.ratio_tolerance.or(of_goal)
    }

    /// Whether filters are as fast as they must be.
    pub(crate) fn is_fast_enough(&self, one: &CandidateFilters) -> bool {
        one.encode_mb_s >= self.least_encode_mb_s() && one.decode_mb_s >= self.least_decode_mb_s()
    }

    /// Of the levels of one family up to `most` the highest that is as fast as it must be; `None`: none
    /// is. Where no speed is stated, `most`.
    pub(crate) fn level_to(&self, family: &str, most: u32) -> Option<u32> {
        if self.weighing.encode_floor.is_none() && self.weighing.decode_floor.is_none() {
            return Some(most);
        }
        let levels = candidates()
            .iter()
            .filter(|one| one.family() == family && self.is_fast_enough(one))
            .filter_map(|one| u32::try_from(one.level()?).ok());
        levels.filter(|&level| level <= most).max()
    }

    /// Raw MB/s that one core must at least encode.
    fn least_encode_mb_s(&self) -> f64 {
        let stated = self.weighing.encode_floor.as_ref();
        stated
            .map_or(0.0, |floor| floor.mb_s)
            .max(self.goals_encode_mb_s())
    }

    fn goals_encode_mb_s(&self) -> f64 {
        match self.weighing.weights {
            Some(_) => 0.0,
            None => self.goal.least_encode_mb_s(),
        }
    }

    /// Raw MB/s that one core must at least decode.
    fn least_decode_mb_s(&self) -> f64 {
        let stated = self.weighing.decode_floor.as_ref();
        stated.map_or(0.0, |floor| floor.mb_s)
    }

    /// The floors in words, those of the goal included.
    pub(crate) fn all_floors(&self) -> String {
        let stated = self.weighing.floors();
        match stated.is_empty() {
            true => format!(
                "write floor of {:.0} MB/s of this goal",
                self.goals_encode_mb_s()
            ),
            false => stated,
        }
    }

    /// Whether chunks that are there already are decoded as fast as they must be. Filters without
    /// a known speed are not.
    pub(crate) fn is_read_fast_enough(&self, current: &FilterPipeline) -> bool {
        match &self.weighing.decode_floor {
            None => true,
            Some(floor) => decode_mb_s(current).is_some_and(|speed| speed >= floor.mb_s),
        }
    }
}

/// Raw MB/s that one core decodes, of filters that differ from a candidate in the level at most.
fn decode_mb_s(pipeline: &FilterPipeline) -> Option<f64> {
    let stages = pipeline.0.iter();
    let compressing = stages.filter(|stage| stage.id != filter_id::FLETCHER32);
    let compressing = FilterPipeline(compressing.cloned().collect());
    if compressing.is_empty() {
        return Some(f64::INFINITY);
    }
    let name = compressing.summary();
    let same = |one: &&CandidateFilters| {
        let rest = name.strip_prefix(one.family());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
    };
    let speeds = candidates().iter().filter(same).map(|one| one.decode_mb_s);
    // What levels of the same filters have differs little: the slowest stands for all.
    speeds.reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_types::FilterChain;

    fn pipeline(chain: &str) -> FilterPipeline {
        let element = frazil_types::ElementType {
            class: frazil_types::ElementClass::Float,
            size_bytes: 4,
            order: frazil_types::ByteOrder::Little,
        };
        let chain: FilterChain = chain.parse().unwrap();
        chain.resolve(element, &[16, 16])
    }

    #[test]
    fn floors_say_where_they_come_from() {
        let calibration = Calibration::default();
        let floor = |text: &str, origin| {
            let demand = text.parse().unwrap();
            SpeedFloor::of(&demand, Transfer::Reading, &calibration, origin)
        };
        let weighing = Weighing {
            encode_floor: Some(floor("400MB/s", "from wishes")),
            decode_floor: Some(floor("network", "as asked")),
            ..Weighing::default()
        };
        assert_eq!(
            weighing.floors(),
            "write floor of 400 MB/s from wishes, read floor of 1250 MB/s (network) as asked"
        );
        assert_eq!(Weighing::default().floors(), "");
    }

    #[test]
    fn filters_of_a_file_are_as_fast_as_their_like() {
        assert_eq!(
            decode_mb_s(&pipeline("shuffle+deflate(5)+fletcher32")),
            decode_mb_s(&pipeline("shuffle+deflate(6)"))
        );
        assert!(decode_mb_s(&pipeline("bzip2(9)")).unwrap() < 100.0);
        assert_eq!(decode_mb_s(&pipeline("none")), Some(f64::INFINITY));
        assert_eq!(decode_mb_s(&pipeline("szip(8)")), None);
        let wishes = FilterWishes {
            weighing: Weighing {
                decode_floor: Some(SpeedFloor {
                    mb_s: 500.0,
                    origin: String::new(),
                }),
                ..Weighing::default()
            },
            ..FilterWishes::default()
        };
        assert!(wishes.is_read_fast_enough(&pipeline("shuffle+deflate(4)")));
        assert!(!wishes.is_read_fast_enough(&pipeline("bzip2(9)")));
        assert!(!wishes.is_read_fast_enough(&pipeline("szip(8)")));
        assert!(FilterWishes::default().is_read_fast_enough(&pipeline("szip(8)")));
    }
}
