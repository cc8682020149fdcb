//! Packing chunks in another process than the writer's. Plans, choices and summaries are JSON, which
//! Python hands on as it is.

use frazil::{ChunkPacker, ChunkPlan, FilterChoice};
use numpy::PyReadonlyArray1;
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
        let choice = choice.map(parse::<FilterChoice>).transpose()?;
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

    /// The packed chunks one behind the other, and what the writer must know of them.
    fn pack<'py>(
        &self,
        py: Python<'py>,
        region: Region,
        values: PyReadonlyArray1<'_, u8>,
    ) -> Outcome<(Bound<'py, PyBytes>, String)> {
        let (start, count) = region;
        let bytes = values.as_slice().map_err(PyErr::from)?;
        let packed = py.detach(|| self.0.pack(&start, &count, bytes))?;
        Ok((PyBytes::new(py, &packed.bytes), json(&packed.summary)?))
    }
}

/// Filters chosen by samples; without any, some that do for most values.
#[pyfunction]
pub(crate) fn choose_filters(py: Python<'_>, plan: &str, samples: Vec<Vec<u8>>) -> Outcome<String> {
    let plan = parse::<ChunkPlan>(plan)?;
    let choice = py.detach(|| ChunkPacker::choose(&plan, samples))?;
    Ok(json(&choice)?)
}
