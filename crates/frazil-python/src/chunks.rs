//! Packing chunks in another process than the writer's. Plans, choices and summaries are JSON, which
//! Python hands on as it is.

use frazil::{ChosenFilters, ChunkPacker, ChunkPlan};
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::Outcome;
use crate::operations::json;
use crate::options::parse;

/// First element and elements along each axis.
type Region = (Vec<u64>, Vec<u64>);

/// Packs boxes of whole chunks of one variable, by a plan that its writer made.
#[pyclass(frozen, module = "frazil._frazil")]
pub(crate) struct Packer(ChunkPacker);

#[pymethods]
impl Packer {
    /// `choice`: filters, where the plan leaves them open.
    #[staticmethod]
    #[pyo3(signature = (plan, choice=None))]
    fn create(plan: &str, choice: Option<&str>) -> Outcome<Self> {
        let choice = choice.map(parse::<ChosenFilters>).transpose()?;
        let packer = ChunkPacker::new(&parse::<ChunkPlan>(plan)?, choice.as_ref())?;
        Ok(Self(packer))
    }

    /// Samples of the first chunk of a box that tells something about filters; `None`: there is none.
    fn samples<'py>(
        &self,
        py: Python<'py>,
        region: Region,
        values: PyReadonlyArray1<'_, u8>,
    ) -> Outcome<Option<Vec<Bound<'py, PyBytes>>>> {
        let (start, count) = region;
        let bytes = values.as_slice().map_err(PyErr::from)?;
        let found = py.detach(|| self.0.samples(&start, &count, bytes))?;
        let in_python = |all: Vec<Vec<u8>>| all.iter().map(|one| PyBytes::new(py, one)).collect();
        Ok(found.map(in_python))
    }

    /// Bytes of room that packing a box of `count` elements can be expected to do with.
    fn expected_room(&self, count: Vec<u64>) -> u64 {
        self.0.expected_room(&count)
    }

    /// Packs chunks into `room`, one behind the other; their bytes, and what the writer must know of
    /// them. `None`: there is too little room.
    fn pack(
        &self,
        py: Python<'_>,
        region: Region,
        values: PyReadonlyArray1<'_, u8>,
        mut room: PyReadwriteArray1<'_, u8>,
    ) -> Outcome<Option<(u64, String)>> {
        let (start, count) = region;
        let bytes = values.as_slice().map_err(PyErr::from)?;
        let room = room.as_slice_mut().map_err(PyErr::from)?;
        let packed = py.detach(|| self.0.pack_into(&start, &count, bytes, room))?;
        let told = packed.map(|summary| Ok((summary.bytes(), json(&summary)?)));
        told.transpose()
    }
}

/// Filters chosen by samples; without any, some that do for most values.
#[pyfunction]
pub(crate) fn choose_filters(py: Python<'_>, plan: &str, samples: Vec<Vec<u8>>) -> Outcome<String> {
    let plan = parse::<ChunkPlan>(plan)?;
    let choice = py.detach(|| ChunkPacker::choose(&plan, samples))?;
    Ok(json(&choice)?)
}
