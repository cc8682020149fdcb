//! Elements that libhdf5 has read into memory, with what they point to.

use crate::elements::Elements;
use crate::error::{ContainerError, Result};
use crate::ffi::variable_length::{variable_length_bytes, variable_text_bytes};
use frazil_hdf5::{TypeClass, TypeDescription};

/// Bytes before the address of a sequence: the number of its elements.
const COUNT: usize = 8;

/// Copies elements of memory, which are still to be reclaimed.
pub(super) fn copied(native: &TypeDescription, raw: &[u8]) -> Result<Elements> {
    let size = native.size_bytes;
    let mut elements = Elements::plain(size, raw.to_vec());
    for index in 0..elements.len() {
        take_over(&mut elements, native, (0, index * size))?;
    }
    Ok(elements)
}

/// Copies what a value points to, whose address is in its place.
fn take_over(
    elements: &mut Elements,
    native: &TypeDescription,
    (part, at): (usize, usize),
) -> Result<()> {
    match &native.class {
        _ if !native.is_indirect() => {}
        TypeClass::Compound { members } => {
            for member in members {
                take_over(elements, &member.datatype, (part, at + member.offset))?;
            }
        }
        TypeClass::Array { base, .. } => {
            for index in 0..native.size_bytes / base.size_bytes.max(1) {
                take_over(elements, base, (part, at + index * base.size_bytes))?;
            }
        }
        TypeClass::VariableText { .. } => {
            let value = elements.place((part, at), native.size_bytes)?;
            match variable_text_bytes(value)? {
                Some(mut text) => {
                    text.push(0);
                    elements.point((part, at), &text)?;
                }
                None => elements.clear((part, at), native.size_bytes)?,
            }
        }
        TypeClass::VariableLength { base } => {
            let value = elements.place((part, at), native.size_bytes)?;
            let behind = variable_length_bytes(value, base.size_bytes)?;
            if behind.is_empty() {
                return elements.clear((part, at), native.size_bytes);
            }
            let target = elements.point((part, at + COUNT), &behind)?;
            for index in 0..behind.len() / base.size_bytes.max(1) {
                take_over(elements, base, (target, index * base.size_bytes))?;
            }
        }
        _ => {
            return Err(ContainerError::Internal(
                "elements of this type are not read from memory".to_owned(),
            ));
        }
    }
    Ok(())
}
