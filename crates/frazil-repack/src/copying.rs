//! Copies values that are not packed: those that lead elsewhere, what lies apart, and what only libhdf5 can read.

use std::path::Path;

use frazil_container::hdf5::{Hdf5Output, parts_to_copy};
use frazil_pipeline::ArraySource;
use frazil_types::{ErrorCode, Selection};

use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::read_box::read_box;
use frazil_file::resources::Resources;
use frazil_file::run;
use frazil_file::sources::{self, Access, Stored};
use frazil_file::storage_error::from_copying;

/// Copies the values of variable `i` into its place in `output`, the file at `target`.
pub(crate) fn copy_values(
    source: &Input,
    i: usize,
    (output, target): (&Hdf5Output, &Path),
    resources: &Resources,
) -> Result<()> {
    let Some(hdf5) = source.hdf5() else {
        return Ok(());
    };
    let path = &source.variables()[i].path;
    let named = |error: Error| error.in_file(source.path()).at_variable(path);
    let failed = |error| from_copying(error, source.path(), target).at_variable(path);
    let (array, stored) = match sources::access(source, i, None)? {
        Access::Parallel(array, stored) | Access::Indirect(array, stored) => (array, stored),
        Access::Apart(array) => (array, Stored::All),
        Access::Library => return output.copy_values(hdf5, i).map_err(failed),
        Access::Nothing => return Ok(()),
        Access::Undecodable(_, _, missing) => {
            return Err(named(sources::missing_filter_error(&missing)));
        }
        Access::Elsewhere(_) => {
            let cause = "virtual data are kept as a mapping";
            return Err(named(Error::new(ErrorCode::Internal, cause)));
        }
    };
    let array = [array];
    for part in parts_of(&array[0], &stored) {
        run::check_cancel(resources).map_err(named)?;
        let values = read_box(&array, &part, resources)
            .map_err(|error| run::explain(error, source, &array, |_| Some(i)))?;
        output
            .write_stored(hdf5, i, &part, &values)
            .map_err(failed)?;
    }
    Ok(())
}

/// The boxes in which an array is copied.
fn parts_of<'a>(
    array: &'a ArraySource,
    stored: &'a Stored,
) -> impl Iterator<Item = Selection> + 'a {
    let chunks = match stored {
        Stored::All => None,
        Stored::Records(records) => Some((&array.grid, records.as_slice())),
    };
    parts_to_copy(array.grid.shape(), chunks, array.element_bytes as u64)
}
