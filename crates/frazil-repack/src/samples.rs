//! Samples of a variable as filters are tried on them.

use std::collections::BTreeSet;

use frazil_container::hdf5::DatasetInfo;
use frazil_pipeline::{ArraySource, Block};

use crate::sample_boxes::SampleBox;
use frazil_file::error::Result;
use frazil_precision::VariableRounding;

/// Samples of one variable.
pub(crate) struct Samples {
    pub variable: usize,
    pub boxes: Vec<SampleBox>,
    /// Of all of the variable, behind the boxes in what is read: [`crate::sample_windows`].
    pub(crate) windows: Vec<SampleBox>,
    pub rounding: Option<VariableRounding>,
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

    /// The values to try filters on, rounded if the output's will be; `is_foretold`: also what a prediction needs.
    pub(crate) fn values(
        &self,
        mut blocks: Vec<Block>,
        element_bytes: usize,
        is_foretold: bool,
    ) -> Result<Values> {
        let of_windows = blocks.split_off(self.boxes.len().min(blocks.len()));
        let mut values = Values::default();
        let keeps_both = is_foretold && self.rounding.is_some();
        values.before_rounding = keeps_both.then(Parts::default);
        for (block, sample) in blocks.into_iter().zip(&self.boxes) {
            let Block::Values(all) = block else {
                continue;
            };
            let all = all.into_vec();
            if let Some(parts) = &mut values.before_rounding {
                parts.add(all.clone(), sample, element_bytes, is_foretold);
            }
            let all = self.rounded(all, sample)?;
            values.parts.add(all, sample, element_bytes, is_foretold);
        }
        for (block, sample) in of_windows.into_iter().zip(&self.windows) {
            if let Block::Values(all) = block {
                values.windows.push(self.rounded(all.into_vec(), sample)?);
            }
        }
        Ok(values)
    }

    /// Values of a box, rounded if the output's will be.
    fn rounded(&self, values: Vec<u8>, sample: &SampleBox) -> Result<Vec<u8>> {
        match &self.rounding {
            Some(rounding) => Ok(rounding.round(&values, &sample.part)?.0),
            None => Ok(values),
        }
    }
}

/// What filters are tried on.
#[derive(Default)]
pub(crate) struct Values {
    pub parts: Parts,
    /// The same as in the input, where the output's are rounded, for predictions.
    pub(crate) before_rounding: Option<Parts>,
    /// Of all of the variable: [`crate::sample_windows`].
    pub(crate) windows: Vec<Vec<u8>>,
}

impl Values {
    /// As the input has them.
    pub(crate) fn as_stored(&self) -> &Parts {
        self.before_rounding.as_ref().unwrap_or(&self.parts)
    }
}

/// Samples of a variable.
#[derive(Default)]
pub(crate) struct Parts {
    pub samples: Vec<Vec<u8>>,
    /// Some whole chunks, where samples are a part of what is read.
    pub(crate) chunks: Vec<Vec<u8>>,
}

impl Parts {
    fn add(&mut self, values: Vec<u8>, sample: &SampleBox, element_bytes: usize, has_chunks: bool) {
        if has_chunks {
            self.chunks
                .extend(sample.whole_chunks(&values, element_bytes));
        }
        self.samples.extend(sample.in_chunks(values, element_bytes));
    }

    /// Bytes of the whole chunks.
    pub(crate) fn chunk_bytes(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.len() as u64).sum()
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
