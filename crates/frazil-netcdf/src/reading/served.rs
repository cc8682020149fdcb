//! Which files frazil reads in netCDF-C's stead: those in which both see the same.
//!
//! Source: netCDF-C's `libhdf5/hdf5open.c`, where types, attributes and filters are read. What the file's
//! structure must be, [`FileModel::irregular`](frazil_container::model::FileModel) says.

use frazil_codec::filters;
use frazil_container::classic::NcType;
use frazil_container::model::{
    AttributeDescription, DatasetStorage, Extent, TypeClass, TypeDescription, Variable,
};
use frazil_read::Reader;
use frazil_types::{FilterSpec, filter_id};

use crate::environment::plugins_are_absent;
use crate::names::MAX_NAME;
use crate::types::STRING;

/// `H5Z_FLAG_OPTIONAL`
const OPTIONAL: u32 = 1;
/// What netCDF-C shows of szip's options (`H5_SZIP_ALL_MASKS`).
const SZIP_MASKS: u32 = 0x02 | 0x04 | 0x20;
/// Attributes that say that values were quantized, by the mode.
const QUANTIZED: [(i32, &str); 3] = [
    (1, "_QuantizeBitGroomNumberOfSignificantDigits"),
    (2, "_QuantizeGranularBitRoundNumberOfSignificantDigits"),
    (3, "_QuantizeBitRoundNumberOfSignificantBits"),
];

/// What a variable is to netCDF.
#[derive(Debug)]
pub(super) struct VariableType {
    /// `nc_type`.
    pub(super) nc_type: i32,
    /// In netCDF-C's order.
    pub(super) filters: Vec<FilterSpec>,
    /// Mode and digits.
    pub(super) quantized: (i32, i32),
}

/// What an attribute is to netCDF.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttributeType {
    /// `nc_type`.
    pub(super) nc_type: i32,
    /// Number of values.
    pub(super) length: u64,
}

/// Refuses a file as a whole.
pub(super) fn check_file(reader: &Reader) -> Result<(), String> {
    if let Some(notice) = reader.notices().first() {
        return Err(notice.clone());
    }
    match &reader.model().irregular {
        Some(what) => Err(what.clone()),
        None => Ok(()),
    }
}

/// What a variable is; the error says why netCDF-C must read it.
pub(super) fn variable(variable: &Variable) -> Result<VariableType, String> {
    let nc_type = nc_type_of(&variable.datatype).ok_or("its type")?;
    let dataset = &variable.dataset;
    let is_fixed_text = matches!(variable.datatype.class, TypeClass::FixedText { .. });
    if nc_type == STRING && is_fixed_text && dataset.unlimited.contains(&true) {
        return Err("texts of fixed length along an unlimited dimension".to_owned());
    }
    let found = match &dataset.storage {
        DatasetStorage::Compact | DatasetStorage::Contiguous { .. } => Vec::new(),
        DatasetStorage::Chunked { pipeline, .. } => pipeline.0.clone(),
        DatasetStorage::External | DatasetStorage::Virtual => {
            return Err("its values are in other files".to_owned());
        }
    };
    // netCDF-C does not read such strings.
    if nc_type == STRING && found.iter().any(|filter| filter.flags & OPTIONAL == 0) {
        return Err("a filter of strings".to_owned());
    }
    Ok(VariableType {
        nc_type,
        filters: in_order(found)?,
        quantized: quantized(&variable.attributes)?,
    })
}

