//! Which files frazil reads in netCDF-C's stead: those in which both see the same.
//!
//! Source: netCDF-C's `libhdf5/hdf5open.c`, where types, attributes and filters are read. What the file's
//! structure must be, [`FileModel::irregular`](frazil_container::model::FileModel) says.

use frazil_codec::filters;
use frazil_container::classic::NcType;
use frazil_container::model::{
    AttributeDescription, DatasetStorage, Extent, FillStatus, TypeClass, TypeDescription, Variable,
};
use frazil_container::native::{is_as_stored, native};
use frazil_read::Reader;
use frazil_types::{FilterSpec, filter_id};

use crate::environment::plugins_are_absent;
use crate::names::MAX_NAME;
use crate::types::STRING;
use crate::user_types::UserTypes;

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
    /// Whether the file states a fill value.
    pub(super) has_fill: bool,
    /// Elements in memory, if a program has defined the type.
    pub(super) memory: Option<InMemory>,
}

/// Elements of a type that a program has defined.
#[derive(Debug)]
pub(super) struct InMemory {
    pub(super) native: TypeDescription,
    /// Whether they lie so in the file.
    pub(super) is_as_stored: bool,
}

/// What an attribute is to netCDF.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttributeType {
    /// `nc_type`.
    pub(super) nc_type: i32,
    /// Number of values.
    pub(super) length: u64,
}

impl AttributeType {
    /// Whether a program has defined the type.
    pub(super) fn is_user(self) -> bool {
        self.nc_type > STRING
    }
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

/// What a variable is, of which so many types come before; the error says why netCDF-C must read it.
pub(super) fn variable(
    variable: &Variable,
    types: &UserTypes,
    known: usize,
) -> Result<VariableType, String> {
    let dataset = &variable.dataset;
    let memory = in_memory(&variable.datatype);
    let nc_type = match &memory {
        // netCDF-C makes one up for a type that it has not met yet.
        Some(memory) => types.number_among(known, &memory.native),
        None => nc_type_of(&variable.datatype),
    };
    let nc_type = nc_type.ok_or("its type")?;
    let is_indirect = variable.datatype.is_indirect();
    let has_fill = dataset.fill_status == FillStatus::User;
    let is_filled = has_fill && dataset.fill.iter().any(|&byte| byte != 0);
    if memory.is_some() && is_indirect && is_filled {
        return Err("the fill value of sequences of any length".to_owned());
    }
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
    if is_indirect && found.iter().any(|filter| filter.flags & OPTIONAL == 0) {
        return Err("a filter of strings or sequences".to_owned());
    }
    Ok(VariableType {
        nc_type,
        filters: in_order(found)?,
        quantized: quantized(&variable.attributes)?,
        has_fill,
        memory,
    })
}

/// Elements in memory, if programs define such types.
fn in_memory(datatype: &TypeDescription) -> Option<InMemory> {
    let is_defined = matches!(
        datatype.class,
        TypeClass::Compound { .. }
            | TypeClass::Enumeration { .. }
            | TypeClass::VariableLength { .. }
            | TypeClass::Opaque { .. }
    );
    let native = native(datatype).filter(|_| is_defined)?;
    let is_as_stored = !native.is_indirect() && is_as_stored(datatype, &native);
    Some(InMemory {
        native,
        is_as_stored,
    })
}

/// What an attribute is; the error says why netCDF-C must read it.
pub(super) fn attribute(
    attribute: &AttributeDescription,
    types: &UserTypes,
) -> Result<AttributeType, String> {
    let name = &attribute.name;
    let odd = |what: &str| format!("{what} of its attribute {name}");
    if name.len() > MAX_NAME || name.contains(['\0', '/']) {
        return Err(odd("the name"));
    }
    let datatype = &attribute.datatype;
    let memory = in_memory(datatype);
    let is_text = matches!(datatype.class, TypeClass::FixedText { .. });
    let is_string = matches!(datatype.class, TypeClass::VariableText { .. });
    let nc_type = match &attribute.extent {
        // A list of texts is one of strings, a text alone is characters.
        Extent::Simple { .. } if is_text => STRING,
        _ if is_text => NcType::Char.number().cast_signed(),
        _ if let Some(memory) = &memory => {
            let known = types.number_among(usize::MAX, &memory.native);
            known.ok_or_else(|| odd("the type"))?
        }
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
    let is_odd = memory.is_none() && datatype.committed.is_some();
    if is_odd || (length > 0 && attribute.values.is_none()) {
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
