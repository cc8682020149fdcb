//! A variable's chunks: where each lies.

use std::ops::Range;

use frazil_container::hdf5::DatasetStorage;
use frazil_container::model::Variable;
use frazil_container::schema::VariableId;
use frazil_file::error::Error;
use frazil_read::{Places, Reader};
use frazil_types::{AxisSelection, ChunkGrid, ErrorCode};
use serde_json::Value;

use super::filters::codecs;
use super::{Described, ReferenceOptions, Refusal};

/// Values in other files or datasets go into the references up to so many bytes.
const MOST_HELD: u64 = 1 << 20;

/// One chunk.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// Its number in the grid, row-major.
    pub(crate) index: u64,
    pub(crate) place: Place,
}

/// Where a chunk's stored bytes are.
#[derive(Debug)]
pub(crate) enum Place {
    /// In the file.
    There { offset: u64, length: u64 },
    /// Here.
    Here(Vec<u8>),
}

/// All chunks of a variable.
pub(super) struct Chunks {
    pub(super) grid: ChunkGrid,
    pub(super) codecs: Vec<Value>,
    pub(super) list: Vec<Chunk>,
    /// Whether values are in this machine's byte order, not in the file's.
    pub(super) is_native: bool,
}

/// Finds a variable's chunks.
pub(super) fn find(
    reader: &Reader,
    (id, variable): (VariableId, &Variable),
    options: &ReferenceOptions,
) -> Described<Chunks> {
    let dataset = &variable.dataset;
    let whole: Vec<u64> = dataset.shape.iter().map(|&n| n.max(1)).collect();
    let mut chunks = match reader.places(id)? {
        Places::Chunks(records) => {
            let DatasetStorage::Chunked {
                chunk,
                pipeline,
                raw_partial_edges,
            } = &dataset.storage
            else {
                return Err(Error::new(ErrorCode::Internal, "chunks of a variable without").into());
            };
            let grid = grid(&dataset.shape, chunk)?;
            let edges = raw_partial_edges.then_some(&grid);
            let codecs = codecs(pipeline, &records, edges)?;
            let there = records.iter().map(|record| Chunk {
                index: record.index,
                place: Place::There {
                    offset: record.address,
                    length: record.stored_bytes,
                },
            });
            let list = there.collect();
            Chunks {
                codecs,
                list,
                grid,
                is_native: false,
            }
        }
        Places::Run { address, bytes } => {
            let chunk = split(&whole, bytes, options.split_bytes);
            regular(&dataset.shape, &chunk, (address, None), bytes)?
        }
        Places::Records {
            address,
            bytes,
            stride,
            count,
        } => {
            let mut chunk = whole.clone();
            chunk[0] = 1;
            let total = bytes.saturating_mul(count);
            match bytes < options.inline_threshold && total <= MOST_HELD {
                true => held(reader, id, &dataset.shape, &whole)?,
                false => regular(&dataset.shape, &chunk, (address, Some(stride)), total)?,
            }
        }
        Places::Held(values) => here(&dataset.shape, &whole, values, false)?,
        Places::Elsewhere if dataset.raw_bytes().is_some_and(|bytes| bytes <= MOST_HELD) => {
            held(reader, id, &dataset.shape, &whole)?
        }
        Places::Elsewhere => {
            return Err(Refusal::new(
                "its values are in other files, or are those of other variables",
            )
            .into());
        }
        Places::Nowhere => Chunks {
            grid: grid(&dataset.shape, chunk_shape(variable, &whole))?,
            codecs: Vec::new(),
            list: Vec::new(),
            is_native: false,
        },
    };
    bring_in(reader, id, &mut chunks.list, options.inline_threshold)?;
    Ok(chunks)
}

fn chunk_shape<'a>(variable: &'a Variable, whole: &'a [u64]) -> &'a [u64] {
    match &variable.dataset.storage {
        DatasetStorage::Chunked { chunk, .. } => chunk,
        _ => whole,
    }
}

