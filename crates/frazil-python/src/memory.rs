//! Values in memory, compressed and back. `frazil/memory.py` has the names and numpy's types.

use frazil::{
    ByteOrder, CompressOptions, ElementClass, ElementType, FilterConstraints, Goal,
    PrecisionRequest, compressed_values,
};
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;

use crate::error::{Outcome, invalid};
use crate::options::parse;

/// An element: numpy's letter of its kind, its bytes, and whether it is big-endian.
type Element = (char, usize, bool);

/// Options of `compress`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Requests {
    goal: Goal,
    level: u32,
    precision: PrecisionRequest,
    demand: FilterConstraints,
}

fn element_of((kind, size_bytes, is_big): Element) -> Outcome<ElementType> {
    let class = match kind {
        'i' => ElementClass::SignedInteger,
        'u' => ElementClass::UnsignedInteger,
        'f' => ElementClass::Float,
        'S' => ElementClass::Text,
        other => return Err(invalid(format!("no elements are of kind `{other}`")).into()),
    };
    let order = match (class, is_big) {
        (ElementClass::Text, _) => ByteOrder::None,
        (_, true) => ByteOrder::Big,
        (_, false) => ByteOrder::Little,
    };
    Ok(ElementType {
        class,
        size_bytes,
        order,
    })
}

/// In numpy's words; bytes that are no numbers are of kind `S`.
fn in_numpy(element: ElementType) -> Element {
    let kind = match element.class {
        ElementClass::SignedInteger => 'i',
        ElementClass::UnsignedInteger => 'u',
        ElementClass::Float => 'f',
        _ => 'S',
    };
    (kind, element.size_bytes, element.order == ByteOrder::Big)
}

/// The compressed bytes of values of a shape, slowest axis first.
#[pyfunction]
pub(crate) fn compress<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'_, u8>,
    element: Element,
    shape: Vec<u64>,
    requests: &str,
) -> Outcome<Bound<'py, PyBytes>> {
    let requests: Requests = parse(requests)?;
    let options = CompressOptions {
        goal: requests.goal,
        level: requests.level,
        precision: requests.precision,
        demand: requests.demand,
        ..CompressOptions::default()
    };
    let element = element_of(element)?;
    let values = values.as_slice().map_err(PyErr::from)?;
    let made = py.detach(|| frazil::compress(values, element, &shape, &options))?;
    Ok(PyBytes::new(py, &made))
}

/// What was compressed: the element, and the shape.
#[pyfunction]
pub(crate) fn compressed(packed: PyReadonlyArray1<'_, u8>) -> Outcome<(Element, Vec<u64>)> {
    let found = compressed_values(packed.as_slice().map_err(PyErr::from)?)?;
    Ok((in_numpy(found.element), found.shape))
}

/// Decompresses into `values`, a flat array of their bytes.
#[pyfunction]
pub(crate) fn decompress(
    py: Python<'_>,
    packed: PyReadonlyArray1<'_, u8>,
    mut values: PyReadwriteArray1<'_, u8>,
) -> Outcome<()> {
    let packed = packed.as_slice().map_err(PyErr::from)?;
    let values = values.as_slice_mut().map_err(PyErr::from)?;
    Ok(py.detach(|| frazil::decompress_into(packed, values))?)
}
