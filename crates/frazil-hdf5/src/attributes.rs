//! The attributes of an object, in its header or in a heap.

use crate::checksum::lookup3;
use crate::context::Context;
use crate::error::{Result, damaged};
use crate::header::{Header, kind};
use crate::heap::are_different;
use crate::message::{Attribute, GroupIndexes, decode_indexes};
use crate::text;
use crate::tree2::Tree2;

/// The kind of an attribute index by name.
const TREE2_OF_ATTRIBUTES: u8 = 8;
/// Bytes of the identifier of an attribute in its heap.
const ID_BYTES: usize = 8;
/// The attribute is in the file's heap of shared messages.
const IS_SHARED: u8 = 2;

fn indexes(context: &Context, header: &Header) -> Result<Option<GroupIndexes>> {
    let message = header.message(kind::ATTRIBUTE_INFO);
    let decoded = message.map(|message| decode_indexes(context.input().cursor(&message.bytes), 2));
    decoded.transpose()
}

/// The attributes of an object: by creation if that is kept, else as they lie in the header, else as they lie in the
/// index of names. libhdf5 gives them in the same order to who asks for that of creation.
pub(crate) fn attributes(context: &Context, header: &Header) -> Result<Vec<Attribute>> {
    let indexes = indexes(context, header)?;
    let attributes = match indexes {
        Some(indexes) if indexes.heap.is_some() => from_heap(context, &indexes, None)?,
        _ => from_header(context, header)?,
    };
    let mut names: Vec<&str> = attributes
        .iter()
        .map(|attribute| attribute.name.as_str())
        .collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(damaged(format!(
            "an object has the attribute {} twice",
            pair[0]
        ))),
        None => Ok(attributes),
    }
}

/// The attribute of this name; others are not decoded.
pub(crate) fn attribute(
    context: &Context,
    header: &Header,
    name: &str,
) -> Result<Option<Attribute>> {
    let indexes = indexes(context, header)?;
    if let Some(indexes) = indexes.filter(|indexes| indexes.heap.is_some()) {
        let hash = lookup3(&text::bytes_of_text(name));
        let alike = from_heap(context, &indexes, Some(hash))?;
        return Ok(alike.into_iter().find(|attribute| attribute.name == name));
    }
    for message in header.all(kind::ATTRIBUTE) {
        let bytes = context.message_bytes(message)?;
        if Attribute::has_name(context.input().cursor(&bytes), name) {
            return decode(context, &bytes).map(Some);
        }
    }
    Ok(None)
}

fn decode(context: &Context, bytes: &[u8]) -> Result<Attribute> {
    Attribute::decode(context.input().cursor(bytes), &context.shared())
}

/// Attributes in the order of their numbers, or as they come.
fn sorted(mut numbered: Vec<(u32, Attribute)>, is_ordered: bool) -> Vec<Attribute> {
    if is_ordered {
        numbered.sort_by_key(|(order, _)| *order);
    }
    numbered
        .into_iter()
        .map(|(_, attribute)| attribute)
        .collect()
}

fn from_header(context: &Context, header: &Header) -> Result<Vec<Attribute>> {
    let mut numbered = Vec::new();
    for message in header.all(kind::ATTRIBUTE) {
        let bytes = context.message_bytes(message)?;
        numbered.push((message.order.into(), decode(context, &bytes)?));
    }
    Ok(sorted(numbered, header.is_ordered))
}

/// The attributes in a heap; of those with names of one hash, if it is given.
fn from_heap(
    context: &Context,
    indexes: &GroupIndexes,
    hash: Option<u32>,
) -> Result<Vec<Attribute>> {
    let tree = indexes
        .by_name
        .ok_or_else(|| damaged("an object has no index of its attributes"))?;
    let records =
        Tree2::read(context.input(), tree)?.records(context.input(), TREE2_OF_ATTRIBUTES)?;
    let ids = records
        .iter()
        .map(|record| record.get(..ID_BYTES).unwrap_or_default());
    if !are_different(ids) {
        return Err(damaged("two attributes are one object of their heap"));
    }
    let heap = context.fractal_heap(indexes.heap.unwrap_or_default())?;
    let mut numbered = Vec::new();
    for record in &records {
        let mut at = context.input().cursor(record);
        let id = at.take(ID_BYTES)?;
        let (flags, order, of_name) = (at.u8()?, at.u32()?, at.u32()?);
        if hash.is_some_and(|hash| hash != of_name) {
            continue;
        }
        let message = match flags & IS_SHARED {
            0 => heap.object(context.input(), id)?,
            _ => context.shared().heap_object(kind::ATTRIBUTE, id)?,
        };
        numbered.push((order, decode(context, &message)?));
    }
    Ok(sorted(numbered, indexes.is_ordered))
}