fn grid(shape: &[u64], chunk: &[u64]) -> Described<ChunkGrid> {
    let beyond = || {
        Error::new(
            ErrorCode::Corrupt,
            "the number of chunks is beyond counting",
        )
    };
    Ok(ChunkGrid::new(shape, chunk).ok_or_else(beyond)?)
}

/// Equal chunks one after the other; `stride`: from one to the next, if that is not their length.
fn regular(
    shape: &[u64],
    chunk: &[u64],
    (address, stride): (u64, Option<u64>),
    bytes: u64,
) -> Described<Chunks> {
    let grid = grid(shape, chunk)?;
    let length = bytes / grid.chunk_count().max(1);
    let stride = stride.unwrap_or(length);
    let list = (0..grid.chunk_count()).map(|index| Chunk {
        index,
        place: Place::There {
            offset: address.saturating_add(index.saturating_mul(stride)),
            length,
        },
    });
    Ok(Chunks {
        list: list.collect(),
        codecs: Vec::new(),
        grid,
        is_native: false,
    })
}

/// Cuts values that lie one after the other: the first axes into single elements, one into equal parts, none of the others.
fn split(shape: &[u64], bytes: u64, most: u64) -> Vec<u64> {
    let mut chunk = shape.to_vec();
    let mut rest = bytes;
    for axis in 0..shape.len() {
        if most == 0 || rest <= most {
            break;
        }
        let one = rest / shape[axis].max(1);
        let fitting = (most / one.max(1)).max(1);
        // Zarr's chunks are all as long.
        chunk[axis] = (1..=fitting.min(shape[axis]))
            .rev()
            .find(|length| shape[axis].is_multiple_of(*length))
            .unwrap_or(1);
        rest = one.saturating_mul(chunk[axis]);
    }
    chunk
}

/// All values of a variable, read.
fn held(reader: &Reader, id: VariableId, shape: &[u64], whole: &[u64]) -> Described<Chunks> {
    let all: Vec<AxisSelection> = shape.iter().map(|&n| AxisSelection::all(n)).collect();
    let size = reader.element(id)?.size_bytes as u64;
    let bytes = shape
        .iter()
        .try_fold(size, |product, &n| product.checked_mul(n));
    let bytes = bytes.filter(|&bytes| bytes <= MOST_HELD);
    let beyond = || Error::new(ErrorCode::Internal, "too many values to hold");
    let mut values = vec![0; bytes.ok_or_else(beyond)? as usize];
    reader.read(id, &all, &mut values)?;
    here(shape, whole, values, true)
}

/// One chunk of all values.
fn here(shape: &[u64], whole: &[u64], values: Vec<u8>, is_native: bool) -> Described<Chunks> {
    Ok(Chunks {
        grid: grid(shape, whole)?,
        codecs: Vec::new(),
        list: vec![Chunk {
            index: 0,
            place: Place::Here(values),
        }],
        is_native,
    })
}

/// Takes chunks of few bytes into the references.
fn bring_in(reader: &Reader, id: VariableId, list: &mut [Chunk], threshold: u64) -> Described<()> {
    let range = |chunk: &Chunk| match chunk.place {
        Place::There { offset, length } if length < threshold => {
            Some(offset..offset.saturating_add(length))
        }
        _ => None,
    };
    let ranges: Vec<Range<u64>> = list.iter().filter_map(range).collect();
    if ranges.is_empty() {
        return Ok(());
    }
    let mut found = reader.stored_bytes(id, &ranges)?.into_iter();
    for chunk in list {
        if range(chunk).is_some()
            && let Some(bytes) = found.next()
        {
            chunk.place = Place::Here(bytes);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn runs_are_cut_into_equal_parts() {
        assert_eq!(split(&[10, 4], 160, 0), [10, 4]);
        assert_eq!(split(&[10, 4], 160, 160), [10, 4]);
        // Four rows would fit; five parts of two are equal.
        assert_eq!(split(&[10, 4], 160, 64), [2, 4]);
        assert_eq!(split(&[7, 4], 112, 64), [1, 4]);
        assert_eq!(split(&[3, 2, 4], 96, 16), [1, 1, 4]);
        assert_eq!(split(&[3, 2, 4], 96, 1), [1, 1, 1]);
    }
}
