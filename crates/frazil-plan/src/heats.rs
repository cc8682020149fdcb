//! Trials in two heats: all filters on one sample or a part of it, the best of them on all samples.
//!
//! Of what is named for a variable most is clearly worse than the best, and slow filters take longer to
//! try than the chosen ones take to pack: a sample of some size says so.

use std::ops::Range;

use frazil_types::{DeflateEncoder, FilterChain, FilterPipeline};

use crate::candidates::{CandidateFilters, candidate, candidates};
use crate::error::PlanError;
use crate::trial::{Chosen, Trial, TriedChain};

/// Samples smaller than this decide nothing alone: what compressors find far apart is not in them.
const LEAST_HEAT_BYTES: usize = 20 << 10;

/// A part of a sample that a first heat is held on, about.
const PART_BYTES: usize = 32 << 10;

/// A part stands for a sample where a fast compressor's shares of both differ by no more than this factor.
const LIKE: f64 = 1.5;

/// So many go on at most: the best, and those within the factor of it.
const MOST_FINALISTS: usize = 3;
const CLOSE: f64 = 1.02;

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
    /// What is named first is taken; the fastest level of the same filters tells whether filters pay.
    StandIn,
}

/// How trials go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) first: FirstHeat,
    /// Of levels of the same filters within this of the best, the fastest goes on.
    pub(crate) tolerance: f64,
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

/// A candidate as the variable will have it.
struct Entry {
    candidate: &'static CandidateFilters,
    chain: FilterChain,
    encoder: Option<DeflateEncoder>,
    pipeline: FilterPipeline,
    /// Stored bytes by raw bytes, of what it was tried on last.
    share: f64,
}

/// The bytes of the first heat: of one sample.
struct Heat {
    sample: usize,
    bytes: Range<usize>,
}

