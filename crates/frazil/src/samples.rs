//! Samples of a variable as filters are tried on them.

use std::collections::BTreeSet;

use frazil_container::hdf5::DatasetInfo;
use frazil_pipeline::{ArraySource, Block};

use crate::error::Result;
use crate::precision::VariableRounding;
use crate::sample_boxes::SampleBox;

/// Samples of one variable.
pub(crate) struct Samples {
    pub(crate) variable: usize,
    pub(crate) boxes: Vec<SampleBox>,
    pub(crate) rounding: Option<VariableRounding>,
}

impl Samples {
    /// Elements of all samples by those of them that lie inside the array.
    pub(crate) fn padding(&self, variable: &DatasetInfo) -> f64 {
        let (mut all, mut inside) = (0, 0);
        for one in &self.boxes {
            all += one.part.elements().unwrap_or(0);
            inside += one.inside(&variable.shape);
        }
        all as f64 / (inside.max(1) as f64).min(all.max(1) as f64)
    }

    /// Bytes of the variable that filters are tried on, what sticks out of the array left out.
    pub(crate) fn tried_bytes(&self, variable: &DatasetInfo) -> u64 {
        let size = variable.element.size_bytes as u64;
        let elements = self
            .boxes
            .iter()
            .map(|one| one.elements().min(one.inside(&variable.shape)));
        elements.sum::<u64>().saturating_mul(size)
    }

    /// The values to try filters on, rounded if the output's will be.
    pub(crate) fn values(&self, blocks: Vec<Block>, element_bytes: usize) -> Result<Vec<Vec<u8>>> {
        let mut samples = Vec::with_capacity(blocks.len());
        for (block, sample) in blocks.into_iter().zip(&self.boxes) {
            let values = match (block, &self.rounding) {
                (Block::Values(values), Some(rounding)) => rounding.round(&values, &sample.part)?.0,
                (Block::Values(values), None) => values.into_vec(),
                (Block::Stored { .. } | Block::Absent, _) => continue,
            };
            samples.extend(sample.in_chunks(values, element_bytes));
        }
        Ok(samples)
    }
}

/// Stored and raw bytes of the chunks that boxes lie in; `None`: none of them is stored.
pub(crate) fn touched_bytes(source: &ArraySource, boxes: &[SampleBox]) -> Option<[u64; 2]> {
    let touched = boxes
        .iter()
        .flat_map(|one| source.grid.chunks_in(&one.part));
    let touched: BTreeSet<u64> = touched.collect();
    let (mut stored, mut raw) = (0, 0);
    for index in touched {
        let Some(chunk) = source.locate(index) else {
            continue;
        };
        stored += chunk.extent.total_bytes()?;
        let elements = source.grid.valid_box(index).elements()?;
        raw += elements.checked_mul(source.element_bytes as u64)?;
    }
    (raw > 0).then_some([stored, raw])
}
