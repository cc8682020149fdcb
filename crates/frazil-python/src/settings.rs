//! How a variable is to be stored, as the package hands it over.

use frazil::schema::{Fill, ValueType};
use frazil::{
    AttributeValue, Error, FilterConstraints, FilterPipeline, FilterRequest, FilterSpec,
    LayoutRequest, NcType, PrecisionRequest, PrecisionStatement, VariableRule, VariableSettings,
};
use serde::Deserialize;

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
        // The package defines no types.
        ValueType::Defined(_) => 0,
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
    /// For a variable of this name and type.
    pub(crate) fn into_settings(
        self,
        name: &str,
        value_type: ValueType,
    ) -> Result<VariableSettings, Error> {
        let layout = match (self.contiguous, self.chunk) {
            (true, _) => LayoutRequest::Contiguous,
            (false, Some(chunk)) => LayoutRequest::Chunked(chunk),
            (false, None) => LayoutRequest::Ours,
        };
        let filters = match self.filters {
            Some(filters) => {
                let specs = filters.into_iter();
                let specs = specs.map(|(id, cd_values)| FilterSpec::new(id, cd_values));
                FilterRequest::Exactly(FilterPipeline(specs.collect()))
            }
            None => FilterRequest::Ours,
        };
        let (precision, demand) = requests(name, self.precision)?;
        Ok(VariableSettings {
            fill: match self.fill {
                _ if self.no_fill => Fill::Nothing,
                Some(bytes) => Fill::Value(one_element(value_type, &bytes)?),
                None => Fill::Default,
            },
            is_big_endian: self.big_endian,
            layout,
            filters,
            demand,
            precision,
            statement: if self.netcdf_statement {
                PrecisionStatement::NetCdf
            } else {
                PrecisionStatement::Cf
            },
        })
    }
}

/// What is stated of a variable of this name: precision, if anything of it is, and what its filters
/// must be like.
fn requests(
    name: &str,
    stated: Option<serde_json::Map<String, serde_json::Value>>,
) -> Result<(Option<PrecisionRequest>, FilterConstraints), Error> {
    let Some(stated) = stated else {
        return Ok((None, FilterConstraints::default()));
    };
    let rule = VariableRule::from_json(vec![name.to_owned()], stated)?;
    if !rule.chunks.is_empty() {
        return Err(invalid("state a variable's own chunk shape by chunks="));
    }
    let is_stated = rule.request != PrecisionRequest::default();
    Ok((is_stated.then_some(rule.request), rule.demand))
}

fn one_element(value_type: ValueType, bytes: &[u8]) -> Result<AttributeValue, Error> {
    match value_type {
        ValueType::Atomic(nc_type) if nc_type.size_bytes() == bytes.len() => {
            Ok(AttributeValue::from_native_bytes(nc_type, bytes))
        }
        ValueType::Atomic(_) => Err(invalid("the fill value is not one element of its type")),
        ValueType::String | ValueType::Defined(_) => Err(invalid(
            "variables of strings cannot have a fill value of your \
                                          own",
        )),
    }
}