/// Tries candidates on samples; `rank` says what one is worth that keeps a share of the bytes, the lower
/// the better.
pub(crate) fn run(
    trial: &mut Trial<'_>,
    shortlist: &[&'static CandidateFilters],
    rules: Rules,
    rank: impl Fn(&CandidateFilters, f64) -> f64,
) -> Result<Outcome, PlanError> {
    let mut entries = entries(trial, shortlist)?;
    if rules.first == FirstHeat::StandIn {
        entries.truncate(1);
        for entry in &mut entries {
            entry.share = by_fastest_level(trial, entry)?;
        }
        return Ok(outcome(trial, entries, |_| true));
    }
    let heat = match entries.len() > 1 {
        true => heat_of(trial, rules.first)?,
        false => None,
    };
    let Some(heat) = heat else {
        for entry in &mut entries {
            entry.share = on_all(trial, entry, None)?;
        }
        return Ok(outcome(trial, entries, |_| true));
    };
    let bytes = &trial.samples()[heat.sample][heat.bytes.clone()];
    for entry in &mut entries {
        let stored = trial.bytes_of(&entry.chain, entry.encoder, bytes)?;
        entry.share = stored as f64 / bytes.len() as f64;
    }
    let goes_on = finalists(&entries, rules.tolerance, |one| {
        rank(one.candidate, one.share)
    });
    second(trial, &mut entries, &goes_on, &heat)?;
    Ok(outcome(trial, entries, |i| goes_on[i]))
}

/// The second heat; the shares of what was dropped change as those of the last finalist do. A part of a sample
/// that left one decides alone.
fn second(
    trial: &mut Trial<'_>,
    entries: &mut [Entry],
    goes_on: &[bool],
    heat: &Heat,
) -> Result<(), PlanError> {
    let is_part = heat.bytes.len() < trial.samples()[heat.sample].len();
    if is_part && goes_on.iter().filter(|&&one| one).count() == 1 {
        return Ok(());
    }
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

/// The share that filters keep of all samples, one of which may be known.
fn on_all(trial: &mut Trial<'_>, entry: &Entry, known: Option<usize>) -> Result<f64, PlanError> {
    let samples = trial.samples();
    let mut stored = known.map_or(0.0, |i| entry.share * samples[i].len() as f64);
    for (_, sample) in samples
        .iter()
        .enumerate()
        .filter(|&(i, _)| Some(i) != known)
    {
        stored += trial.bytes_of(&entry.chain, entry.encoder, sample)? as f64;
    }
    Ok(stored / trial.raw_bytes() as f64)
}

/// The share that the fastest level of the same filters keeps of all samples.
fn by_fastest_level(trial: &mut Trial<'_>, entry: &Entry) -> Result<f64, PlanError> {
    let family = entry.candidate.family();
    // Each family begins with its fastest level.
    let fastest = candidates().iter().find(|one| one.family() == family);
    let stand_in = entries(trial, &[fastest.unwrap_or(entry.candidate)])?;
    on_all(trial, stand_in.first().unwrap_or(entry), None)
}

fn outcome(trial: &Trial<'_>, entries: Vec<Entry>, is_finalist: impl Fn(usize) -> bool) -> Outcome {
    let tried = entries.iter().map(Entry::tried).collect();
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

impl Entry {
    fn tried(&self) -> TriedChain {
        TriedChain {
            filters: self.pipeline.summary(),
            share: self.share,
        }
    }

    fn finish(self, raw_bytes: f64) -> Tried {
        Tried {
            candidate: self.candidate,
            chosen: Chosen {
                pipeline: self.pipeline,
                encoder: self.encoder,
                bytes: (self.share * raw_bytes).round() as u64,
            },
        }
    }
}

/// Candidates, of those that are the same filters for this variable the first.
fn entries(
    trial: &Trial<'_>,
    shortlist: &[&'static CandidateFilters],
) -> Result<Vec<Entry>, PlanError> {
    let mut found: Vec<Entry> = Vec::new();
    for &candidate in shortlist {
        let (chain, encoder) = candidate.chain().map_err(PlanError::Chain)?;
        let pipeline = trial.resolve(&chain);
        let is_known = |one: &Entry| one.pipeline == pipeline && one.encoder == encoder;
        // Differences without a compressor, where pcodec and the like mean nothing.
        if pipeline.is_empty() || found.iter().any(is_known) {
            continue;
        }
        found.push(Entry {
            candidate,
            chain,
            encoder,
            pipeline,
            share: 1.0,
        });
    }
    Ok(found)
}

/// Which entries go on, by what they are worth after the first heat: of levels of the same filters, which
/// differ alike wherever they are tried, the best, or the fastest within the tolerance of it.
fn finalists(entries: &[Entry], tolerance: f64, worth: impl Fn(&Entry) -> f64) -> Vec<bool> {
    let worths: Vec<f64> = entries.iter().map(worth).collect();
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|&a, &b| worths[a].total_cmp(&worths[b]));
    let mut goes_on = vec![false; entries.len()];
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
        let equal = order.iter().filter(|&&i| {
            let is_equal = worths[i] <= worths[best] / (1.0 - tolerance);
            is_equal && entries[i].candidate.family() == family
        });
        let speed = |i: usize| entries[i].candidate.encode_mb_s;
        let fastest = equal.max_by(|&&a, &&b| speed(a).total_cmp(&speed(b)));
        goes_on[fastest.copied().unwrap_or(best)] = true;
    }
    goes_on
}

/// What the first heat is held on: the sample whose values repeat least, since what varies makes most of the
/// bytes, or a part of it. `None` where it would decide nothing, or nothing were left for a second.
fn heat_of(trial: &mut Trial<'_>, first: FirstHeat) -> Result<Option<Heat>, PlanError> {
    let size = trial.element().size_bytes;
    let samples = trial.samples().iter().enumerate();
    let large: Vec<(usize, &Vec<u8>)> = samples
        .filter(|(_, sample)| sample.len() >= LEAST_HEAT_BYTES)
        .collect();
    let least = large.iter().min_by_key(|(_, sample)| repeats(sample, size));
    let Some(&(sample, bytes)) = least else {
        return Ok(None);
    };
    let whole = 0..bytes.len();
    Ok(match first {
        FirstHeat::None | FirstHeat::StandIn => None,
        FirstHeat::Part if bytes.len() >= 2 * PART_BYTES => {
            let part = trial.part(bytes.len(), PART_BYTES);
            let stands = stands_for(trial, &bytes[part.clone()], bytes)?;
            stands.then_some(part)
        }
        FirstHeat::Sample | FirstHeat::Part => (large.len() > 1).then_some(whole),
    }
    .map(|bytes| Heat { sample, bytes }))
}

/// Whether a fast compressor makes as much of a part as of the whole: not where what repeats lies farther
/// apart, or half of the sample is fill.
fn stands_for(trial: &mut Trial<'_>, part: &[u8], whole: &[u8]) -> Result<bool, PlanError> {
    let Some(fast) = candidate("shuffle+zstd(3)") else {
        return Ok(false);
    };
    let (chain, encoder) = fast.chain().map_err(PlanError::Chain)?;
    let mut share = |bytes: &[u8]| -> Result<f64, PlanError> {
        let stored = trial.bytes_of(&chain, encoder, bytes)?;
        Ok(stored as f64 / bytes.len() as f64)
    };
    let quotient = share(part)? / share(whole)?;
    Ok((1.0 / LIKE..=LIKE).contains(&quotient))
}

/// Of some elements of the sample's middle, how many are equal to the one before.
fn repeats(sample: &[u8], size: usize) -> usize {
    let window = crate::sample::sample_window(sample.len(), size, LEAST_HEAT_BYTES);
    let elements = sample[window].chunks_exact(size.max(1));
    elements
        .clone()
        .zip(elements.skip(1))
        .filter(|(one, next)| one == next)
        .count()
}

#[cfg(test)]
mod tests {
    use frazil_codec::Scratch;
    use frazil_types::{ByteOrder, ElementClass, ElementType};

    use super::*;
    use crate::goal::Goal;
    use crate::score::Score;

    const FLOAT32: ElementType = ElementType {
        class: ElementClass::Float,
        size_bytes: 4,
        order: ByteOrder::Little,
    };
    const NAMES: [&str; 5] = [
        "lz4",
        "shuffle+zstd(1)",
        "shuffle+zstd(3)",
        "shuffle+zstd(9)",
        "shuffle+bzip2(9)",
    ];

    /// From 0 to 1, without anything that a compressor could find.
    fn noise(i: usize) -> f32 {
        let mixed = (i as u32).wrapping_mul(0x85eb_ca6b);
        let mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0xc2b2_ae35);
        (mixed ^ (mixed >> 16)) as f32 / u32::MAX as f32
    }

    /// A wave with some noise; numbered samples differ.
    fn sample(number: usize, bytes: usize) -> Vec<u8> {
        let value = |i: usize| {
            let x = (number * 7919 + i) as f32;
            250.0 + 40.0 * (x / 900.0).sin() + noise(number * 7919 + i) * 0.04
        };
        (0..bytes / 4)
            .flat_map(|i| value(i).to_le_bytes())
            .collect()
    }

    fn outcome(samples: &[Vec<u8>], first: FirstHeat) -> Outcome {
        let mut scratch = Scratch::default();
        let mut trial = Trial::new(samples, FLOAT32, &[16, 2048], &mut scratch);
        let shortlist: Vec<_> = NAMES.iter().filter_map(|name| candidate(name)).collect();
        let score = Score::of(Goal::Size);
        let rules = Rules {
            first,
            tolerance: 0.0,
        };
        run(&mut trial, &shortlist, rules, |one, share| {
            score.cost(one, share)
        })
        .unwrap()
    }

    fn best(outcome: &Outcome) -> (String, u64) {
        let of = |one: &Tried| (one.candidate.name(), one.chosen.bytes);
        outcome
            .finalists
            .iter()
            .map(of)
            .min_by_key(|one| one.1)
            .unwrap()
    }

    #[test]
    fn only_the_best_are_tried_on_all_samples() {
        let samples: Vec<_> = (0..4).map(|number| sample(number, 128 << 10)).collect();
        let all = outcome(&samples, FirstHeat::None);
        let few = outcome(&samples, FirstHeat::Sample);
        assert_eq!(all.finalists.len(), NAMES.len());
        assert!((1..=3).contains(&few.finalists.len()));
        assert_eq!(best(&few), best(&all));
        // What was dropped is told with a share near that on all samples.
        let names = |outcome: &Outcome| -> Vec<String> {
            outcome
                .tried
                .iter()
                .map(|one| one.filters.clone())
                .collect()
        };
        assert_eq!(names(&few), names(&all));
        for (estimate, exact) in few.tried.iter().zip(&all.tried) {
            assert!(
                (estimate.share / exact.share - 1.0).abs() < 0.1,
                "{estimate:?} {exact:?}"
            );
        }
    }

    #[test]
    fn where_one_sample_decides_nothing_all_are_tried_on_all() {
        let small: Vec<_> = (0..4).map(|number| sample(number, 16 << 10)).collect();
        let finalists = |samples: &[Vec<u8>], first| outcome(samples, first).finalists.len();
        assert_eq!(finalists(&small, FirstHeat::Sample), NAMES.len());
        assert_eq!(finalists(&small, FirstHeat::Part), NAMES.len());
        let one = [sample(0, 256 << 10), Vec::new()];
        assert_eq!(finalists(&one, FirstHeat::Sample), NAMES.len());
    }

    #[test]
    fn a_part_of_a_sample_decides_where_filters_are_slow() {
        let samples = [sample(0, 128 << 10)];
        let all = outcome(&samples, FirstHeat::None);
        let few = outcome(&samples, FirstHeat::Part);
        assert!(few.finalists.len() < NAMES.len());
        // What is taken does about as well as the best on the whole sample, which serves bzip2 best.
        let (taken, _) = best(&few);
        let of_taken = all
            .finalists
            .iter()
            .find(|one| one.candidate.name() == taken);
        let bytes = of_taken.unwrap().chosen.bytes as f64;
        assert!(
            bytes <= best(&all).1 as f64 * 1.15,
            "{taken} {bytes} {:?}",
            best(&all)
        );
        assert_eq!(few.tried.len(), all.tried.len());
    }

    #[test]
    fn a_faster_level_stands_in_where_nothing_is_compared() {
        let samples = [sample(0, 4 << 10)];
        let mut scratch = Scratch::default();
        let mut trial = Trial::new(&samples, FLOAT32, &[16, 2048], &mut scratch);
        let shortlist: Vec<_> = ["shuffle+zstd(19)", "lz4"]
            .iter()
            .filter_map(|name| candidate(name))
            .collect();
        let rules = Rules {
            first: FirstHeat::StandIn,
            tolerance: 0.0,
        };
        let found = run(&mut trial, &shortlist, rules, |_, share| share).unwrap();
        let fast = candidate("shuffle+zstd(1)").unwrap().chain().unwrap().0;
        let bytes = trial.bytes_of(&fast, None, &samples[0]).unwrap();
        assert_eq!(best(&found), ("shuffle+zstd(19)".to_owned(), bytes));
        assert_eq!(found.tried.len(), 1);
    }

    #[test]
    fn the_first_heat_is_on_what_varies() {
        let mut samples = vec![vec![0; 128 << 10]; 4];
        samples[2] = sample(2, 128 << 10);
        let mut scratch = Scratch::default();
        let mut trial = Trial::new(&samples, FLOAT32, &[], &mut scratch);
        let heat = heat_of(&mut trial, FirstHeat::Sample).unwrap().unwrap();
        assert_eq!((heat.sample, heat.bytes), (2, 0..128 << 10));
        let heat = heat_of(&mut trial, FirstHeat::Part).unwrap().unwrap();
        assert_eq!((heat.sample, heat.bytes), (2, 48 << 10..80 << 10));
    }
}
