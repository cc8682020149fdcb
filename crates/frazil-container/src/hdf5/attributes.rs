//! Attributes are copied with their order, exact types and values.

use std::collections::{HashMap, HashSet};

use crate::error::{ContainerError, Result};
use crate::ffi::attribute::{self, Attribute};
use crate::ffi::{Handle, names};

use super::committed_types::CommittedTypes;
use super::provenance::{PROVENANCE, write_provenance};
use super::references::CopiedObjects;
use super::scan::Hdf5Input;

/// An attribute whose value holds references: written once all objects exist.
pub(super) struct DeferredAttribute {
    /// Path of the object that carries it.
    pub(super) object: String,
    /// The attribute's name.
    pub(super) name: String,
}

/// Copies all attributes of an object of the input but `left_out`; returns those whose values must wait.
pub(super) fn copy_all(
    input: &Hdf5Input,
    from: &Handle,
    to: &Handle,
    path: &str,
    left_out: &HashSet<&str>,
    types: &mut CommittedTypes<'_>,
) -> Result<Vec<DeferredAttribute>> {
    let mut deferred = Vec::new();
    let mut values = input.attribute_values(path)?;
    for name in names::of_attributes(from)? {
        if left_out.contains(name.as_str()) {
            continue;
        }
        let source = attribute::open(from, &name)?;
        let value = values.remove(&name);
        let copy = || copy_one((input, value), &source, to, &name, path, types);
        let must_wait = copy().map_err(|error| error.in_part(&format!("attribute {name}")))?;
        if must_wait {
            deferred.push(DeferredAttribute {
                object: path.to_owned(),
                name,
            });
        }
    }
    Ok(deferred)
}

/// Copies one attribute; true if its value must wait.
fn copy_one(
    (input, value): (&Hdf5Input, Option<frazil_hdf5::Attribute>),
    source: &Attribute,
    to: &Handle,
    name: &str,
    path: &str,
    types: &mut CommittedTypes<'_>,
) -> Result<bool> {
    if path == "/" && name == PROVENANCE {
        write_provenance(to)?;
        return Ok(false);
    }
    let file_type = source.datatype()?;
    let extent = source.extent()?;
    let memory = file_type.memory_copy()?;
    let references = file_type.holds_references()?;
    let create = match source.has_utf8_name()? {
        true => attribute::create_utf8,
        false => attribute::create,
    };
    let target = match types.copy_of(&file_type)? {
        Some(committed) => create(to, name, committed, &extent)?,
        None => create(to, name, &memory, &extent)?,
    };
    if !references {
        let value = value.ok_or_else(|| lost(name))?;
        // Nothing leads to objects.
        let objects = CopiedObjects {
            addresses: &HashMap::new(),
            root: None,
        };
        let form = input.in_memory_form(&value.datatype, &value.values, &objects)?;
        target.write(&memory, &extent, &form.elements)?;
    }
    Ok(references)
}

/// Writes the value of an attribute that had to wait; counts its references that lead nowhere.
pub(super) fn write_deferred(
    input: &Hdf5Input,
    waiting: &DeferredAttribute,
    to: &Handle,
    objects: &CopiedObjects<'_>,
) -> Result<u64> {
    let name = &waiting.name;
    let (Some(source), Some(target)) = (
        input.attribute(&waiting.object, name)?,
        attribute::open_by_name(to, name)?,
    ) else {
        return Err(lost(name));
    };
    let memory = target.datatype()?.memory_copy()?;
    let form = input.in_memory_form(&source.datatype, &source.values, objects)?;
    target.write(&memory, &source.extent, &form.elements)?;
    Ok(form.lost)
}

fn lost(name: &str) -> ContainerError {
    ContainerError::Internal(format!("attribute {name} went missing"))
}
