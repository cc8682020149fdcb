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

    /// The values to try filters on, rounded if the output's will be; `with_chunks`: also whole chunks beside windows.
    pub(crate) fn values(
        &self,
        mut blocks: Vec<Block>,
        element_bytes: usize,
        with_chunks: bool,
    ) -> Result<Values> {
        let of_windows = blocks.split_off(self.boxes.len().min(blocks.len()));
        let mut values = Values::default();
        for (block, sample) in blocks.into_iter().zip(&self.boxes) {
            let Some(all) = self.rounded(block, sample)? else {
                continue;
            };
            if with_chunks {
                values
                    .chunks
                    .extend(sample.whole_chunks(&all, element_bytes));
            }
            values.samples.extend(sample.in_chunks(all, element_bytes));
        }
        for (block, sample) in of_windows.into_iter().zip(&self.windows) {
            values.windows.extend(self.rounded(block, sample)?);
        }
        Ok(values)
    }

    /// Values of a block, rounded if the output's will be; `None`: there are none.
    fn rounded(&self, block: Block, sample: &SampleBox) -> Result<Option<Vec<u8>>> {
        Ok(match (block, &self.rounding) {
            (Block::Values(values), Some(rounding)) => {
                Some(rounding.round(&values, &sample.part)?.0)
            }
            (Block::Values(values), None) => Some(values.into_vec()),
            (Block::Stored { .. } | Block::Absent, _) => None,
        })
    }
}

/// What filters are tried on.
#[derive(Default)]
pub(crate) struct Values {
    pub samples: Vec<Vec<u8>>,
    /// Of all of the variable: [`crate::sample_windows`].
    pub(crate) windows: Vec<Vec<u8>>,
    /// Some whole chunks, where samples are windows of them.
    pub chunks: Vec<Vec<u8>>,
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
