//! Values that are copied part by part: those that lead elsewhere, and what only libhdf5 can read.

use frazil_types::{ChunkGrid, ChunkRecord, Selection};

use crate::error::{ContainerError, Result};
use crate::ffi::dataset::Dataset;
use crate::ffi::dataspace::Hyperslab;
use crate::ffi::datatype::Datatype;
use frazil_hdf5::Extent;

/// Bytes read and written at a time.
const SLAB_BYTES: u64 = 4 << 20;

/// A chunk grid, and which of its chunks are stored.
type Chunks<'a> = (&'a ChunkGrid, &'a [ChunkRecord]);

/// Makes other values of those that libhdf5 read.
pub(super) type Change<'a> = dyn Fn(&[u8]) -> Result<Vec<u8>> + 'a;

/// Copies all values of a dataset through libhdf5, slab by slab.
///
/// Slabs are whole multiples of the input's chunks along the first axis, so that no chunk is decoded
/// twice. Chunks that the input never wrote stay unwritten.
pub(super) fn copy(
    from: &Dataset,
    to: &Dataset,
    chunks: Option<Chunks<'_>>,
    change: Option<&Change<'_>>,
) -> Result<()> {
    let memory = from.datatype()?.memory_copy()?;
    let copier = SlabCopier {
        from,
        to,
        memory: &memory,
        change,
    };
    let extent = from.extent()?;
    let Extent::Simple { shape, .. } = &extent else {
        return match extent.elements() {
            Some(1) => copier.copy(None, &Extent::Scalar),
            _ => Ok(()),
        };
    };
    if shape.contains(&0) {
        return Ok(());
    }
    for part in parts_to_copy(shape, chunks, memory.size_bytes()? as u64) {
        let slab = Extent::Simple {
            shape: part.count.clone(),
            max_shape: part.count.iter().map(|&n| Some(n)).collect(),
        };
        copier.copy(Some(Hyperslab::dense(&part.start, &part.count)), &slab)?;
    }
    Ok(())
}

/// The boxes in which values are copied: whole multiples of the input's chunks along the first axis, so that no chunk
/// is decoded twice, and nothing that was never written.
pub fn parts_to_copy<'a>(
    shape: &[u64],
    chunks: Option<(&'a ChunkGrid, &'a [ChunkRecord])>,
    element_bytes: u64,
) -> impl Iterator<Item = Selection> + 'a {
    let granularity = chunks.map(|(grid, _)| grid.chunk());
    written_parts(shape, chunks).flat_map(move |part| {
        slabs(&part.count, granularity, element_bytes).map(move |(offset, count)| Selection {
            start: part.start.iter().zip(offset).map(|(a, b)| a + b).collect(),
            count,
        })
    })
}

/// The whole array, or chunk by chunk what was written of it.
fn written_parts<'a>(
    shape: &[u64],
    chunks: Option<Chunks<'a>>,
) -> Box<dyn Iterator<Item = Selection> + 'a> {
    match chunks {
        Some((grid, records)) if (records.len() as u64) < grid.chunk_count() => {
            Box::new((records.iter()).map(move |record| grid.valid_box(record.index)))
        }
        _ => Box::new(std::iter::once(Selection::whole(shape))),
    }
}

/// Copies boxes of one dataset.
struct SlabCopier<'a> {
    from: &'a Dataset,
    to: &'a Dataset,
    memory: &'a Datatype,
    change: Option<&'a Change<'a>>,
}

impl SlabCopier<'_> {
    fn copy(&self, selection: Option<Hyperslab<'_>>, slab: &Extent) -> Result<()> {
        let elements = slab.elements().ok_or_else(|| {
            ContainerError::Corrupt("it claims more elements than can be counted".to_owned())
        })?;
        let values = self.from.read(self.memory, selection, elements)?;
        if let Some(change) = self.change {
            return self.to.write(self.memory, selection, &change(&values)?);
        }
        self.to.write(self.memory, selection, &values)?;
        self.memory.reclaim(slab, values)
    }
}

/// Cuts a shape into boxes of about [`SLAB_BYTES`]: one element along the leading axes, a multiple
/// of the chunk extent along one axis, everything along the rest.
fn slabs(
    shape: &[u64],
    granularity: Option<&[u64]>,
    element_bytes: u64,
) -> impl Iterator<Item = (Vec<u64>, Vec<u64>)> + use<> {
    let mut step: Vec<u64> = shape.to_vec();
    let mut bytes = step
        .iter()
        .fold(element_bytes, |product, &n| product.saturating_mul(n));
    for axis in 0..shape.len() {
        if bytes <= SLAB_BYTES {
            break;
        }
        let grain = granularity
            .map_or(1, |chunk| chunk[axis])
            .clamp(1, shape[axis]);
        let one_grain_bytes = bytes / shape[axis].max(1) * grain;
        let grains = (SLAB_BYTES / one_grain_bytes.max(1)).max(1);
        step[axis] = grain.saturating_mul(grains).min(shape[axis]);
        bytes = bytes / shape[axis].max(1) * step[axis];
    }
    let shape = shape.to_vec();
    let mut next = Some(vec![0_u64; shape.len()]);
    std::iter::from_fn(move || {
        let start = next.take()?;
        let count = (0..shape.len())
            .map(|a| step[a].min(shape[a] - start[a]))
            .collect();
        let mut after = start.clone();
        for axis in (0..shape.len()).rev() {
            after[axis] += step[axis];
            if after[axis] < shape[axis] {
                next = Some(after);
                break;
            }
            after[axis] = 0;
        }
        Some((start, count))
    })
}

#[cfg(test)]
mod tests {
    use super::slabs;

    #[test]
    fn slabs_cover_the_array_once() {
        let shape = [5_u64, 300, 1000];
        let mut covered = 0;
        for (start, count) in slabs(&shape, Some(&[2, 7, 1000]), 8) {
            assert!(
                start
                    .iter()
                    .zip(&count)
                    .zip(shape)
                    .all(|((s, c), n)| s + c <= n && *c > 0)
            );
            covered += count.iter().product::<u64>();
        }
        assert_eq!(covered, 5 * 300 * 1000);
    }
}
