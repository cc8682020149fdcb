//! Attributes: numbers as a type and bytes, texts as a list.

use frazil::AttributeValue;
use frazil::schema::{SchemaValue, ValueType};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::error::{Outcome, invalid};
use crate::settings::value_type;

/// An attribute's value as it comes from Python.
#[derive(FromPyObject)]
pub(crate) enum Value<'py> {
    /// Texts of any length.
    #[pyo3(transparent)]
    Strings(Vec<String>),
    /// netCDF's number of a type, and values in this machine's byte order.
    #[pyo3(transparent)]
    Numbers((u32, PyReadonlyArray1<'py, u8>)),
}

impl Value<'_> {
    pub(crate) fn into_schema(self) -> Outcome<SchemaValue> {
        match self {
            Self::Strings(texts) => Ok(SchemaValue::Strings(
                texts.into_iter().map(Into::into).collect(),
            )),
            Self::Numbers((number, values)) => {
                let ValueType::Atomic(nc_type) = value_type(number)? else {
                    return Err(invalid("texts come as a list").into());
                };
                let bytes = values.as_slice().map_err(PyErr::from)?;
                Ok(SchemaValue::Atomic(AttributeValue::from_native_bytes(
                    nc_type, bytes,
                )))
            }
        }
    }
}
