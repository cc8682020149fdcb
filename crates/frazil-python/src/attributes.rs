//! Attributes: numbers as a type and bytes, texts as a list.

use frazil::schema::{SchemaValue, ValueType};
use frazil::{AttributeValue, NcType};
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
            Self::Strings(texts) => Ok(SchemaValue::Strings(texts)),
            Self::Numbers((number, values)) => {
                let ValueType::Atomic(nc_type) = value_type(number)? else {
                    return Err(invalid("texts come as a list").into());
                };
                let bytes = values.as_slice().map_err(PyErr::from)?;
                Ok(SchemaValue::Atomic(native_values(nc_type, bytes)))
            }
        }
    }
}

/// Values from this machine's byte order.
pub(crate) fn native_values(nc_type: NcType, bytes: &[u8]) -> AttributeValue {
    let mut big_endian = bytes.to_vec();
    if cfg!(target_endian = "little") {
        for element in big_endian.chunks_exact_mut(nc_type.size_bytes()) {
            element.reverse();
        }
    }
    AttributeValue::from_be_bytes(nc_type, &big_endian)
}
