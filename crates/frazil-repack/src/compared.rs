//! What filters make of samples, side by side, for whoever wants to see why a choice was made.

use frazil_container::hdf5::DatasetInfo;
use frazil_plan::{FilterChoice, FilterOptions, Whole, filters_by, share, spread};
use frazil_types::{DeflateEncoder, FilterPipeline, FilterSpec, ReaderLevel, filter_id};

use crate::known_sizes::{Encoded, Encodings};

/// Filters, and what they made of samples.
#[derive(Debug, Clone)]
pub(crate) struct Compared {
    pub filters: String,
    /// Raw bytes by stored bytes.
    pub ratio: f64,
    /// The same of the whole variable: what nine of ten lie within, up to infinity. `None`: not all samples were encoded.
    pub range: Option<[f64; 2]>,
}

impl Compared {
    /// Of the stored share of samples, and of its standard error.
    fn of(filters: String, share: f64, spread: Option<f64>, whole: &Whole) -> Self {
        let range = spread.map(|spread| {
            let [least, most] = whole.estimate(share, spread).range();
            [1.0 / most, 1.0 / least]
        });
        Self {
            filters,
            ratio: 1.0 / share,
            range,
        }
    }

    /// Corrects the range where the whole variable is known to shrink by this factor more than samples, give or take
    /// this share of its stored bytes.
    pub(crate) fn correct(&mut self, factor: f64, uncertainty: f64) {
        let ratio = self.ratio * factor;
        let most = ratio / (1.0 - uncertainty).max(0.0);
        self.range = self.range.map(|_| [ratio / (1.0 + uncertainty), most]);
    }
}

/// What filters make of the samples, raw bytes by stored bytes: the chosen ones first, then those
/// that were tried for the choice, then those that people take.
pub(crate) fn compare(
    samples: &[Vec<u8>],
    variable: &DatasetInfo,
    choice: &FilterChoice,
    requests: &FilterOptions,
    encodings: &mut Encodings<'_>,
) -> Vec<Compared> {
    let size = variable.element.size_bytes;
    let shuffle = FilterSpec::new(filter_id::SHUFFLE, vec![size as u32]);
    let deflate = |level| FilterSpec::new(filter_id::DEFLATE, vec![level]);
    let mut others = vec![vec![deflate(1)]];
    others.extend([1, 4, 6, 9].map(|level| vec![shuffle.clone(), deflate(level)]));
    if requests.reader_level > ReaderLevel::Any {
        let zstd = |level| FilterSpec::new(filter_id::ZSTD, vec![level]);
        others.extend([1, 3, 9].map(|level| vec![shuffle.clone(), zstd(level)]));
    }
    let mut found: Vec<Compared> = Vec::new();
    if samples.iter().all(Vec::is_empty) {
        return found;
    }
    let mut add = |pipeline: &FilterPipeline, encoder| {
        let name = filters_by(pipeline, encoder);
        if !is_known(&found, &name) {
            let encoded = encode_with(samples, pipeline, encoder, size, encodings);
            found.extend(
                encoded.map(|one| of_sizes(name, &one.sizes, requests.padding, &choice.whole)),
            );
        }
    };
    if !choice.pipeline.is_empty() {
        add(&choice.pipeline, choice.deflate_encoder);
    }
    others
        .into_iter()
        .map(FilterPipeline)
        .for_each(|pipeline| add(&pipeline, None));
    let tried = choice.tried.iter().filter(|one| one.share > 0.0);
    let mut row = usize::from(!choice.pipeline.is_empty());
    for one in tried {
        if !is_known(&found, &one.filters) {
            let name = one.filters.clone();
            found.insert(
                row,
                Compared::of(name, one.share, one.spread, &choice.whole),
            );
            row += 1;
        }
    }
    found
}

fn is_known(found: &[Compared], name: &str) -> bool {
    found.iter().any(|known| known.filters == name)
}

/// What filters make of samples; `None`: these cannot be encoded here, and are no choice.
pub(crate) fn encode_with(
    samples: &[Vec<u8>],
    pipeline: &FilterPipeline,
    encoder: Option<DeflateEncoder>,
    element_bytes: usize,
    encodings: &mut Encodings<'_>,
) -> Option<Encoded> {
    let runs: Vec<&[u8]> = samples.iter().map(Vec::as_slice).collect();
    let found = encodings.encode(&runs, &|_| pipeline.clone(), encoder, element_bytes);
    found.ok()
}

/// `padding`: bytes of the variable's chunks by its own.
fn of_sizes(name: String, sizes: &[(usize, usize)], padding: f64, whole: &Whole) -> Compared {
    let share = share(sizes).unwrap_or(f64::MIN_POSITIVE) * padding;
    Compared::of(name, share, Some(spread(sizes)), whole)
}
