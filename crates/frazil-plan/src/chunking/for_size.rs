//! Chunk shapes that may pack better than the one a rule chose, where bytes are what counts.

use super::balance::Balance;
use super::chunk_shape::{DEFAULT_TARGET_BYTES, KEEP_FACTOR, MAX_CHUNK_BYTES, ShapeInput};
use super::read_cost::{ReadCosts, bytes_of};

/// Raw bytes of larger chunks than the standard ones, and of smaller ones.
const LARGER_BYTES: u64 = 4 << 20;
const SMALLER_BYTES: u64 = 256 << 10;

/// Reads that fetch no more raw bytes than this take milliseconds, whatever another shape would do.
const CHEAP_READ_BYTES: u64 = 10 << 20;

/// A chunk shape to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedShape {
    /// `standard`, `larger`, `records`, `columns`, `short columns`.
    pub name: &'static str,
    /// Chunk shape in elements.
    pub chunk: Vec<u64>,
}

/// Chunk shapes beside the chosen one that values may pack better in: which of them does depends on the values, so that
/// they must be tried.
///
/// - `standard` balances maps and series in chunks of 1 MiB, `larger` in chunks of 4 MiB: similar values that lie
///   further apart meet in them.
/// - `records` are whole along the last axes, and `columns` along the first ones, up to 1 MiB, `short columns` up to
///   256 KiB: the values follow each other in another order.
///
/// No map or series fetches more than [`KEEP_FACTOR`] times the bytes that it would fetch with the standard shape, or
/// 10 MiB if that is more. Each shape is named once; there are at most five.
#[must_use]
pub fn shapes_for_size(input: &ShapeInput<'_>, chosen: &[u64]) -> Vec<NamedShape> {
    let planned = input.planned_shape();
    let size = input.element_bytes;
    if planned.is_empty() || chosen.len() != planned.len() {
        return Vec::new();
    }
    let balanced = |target_bytes: u64| {
        Balance {
            shape: &planned,
            element_bytes: size,
            target_bytes,
            least_bytes: bytes_of(&planned, size).min(target_bytes / 16),
        }
        .shape()
    };
    let last_first: Vec<usize> = (0..planned.len()).rev().collect();
    let first_first: Vec<usize> = (0..planned.len()).collect();
    let standard = balanced(DEFAULT_TARGET_BYTES);
    let costs = ReadCosts::new(&planned, &standard, size);
    let named = [
        ("standard", standard.clone()),
        ("larger", balanced(LARGER_BYTES)),
        (
            "records",
            filled(&planned, size, &last_first, DEFAULT_TARGET_BYTES),
        ),
        (
            "columns",
            filled(&planned, size, &first_first, DEFAULT_TARGET_BYTES),
        ),
        (
            "short columns",
            filled(&planned, size, &first_first, SMALLER_BYTES),
        ),
    ];
    let mut found: Vec<NamedShape> = Vec::with_capacity(named.len());
    for (name, chunk) in named {
        let is_known = chunk == chosen || found.iter().any(|known| known.chunk == chunk);
        let is_storable = bytes_of(&chunk, size) <= MAX_CHUNK_BYTES;
        let own = ReadCosts::new(&planned, &chunk, size);
        if !is_known && is_storable && own.are_within(&costs, KEEP_FACTOR, CHEAP_READ_BYTES) {
            found.push(NamedShape { name, chunk });
        }
    }
    found
}

/// A chunk of at most so many bytes that is whole along the first axes of an order, and cut into equal parts along the
/// next one.
fn filled(shape: &[u64], element_bytes: usize, order: &[usize], target_bytes: u64) -> Vec<u64> {
    let mut chunk = vec![1; shape.len()];
    for &axis in order {
        let room = (target_bytes / bytes_of(&chunk, element_bytes).max(1)).max(1);
        let parts = shape[axis].div_ceil(room);
        chunk[axis] = shape[axis].div_ceil(parts.max(1));
        if chunk[axis] < shape[axis] {
            break;
        }
    }
    chunk
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(shape: &[u64], chosen: &[u64]) -> Vec<(&'static str, Vec<u64>)> {
        let input = ShapeInput {
            shape,
            unlimited: &[],
            element_bytes: 4,
            current: None,
            dimension_names: &[],
            must_chunk: false,
        };
        let found = shapes_for_size(&input, chosen).into_iter();
        found.map(|one| (one.name, one.chunk)).collect()
    }

    #[test]
    fn a_small_variable_may_be_cut_in_any_way() {
        let found = shapes(&[28, 80, 2, 201], &[1, 80, 1, 101]);
        let names: Vec<&str> = found.iter().map(|one| one.0).collect();
        assert_eq!(
            names,
            ["standard", "larger", "records", "columns", "short columns"]
        );
        assert_eq!(found[1].1, [28, 80, 2, 201], "3.6 MB are one larger chunk");
        assert_eq!(found[2].1, [7, 80, 2, 201]);
        assert_eq!(found[3].1, [28, 80, 2, 51]);
    }

    #[test]
    fn reads_of_large_variables_stay_cheap() {
        let shape = [8760, 721, 1440];
        let found = shapes(&shape, &[1, 721, 1440]);
        let names: Vec<&str> = found.iter().map(|one| one.0).collect();
        assert_eq!(names, ["standard", "larger"]);
        assert!(bytes_of(&found[1].1, 4) <= LARGER_BYTES);
        assert!(
            shapes(&shape, &found[0].1)
                .iter()
                .all(|one| one.0 != "standard")
        );
    }

    #[test]
    fn there_is_nothing_to_cut_of_one_element() {
        assert!(shapes(&[1], &[1]).is_empty());
        assert!(shapes(&[], &[]).is_empty());
    }
}
