//! What the user asks of the filters.

use frazil_types::{FilterChain, FilterPipeline, ReaderLevel, filter_id};

use crate::candidates::{CandidateFilters, candidates};
use crate::error::PlanError;
use crate::goal::Goal;
use crate::score::Score;
use crate::weighing::SelectionCriteria;

const DEFLATE_HIGHEST: u32 = 9;
const ZSTD_HIGHEST: u32 = 22;

/// Use of the byte shuffle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShuffleRequest {
    /// With or without, whichever is smaller.
    #[default]
    Auto,
    /// Always, for elements of 2 bytes and more.
    On,
    /// Never.
    Off,
}

/// What the user asks of the filters.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterOptions {
    /// Deflate (or zstd) level; `None`: chosen by trial. 0: no compression.
    pub level: Option<u32>,
    /// Use of the byte shuffle.
    pub shuffle: ShuffleRequest,
    /// Who must be able to read the result.
    pub reader_level: ReaderLevel,
    /// Add a Fletcher-32 checksum.
    pub checksum: bool,
    /// What filters are chosen for, where nobody states them.
    pub goal: Goal,
    /// What is stated beside the goal.
    pub weighing: SelectionCriteria,
    /// These filters and no others; level, shuffle, readers and goal then mean nothing.
    pub chain: Option<FilterChain>,
    /// Who wants the chain, as a reason says it: `as asked`, `from rules`.
    pub chain_origin: &'static str,
    /// Of candidates only those whose filters all have these identifiers; `None`: all.
    pub only: Option<&'static [i32]>,
    /// Shape of the output's chunks in elements; empty if it is not known. Filters that look at
    /// neighbours need it.
    pub chunk: Vec<u64>,
    /// Uncompressed bytes of a chunk, where the variable is chunked in any case: it can then carry
    /// a checksum without compression. `None`: contiguous unless filtered, and trials assume
    /// chunks of the default size.
    pub chunk_bytes: Option<u64>,
    /// Uncompressed bytes of the variable; `None`: not known.
    pub raw_bytes: Option<u64>,
    /// Bytes of the samples by those of them that lie inside the array, at least 1: chunks at its edges
    /// stick out.
    pub padding: f64,
    /// What no filters keep of the raw bytes: more than all of them where chunks must stay that stick out.
    pub share_of_none: f64,
    /// What an index of chunks takes that there is none of without filters.
    pub index_bytes: u64,
}

impl Default for FilterOptions {
    fn default() -> Self {
        Self {
            level: None,
            shuffle: ShuffleRequest::Auto,
            reader_level: ReaderLevel::Any,
            checksum: false,
            goal: Goal::default(),
            weighing: SelectionCriteria::default(),
            chain: None,
            chain_origin: "as asked",
            only: None,
            chunk: Vec::new(),
            chunk_bytes: None,
            raw_bytes: None,
            padding: 1.0,
            share_of_none: 1.0,
            index_bytes: 0,
        }
    }
}

impl FilterOptions {
    /// Fails for a level that the compressor does not have.
    pub(crate) fn check_level(&self) -> Result<(), PlanError> {
        let (filter, highest) = match self.reader_level {
            ReaderLevel::Any => ("deflate", DEFLATE_HIGHEST),
            ReaderLevel::Plugins | ReaderLevel::Frazil => ("zstd", ZSTD_HIGHEST),
        };
        match self.level {
            Some(level) if level > highest => Err(PlanError::Level {
                filter,
                level,
                highest,
            }),
            _ => Ok(()),
        }
    }

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
    use crate::weighing::SpeedFloor;

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
    fn filters_of_a_file_are_as_fast_as_their_like() {
        assert_eq!(
            decode_mb_s(&pipeline("shuffle+deflate(5)+fletcher32")),
            decode_mb_s(&pipeline("shuffle+deflate(6)"))
        );
        assert!(decode_mb_s(&pipeline("bzip2(9)")).unwrap() < 100.0);
        assert_eq!(decode_mb_s(&pipeline("none")), Some(f64::INFINITY));
        assert_eq!(decode_mb_s(&pipeline("szip(8)")), None);
        let requests = FilterOptions {
            weighing: SelectionCriteria {
                decode_floor: Some(SpeedFloor {
                    mb_s: 500.0,
                    origin: String::new(),
                }),
                ..SelectionCriteria::default()
            },
            ..FilterOptions::default()
        };
        assert!(requests.is_read_fast_enough(&pipeline("shuffle+deflate(4)")));
        assert!(!requests.is_read_fast_enough(&pipeline("bzip2(9)")));
        assert!(!requests.is_read_fast_enough(&pipeline("szip(8)")));
        assert!(FilterOptions::default().is_read_fast_enough(&pipeline("szip(8)")));
    }
}
