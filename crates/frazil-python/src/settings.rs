//! How a variable is to be stored, as the package hands it over.

use frazil::schema::{Fill, ValueType};
use frazil::{
    AttributeValue, Error, FilterDemand, FilterPipeline, FilterSpec, FilterWish, LayoutWish,
    NcType, PrecisionStatement, PrecisionWish, VariableSettings,
};
use serde::Deserialize;

use crate::attributes::native_values;
use crate::error::invalid;

/// The number of netCDF's string type.
const STRING: u32 = 12;

/// A type by netCDF's number: 1 to 11, 12 for strings.
pub(crate) fn value_type(number: u32) -> Result<ValueType, Error> {
    if number == STRING {
        return Ok(ValueType::String);
    }
    NcType::from_number(number)
        .map(ValueType::Atomic)
        .ok_or_else(|| invalid(format!("there is no type of the number {number}")))
}

/// netCDF's number of a type.
pub(crate) fn type_number(value_type: ValueType) -> u32 {
    match value_type {
        ValueType::Atomic(nc_type) => nc_type.number(),
        ValueType::String => STRING,
    }
}

/// What is asked for of a variable.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// The bytes of one element in this machine's order.
    fill: Option<Vec<u8>>,
    no_fill: bool,
    big_endian: bool,
    chunk: Option<Vec<u64>>,
    contiguous: bool,
    /// Identifier and client data of each filter.
    filters: Option<Vec<(i32, Vec<u32>)>>,
    precision: Option<serde_json::Map<String, serde_json::Value>>,
    netcdf_statement: bool,
}

impl Settings {
    pub(crate) fn into_settings(self, value_type: ValueType) -> Result<VariableSettings, Error> {
        let layout = match (self.contiguous, self.chunk) {
            (true, _) => LayoutWish::Contiguous,
            (false, Some(chunk)) => LayoutWish::Chunked(chunk),
            (false, None) => LayoutWish::Ours,
        };
        let filters = match self.filters {
            Some(filters) => {
                let specs = filters.into_iter();
                let specs = specs.map(|(id, cd_values)| FilterSpec::new(id, cd_values));
                FilterWish::Exactly(FilterPipeline(specs.collect()))
            }
            None => FilterWish::Ours,
        };
        Ok(VariableSettings {
            fill: match self.fill {
                _ if self.no_fill => Fill::Nothing,
                Some(bytes) => Fill::Value(one_element(value_type, &bytes)?),
                None => Fill::Default,
            },
            is_big_endian: self.big_endian,
            layout,
            filters,
            precision: self.precision.map(precision).transpose()?,
            statement: if self.netcdf_statement {
                PrecisionStatement::NetCdf
            } else {
                PrecisionStatement::Cf
            },
        })
    }
}

/// What is stated of precision; a writer has no use for what is demanded of filters.
fn precision(stated: serde_json::Map<String, serde_json::Value>) -> Result<PrecisionWish, Error> {
    if let Some(key) = FilterDemand::KEYS
        .iter()
        .find(|key| stated.contains_key(**key))
    {
        let cause = format!("`{key}` is a wish for files that are packed, not for a writer");
        let cure = "state filters= or goal= for the writer, or pack the file afterwards";
        return Err(invalid(cause).with_cure(cure));
    }
    serde_json::from_value(stated.into()).map_err(|error| invalid(error.to_string()))
}

fn one_element(value_type: ValueType, bytes: &[u8]) -> Result<AttributeValue, Error> {
    match value_type {
        ValueType::Atomic(nc_type) if nc_type.size_bytes() == bytes.len() => {
            Ok(native_values(nc_type, bytes))
        }
        ValueType::Atomic(_) => Err(invalid("the fill value is not one element of its type")),
        ValueType::String => Err(invalid("strings have no fill value of the user's")),
    }
}
