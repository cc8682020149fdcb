//! A classic file's model as netCDF-4 objects.

use std::collections::HashMap;

use super::OutputStorage;
use super::additions::{Additions, NewAttribute, Retyped};
use super::define::Defined;
use super::describe::netcdf::is_internal;
use super::netcdf_names::NON_COORDINATE_PREFIX;
use super::objects::Objects;
use super::references::LostReferences;
use crate::classic::{AttributeValue, ClassicAttribute, ClassicModel, ClassicVariable, NcType};
use crate::error::{ContainerError, Result};
use crate::ffi::Handle;
use crate::schema::{
    DimensionId, Fill, Schema, SchemaAttribute, SchemaDimension, SchemaValue, SchemaVariable,
    ValueType, VariableId,
};

/// Defines all objects of `model` in the empty file `output`, with `additions`.
pub(super) fn define(
    model: &ClassicModel,
    strict: bool,
    output: &Handle,
    storage: &[OutputStorage],
    additions: &Additions,
) -> Result<Defined> {
    let schema = schema_of(model, additions);
    check_names(&schema)?;
    let mut objects = Objects::new(output)?;
    objects.write_kind(strict)?;
    define_all(&mut objects, &schema, storage)?;
    let mut datasets = objects.into_datasets();
    datasets.truncate(model.variables.len());
    Ok(Defined {
        datasets,
        addresses: HashMap::new(),
        deferred: Vec::new(),
        lost: LostReferences::default(),
        must_be_repeated: false,
    })
}

/// Refuses names that readers of netCDF-4 would show without their beginning.
fn check_names(schema: &Schema) -> Result<()> {
    let dimensions = schema.dimensions.iter().map(|one| &one.name);
    let mut names = dimensions.chain(schema.variables.iter().map(|one| &one.name));
    match names.find(|name| name.starts_with(NON_COORDINATE_PREFIX)) {
        Some(name) => Err(ContainerError::Unsupported(format!(
            "the name {name:?}, which begins as netCDF-4's own names of objects do: rename it first"
        ))),
        None => Ok(()),
    }
}

/// Defines all objects: dimensions first, so that readers meet them in their order. Variables
/// without a storage are contiguous.
fn define_all(objects: &mut Objects, schema: &Schema, storage: &[OutputStorage]) -> Result<()> {
    objects.create_groups(schema)?;
    objects.create_scales(schema)?;
    for number in 0..schema.variables.len() {
        let storage = storage.get(number).unwrap_or(&OutputStorage::Contiguous);
        objects.define_variable(schema, VariableId(number), storage)?;
    }
    objects.complete(schema)
}

/// The model with additions: attributes in their place, containers as variables at the end.
fn schema_of(model: &ClassicModel, additions: &Additions) -> Schema {
    let mut schema = Schema::default();
    let replaced = additions.not_copied_of_root();
    let global = model.attributes.iter();
    let kept = global.filter(|item| has_place(item) && !replaced.contains(item.name.as_str()));
    let new = additions.root.iter().map(NewAttribute::to_schema);
    schema.groups[0].attributes = kept.map(attribute_of).chain(new).collect();
    let dimensions = model.dimensions.iter().map(|dimension| SchemaDimension {
        name: dimension.name.clone(),
        group: Schema::ROOT,
        length: dimension.length,
        is_unlimited: dimension.is_record,
    });
    schema.dimensions = dimensions.collect();
    let variables = model.variables.iter().enumerate();
    let variables = variables.map(|(number, variable)| variable_of(number, variable, additions));
    let containers = additions.containers.iter().map(|container| SchemaVariable {
        name: container.name.clone(),
        group: Schema::ROOT,
        value_type: ValueType::Atomic(NcType::Char),
        is_big_endian: false,
        dimensions: Vec::new(),
        fill: Fill::Default,
        attributes: container
            .attributes
            .iter()
            .map(|new| new.to_schema())
            .collect(),
    });
    schema.variables = variables.chain(containers).collect();
    schema
}

fn variable_of(number: usize, variable: &ClassicVariable, additions: &Additions) -> SchemaVariable {
    let left_out = additions.not_copied(number);
    let kept = variable
        .attributes
        .iter()
        .filter(|item| has_place(item) && !left_out.contains(item.name.as_str()));
    let new = additions.new_attributes(number).map(|new| new.to_schema());
    let (nc_type, fill) = match additions.retyped(number) {
        Some(retyped) => retyped_as(retyped),
        None => (variable.nc_type, variable.fill_value()),
    };
    SchemaVariable {
        name: variable.name.clone(),
        group: Schema::ROOT,
        value_type: ValueType::Atomic(nc_type),
        is_big_endian: false,
        dimensions: variable
            .dimensions
            .iter()
            .copied()
            .map(DimensionId)
            .collect(),
        fill: Fill::Value(fill),
        attributes: kept.map(attribute_of).chain(new).collect(),
    }
}

/// Type and fill value of elements that become integers.
fn retyped_as(retyped: &Retyped) -> (NcType, AttributeValue) {
    let nc_type = match retyped.element.size_bytes {
        2 => NcType::Short,
        _ => NcType::Int,
    };
    let mut native = retyped.fill.clone();
    if cfg!(target_endian = "big") {
        native.reverse();
    }
    (nc_type, AttributeValue::from_native_bytes(nc_type, &native))
}

/// Whether an attribute's name is free in netCDF-4, which keeps its books in attributes, too.
fn has_place(item: &&ClassicAttribute) -> bool {
    !is_internal(&item.name)
}

fn attribute_of(item: &ClassicAttribute) -> SchemaAttribute {
    SchemaAttribute {
        name: item.name.clone(),
        value: SchemaValue::Atomic(item.value.clone()),
    }
}
