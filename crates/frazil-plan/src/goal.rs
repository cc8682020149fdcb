//! What filters are chosen for: size, speed, or a balance of both.
//!
//! Trials measure sizes; how fast a filter is comes from a table of constants, so that the same data
//! give the same choice on every machine and at any load.

use std::fmt;
use std::str::FromStr;

use frazil_types::{DeflateEncoder, ReaderLevel};
use serde::{Deserialize, Serialize};

use crate::error::PlanError;
use crate::explain;
use crate::filters::{FilterWishes, ShuffleWish};
use crate::trial::{Chosen, Trial};

/// What filters are chosen for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// The lowest level that comes close to the best: small files at little cost.
    #[default]
    Balanced,
    /// Small files, at a cost that a repack can bear.
    Size,
    /// Data that are written as fast as can be, and still shrink.
    Speed,
    /// The smallest files, whatever writing them costs.
    Archive,
}

impl Goal {
    /// All goals.
    pub const ALL: [Self; 4] = [Self::Balanced, Self::Size, Self::Speed, Self::Archive];

    /// Its word on command lines and in options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Balanced => "balanced",
            Self::Size => "size",
            Self::Speed => "speed",
            Self::Archive => "archive",
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Goal {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        let goal = Self::ALL.into_iter().find(|goal| goal.name() == text);
        goal.ok_or_else(|| PlanError::UnknownGoal {
            name: text.to_owned(),
        })
    }
}

/// Filters at their levels, fastest first.
struct Family {
    /// As a filter chain is written, without the level.
    chain: &'static str,
    /// Who can read it.
    readers: ReaderLevel,
    /// Levels with what one core encodes with them.
    levels: &'static [Level],
}

impl Family {
    fn serves(&self, wishes: &FilterWishes) -> bool {
        let shuffles = self.chain.contains("shuffle");
        let is_wished = match wishes.shuffle {
            ShuffleWish::Auto => true,
            ShuffleWish::On => shuffles,
            ShuffleWish::Off => !shuffles,
        };
        is_wished && self.readers <= wishes.reader_level
    }
}

/// A level of a family; families without levels have one of none.
#[derive(Clone, Copy)]
struct Level {
    level: Option<i32>,
    /// Raw MB/s that one core encodes: smooth float32 fields of 256 KiB, measured by
    /// `examples/encode_speeds.rs` of frazil-codec on one core of an AMD EPYC, rounded.
    encode_mb_s: f64,
}

const fn at(level: i32, encode_mb_s: f64) -> Level {
    Level {
        level: Some(level),
        encode_mb_s,
    }
}

const fn only(encode_mb_s: f64) -> Level {
    Level {
        level: None,
        encode_mb_s,
    }
}

const fn family(chain: &'static str, readers: ReaderLevel, levels: &'static [Level]) -> Family {
    Family {
        chain,
        readers,
        levels,
    }
}

/// What there is to choose from. The second level of each family (or its only one) stands for it
/// when families are compared.
static FAMILIES: [Family; 12] = [
    family("shuffle+deflate", ReaderLevel::Any, &SHUFFLE_DEFLATE_LEVELS),
    family("deflate", ReaderLevel::Any, &DEFLATE_LEVELS),
    family("bitshuffle+lz4", ReaderLevel::Plugins, &[only(3100.0)]),
    family("shuffle+lz4", ReaderLevel::Plugins, &[only(5600.0)]),
    family("lz4", ReaderLevel::Plugins, &[only(5600.0)]),
    family("shuffle+zstd", ReaderLevel::Plugins, &SHUFFLE_ZSTD_LEVELS),
    family("zstd", ReaderLevel::Plugins, &ZSTD_LEVELS),
    family(
        "bitshuffle+zstd",
        ReaderLevel::Plugins,
        &BITSHUFFLE_ZSTD_LEVELS,
    ),
    family("pcodec", ReaderLevel::Frazil, &PCODEC_LEVELS),
    family("delta+shuffle+zstd", ReaderLevel::Frazil, &DELTA_LEVELS),
    family("lorenzo+shuffle+zstd", ReaderLevel::Frazil, &LORENZO_LEVELS),
    family(
        "lorenzo+bitshuffle+zstd",
        ReaderLevel::Frazil,
        &BITSHUFFLE_ZSTD_LEVELS,
    ),
];

