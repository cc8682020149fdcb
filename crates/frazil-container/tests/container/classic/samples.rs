//! Small models and values for them.

use std::path::Path;

use frazil_container::classic::{
    AttributeValue, ClassicAttribute, ClassicDimension, ClassicFormat, ClassicModel,
    ClassicVariable, ClassicWriter, NcType,
};

/// The record dimension's position in [`model`].
pub(crate) const TIME: usize = 0;

fn attribute(name: &str, value: AttributeValue) -> ClassicAttribute {
    ClassicAttribute {
        name: name.to_owned(),
        value,
    }
}

fn variable(name: &str, nc_type: NcType, dimensions: &[usize]) -> ClassicVariable {
    ClassicVariable {
        name: name.to_owned(),
        dimensions: dimensions.to_vec(),
        attributes: vec![
            attribute("units", AttributeValue::Char("µm".into())),
            attribute("_FillValue", nc_type.default_fill()),
            attribute("nothing", AttributeValue::Char(Vec::new())),
        ],
        nc_type,
    }
}

/// Every type of the format as scalar, fixed and record variable, with odd extents.
pub(crate) fn model(format: ClassicFormat, records: u64) -> ClassicModel {
    let dimension = |name: &str, length, is_record| ClassicDimension {
        name: name.to_owned(),
        length,
        is_record,
    };
    let types: Vec<NcType> = NcType::ALL
        .into_iter()
        .filter(|&t| format.holds(t))
        .collect();
    let mut variables = Vec::new();
    for &nc_type in &types {
        let name = |prefix: &str| format!("{prefix}_{}", nc_type.name());
        variables.push(variable(&name("scalar"), nc_type, &[]));
        variables.push(variable(&name("record"), nc_type, &[TIME, 1, 2]));
        variables.push(variable(&name("fixed"), nc_type, &[2, 1]));
        variables.push(variable(&name("series"), nc_type, &[TIME]));
    }
    ClassicModel {
        dimensions: vec![
            dimension("time", records, true),
            dimension("latitude", 3, false),
            dimension("breite_größe", 5, false),
        ],
        attributes: types
            .iter()
            .map(|nc_type| attribute(nc_type.name(), nc_type.default_fill()))
            .collect(),
        variables,
    }
}

/// One record variable alone: its records are not padded.
pub(crate) fn lone_record_model(nc_type: NcType, records: u64) -> ClassicModel {
    let mut model = model(ClassicFormat::Cdf1, records);
    model
        .variables
        .retain(|variable| variable.dimensions.first() != Some(&TIME));
    model.variables.push(variable("lone", nc_type, &[TIME, 1]));
    model
}

/// Values of a variable, in native byte order, that differ from element to element.
pub(crate) fn values(model: &ClassicModel, position: usize) -> Vec<u8> {
    let variable = &model.variables[position];
    let elements: u64 = model.shape(variable).iter().product();
    let bytes = elements as usize * variable.nc_type.size_bytes();
    // Bytes below 0x60 keep floats finite, in any byte order.
    (0..bytes)
        .map(|at| ((at * 7 + position * 13) % 0x60) as u8)
        .collect()
}

/// Writes a model and its [`values`].
pub(crate) fn write(path: &Path, format: ClassicFormat, model: &ClassicModel) {
    let mut writer = ClassicWriter::create(path, format, model).unwrap();
    for (position, variable) in model.variables.iter().enumerate() {
        let shape = model.shape(variable);
        let start = vec![0; shape.len()];
        writer
            .put(position, &start, &shape, &values(model, position))
            .unwrap();
    }
    writer.finish().unwrap();
}
