//! A classic file in the words of netCDF's data model.

use frazil_container::classic::{AttributeValue, ClassicAttribute, ClassicFile, NcType};
use frazil_container::hdf5::{AttributeDescription, DatasetInfo, Expanded, Extent};
use frazil_container::model::{Dimension, FileModel, Group, Variable};
use frazil_container::schema::DimensionId;

/// A classic file; `datasets` are its variables.
pub(super) fn of_classic(classic: &ClassicFile, datasets: Vec<DatasetInfo>) -> FileModel {
    let model = classic.model();
    let dimensions = model.dimensions.iter().enumerate();
    let dimensions = dimensions.map(|(number, dimension)| Dimension {
        name: dimension.name.clone(),
        group: FileModel::ROOT,
        number: number as u64,
        place: number,
        length: dimension.length,
        is_unlimited: dimension.is_record,
        is_phony: false,
    });
    let variables = model.variables.iter().zip(datasets);
    let variables = variables.map(|(variable, dataset)| Variable {
        name: variable.name.clone(),
        group: FileModel::ROOT,
        dimensions: variable
            .dimensions
            .iter()
            .map(|&i| DimensionId(i))
            .collect(),
        dataset,
        datatype: variable.nc_type.description().big_endian(),
        attributes: attributes(&variable.attributes),
    });
    FileModel {
        groups: vec![Group {
            name: "/".to_owned(),
            path: "/".to_owned(),
            parent: None,
            attributes: attributes(&model.attributes),
        }],
        dimensions: dimensions.collect(),
        variables: variables.collect(),
        types: Vec::new(),
        irregular: None,
    }
}

fn attributes(list: &[ClassicAttribute]) -> Vec<AttributeDescription> {
    list.iter().map(attribute).collect()
}

/// As netCDF-C writes it to HDF5: a text of its length, a list of numbers.
fn attribute(attribute: &ClassicAttribute) -> AttributeDescription {
    let value = &attribute.value;
    let mut datatype = value.nc_type().description().big_endian();
    let (extent, values) = match value {
        AttributeValue::Char(text) if text.is_empty() => (Extent::Null, Expanded::default()),
        AttributeValue::Char(text) => {
            datatype.size_bytes = text.len();
            let mut values = Expanded::default();
            values.push(text);
            (Extent::Scalar, values)
        }
        numbers => (list_of(numbers.len() as u64), expanded(numbers)),
    };
    AttributeDescription {
        has_utf8_name: false,
        name: attribute.name.clone(),
        datatype,
        extent,
        values: Some(values),
    }
}

fn list_of(length: u64) -> Extent {
    Extent::Simple {
        shape: vec![length],
        max_shape: vec![Some(length)],
    }
}

/// Numbers little-endian.
fn expanded(numbers: &AttributeValue) -> Expanded {
    debug_assert_ne!(numbers.nc_type(), NcType::Char);
    let mut values = Expanded::default();
    let mut bytes = numbers.to_be_bytes();
    for number in bytes.chunks_exact_mut(numbers.nc_type().size_bytes()) {
        number.reverse();
        values.push(number);
    }
    values
}
