//! `H5Dwrite`: what is taken.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;

use frazil_types::{ChunkGrid, Selection};

use crate::chunks::Job;
use crate::dataset::{Dataset, Left};
use crate::gather::Source;
use crate::handles::Silence;
use crate::library::{Functions, Hid, library_of};
use crate::selection::{self, ALL, Placed};
use crate::tally;
use crate::types::{self, Values};

/// `FAIL`
const FAILED: c_int = -1;
/// `H5I_DATATYPE`, `H5I_DATASPACE`, `H5I_DATASET`
const DATATYPE: c_int = 3;
const DATASPACE: c_int = 4;
const DATASET: c_int = 5;
/// Less is not worth looking at.
const FEW_BYTES: u64 = 64 << 10;
/// Datasets that are remembered as left alone, for each thread.
const REMEMBERED: usize = 256;

/// The arguments of a call.
struct Call {
    dataset: Hid,
    memory_type: Hid,
    memory: Hid,
    file: Hid,
    transfer: Hid,
    buffer: *const u8,
}

pub(crate) extern "C" fn write(
    dataset: Hid,
    memory_type: Hid,
    memory: Hid,
    file: Hid,
    transfer: Hid,
    buffer: *const u8,
    caller: usize,
) -> c_int {
    let Some(library) = library_of(caller) else {
        return FAILED;
    };
    let call = Call {
        dataset,
        memory_type,
        memory,
        file,
        transfer,
        buffer,
    };
    if let Some(hdf5) = &library.functions
        && call.may_be_taken(hdf5)
        && call.is_taken(hdf5)
    {
        return 0;
    }
    // SAFETY: the call as it came.
    unsafe { (library.write)(dataset, memory_type, memory, file, transfer, buffer) }
}

thread_local! {
    /// Datasets of which nothing is taken, each at the place that its number gives. Numbers are not used
    /// again; if one were, its dataset would be left alone for nothing.
    static LEFT: [Cell<(usize, Hid)>; REMEMBERED] =
        const { [const { Cell::new((0, 0)) }; REMEMBERED] };
}

fn key(hdf5: &Functions, dataset: Hid) -> (usize, Hid) {
    (ptr::from_ref(hdf5) as usize, dataset)
}

fn place(dataset: Hid) -> usize {
    dataset.unsigned_abs() as usize % REMEMBERED
}

impl Call {
    /// Whether it is worth a look. Calls that write little cost as little as can be here.
    fn may_be_taken(&self, hdf5: &Functions) -> bool {
        let is_left = |left: &[Cell<(usize, Hid)>; REMEMBERED]| {
            left[place(self.dataset)].get() == key(hdf5, self.dataset)
        };
        if self.buffer.is_null() || LEFT.try_with(is_left).unwrap_or(true) {
            return false;
        }
        // SAFETY: any number may be asked about.
        let kind = |id: Hid| unsafe { (hdf5.H5Iget_type)(id) };
        if kind(self.memory_type) != DATATYPE || kind(self.dataset) != DATASET {
            return false;
        }
        let spaces = [self.file, self.memory].into_iter();
        let Some(space) = spaces.into_iter().find(|space| *space != ALL) else {
            return true;
        };
        if kind(space) != DATASPACE {
            return false;
        }
        // SAFETY: a dataspace and a type.
        let (points, bytes) = unsafe {
            let points = (hdf5.H5Sget_select_npoints)(space);
            (points, (hdf5.H5Tget_size)(self.memory_type))
        };
        let bytes = u64::try_from(points)
            .unwrap_or(0)
            .saturating_mul(bytes as u64);
        if bytes < FEW_BYTES {
            tally::few_bytes();
        }
        bytes >= FEW_BYTES
    }

    /// Whether it is done.
    fn is_taken(&self, hdf5: &Functions) -> bool {
        let _silence = Silence::begin(hdf5);
        match self.take(hdf5) {
            Ok((raw, stored)) => tally::packed(hdf5, self.dataset, raw, stored),
            Err(Left::Always(why)) => {
                tally::never(hdf5, self.dataset, &why);
                let remember = |left: &[Cell<(usize, Hid)>; REMEMBERED]| {
                    left[place(self.dataset)].set(key(hdf5, self.dataset));
                };
                // At the end of a thread nothing is kept.
                let _ = LEFT.try_with(remember);
                return false;
            }
            Err(Left::ThisCall(why)) => {
                tally::left(hdf5, self.dataset, why);
                return false;
            }
            Err(Left::Failed) => {
                tally::left(hdf5, self.dataset, "they failed in frazil");
                return false;
            }
        }
        true
    }

