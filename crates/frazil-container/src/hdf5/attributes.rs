//! Attributes are copied with their order, exact types and values.

use std::collections::{HashMap, HashSet};

use frazil_hdf5::Attribute;

use crate::error::{ContainerError, Result};
use crate::ffi::Handle;
use crate::ffi::attribute;

use super::committed_types::{CommittedTypes, in_memory};
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
    (input, path): (&Hdf5Input, &str),
    all: &[Attribute],
    to: &Handle,
    left_out: &HashSet<&str>,
    types: &mut CommittedTypes<'_>,
) -> Result<Vec<DeferredAttribute>> {
    let mut deferred = Vec::new();
    for source in all {
        let name = source.name.as_str();
        if left_out.contains(name) {
            continue;
        }
        if path == "/" && name == PROVENANCE {
            write_provenance(to)?;
            continue;
        }
        let copied = copy_one(input, source, to, types);
        let must_wait = copied.map_err(|error| error.in_part(&format!("attribute {name}")))?;
        if must_wait {
            deferred.push(DeferredAttribute {
                object: path.to_owned(),
                name: name.to_owned(),
            });
        }
    }
    Ok(deferred)
}

/// Copies one attribute; true if its value must wait.
fn copy_one(
    input: &Hdf5Input,
    source: &Attribute,
    to: &Handle,
    types: &mut CommittedTypes<'_>,
) -> Result<bool> {
    let (name, extent) = (&source.name, &source.extent);
    let memory = in_memory(&source.datatype)?;
    let create = match source.is_utf8 {
        true => attribute::create_utf8,
        false => attribute::create,
    };
    let committed = types.copy_of(&source.datatype, source.committed)?;
    let target = create(to, name, committed.unwrap_or(&memory), extent)?;
    let must_wait = source.datatype.holds_references();
    if !must_wait {
        // Nothing leads to objects.
        let objects = CopiedObjects {
            addresses: &HashMap::new(),
            root: None,
        };
        let form = input.in_memory_form(&source.datatype, &source.values, &objects)?;
        target.write(&memory, extent, &form.elements)?;
    }
    Ok(must_wait)
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
