//! Decodes attributes.

use super::shared::{Shared, read_datatype, read_shared};
use crate::cursor::Cursor;
use crate::dataspace::Extent;
use crate::datatype::TypeDescription;
use crate::error::{Result, damaged};
use crate::header::kind;
use crate::text;

/// Bits of the flags.
const TYPE_IS_SHARED: u8 = 1;
const SPACE_IS_SHARED: u8 = 2;

/// An attribute.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Whether the name is said to be UTF-8 rather than ASCII.
    pub is_utf8: bool,
    /// Its type.
    pub datatype: TypeDescription,
    /// The committed datatype that this is, by the address of its header.
    pub committed: Option<u64>,
    /// Its shape.
    pub extent: Extent,
    /// Its values as stored: those of variable length are places in a global heap.
    pub values: Vec<u8>,
}

impl Attribute {
    /// Whether the attribute in a message has this name; not if it has none that can be read.
    pub(crate) fn has_name(mut at: Cursor<'_>, name: &str) -> bool {
        let mut read = || -> Result<bool> {
            let version = at.u8()?;
            at.skip(1)?;
            let bytes = usize::from(at.u16()?);
            at.skip(if version == 3 { 5 } else { 4 })?;
            Ok(decode_name(at.take(bytes)?, bytes)? == name)
        };
        read().unwrap_or_default()
    }

    /// Decodes an attribute message.
    pub(crate) fn decode(mut at: Cursor<'_>, shared: &Shared<'_>) -> Result<Self> {
        let version = at.version(&[1, 2, 3], "an attribute")?;
        let flags = at.u8()?;
        let flags = if version == 1 { 0 } else { flags };
        if flags & !(TYPE_IS_SHARED | SPACE_IS_SHARED) != 0 {
            return Err(damaged("an attribute has flags that there are not"));
        }
        let name_bytes = usize::from(at.u16()?);
        let (type_bytes, space_bytes) = (usize::from(at.u16()?), usize::from(at.u16()?));
        let is_utf8 = version == 3 && at.u8()? == 1;
        let padded = |bytes: usize| match version {
            1 => bytes.next_multiple_of(8),
            _ => bytes,
        };
        let name = decode_name(at.take(padded(name_bytes))?, name_bytes)?;
        let in_attribute = |error: crate::Error| in_part(error, &name);
        let mut type_part = at.part(padded(type_bytes)).map_err(in_attribute)?;
        let (datatype, committed) =
            read_datatype(shared, &mut type_part, flags & TYPE_IS_SHARED != 0)
                .map_err(in_attribute)?;
        let space_part = at.part(padded(space_bytes)).map_err(in_attribute)?;
        let extent = match flags & SPACE_IS_SHARED {
            0 => Extent::decode(space_part),
            _ => read_shared(shared, space_part, kind::DATASPACE, Extent::decode),
        }
        .map_err(in_attribute)?;
        let values = decode_values(&mut at, &datatype, &extent).map_err(in_attribute)?;
        Ok(Self {
            name,
            is_utf8,
            datatype,
            committed,
            extent,
            values,
        })
    }
}

fn in_part(error: crate::Error, name: &str) -> crate::Error {
    match error {
        crate::Error::Damaged(reason) => damaged(format!("attribute {name}: {reason}")),
        error => error,
    }
}

/// The stored length counts the NUL.
fn decode_name(bytes: &[u8], length: usize) -> Result<String> {
    let name = bytes.get(..length.saturating_sub(1)).unwrap_or_default();
    match name.is_empty() || name.contains(&0) {
        true => Err(damaged(
            "an attribute's name has another length than stated",
        )),
        false => Ok(text::from_bytes(name)),
    }
}

fn decode_values(
    at: &mut Cursor<'_>,
    datatype: &TypeDescription,
    extent: &Extent,
) -> Result<Vec<u8>> {
    let bytes = extent.elements().and_then(|elements| {
        usize::try_from(elements.checked_mul(datatype.size_bytes as u64)?).ok()
    });
    let bytes = bytes.ok_or_else(|| damaged("it claims more values than can be counted"))?;
    at.take(bytes).map(<[u8]>::to_vec)
}