/// What an attribute is; the error says why netCDF-C must read it.
pub(super) fn attribute(attribute: &AttributeDescription) -> Result<AttributeType, String> {
    let name = &attribute.name;
    let odd = |what: &str| format!("{what} of its attribute {name}");
    if name.len() > MAX_NAME || name.contains(['\0', '/']) {
        return Err(odd("the name"));
    }
    let datatype = &attribute.datatype;
    let is_text = matches!(datatype.class, TypeClass::FixedText { .. });
    let is_string = matches!(datatype.class, TypeClass::VariableText { .. });
    let nc_type = match &attribute.extent {
        // A list of texts is one of strings, a text alone is characters.
        Extent::Simple { .. } if is_text => STRING,
        _ if is_text => NcType::Char.number().cast_signed(),
        _ => nc_type_of(datatype).ok_or_else(|| odd("the type"))?,
    };
    let length = match &attribute.extent {
        Extent::Null => 0,
        Extent::Scalar if is_text => datatype.size_bytes as u64,
        Extent::Scalar => 1,
        Extent::Simple { shape, .. } if shape.len() > 1 && !is_text && !is_string => {
            return Err(odd("the shape"));
        }
        Extent::Simple { .. } => attribute.extent.elements().ok_or_else(|| odd("the size"))?,
    };
    if datatype.committed.is_some() || (length > 0 && attribute.values.is_none()) {
        return Err(odd("the type"));
    }
    Ok(AttributeType { nc_type, length })
}

/// The number of a type; `None`: netCDF-C has none for it, or one that the program defines.
fn nc_type_of(datatype: &TypeDescription) -> Option<i32> {
    if datatype.committed.is_some() {
        return None;
    }
    if let Some(nc_type) = NcType::of(datatype) {
        return Some(nc_type.number().cast_signed());
    }
    let is_text = matches!(
        datatype.class,
        TypeClass::FixedText { .. } | TypeClass::VariableText { .. }
    );
    is_text.then_some(STRING)
}

/// Filters as netCDF-C lists them: the checksum first, then shuffle.
fn in_order(stored: Vec<FilterSpec>) -> Result<Vec<FilterSpec>, String> {
    let mut list: Vec<FilterSpec> = Vec::with_capacity(stored.len());
    for mut filter in stored {
        check_filter(&filter)?;
        if list.iter().any(|known| known.id == filter.id) {
            return Err("a filter that comes twice".to_owned());
        }
        if filter.id == filter_id::SZIP {
            filter.cd_values.truncate(2);
            if let Some(mask) = filter.cd_values.first_mut() {
                *mask &= SZIP_MASKS;
            }
        }
        let is_checked = list
            .first()
            .is_some_and(|one| one.id == filter_id::FLETCHER32);
        let place = match filter.id {
            filter_id::FLETCHER32 => 0,
            filter_id::SHUFFLE => usize::from(is_checked),
            _ => list.len(),
        };
        list.insert(place, filter);
    }
    Ok(list)
}

fn check_filter(filter: &FilterSpec) -> Result<(), String> {
    let id = filter.id;
    let is_known = filters().iter().any(|one| one.id == id && one.can_decode);
    let is_built_in = id <= filter_id::SCALEOFFSET;
    if !is_known || (!is_built_in && plugins_are_absent()) {
        return Err(format!("the filter {}", filter.display_name()));
    }
    let values = &filter.cd_values;
    let is_as_written = match id {
        filter_id::DEFLATE => values.len() == 1 && values[0] <= 9,
        filter_id::SZIP => matches!(values.len(), 0 | 4),
        _ => true,
    };
    match is_as_written {
        true => Ok(()),
        false => Err(format!("the parameters of {}", filter.display_name())),
    }
}

/// Mode and digits of a quantized variable.
fn quantized(attributes: &[AttributeDescription]) -> Result<(i32, i32), String> {
    for (mode, name) in QUANTIZED {
        let Some(found) = attributes.iter().find(|one| one.name == name) else {
            continue;
        };
        let is_int = NcType::of(&found.datatype) == Some(NcType::Int);
        let values = found
            .values
            .as_ref()
            .filter(|values| is_int && values.len() == 1);
        // Little-endian, wherever it comes from.
        let digits = values.and_then(|values| values.element(0).first_chunk());
        return match digits {
            Some(digits) => Ok((mode, i32::from_le_bytes(*digits))),
            None => Err(format!("its attribute {name}")),
        };
    }
    Ok((0, 0))
}
