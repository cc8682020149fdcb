//! Values that lead elsewhere in their file, and those that only libhdf5 can read: slab by slab on the
//! calling thread, in a form that means the same in every file.

use std::sync::Arc;

use frazil_container::hdf5::{DatasetStorage, Expanded, TypeDescription, expand_plain};
use frazil_pipeline::ArraySource;
use frazil_types::{AxisSelection, ChunkGrid, ChunkRecord, ErrorCode, Selection};

use super::elements::{Unequal, compare_expanded};
use super::plan::{Pair, Side};
use super::tiles::Tiling;
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::read_box::read_box;
use frazil_file::resources::Resources;
use frazil_file::run;
use frazil_file::sources::{self, Access};
use frazil_file::storage_error::from_container;
use frazil_file::virtual_data::VirtualValues;

/// Compares the values of a pair.
pub(super) fn compare(a: &Input, b: &Input, pair: &Pair, resources: &Resources) -> Result<Unequal> {
    let element_bytes = pair.a.datatype.size_bytes as u64;
    let slab = sources::slab_shape(&pair.shape, element_bytes, None);
    let grid = ChunkGrid::new(&pair.shape, &slab).ok_or_else(|| {
        Error::new(ErrorCode::Corrupt, "its size overflows")
            .in_file(a.path())
            .at_variable(&pair.path)
    })?;
    // What neither side wrote holds the fill value, which is compared already.
    let (grid_a, records_a) = stored_chunks(a, &pair.a, &grid)?;
    let (grid_b, records_b) = stored_chunks(b, &pair.b, &grid)?;
    let stored = [
        (&grid_a, records_a.as_deref()),
        (&grid_b, records_b.as_deref()),
    ];
    let (a, b) = (Values::of(a, &pair.a)?, Values::of(b, &pair.b)?);
    let mut all = Unequal::default();
    for number in Tiling::new(grid.clone(), stored).numbers() {
        run::check_cancel(resources)?;
        let part = grid.valid_box(number);
        let (first, second) = (a.read(&part, resources)?, b.read(&part, resources)?);
        let unequal = compare_expanded((&pair.a.datatype, &first), (&pair.b.datatype, &second));
        all.merge(unequal.in_array(&part, &pair.shape));
    }
    Ok(all)
}

/// A side's chunks, and which of them are stored (`None`: everything is).
fn stored_chunks(
    input: &Input,
    side: &Side,
    whole: &ChunkGrid,
) -> Result<(ChunkGrid, Option<Vec<ChunkRecord>>)> {
    let info = &input.variables()[side.variable];
    let name = |error: Error| error.in_file(input.path()).at_variable(&info.path);
    match (&info.storage, input.hdf5()) {
        (DatasetStorage::Chunked { chunk, .. }, Some(hdf5)) => {
            let records = hdf5.locate(info);
            let records = records.map_err(|error| name(from_container(error, input.path())))?;
            Ok((sources::grid(info, chunk).map_err(name)?, Some(records)))
        }
        (DatasetStorage::Contiguous { address: None }, Some(_)) => {
            Ok((whole.clone(), Some(Vec::new())))
        }
        _ => Ok((whole.clone(), None)),
    }
}

/// Values of the same box of both sides, numbers little-endian.
pub(super) fn read_both(
    a: &Input,
    b: &Input,
    pair: &Pair,
    part: &Selection,
    resources: &Resources,
) -> Result<[Expanded; 2]> {
    let (a, b) = (Values::of(a, &pair.a)?, Values::of(b, &pair.b)?);
    Ok([a.read(part, resources)?, b.read(part, resources)?])
}

/// The values of one side.
struct Values<'a> {
    input: &'a Input,
    side: &'a Side,
    place: Place,
    /// One element of the source.
    datatype: TypeDescription,
}

/// Where values are.
enum Place {
    Array(Box<[ArraySource; 1]>),
    /// In other datasets.
    Elsewhere(Arc<VirtualValues>),
    /// Where only libhdf5 gets them.
    Library,
}

impl<'a> Values<'a> {
    fn of(input: &'a Input, side: &'a Side) -> Result<Self> {
        let info = &input.variables()[side.variable];
        let named = |error: Error| error.in_file(input.path()).at_variable(&info.path);
        let place = match sources::access(input, side.variable, None)? {
            Access::Parallel(source, _) | Access::Indirect(source, _) | Access::Apart(source) => {
                Place::Array(Box::new([source]))
            }
            Access::Nothing => {
                Place::Array(Box::new([sources::unwritten(input, info).map_err(named)?]))
            }
            Access::Elsewhere(values) => Place::Elsewhere(values),
            Access::Library | Access::Undecodable(..) => Place::Library,
        };
        let datatype = match input.hdf5().filter(|_| !info.element.is_self_contained()) {
            Some(hdf5) => {
                let element = hdf5.stored_element(info);
                let element = element.map_err(|e| named(from_container(e, input.path())))?;
                element.datatype
            }
            None => side.datatype.clone(),
        };
        Ok(Self {
            input,
            side,
            place,
            datatype,
        })
    }

    fn read(&self, part: &Selection, resources: &Resources) -> Result<Expanded> {
        let info = &self.input.variables()[self.side.variable];
        let outcome = match (&self.place, self.input.hdf5()) {
            (Place::Elsewhere(values), _) => {
                let part = part.start.iter().zip(&part.count);
                let part = part.map(|(&start, &count)| AxisSelection::dense(start, count));
                return values.expanded(&part.collect::<Vec<_>>());
            }
            (Place::Array(source), Some(hdf5)) => {
                let stored = self.stored(source, part, resources)?;
                hdf5.expand(&self.datatype, &stored, 1)
            }
            (Place::Array(source), None) => {
                expand_plain(&self.datatype, &self.stored(source, part, resources)?)
            }
            (Place::Library, Some(hdf5)) => hdf5.expanded_values(info, &self.side.datatype, part),
            (Place::Library, None) => {
                let cause = "a classic variable without values";
                return Err(Error::new(ErrorCode::Internal, cause));
            }
        };
        outcome.map_err(|error| from_container(error, self.input.path()).at_variable(&info.path))
    }

    /// Elements of a box as they lie in the file.
    fn stored(
        &self,
        source: &[ArraySource; 1],
        part: &Selection,
        resources: &Resources,
    ) -> Result<Vec<u8>> {
        read_box(source, part, resources).map_err(|error| {
            let owner = |_| Some(self.side.variable);
            run::explain(error, self.input, source, owner)
        })
    }
}
