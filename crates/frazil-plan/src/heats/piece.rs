//! What the first heat is held on.

use std::ops::Range;

use super::FirstHeat;
use crate::trial::Trial;

/// Samples smaller than this decide nothing alone: what compressors find far apart is not in them.
const LEAST_HEAT_BYTES: usize = 20 << 10;

/// A part of a sample that a first heat is held on, about.
const PART_BYTES: usize = 32 << 10;

/// The bytes of the first heat: of one sample.
pub(super) struct Heat {
    pub(super) sample: usize,
    pub(super) bytes: Range<usize>,
}

/// What the first heat is held on: the sample whose values repeat least, since what varies makes most of the
/// bytes, or a part of it. `None` where it would decide nothing, or nothing were left for a second.
pub(super) fn heat_of(trial: &Trial<'_>, first: FirstHeat) -> Option<Heat> {
    let size = trial.element().size_bytes;
    let samples = trial.samples().iter().enumerate();
    let large: Vec<(usize, &Vec<u8>)> = samples
        .filter(|(_, sample)| sample.len() >= LEAST_HEAT_BYTES)
        .collect();
    let least = large.iter().min_by_key(|(_, sample)| repeats(sample, size));
    let &(sample, bytes) = least?;
    let whole = 0..bytes.len();
    match first {
        FirstHeat::None | FirstHeat::StandIn => None,
        FirstHeat::Part if bytes.len() >= 2 * PART_BYTES => {
            Some(trial.part(bytes.len(), PART_BYTES))
        }
        FirstHeat::Sample | FirstHeat::Part => (large.len() > 1).then_some(whole),
    }
    .map(|bytes| Heat { sample, bytes })
}

/// Of some elements of the sample's middle, how many are equal to the one before.
fn repeats(sample: &[u8], size: usize) -> usize {
    let window = &sample[crate::sample::sample_window(sample.len(), size, LEAST_HEAT_BYTES)];
    match size {
        4 => equal_neighbours(window.as_chunks::<4>().0),
        8 => equal_neighbours(window.as_chunks::<8>().0),
        _ => {
            let elements = window.chunks_exact(size.max(1));
            let pairs = elements.clone().zip(elements.skip(1));
            pairs.filter(|(one, next)| one == next).count()
        }
    }
}

fn equal_neighbours<const N: usize>(elements: &[[u8; N]]) -> usize {
    let pairs = elements.windows(2);
    pairs.filter(|pair| pair[0] == pair[1]).count()
}

/// A heat on about so many bytes, of the same sample or else the longest.
pub(super) fn shorter(trial: &Trial<'_>, heat: Option<Heat>, wanted: usize) -> Heat {
    let samples = trial.samples();
    let longest = || (0..samples.len()).max_by_key(|&i| samples[i].len());
    let sample = heat.map(|heat| heat.sample).or_else(longest).unwrap_or(0);
    Heat {
        sample,
        bytes: trial.part(samples[sample].len(), wanted),
    }
}