static DEFLATE_LEVELS: [Level; 5] = [
    at(1, 150.0),
    at(4, 100.0),
    at(6, 95.0),
    at(9, 81.0),
    at(12, 27.0),
];
static SHUFFLE_DEFLATE_LEVELS: [Level; 5] = [
    at(1, 240.0),
    at(4, 180.0),
    at(6, 160.0),
    at(9, 72.0),
    at(12, 7.0),
];
static ZSTD_LEVELS: [Level; 5] = [
    at(1, 1400.0),
    at(3, 780.0),
    at(9, 250.0),
    at(15, 24.0),
    at(19, 12.0),
];
static SHUFFLE_ZSTD_LEVELS: [Level; 5] = [
    at(1, 3500.0),
    at(3, 3200.0),
    at(9, 510.0),
    at(15, 26.0),
    at(19, 11.0),
];
static BITSHUFFLE_ZSTD_LEVELS: [Level; 5] = [
    at(1, 870.0),
    at(3, 730.0),
    at(9, 140.0),
    at(15, 30.0),
    at(19, 16.0),
];
static DELTA_LEVELS: [Level; 5] = [
    at(1, 1900.0),
    at(3, 1850.0),
    at(9, 1100.0),
    at(15, 230.0),
    at(19, 24.0),
];
static LORENZO_LEVELS: [Level; 5] = [
    at(1, 1560.0),
    at(3, 1530.0),
    at(9, 430.0),
    at(15, 130.0),
    at(19, 16.0),
];
static PCODEC_LEVELS: [Level; 3] = [at(4, 350.0), at(8, 170.0), at(12, 13.0)];

/// `size` takes no filter that one core encodes slower than this.
const BEARABLE_MB_S: f64 = 20.0;
/// Families whose levels are tried, of those compared.
const FINALISTS: usize = 2;
/// Of sizes within this factor of the smallest, the fastest to encode is taken for `size`.
const SIZE_SLACK: f64 = 1.005;
/// Where files go at `speed`, in MB/s of one core's share: what does not shrink costs more there.
const STORAGE_MB_S: f64 = 1000.0;
/// `speed` prefers what shrinks to less than this share, if anything does.
const SHRINKS_SHARE: f64 = 1.0 / 1.2;

/// A family's candidate with what it made of the samples.
struct Tried {
    chosen: Chosen,
    encode_mb_s: f64,
}

/// Chooses for a goal other than `Balanced`.
pub(crate) fn choose(
    trial: &mut Trial<'_>,
    goal: Goal,
    wishes: &FilterWishes,
) -> Result<(Chosen, String), PlanError> {
    let families = FAMILIES.iter().filter(|family| family.serves(wishes));
    let families: Vec<&Family> = families.collect();
    let tried = match goal {
        Goal::Speed => {
            let mut tried = Vec::new();
            for family in families {
                tried.push(try_level(trial, family, family.levels[0])?);
            }
            tried
        }
        Goal::Balanced | Goal::Size | Goal::Archive => {
            let lowest = if goal == Goal::Archive {
                0.0
            } else {
                BEARABLE_MB_S
            };
            try_finalists(trial, &families, lowest)?
        }
    };
    let raw_bytes = trial.raw_bytes() as f64;
    let best = match goal {
        Goal::Speed => fastest(tried, raw_bytes),
        Goal::Archive => smallest(tried, 1.0),
        Goal::Balanced | Goal::Size => smallest(tried, SIZE_SLACK),
    };
    let best = best.ok_or(PlanError::NothingToTry)?;
    let share = best.chosen.bytes as f64 / raw_bytes;
    let reason = explain::for_goal(&best.chosen.pipeline.summary(), goal.name(), share);
    Ok((best.chosen, reason))
}

