//! A variable as an array of Zarr version 2.

use std::fmt::Write;

use frazil_container::model::{FileModel, TypeClass, Variable};
use frazil_container::schema::VariableId;
use frazil_read::Reader;
use frazil_types::ChunkGrid;
use serde_json::{Value, json};

use super::attributes;
use super::chunks::{self, Chunk, Chunks, Place};
use super::datatype::dtype;
use super::fill::fill;
use super::{Described, ReferenceOptions, Refusal, prefix, texts};

/// An array: what Zarr says of it, and its chunks.
#[derive(Debug)]
pub(crate) struct Array {
    /// Before the names of its parts: `model/ocean/sst/`.
    pub(crate) key: String,
    /// `.zarray`, JSON.
    pub(crate) array: String,
    /// `.zattrs`, JSON.
    pub(crate) attributes: String,
    pub(crate) grid: ChunkGrid,
    pub(crate) chunks: Vec<Chunk>,
}

impl Array {
    /// Writes a chunk's key, as `model/ocean/sst/0.1.2`, or `sst/0` of a scalar.
    pub(crate) fn chunk_key(&self, index: u64, key: &mut String) {
        key.clear();
        key.push_str(&self.key);
        let numbers = self.grid.indices(index);
        let (first, others) = numbers.split_first().unwrap_or((&0, &[]));
        // A text takes whatever is written to it.
        let _ = write!(key, "{first}");
        for number in others {
            let _ = write!(key, ".{number}");
        }
    }
}

/// Describes a variable; with it come attributes that could not be described.
pub(super) fn describe(
    reader: &Reader,
    id: VariableId,
    options: &ReferenceOptions,
) -> Described<(Array, Vec<(String, Refusal)>)> {
    let model = reader.model();
    let variable = &model.variables[id.0];
    if variable.dataset.is_null {
        return Err(Refusal::new("Zarr has no variables without any element").into());
    }
    if variable.name.starts_with(".z") {
        return Err(Refusal::new("Zarr keeps names that begin with .z for itself").into());
    }
    let shape = model.shape(id);
    let is_text = matches!(variable.datatype.class, TypeClass::VariableText { .. });
    let (chunks, dtype) = match is_text {
        true => (of_texts(reader, id, &shape)?, Value::from("|O")),
        false => {
            let stored = dtype(&variable.datatype)?;
            let chunks = chunks::find(reader, (id, variable), options)?;
            (chunks, stored)
        }
    };
    let dtype = match chunks.is_native {
        true => native(dtype),
        false => dtype,
    };
    Ok(assembled(model, (id, variable), chunks, &dtype))
}

fn assembled(
    model: &FileModel,
    (id, variable): (VariableId, &Variable),
    chunks: Chunks,
    dtype: &Value,
) -> (Array, Vec<(String, Refusal)>) {
    let shape = model.shape(id);
    // Along an unlimited dimension, others may be longer: what is beyond the end was never written.
    let seen = ChunkGrid::new(&shape, chunks.grid.chunk());
    let all = seen.map_or(u64::MAX, |grid| grid.chunk_count());
    let fill = fill(variable, all > chunks.list.len() as u64);
    let dimensions: Vec<String> = (variable.dimensions.iter())
        .filter_map(|id| Some(model.dimensions.get(id.0)?.name.clone()))
        .collect();
    let attributes =
        attributes::of_variable(&variable.attributes, &dimensions, fill.is_of_attribute);
    let codecs = match chunks.codecs.is_empty() {
        true => Value::Null,
        false => Value::Array(chunks.codecs),
    };
    let group = model
        .groups
        .get(variable.group.0)
        .map_or("/", |group| &group.path);
    let array = Array {
        key: format!("{}{}/", prefix(group), variable.name),
        array: format!(
            "{{\"zarr_format\":2,\"shape\":{},\"chunks\":{},\"dtype\":{dtype},\"fill_value\":{},\"order\":\"C\",\
             \"filters\":{codecs},\"dimension_separator\":\".\",\"compressor\":null}}",
            json!(shape),
            json!(chunks.grid.chunk()),
            fill.json,
        ),
        attributes: attributes.json,
        grid: chunks.grid,
        chunks: chunks.list,
    };
    (array, attributes.left_out)
}

/// The type of the same numbers in this machine's byte order.
fn native(dtype: Value) -> Value {
    let order = if cfg!(target_endian = "big") {
        ">"
    } else {
        "<"
    };
    match dtype {
        Value::String(text) => Value::String(text.replace(['<', '>'], order)),
        other => other,
    }
}

fn of_texts(reader: &Reader, id: VariableId, shape: &[u64]) -> Described<Chunks> {
    let whole: Vec<u64> = shape.iter().map(|&n| n.max(1)).collect();
    let grid = ChunkGrid::new(shape, &whole);
    let grid = grid.ok_or_else(|| Refusal::new("it has more strings than can be counted"))?;
    let list = match shape.contains(&0) {
        true => Vec::new(),
        false => vec![Chunk {
            index: 0,
            place: Place::Here(texts::encoded(reader, id, shape)?),
        }],
    };
    Ok(Chunks {
        grid,
        codecs: vec![json!({"id": "vlen-utf8"})],
        list,
        is_native: false,
    })
}
