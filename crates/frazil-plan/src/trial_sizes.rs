//! Who encodes values for trials.

use frazil_codec::{BoundEncoder, CodecError, Scratch};
use frazil_types::{DeflateEncoder, FilterPipeline};

/// Encodes values for trials, and says what they come to: afresh ([`Scratch`]), or as somebody knows from earlier
/// trials of the same values.
pub trait TrialSizes {
    /// Raw and stored bytes of every value run that is not empty, each encoded as a chunk of its own. `filters` gives
    /// those for a run of so many bytes.
    ///
    /// # Errors
    /// If a run cannot be encoded with its filters.
    fn sizes(
        &mut self,
        runs: &[&[u8]],
        filters: &dyn Fn(usize) -> FilterPipeline,
        encoder: Option<DeflateEncoder>,
        element_bytes: usize,
    ) -> Result<Vec<(usize, usize)>, CodecError>;
}

impl TrialSizes for Scratch {
    fn sizes(
        &mut self,
        runs: &[&[u8]],
        filters: &dyn Fn(usize) -> FilterPipeline,
        encoder: Option<DeflateEncoder>,
        element_bytes: usize,
    ) -> Result<Vec<(usize, usize)>, CodecError> {
        let full = runs.iter().filter(|run| !run.is_empty());
        full.map(|run| {
            let bound = BoundEncoder::bind(&filters(run.len()), encoder, element_bytes, run.len())?;
            Ok((run.len(), bound.encode_in(run, self)?.len()))
        })
        .collect()
    }
}
