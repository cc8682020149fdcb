//! `H5Dwrite`: what is taken.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;

use frazil_types::{ChunkGrid, Selection};

use crate::chunks::{Done, Job};
use crate::dataset::{Dataset, Left};
use crate::encoder::Packer;
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
/// Datasets that are remembered, for each thread.
const REMEMBERED: usize = 256;
/// After so many calls in a row that write little, only one of so many is looked at.
const PATIENCE: u32 = 8;
const SELDOM: u32 = 32;
/// After so many calls it is tried again what packs a dataset best.
const TRIED_AGAIN: u32 = 64;
/// What stands for such calls of a dataset of which nothing is ever taken.
const ALWAYS: u32 = u32::MAX;

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

/// What is remembered of a dataset. Numbers are not used again; if one were, calls of its dataset would go to
/// the program's own library for nothing.
#[derive(Clone, Copy)]
struct Remembered {
    /// The libhdf5, and the dataset's number there.
    of: (usize, Hid),
    /// Calls in a row that wrote little.
    few: u32,
    /// What packs its chunks, and in how many calls it did.
    packer: Option<Packer>,
    calls: u32,
}

thread_local! {
    /// Each at the place that its number gives.
    static DATASETS: [Cell<Remembered>; REMEMBERED] =
        const { [const { Cell::new(Remembered::new((0, 0))) }; REMEMBERED] };
}

impl Remembered {
    const fn new(of: (usize, Hid)) -> Self {
        Self {
            of,
            few: 0,
            packer: None,
            calls: 0,
        }
    }
}

impl Call {
    /// What is remembered of its dataset; `None`: at the end of a thread nothing is kept.
    fn known(&self, hdf5: &Functions) -> Option<Remembered> {
        let of = (ptr::from_ref(hdf5) as usize, self.dataset);
        let known = DATASETS.try_with(|all| all[self.place()].get()).ok()?;
        Some(if known.of == of {
            known
        } else {
            Remembered::new(of)
        })
    }

    fn remember(&self, hdf5: &Functions, change: impl FnOnce(&mut Remembered)) {
        if let Some(mut known) = self.known(hdf5) {
            change(&mut known);
            let _ = DATASETS.try_with(|all| all[self.place()].set(known));
        }
    }

    fn place(&self) -> usize {
        self.dataset.unsigned_abs() as usize % REMEMBERED
    }

    /// Whether it is worth a look. Calls that write little cost as little as can be here.
    fn may_be_taken(&self, hdf5: &Functions) -> bool {
        let few = self.known(hdf5).map_or(ALWAYS, |known| known.few);
        if self.buffer.is_null() || few == ALWAYS {
            return false;
        }
        let is_looked_at = few < PATIENCE || few.is_multiple_of(SELDOM);
        if is_looked_at && self.writes_much(hdf5) {
            return true;
        }
        self.pass_little(hdf5);
        false
    }

    /// One more call in a row that writes little.
    fn pass_little(&self, hdf5: &Functions) {
        self.remember(hdf5, |known| known.few = known.few.wrapping_add(1) % ALWAYS);
        tally::few_bytes();
    }

    fn writes_much(&self, hdf5: &Functions) -> bool {
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
        bytes >= FEW_BYTES
    }

    /// Whether it is done.
    fn is_taken(&self, hdf5: &Functions) -> bool {
        let _silence = Silence::begin(hdf5);
        match self.take(hdf5) {
            Ok(done) => {
                self.remember(hdf5, |known| {
                    known.few = 0;
                    known.packer = Some(done.packer);
                    known.calls = known.calls.wrapping_add(1);
                });
                tally::packed(hdf5, self.dataset, done.raw_bytes, done.stored_bytes);
            }
            Err(Left::Always(why)) => {
                tally::never(hdf5, self.dataset, &why);
                self.remember(hdf5, |known| known.few = ALWAYS);
                return false;
            }
            Err(Left::Little) => {
                self.pass_little(hdf5);
                return false;
            }
            Err(Left::ThisCall(why)) => {
                self.remember(hdf5, |known| known.few = 0);
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

    fn take(&self, hdf5: &Functions) -> Result<Done, Left> {
        self.check_transfer(hdf5)?;
        let dataset = Dataset::open(hdf5, self.dataset)?;
        let part = self.written(hdf5, &dataset.grid)?;
        let elements = part.elements().unwrap_or(u64::MAX);
        if elements.saturating_mul(dataset.element_bytes as u64) < FEW_BYTES {
            return Err(Left::Little);
        }
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
            packer: self
                .known(hdf5)
                .filter(|known| !known.calls.is_multiple_of(TRIED_AGAIN))
                .and_then(|known| known.packer),
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