/// The families that get smallest at a middling level, at all their levels.
fn try_finalists(
    trial: &mut Trial<'_>,
    families: &[&Family],
    lowest_mb_s: f64,
) -> Result<Vec<Tried>, PlanError> {
    let mut ranked = Vec::new();
    for &family in families {
        let middling = family.levels[1.min(family.levels.len() - 1)];
        ranked.push((try_level(trial, family, middling)?.chosen.bytes, family));
    }
    // Of equal sizes the one that more readers know stays in front.
    ranked.sort_by_key(|&(bytes, _)| bytes);
    let mut tried = Vec::new();
    for (_, family) in ranked.into_iter().take(FINALISTS) {
        for &level in family.levels {
            if level.encode_mb_s >= lowest_mb_s {
                tried.push(try_level(trial, family, level)?);
            }
        }
    }
    Ok(tried)
}

fn try_level(trial: &mut Trial<'_>, family: &Family, level: Level) -> Result<Tried, PlanError> {
    // Deflate's format has levels to 9; libdeflate's encoder has three more.
    let is_deflate = family.readers == ReaderLevel::Any;
    let (text, encoder) = match level.level {
        None => (family.chain.to_owned(), None),
        Some(level) if is_deflate => {
            let encoder = DeflateEncoder::Libdeflate(level);
            (format!("{}({})", family.chain, level.min(9)), Some(encoder))
        }
        Some(level) => (format!("{}({level})", family.chain), None),
    };
    let chain = text.parse().map_err(PlanError::Chain)?;
    let chosen = trial.chain(&chain, encoder)?;
    Ok(Tried {
        chosen,
        encode_mb_s: level.encode_mb_s,
    })
}

/// The fastest to encode whose size is within `slack` of the smallest.
fn smallest(tried: Vec<Tried>, slack: f64) -> Option<Tried> {
    let least = tried.iter().map(|one| one.chosen.bytes).min()?;
    let limit = least as f64 * slack;
    let near = tried
        .into_iter()
        .filter(|one| one.chosen.bytes as f64 <= limit);
    near.max_by(|a, b| a.encode_mb_s.total_cmp(&b.encode_mb_s))
}

/// What is encoded and stored in the least time, of what shrinks.
fn fastest(mut tried: Vec<Tried>, raw_bytes: f64) -> Option<Tried> {
    let share = |one: &Tried| one.chosen.bytes as f64 / raw_bytes;
    if tried.iter().any(|one| share(one) < SHRINKS_SHARE) {
        tried.retain(|one| share(one) < SHRINKS_SHARE);
    }
    let cost = |one: &Tried| 1.0 / one.encode_mb_s + share(one) / STORAGE_MB_S;
    tried.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)))
}

/// At reader level `frazil`, what is chosen for `balanced` competes with frazil's own filters.
pub(crate) fn own_filters(trial: &mut Trial<'_>) -> Result<Option<(Chosen, String)>, PlanError> {
    let own = FAMILIES
        .iter()
        .filter(|family| family.readers == ReaderLevel::Frazil);
    let mut tried = Vec::new();
    for family in own {
        tried.push(try_level(trial, family, family.levels[1])?);
    }
    let raw_bytes = trial.raw_bytes() as f64;
    Ok(smallest(tried, SIZE_SLACK).map(|best| {
        let share = best.chosen.bytes as f64 / raw_bytes;
        let name = Goal::Balanced.name();
        let reason = explain::for_goal(&best.chosen.pipeline.summary(), name, share);
        (best.chosen, reason)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_is_a_chain_of_its_reader_level_fastest_first() {
        for family in &FAMILIES {
            let levels = family.levels;
            assert!(
                levels
                    .windows(2)
                    .all(|pair| pair[0].encode_mb_s > pair[1].encode_mb_s)
            );
            for level in levels {
                let text = match level.level {
                    Some(level) if family.readers == ReaderLevel::Any => {
                        format!("{}({})", family.chain, level.min(9))
                    }
                    Some(level) => format!("{}({level})", family.chain),
                    None => family.chain.to_owned(),
                };
                let chain: frazil_types::FilterChain = text.parse().unwrap();
                assert_eq!(chain.reader_level(), family.readers, "{text}");
            }
        }
    }

    #[test]
    fn goals_have_names() {
        for goal in Goal::ALL {
            assert_eq!(goal.name().parse::<Goal>().unwrap(), goal);
        }
        assert!("fast".parse::<Goal>().is_err());
    }
}
