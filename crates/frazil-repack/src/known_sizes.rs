//! What filters made of values, kept while one file is planned for several goals and readers.
//!
//! Such plans try many of the same filters on the same samples. Each trial is made once. What it took is kept, too:
//! whoever predicts the time of a plan counts it as if every trial had been made for it.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use frazil_codec::{CodecError, Scratch};
use frazil_plan::TrialSizes;
use frazil_types::{DeflateEncoder, FilterPipeline};
use rapidhash::fast::RapidHasher;
use rapidhash::v3::rapidhash_v3;

/// What a trial takes in memory beside its sizes.
const TRIAL_BYTES: u64 = 96;

/// What a trial came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Encoded {
    /// Raw and stored bytes of each run of values.
    pub(crate) sizes: Vec<(usize, usize)>,
    /// What encoding took one thread.
    pub(crate) seconds: f64,
}

impl Encoded {
    /// What encoding one raw byte took; 0: there are none.
    pub(crate) fn seconds_per_byte(&self) -> f64 {
        match self.sizes.iter().map(|one| one.0).sum::<usize>() {
            0 => 0.0,
            bytes => self.seconds / bytes as f64,
        }
    }
}

/// Trials that were made, by a hash of their values and filters. That hash may, once in many millions, take one trial
/// for another: predictions can bear that, decisions what to write must not rest on it.
pub(crate) struct KnownSizes {
    trials: Mutex<Trials>,
    most_bytes: u64,
}

#[derive(Default)]
struct Trials {
    found: HashMap<u64, Encoded>,
    bytes: u64,
}

impl KnownSizes {
    /// Knows nothing yet, and keeps no more than fits into so many bytes.
    pub(crate) fn within(most_bytes: u64) -> Self {
        Self {
            trials: Mutex::default(),
            most_bytes,
        }
    }

    fn find(&self, key: u64) -> Option<Encoded> {
        let trials = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        trials.found.get(&key).cloned()
    }

    fn keep(&self, key: u64, encoded: &Encoded) {
        let mut trials = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = TRIAL_BYTES + size_of_val(encoded.sizes.as_slice()) as u64;
        if trials.bytes + bytes > self.most_bytes {
            return;
        }
        if trials.found.insert(key, encoded.clone()).is_none() {
            trials.bytes += bytes;
        }
    }
}

/// Encodes values of one variable for trials, unless it is known what comes of it.
pub(crate) struct Encodings<'a> {
    scratch: &'a mut Scratch,
    known: Option<&'a KnownSizes>,
    /// What those trials took that were known.
    spared_seconds: f64,
}

impl<'a> Encodings<'a> {
    pub(crate) fn new(scratch: &'a mut Scratch, known: Option<&'a KnownSizes>) -> Self {
        Self {
            scratch,
            known,
            spared_seconds: 0.0,
        }
    }

    /// What one thread would have taken for those trials that were known.
    pub(crate) fn spared_seconds(&self) -> f64 {
        self.spared_seconds
    }

    /// As [`TrialSizes::sizes`], with the time that it takes.
    pub(crate) fn encode(
        &mut self,
        runs: &[&[u8]],
        filters: &dyn Fn(usize) -> FilterPipeline,
        encoder: Option<DeflateEncoder>,
        element_bytes: usize,
    ) -> Result<Encoded, CodecError> {
        let Some(known) = self.known else {
            return self.encode_afresh(runs, filters, encoder, element_bytes);
        };
        let key = key(runs, filters, encoder, element_bytes);
        if let Some(encoded) = known.find(key) {
            self.spared_seconds += encoded.seconds;
            return Ok(encoded);
        }
        let encoded = self.encode_afresh(runs, filters, encoder, element_bytes)?;
        known.keep(key, &encoded);
        Ok(encoded)
    }

    fn encode_afresh(
        &mut self,
        runs: &[&[u8]],
        filters: &dyn Fn(usize) -> FilterPipeline,
        encoder: Option<DeflateEncoder>,
        element_bytes: usize,
    ) -> Result<Encoded, CodecError> {
        let begin = Instant::now();
        let sizes = self.scratch.sizes(runs, filters, encoder, element_bytes)?;
        Ok(Encoded {
            sizes,
            seconds: begin.elapsed().as_secs_f64(),
        })
    }
}

impl TrialSizes for Encodings<'_> {
    fn sizes(
        &mut self,
        runs: &[&[u8]],
        filters: &dyn Fn(usize) -> FilterPipeline,
        encoder: Option<DeflateEncoder>,
        element_bytes: usize,
    ) -> Result<Vec<(usize, usize)>, CodecError> {
        let encoded = self.encode(runs, filters, encoder, element_bytes)?;
        Ok(encoded.sizes)
    }
}

/// A hash of all that the sizes of a trial depend on.
fn key(
    runs: &[&[u8]],
    filters: &dyn Fn(usize) -> FilterPipeline,
    encoder: Option<DeflateEncoder>,
    element_bytes: usize,
) -> u64 {
    let mut hasher = RapidHasher::default();
    (encoder, element_bytes).hash(&mut hasher);
    let mut last_length = 0;
    for run in runs.iter().filter(|run| !run.is_empty()) {
        // Most runs of a trial are of one length.
        if run.len() != last_length {
            last_length = run.len();
            (last_length, filters(last_length)).hash(&mut hasher);
        }
        hasher.write_u64(rapidhash_v3(run));
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_types::{FilterSpec, filter_id};

    fn deflate(level: u32) -> FilterPipeline {
        FilterPipeline(vec![FilterSpec::new(filter_id::DEFLATE, vec![level])])
    }

    fn encode(known: &KnownSizes, runs: &[&[u8]], level: u32) -> (Encoded, f64) {
        let mut scratch = Scratch::default();
        let mut encodings = Encodings::new(&mut scratch, Some(known));
        let found = encodings.encode(runs, &|_| deflate(level), None, 4);
        (found.unwrap(), encodings.spared_seconds())
    }

    #[test]
    fn a_trial_is_made_once_and_its_time_is_kept() {
        let known = KnownSizes::within(1 << 20);
        let values: Vec<u8> = (0..40_000_u32)
            .flat_map(|i| (i / 3).to_le_bytes())
            .collect();
        let runs = [&values[..80_000], &values[80_000..], &[]];
        let (first, spared) = encode(&known, &runs, 9);
        assert_eq!((first.sizes.len(), spared), (2, 0.0));
        let (again, spared) = encode(&known, &runs, 9);
        assert_eq!(again, first);
        assert_eq!(spared, first.seconds);
        assert!(
            (first.seconds_per_byte() * values.len() as f64 / first.seconds - 1.0).abs() < 1e-9
        );
        // Other filters, other values, or the same in other runs are other trials.
        assert_eq!(encode(&known, &runs, 1).1, 0.0);
        assert_eq!(encode(&known, &[&values[4..80_004]], 9).1, 0.0);
        assert_eq!(encode(&known, &[&values[..]], 9).1, 0.0);
    }

    #[test]
    fn no_more_is_kept_than_fits() {
        let known = KnownSizes::within(TRIAL_BYTES + 16);
        let values = [7_u8; 4096];
        let (first, _) = encode(&known, &[&values], 1);
        assert_eq!(encode(&known, &[&values], 1).1, first.seconds);
        assert_eq!(encode(&known, &[&values], 4).1, 0.0);
        assert_eq!(
            encode(&known, &[&values], 4).1,
            0.0,
            "there is no room for it"
        );
    }
}
