//! Chunk shapes that follow a rule from outside: the CMIP7 profile, whole variables, user requests.

use frazil_types::spelling;

use super::chunk_shape::{MAX_CHUNK_BYTES, ShapeInput};
use super::read_cost::bytes_of;
use crate::error::PlanError;

/// Least uncompressed bytes of a CMIP7 data chunk (`check_cmip7_packing`, cmip7_repack 1.1).
pub const CMIP7_CHUNK_BYTES: u64 = 4 << 20;

/// Padding accepted for the sake of a small CMIP7 chunk, in hundredths of the axis.
const PADDING_PER_CENT: u64 = 10;

/// A chunk shape that passes the CMIP7 check for data variables: one chunk, or chunks of at least
/// 4 MiB.
///
/// Whole slabs of the leading axis where one slab has less than 4 MiB; else one index of it, with
/// the following axes split the same way. An unlimited axis without records gets as many as 4 MiB
/// need.
///
/// # Errors
/// [`PlanError::ChunkTooLarge`] if no such chunk fits HDF5 (an element of 4 GiB and more).
pub fn cmip7_data_shape(input: &ShapeInput<'_>) -> Result<Vec<u64>, PlanError> {
    let planned = input.planned_shape();
    let mut chunk = planned.clone();
    for axis in 0..planned.len() {
        let slab_bytes = bytes_of(&planned[axis + 1..], input.element_bytes).max(1);
        if slab_bytes >= CMIP7_CHUNK_BYTES {
            chunk[axis] = 1;
            continue;
        }
        let least = CMIP7_CHUNK_BYTES.div_ceil(slab_bytes);
        let grows_from_nothing = input.is_unlimited(axis) && input.shape[axis] == 0;
        chunk[axis] = if grows_from_nothing {
            least
        } else {
            even_extent(planned[axis], least)
        };
        break;
    }
    checked(chunk, input.element_bytes)
}

/// The smallest extent of at least `least` that cuts `length` with little padding.
fn even_extent(length: u64, least: u64) -> u64 {
    if least >= length {
        return length;
    }
    let mut extent = least;
    while length.div_ceil(extent).saturating_mul(extent)
        > length.saturating_add(length.saturating_mul(PADDING_PER_CENT) / 100)
    {
        let count = length.div_ceil(extent);
        extent = length.div_ceil(count - 1);
    }
    extent
}

/// One chunk for everything there is: coordinates and bounds that are always read whole.
///
/// # Errors
/// [`PlanError::ChunkTooLarge`] if the variable has 4 GiB or more.
pub fn whole_shape(input: &ShapeInput<'_>) -> Result<Vec<u64>, PlanError> {
    checked(input.planned_shape(), input.element_bytes)
}

/// Applies a user's extents `(dimension name or axis number, elements)` to a chunk shape.
///
/// Names go before numbers; the last of several extents for one axis counts. Extents beyond a
/// fixed axis are cut to its length, since HDF5 allows no larger ones; unlimited axes take any.
///
/// # Errors
/// [`PlanError::UnknownDimension`], [`PlanError::ZeroExtent`], [`PlanError::ChunkTooLarge`], and
/// [`PlanError::RankMismatch`] if `chunk` does not belong to the variable.
pub fn apply_override(
    chunk: &[u64],
    input: &ShapeInput<'_>,
    extents: &[(String, u64)],
) -> Result<Vec<u64>, PlanError> {
    if chunk.len() != input.shape.len() {
        return Err(PlanError::RankMismatch {
            shape_axes: input.shape.len(),
            chunk_axes: chunk.len(),
        });
    }
    let mut chunk = chunk.to_vec();
    for (name, extent) in extents {
        let axis = axis_of(input, name)?;
        if *extent == 0 {
            return Err(PlanError::ZeroExtent { name: name.clone() });
        }
        chunk[axis] = if input.is_unlimited(axis) {
            *extent
        } else {
            (*extent).min(input.shape[axis].max(1))
        };
    }
    checked(chunk, input.element_bytes)
}

fn axis_of(input: &ShapeInput<'_>, name: &str) -> Result<usize, PlanError> {
    let rank = input.shape.len();
    let by_name = input.dimension_names.iter().position(|known| known == name);
    by_name
        .or_else(|| name.parse().ok())
        .filter(|&axis| axis < rank)
        .ok_or_else(|| PlanError::UnknownDimension {
            name: name.to_owned(),
            known: {
                let names = input.dimension_names.iter().map(String::as_str);
                known_dimensions(input) + &spelling::question(name, names)
            },
        })
}

fn known_dimensions(input: &ShapeInput<'_>) -> String {
    match (input.dimension_names.is_empty(), input.shape.len()) {
        (false, _) => input.dimension_names.join(", "),
        (true, 0) => "none".to_owned(),
        (true, rank) => format!("unnamed axes 0 to {}", rank - 1),
    }
}

fn checked(chunk: Vec<u64>, element_bytes: usize) -> Result<Vec<u64>, PlanError> {
    if bytes_of(&chunk, element_bytes) > MAX_CHUNK_BYTES {
        return Err(PlanError::ChunkTooLarge { chunk });
    }
    Ok(chunk)
}
