//! Client data values that depend on the dataset: element type and chunk shape.

use std::ffi::c_int;

use frazil_types::{ByteOrder, ElementClass, ElementType, FilterChain, FilterSpec, filter_id};

use crate::host::Host;

/// `H5T_class_t`, `H5T_order_t`, `H5T_sign_t`.
const INTEGER: c_int = 0;
const FLOAT: c_int = 1;
const BIG_ENDIAN: c_int = 1;
const SIGNED: c_int = 1;

/// Completes the values of filter `id` in a creation property list; `None` if it cannot be applied,
/// else a status of success. Where no libhdf5 is found, the values stay as they are.
pub(crate) fn complete(id: i32, dcpl: i64, datatype: i64, space: i64) -> Option<c_int> {
    let Some(host) = Host::of(dcpl, datatype, space) else {
        return Some(1);
    };
    let (flags, given) = host.filter(dcpl, id)?;
    let chunk = host.chunk(dcpl)?;
    let values = values_of(id, &given, element(&host, datatype), &chunk)?;
    if values == given {
        return Some(1);
    }
    host.set_filter(dcpl, id, flags, &values).then_some(1)
}

fn element(host: &Host, datatype: i64) -> ElementType {
    let (size_bytes, class, order, sign) = host.element(datatype);
    ElementType {
        class: match (class, sign) {
            (INTEGER, SIGNED) => ElementClass::SignedInteger,
            (INTEGER, _) => ElementClass::UnsignedInteger,
            (FLOAT, _) => ElementClass::Float,
            _ => ElementClass::Opaque,
        },
        size_bytes,
        order: match order {
            BIG_ENDIAN => ByteOrder::Big,
            _ => ByteOrder::Little,
        },
    }
}

/// Complete values from those that were given; `None` if the filter cannot be applied.
fn values_of(id: i32, given: &[u32], element: ElementType, chunk: &[u64]) -> Option<Vec<u32>> {
    let by_chain = |text: &str| -> Option<FilterSpec> {
        let chain: FilterChain = text.parse().ok()?;
        chain.resolve(element, chunk).0.pop()
    };
    let size = u32::try_from(element.size_bytes).ok()?;
    match id {
        // Version, version, element size, then what a user gives: block size, compressor, level.
        filter_id::BITSHUFFLE => {
            let users = if given.len() >= 5 { &given[3..] } else { given };
            Some([&[0, 4, size], users].concat())
        }
        // A user's values are in their places, and the first four are the filter's.
        filter_id::BLOSC => {
            let mut values = by_chain("blosc(lz4)")?.cd_values;
            for (value, &given) in values.iter_mut().zip(given).skip(4) {
                *value = given;
            }
            Some(values)
        }
        // A user gives the level or nothing.
        filter_id::PCODEC => {
            let mut values = by_chain("pcodec")?.cd_values;
            if let Some(&level) = given.get(3).or(given.first().filter(|_| given.len() == 1)) {
                values[3] = level;
            }
            Some(values)
        }
        // A user gives the axes as a bit mask or nothing.
        filter_id::DELTA => {
            let mut values = by_chain("delta")?.cd_values;
            if let Some(&mask) = given.get(3).or(given.first().filter(|_| given.len() == 1)) {
                values[3] = mask;
            }
            Some(values)
        }
        _ => Some(given.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOAT32: ElementType = ElementType {
        class: ElementClass::Float,
        size_bytes: 4,
        order: ByteOrder::Little,
    };

    #[test]
    fn users_give_what_they_know_and_complete_values_stay() {
        for (id, given, complete) in [
            (filter_id::BITSHUFFLE, vec![], vec![0, 4, 4]),
            (filter_id::BITSHUFFLE, vec![0, 2], vec![0, 4, 4, 0, 2]),
            (filter_id::BITSHUFFLE, vec![0, 3, 5], vec![0, 4, 4, 0, 3, 5]),
            (filter_id::BLOSC, vec![], vec![2, 2, 4, 512, 5, 1, 1]),
            (
                filter_id::BLOSC,
                vec![0, 0, 0, 0, 9, 2, 5],
                vec![2, 2, 4, 512, 9, 2, 5],
            ),
            (filter_id::PCODEC, vec![], vec![1, 5, 0, 8]),
            (filter_id::PCODEC, vec![12], vec![1, 5, 0, 12]),
            (filter_id::DELTA, vec![], vec![1, 4, 2, 2, 2, 8, 16]),
            (filter_id::DELTA, vec![3], vec![1, 4, 2, 3, 2, 8, 16]),
            (filter_id::ZSTD, vec![7], vec![7]),
            (filter_id::LZ4, vec![], vec![]),
        ] {
            let made = values_of(id, &given, FLOAT32, &[8, 16]).unwrap();
            assert_eq!(made, complete, "{id} {given:?}");
            let again = values_of(id, &made, FLOAT32, &[8, 16]).unwrap();
            let is_bare_bitshuffle = id == filter_id::BITSHUFFLE && made.len() < 5;
            assert!(
                is_bare_bitshuffle || again == made,
                "{id} {made:?} {again:?}"
            );
        }
    }

    #[test]
    fn what_looks_at_numbers_is_not_applied_to_text() {
        let text = ElementType {
            class: ElementClass::Opaque,
            size_bytes: 7,
            order: ByteOrder::Little,
        };
        assert_eq!(values_of(filter_id::PCODEC, &[], text, &[8]), None);
        assert_eq!(values_of(filter_id::DELTA, &[], text, &[8]), None);
    }
}
