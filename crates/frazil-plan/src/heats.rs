//! Trials in two heats: all filters on one sample, the best of them on the others too.
//!
//! Of what is named for a variable most is clearly worse than the best, and slow filters take longer to
//! try than the chosen ones take to pack: one sample of some size says so.

use frazil_types::{DeflateEncoder, FilterChain, FilterPipeline};

use crate::candidates::CandidateFilters;
use crate::error::PlanError;
use crate::trial::{Chosen, Trial, TriedChain};

/// Samples smaller than this decide nothing alone: what compressors find far apart is not in them.
const LEAST_HEAT_BYTES: usize = 20 << 10;

/// So many go on at most: the best, and those within the factor of it.
const MOST_FINALISTS: usize = 3;
const CLOSE: f64 = 1.02;

/// A candidate with what it made of all samples.
pub(crate) struct Tried {
    pub(crate) candidate: &'static CandidateFilters,
    pub(crate) chosen: Chosen,
}

/// What trials found.
pub(crate) struct Outcome {
    /// Those that were tried on all samples, as they were named.
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
    /// Bytes that it made of the samples so far.
    bytes: u64,
}

/// Tries candidates on samples; `rank` says what one is worth that keeps a share of the bytes, the lower
/// the better. `all_go_on`: even what is clearly worse is tried on all samples.
pub(crate) fn run(
    trial: &mut Trial<'_>,
    shortlist: &[&'static CandidateFilters],
    all_go_on: bool,
    rank: impl Fn(&CandidateFilters, f64) -> f64,
) -> Result<Outcome, PlanError> {
    let mut entries = entries(trial, shortlist)?;
    let all: Vec<usize> = (0..trial.samples().len()).collect();
    let first = match entries.len() > 1 && !all_go_on {
        true => first_sample(trial),
        false => None,
    };
    let Some(first) = first else {
        encode(trial, &mut entries, &all)?;
        let raw_bytes = trial.raw_bytes() as f64;
        let tried = entries
            .iter()
            .map(|one| one.tried(one.bytes as f64 / raw_bytes));
        return Ok(Outcome {
            tried: tried.collect(),
            finalists: entries.into_iter().map(Entry::finish).collect(),
        });
    };
    encode(trial, &mut entries, &[first])?;
    let first_bytes = trial.samples()[first].len() as f64;
    let goes_on = finalists(&entries, |one| {
        rank(one.candidate, one.bytes as f64 / first_bytes)
    });
    let rest: Vec<usize> = all.into_iter().filter(|&sample| sample != first).collect();
    finals(trial, entries, &goes_on, &rest, first_bytes)
}

/// The second heat.
fn finals(
    trial: &mut Trial<'_>,
    entries: Vec<Entry>,
    goes_on: &[bool],
    rest: &[usize],
    first_bytes: f64,
) -> Result<Outcome, PlanError> {
    let raw_bytes = trial.raw_bytes() as f64;
    let mut outcome = Outcome {
        finalists: Vec::new(),
        tried: Vec::new(),
    };
    // By how much the share on all samples differs from that on the first.
    let mut drift = 1.0;
    let mut dropped = Vec::new();
    for (mut entry, &goes_on) in entries.into_iter().zip(goes_on) {
        let first_share = entry.bytes as f64 / first_bytes;
        dropped.push(!goes_on);
        if !goes_on {
            outcome.tried.push(entry.tried(first_share));
            continue;
        }
        encode(trial, std::slice::from_mut(&mut entry), rest)?;
        let share = entry.bytes as f64 / raw_bytes;
        drift = share / first_share.max(f64::MIN_POSITIVE);
        outcome.tried.push(entry.tried(share));
        outcome.finalists.push(entry.finish());
    }
    let dropped = outcome
        .tried
        .iter_mut()
        .zip(dropped)
        .filter(|(_, dropped)| *dropped);
    dropped.for_each(|(one, _)| one.share *= drift);
    Ok(outcome)
}

impl Entry {
    fn tried(&self, share: f64) -> TriedChain {
        TriedChain {
            filters: self.pipeline.summary(),
            share,
        }
    }

    fn finish(self) -> Tried {
        Tried {
            candidate: self.candidate,
            chosen: Chosen {
                pipeline: self.pipeline,
                encoder: self.encoder,
                bytes: self.bytes,
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
            bytes: 0,
        });
    }
    Ok(found)
}

fn encode(
    trial: &mut Trial<'_>,
    entries: &mut [Entry],
    samples: &[usize],
) -> Result<(), PlanError> {
    for one in entries {
        one.bytes += trial.chain_bytes(&one.chain, one.encoder, samples)?;
    }
    Ok(())
}

/// Which entries go on, by what they are worth after the first heat.
fn finalists(entries: &[Entry], worth: impl Fn(&Entry) -> f64) -> Vec<bool> {
    let worths: Vec<f64> = entries.iter().map(worth).collect();
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|&a, &b| worths[a].total_cmp(&worths[b]));
    let mut goes_on = vec![false; entries.len()];
    for &i in order.iter().take(MOST_FINALISTS) {
        goes_on[i] = worths[i] <= worths[order[0]] * CLOSE;
    }
    goes_on
}

/// The sample that the first heat is held on: that whose values repeat least, since what varies makes
/// most of the bytes. `None` where it would decide nothing, or there is no other.
fn first_sample(trial: &Trial<'_>) -> Option<usize> {
    let size = trial.element().size_bytes;
    let samples = trial.samples().iter().enumerate();
    let large: Vec<(usize, &Vec<u8>)> = samples
        .filter(|(_, sample)| sample.len() >= LEAST_HEAT_BYTES)
        .collect();
    if large.len() < 2 {
        return None;
    }
    let least = large
        .into_iter()
        .min_by_key(|(_, sample)| repeats(sample, size));
    least.map(|(i, _)| i)
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
    use crate::candidates::candidate;
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

    /// A wave with some noise; numbered samples differ.
    fn sample(number: usize, bytes: usize) -> Vec<u8> {
        let value = |i: usize| {
            let x = (number * 7919 + i) as f32;
            let noise = (i.wrapping_mul(2_654_435_761) >> 7 & 0xFFF) as f32;
            250.0 + 40.0 * (x / 900.0).sin() + noise * 1e-5
        };
        (0..bytes / 4)
            .flat_map(|i| value(i).to_le_bytes())
            .collect()
    }

    fn outcome(samples: &[Vec<u8>], all_go_on: bool) -> Outcome {
        let mut scratch = Scratch::default();
        let mut trial = Trial::new(samples, FLOAT32, &[16, 2048], &mut scratch);
        let shortlist: Vec<_> = NAMES.iter().filter_map(|name| candidate(name)).collect();
        let score = Score::of(Goal::Size);
        run(&mut trial, &shortlist, all_go_on, |one, share| {
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
        let (all, few) = (outcome(&samples, true), outcome(&samples, false));
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
        assert_eq!(outcome(&small, false).finalists.len(), NAMES.len());
        let one = [sample(0, 256 << 10), Vec::new()];
        assert_eq!(outcome(&one, false).finalists.len(), NAMES.len());
    }

    #[test]
    fn the_first_heat_is_on_what_varies() {
        let mut samples = vec![vec![0; 128 << 10]; 4];
        samples[2] = sample(2, 128 << 10);
        let mut scratch = Scratch::default();
        let trial = Trial::new(&samples, FLOAT32, &[], &mut scratch);
        assert_eq!(first_sample(&trial), Some(2));
    }
}
