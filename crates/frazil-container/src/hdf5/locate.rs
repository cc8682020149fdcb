//! Where the chunks of a dataset lie that libhdf5 has open for writing: one pass over the index, then plain data.

use frazil_types::{ChunkGrid, ChunkRecord};

use crate::error::{ContainerError, Result};
use crate::ffi::dataset::{ChunkIndexKind, Dataset, IndexEntry};
use frazil_hdf5::Extent;

/// An index entry takes at least this many bytes of any file.
const MIN_ENTRY_BYTES: u64 = 8;

/// The stored chunks of a dataset in a file of `file_bytes`, in row-major order of the grid.
pub(super) fn records(
    dataset: &Dataset,
    shape: &[u64],
    chunk: &[u64],
    file_bytes: u64,
) -> Result<Vec<ChunkRecord>> {
    let grid = ChunkGrid::new(shape, chunk).ok_or_else(|| {
        ContainerError::Corrupt("the number of chunks is beyond counting".to_owned())
    })?;
    let limit = usize::try_from(file_bytes / MIN_ENTRY_BYTES).unwrap_or(usize::MAX);
    let mut entries = dataset.chunk_index(shape.len(), limit)?;
    if dataset.chunk_index_kind()? == ChunkIndexKind::ExtensibleArray {
        put_in_place(&mut entries, chunk, &dataset.extent()?)?;
    }
    let mut records = Vec::with_capacity(entries.len());
    for entry in &entries {
        let end = entry.address.checked_add(entry.stored_bytes);
        if end.is_none_or(|end| end > file_bytes) {
            return Err(ContainerError::Corrupt(format!(
                "the chunk at {:?} lies outside the file (address {}, {} bytes; the file has \
                 {file_bytes} bytes)",
                entry.offset, entry.address, entry.stored_bytes,
            )));
        }
        // Chunks that a shrunk dataset left behind are outside the grid: nobody can read them.
        if let Some(index) = grid.index_of_offset(&entry.offset) {
            records.push(ChunkRecord {
                index,
                filter_mask: entry.filter_mask,
                address: entry.address,
                stored_bytes: entry.stored_bytes,
            });
        }
    }
    // What lies outside the grid cannot be looked up.
    let mut within = entries;
    within.retain(|entry| grid.index_of_offset(&entry.offset).is_some());
    records.sort_by_key(|record| record.index);
    let is_twice = |pair: &[ChunkRecord]| pair[0].index == pair[1].index;
    if records.windows(2).any(is_twice) {
        return Err(ContainerError::Corrupt(
            "the index names one chunk twice".to_owned(),
        ));
    }
    dataset.look_up(&within)?;
    Ok(records)
}

/// Puts right where chunks of an extensible array lie. The array counts chunks with the unlimited axis as the slowest;
/// libhdf5's walk (`H5D__earray_idx_iterate_cb`, to 2.x) names them as if all axes were in their own order. Where another
/// axis than the first is unlimited, that names other chunks than reading finds.
fn put_in_place(entries: &mut [IndexEntry], chunk: &[u64], extent: &Extent) -> Result<()> {
    let Extent::Simple { max_shape: max, .. } = extent else {
        return Ok(());
    };
    let Some(unlimited) = max
        .iter()
        .position(Option::is_none)
        .filter(|&axis| axis > 0)
    else {
        return Ok(());
    };
    let counts: Vec<u64> = (max.iter().zip(chunk))
        .map(|(most, &length)| most.unwrap_or(1).div_ceil(length.max(1)).max(1))
        .collect();
    let others: Vec<usize> = (0..chunk.len()).filter(|&axis| axis != unlimited).collect();
    for entry in entries {
        let mut number = number_in_walk(&entry.offset, chunk, &counts, unlimited)
            .ok_or_else(|| ContainerError::Corrupt("its chunks are beyond counting".to_owned()))?;
        for &axis in others.iter().rev() {
            entry.offset[axis] = number % counts[axis] * chunk[axis];
            number /= counts[axis];
        }
        entry.offset[unlimited] = number.saturating_mul(chunk[unlimited]);
    }
    Ok(())
}

/// Which element of the array the walk came to: the faster axes have their `counts`, all else is along `unlimited`.
fn number_in_walk(offset: &[u64], chunk: &[u64], counts: &[u64], unlimited: usize) -> Option<u64> {
    let (mut number, mut step) = (0_u64, 1_u64);
    for axis in (unlimited..chunk.len()).rev() {
        let place = offset[axis] / chunk[axis].max(1);
        number = number.checked_add(place.checked_mul(step)?)?;
        step = if axis == unlimited {
            step
        } else {
            step.checked_mul(counts[axis])?
        };
    }
    Some(number)
}