    fn take(&self, hdf5: &Functions) -> Result<(u64, u64), Left> {
        self.check_transfer(hdf5)?;
        let dataset = Dataset::open(hdf5, self.dataset)?;
        let part = self.written(hdf5, &dataset.grid)?;
        if !is_whole(&dataset.grid, &part) {
            return Err(Left::ThisCall("they wrote parts of chunks"));
        }
        let is_edge = part.start.iter().zip(&part.count).zip(dataset.grid.chunk());
        let has_edge = is_edge
            .into_iter()
            .any(|((start, count), chunk)| !(start + count).is_multiple_of(*chunk));
        if has_edge && dataset.edges_are_unfiltered {
            return Err(Left::ThisCall(
                "their chunks at the edge are stored without filters",
            ));
        }
        let values = types::values(hdf5, self.memory_type, dataset.datatype.id);
        if values == Values::Other {
            return Err(Left::ThisCall(
                "their values are converted, or hold addresses",
            ));
        }
        // SAFETY: a type.
        let memory_bytes = unsafe { (hdf5.H5Tget_size)(self.memory_type) };
        let job = Job {
            hdf5,
            dataset: &dataset,
            part: &part,
            source: Source::new(self.buffer),
            placed: self.placed(hdf5, &dataset.grid, &part)?,
            memory_type: self.memory_type,
            memory_bytes,
            values,
        };
        job.run().ok_or(Left::Failed)
    }

    /// Refuses what a program has set for the transfer that changes values.
    fn check_transfer(&self, hdf5: &Functions) -> Result<(), Left> {
        if self.transfer == 0 {
            return Ok(());
        }
        let (mut function, mut data) = (0, 0);
        // SAFETY: properties of a transfer, or what these functions refuse.
        let (transform, found) = unsafe {
            let transform = (hdf5.H5Pget_data_transform)(self.transfer, ptr::null_mut(), 0);
            let (function, data) = (&raw mut function, &raw mut data);
            (
                transform,
                (hdf5.H5Pget_type_conv_cb)(self.transfer, function, data),
            )
        };
        match (found, transform, function) {
            (..0, ..) => Err(Left::Failed),
            (_, ..=0, 0) => Ok(()),
            _ => Err(Left::ThisCall("the program transforms their values")),
        }
    }

    /// The box of the dataset that is written.
    fn written(&self, hdf5: &Functions, grid: &ChunkGrid) -> Result<Selection, Left> {
        let lengths = grid.shape();
        if self.file == ALL {
            return Ok(Selection::whole(lengths));
        }
        if selection::extent(hdf5, self.file)
            .ok_or(Left::Failed)?
            .len()
            != lengths.len()
        {
            return Err(Left::Failed);
        }
        let part = selection::selected(hdf5, self.file, lengths.len());
        let part = part.ok_or(Left::ThisCall("they wrote something else than a box"))?;
        let ends = part
            .start
            .iter()
            .zip(&part.count)
            .map(|(start, count)| start + count);
        match ends.zip(lengths).all(|(end, length)| end <= *length) {
            true => Ok(part),
            false => Err(Left::Failed),
        }
    }

    /// Where that box lies in the program's memory.
    fn placed(&self, hdf5: &Functions, grid: &ChunkGrid, part: &Selection) -> Result<Placed, Left> {
        let (lengths, in_memory) = match (self.memory, self.file) {
            (ALL, ALL) => (grid.shape().to_vec(), part.clone()),
            (ALL, space) => {
                let lengths = selection::extent(hdf5, space).ok_or(Left::Failed)?;
                (lengths, part.clone())
            }
            (space, _) => {
                let lengths = selection::extent(hdf5, space).ok_or(Left::Failed)?;
                let in_memory = selection::selected(hdf5, space, lengths.len());
                let other = Left::ThisCall("their values are no box in memory");
                (lengths, in_memory.ok_or(other)?)
            }
        };
        let ends = in_memory.start.iter().zip(&in_memory.count);
        let is_inside = ends
            .zip(&lengths)
            .all(|((start, count), length)| start + count <= *length);
        if !is_inside || in_memory.elements() != part.elements() {
            return Err(Left::Failed);
        }
        let placed = selection::placed(&lengths, &in_memory, &part.count);
        placed.ok_or(Left::ThisCall("their values have another shape in memory"))
    }
}

/// Whether a box begins and ends where chunks do, or at the end of the dataset.
fn is_whole(grid: &ChunkGrid, part: &Selection) -> bool {
    (0..part.count.len()).all(|axis| {
        let (chunk, end) = (grid.chunk()[axis], part.start[axis] + part.count[axis]);
        part.count[axis] > 0
            && part.start[axis].is_multiple_of(chunk)
            && (end.is_multiple_of(chunk) || end == grid.shape()[axis])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_whole_up_to_the_end_of_the_dataset() {
        let grid = ChunkGrid::new(&[10, 7], &[4, 7]).unwrap();
        let part = |start: u64, count: u64| Selection {
            start: vec![start, 0],
            count: vec![count, 7],
        };
        for (start, count, expected) in [
            (0, 4, true),
            (4, 6, true),
            (8, 2, true),
            (4, 5, false),
            (1, 7, false),
        ] {
            assert_eq!(
                is_whole(&grid, &part(start, count)),
                expected,
                "{start} {count}"
            );
        }
    }
}
