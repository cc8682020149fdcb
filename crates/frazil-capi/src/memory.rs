//! Values in the caller's memory, compressed and back, without a file.

use std::ffi::{c_char, c_int, c_void};

use frazil::schema::ValueType;
use frazil::{
    ByteOrder, CompressOptions, ElementClass, ElementType, Error, ErrorCode, FilterChainError,
    FilterConstraints, Goal, NcType, Result, SpeedDemand, VariableRule, compress, compressed_bound,
    compressed_values, decompress_into, read_policy, requests_for,
};

use crate::arguments::{
    self, elements, elements_mut, invalid, not_negative, null, result_at, text, value_type,
};
use crate::guard::guarded;
use crate::status::frz_status;

/// Dimensions that compressed values have at most.
pub const FRZ_MAX_RANK: c_int = 32;

/// Options for the compression of values in memory. Several threads may use the same options, as
/// long as nothing changes these.
pub struct frz_compression {
    inner: CompressOptions,
}

/// # Safety
/// A handle that is not NULL must be one of [`frz_compression_new`] that was not freed, and nobody else
/// uses it meanwhile.
unsafe fn change(
    compression: *mut frz_compression,
    body: impl FnOnce(&mut CompressOptions) -> Result<()>,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let compression = unsafe { compression.as_mut() }.ok_or_else(|| null("compression"))?;
        body(&mut compression.inner)
    })
}

/// Creates options for compression in memory, with their defaults: exact values,
/// ::FRZ_GOAL_BALANCED, any filters. Free them with ::frz_compression_free.
#[unsafe(no_mangle)]
pub extern "C" fn frz_compression_new() -> *mut frz_compression {
    Box::into_raw(Box::new(frz_compression {
        inner: CompressOptions::default(),
    }))
}

/// Frees these options. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compression_free(compression: *mut frz_compression) {
    if !compression.is_null() {
        // SAFETY: from frz_compression_new and not freed, as the caller promises.
        drop(unsafe { Box::from_raw(compression) });
    }
}

/// Sets what to optimize the choice of filters for: one of ::frz_goal. `level` is the level of
/// zstd, if it is among the filters, 1 to 22; 0: the goal chooses. With a level you cannot state
/// speeds, a tolerance or filters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compression_set_goal(
    compression: *mut frz_compression,
    goal: c_int,
    level: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(compression, |inner| {
            let index = usize::try_from(goal).ok();
            let found = index.and_then(|index| Goal::ALL.get(index));
            let found = found.ok_or_else(|| invalid(format!("no goal has the number {goal}")))?;
            let level = u32::try_from(level).ok().filter(|level| *level <= 22);
            let level = level.ok_or_else(|| invalid("levels are 0 to 22"))?;
            (inner.goal, inner.level) = (*found, level);
            Ok(())
        })
    }
}

/// Rounds floats to this many decimal digits: 1 to 6 (float), 1 to 15 (double).
///
/// If you state precision with several of this and the following functions, all of them apply. NaN,
/// infinities and zeros are never rounded. frazil compares each rounded value with its original.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compression_set_significant_digits(
    compression: *mut frz_compression,
    digits: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(compression, |inner| {
            inner.precision.significant_digits = Some(from_1_to(MOST_DIGITS, digits, "digits")?);
            Ok(())
        })
    }
}

/// Rounds floats to this many mantissa bits: 1 to 23 (float), 1 to 52 (double).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compression_set_significant_bits(
    compression: *mut frz_compression,
    bits: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(compression, |inner| {
            inner.precision.significant_bits = Some(from_1_to(MOST_BITS, bits, "bits")?);
            Ok(())
        })
    }
}

/// Rounds floats by this much at most.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compression_set_absolute_tolerance(
    compression: *mut frz_compression,
    tolerance: f64,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(compression, |inner| {
            inner.precision.absolute_tolerance = Some(positive(tolerance)?);
            Ok(())
        })
    }
}

/// Rounds floats by this much at most, in percent of each value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compression_set_relative_tolerance(
    compression: *mut frz_compression,
    percent: f64,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(compression, |inner| {
            inner.precision.relative_tolerance_percent = Some(positive(percent)?);
            Ok(())
        })
    }
}

/// Protects a value: frazil does not round it, and rounds no value to it. You can call this for
/// several values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compression_protect_value(
    compression: *mut frz_compression,
    value: f64,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(compression, |inner| {
            inner.precision.special_values.push(value);
            Ok(())
        })
    }
}

/// Sets how fast filters must be on one core: `"400MB/s"`, `"1.5GB/s"`, or the speed of a network
/// or storage: `"network"`, `"local"`, `"shared"`, `"0.5*network"` (docs/filters.md). `encode` is
/// for ::frz_compress, `decode` for ::frz_decompress; NULL: no limit.
///
/// The speeds of filters come from a table, so the same options give the same bytes on every
/// machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compression_set_speeds(
    compression: *mut frz_compression,
    encode: *const c_char,
    decode: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        change(compression, |inner| {
            let encode = speed(encode, "encode")?;
            let decode = speed(decode, "decode")?;
            (inner.demand.min_write_speed, inner.demand.min_read_speed) = (encode, decode);
            Ok(())
        })
    }
}

/// Sets by how many percent a ratio may be lower than the best and still count as equal, from 0
/// (none) to below 100. frazil uses the fastest of equal filters. For ::FRZ_GOAL_ENERGY the
/// tolerance applies to joules.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compression_set_ratio_tolerance(
    compression: *mut frz_compression,
    percent: f64,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change(compression, |inner| {
            let stated = FilterConstraints {
                ratio_tolerance_percent: Some(percent),
                ..FilterConstraints::default()
            };
            stated.check().map_err(invalid)?;
            inner.demand.ratio_tolerance_percent = (percent > 0.0).then_some(percent);
            Ok(())
        })
    }
}

/// Sets the filters, in the order in which they are applied: `"lorenzo+shuffle+zstd(9)"`, `"none"`
/// (docs/filters.md). Possible are shuffle, deflate, lz4, zstd, bitshuffle, pcodec, delta and
/// mafisc. NULL: frazil chooses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compression_set_filters(
    compression: *mut frz_compression,
    filters: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        change(compression, |inner| {
            inner.demand.filters = match filters.is_null() {
                true => None,
                false => {
                    let chain = text(filters, "filters")?.parse();
                    Some(chain.map_err(|error: FilterChainError| invalid(error.to_string()))?)
                }
            };
            Ok(())
        })
    }
}

/// Adds what a file of rules states for the variable of this name or path (`"tas"`, `"/ocean/t"`):
/// the TOML file that `frazil pack --precision` reads, docs/precision.md. Where the file says
/// nothing, earlier settings stay. If a rule says `lossless`, frazil rounds nothing.
///
/// Errors: ::FRZ_NOT_FOUND if there is no such file; ::FRZ_INVALID_ARGUMENT if it is invalid: the
/// message names the rule.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compression_read(
    compression: *mut frz_compression,
    path: *const c_char,
    variable: *const c_char,
) -> frz_status {
    // SAFETY: the caller's promises.
    unsafe {
        change(compression, |inner| {
            let file = arguments::path(path)?;
            let variable = text(variable, "variable")?;
            let stated = VariableRule {
                variables: vec!["**".to_owned()],
                request: inner.precision.clone(),
                demand: inner.demand.clone(),
                ..VariableRule::default()
            };
            let mut rules = vec![stated];
            let policy = read_policy(file)?;
            inner.goal = policy.defaults.goal.unwrap_or(inner.goal);
            rules.extend(policy.rules);
            (inner.precision, inner.demand) = requests_for(&rules, variable)?;
            Ok(())
        })
    }
}

/// # Safety
/// A pointer that is not NULL must point to text that a NUL ends.
unsafe fn speed(pointer: *const c_char, name: &str) -> Result<Option<SpeedDemand>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    let text = unsafe { text(pointer, name) }?;
    text.parse()
        .map(Some)
        .map_err(|cause: String| invalid(cause))
}

/// Decimal digits and mantissa bits that doubles have.
const MOST_DIGITS: u32 = 15;
const MOST_BITS: u32 = 52;

fn from_1_to(most: u32, number: c_int, name: &str) -> Result<u32> {
    let number = u32::try_from(number).ok();
    let number = number.filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| invalid(format!("`{name}` must be from 1 to {most}")))
}

fn positive(tolerance: f64) -> Result<f64> {
    match tolerance > 0.0 && tolerance.is_finite() {
        true => Ok(tolerance),
        false => Err(invalid(format!("{tolerance} is no tolerance"))),
    }
}

/// Elements of a type in this machine's order.
fn element_of(number: c_int) -> Result<ElementType> {
    let ValueType::Atomic(nc_type) = value_type(number)? else {
        return Err(invalid("strings cannot be compressed as values in memory"));
    };
    let element = nc_type.element();
    let order = match (element.order, cfg!(target_endian = "big")) {
        (ByteOrder::None, _) => ByteOrder::None,
        (_, true) => ByteOrder::Big,
        (_, false) => ByteOrder::Little,
    };
    Ok(ElementType { order, ..element })
}

/// The type of elements; only those in this machine's order have one.
fn type_of(element: ElementType) -> Result<c_int> {
    let same = |number: &c_int| {
        let candidate = element_of(*number).ok();
        candidate.is_some_and(|one| {
            let is_byte = one.size_bytes == 1 && element.size_bytes == 1;
            let order = is_byte || one.order == element.order;
            let class = one.class == element.class
                || (one.class, element.class) == (ElementClass::Text, ElementClass::Opaque);
            class && order && one.size_bytes == element.size_bytes
        })
    };
    let mut numbers = NcType::ALL
        .map(|nc_type| nc_type.number().cast_signed())
        .into_iter();
    numbers.find(same).ok_or_else(|| {
        let cause = format!(
            "values of {}, for which C has no type here: perhaps their byte order differs from \
             this machine's",
            element.name()
        );
        Error::new(ErrorCode::Unsupported, cause)
    })
}

/// The shape, and the bytes of the values.
///
/// # Safety
/// `shape` as [`elements`] of `rank` numbers.
unsafe fn extent<'a>(
    element: ElementType,
    rank: c_int,
    shape: *const u64,
) -> Result<(&'a [u64], usize)> {
    if rank > FRZ_MAX_RANK {
        return Err(invalid(format!(
            "{rank} dimensions, more than {FRZ_MAX_RANK}"
        )));
    }
    // SAFETY: the caller's promise.
    let shape = unsafe { elements(shape, not_negative(rank, "rank")?, "shape") }?;
    if shape.iter().any(|&length| length > u64::from(u32::MAX)) {
        return Err(invalid("a dimension of 2^32 and more elements"));
    }
    let product = |n: u64, &length: &u64| n.checked_mul(length);
    let bytes = shape.iter().try_fold(element.size_bytes as u64, product);
    let bytes = bytes.and_then(|bytes| isize::try_from(bytes).ok());
    let bytes = bytes.ok_or_else(|| invalid("more values than memory can hold"))?;
    Ok((shape, bytes.cast_unsigned()))
}

/// Returns the most bytes that ::frz_compress needs for values of a type, one of ::frz_type, and a
/// shape of `rank` dimensions, the slowest first: a little more than the values themselves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compress_bound(
    value_type: c_int,
    rank: c_int,
    shape: *const u64,
    bytes: *mut usize,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            let place = result_at(bytes, "bytes")?;
            let (shape, value_bytes) = extent(element_of(value_type)?, rank, shape)?;
            *place = compressed_bound(shape.len(), value_bytes);
        }
        Ok(())
    })
}

/// Compresses values of a type, one of ::frz_type except ::FRZ_STRING, in this machine's order: an
/// array of `rank` dimensions, at most ::FRZ_MAX_RANK and each shorter than 2^32, the slowest
/// first. `packed` has room for `capacity` bytes (::frz_compress_bound returns a number that is
/// always sufficient), and must not overlap the values; `*packed_bytes` becomes their number.
/// `compression` may be NULL: the defaults.
///
/// frazil tries filters on the values and chooses, on the calling thread. The bytes describe their
/// own contents: ::frz_inquire_compressed and ::frz_decompress need nothing else. They have the
/// format of a chunk of filter 47103, which docs/format.md specifies. Equal values and options give
/// equal bytes.
///
/// Errors: ::FRZ_INVALID_ARGUMENT for options that the values cannot have, or if `capacity` is too
/// small; ::FRZ_BOUND_EXCEEDED if rounding broke a bound: a bug.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_compress(
    compression: *const frz_compression,
    value_type: c_int,
    rank: c_int,
    shape: *const u64,
    values: *const c_void,
    packed: *mut c_void,
    capacity: usize,
    packed_bytes: *mut usize,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            let place = result_at(packed_bytes, "packed_bytes")?;
            let element = element_of(value_type)?;
            let (shape, value_bytes) = extent(element, rank, shape)?;
            let values = elements(values.cast::<u8>(), value_bytes, "values")?;
            let defaults = CompressOptions::default();
            let options = compression
                .as_ref()
                .map_or(&defaults, |compression| &compression.inner);
            let made = compress(values, element, shape, options)?;
            if made.len() > capacity {
                let cause = format!("`capacity` is {capacity}, but {} are needed", made.len());
                return Err(invalid(cause).with_cure(
                    "frz_compress_bound returns a sufficient \
                                                     capacity",
                ));
            }
            elements_mut(packed.cast::<u8>(), made.len(), "packed")?.copy_from_slice(&made);
            *place = made.len();
        }
        Ok(())
    })
}

/// Describes the values in bytes of ::frz_compress: type, number of dimensions, shape (room for
/// ::FRZ_MAX_RANK numbers), and bytes of the values. Each of the four may be NULL.
///
/// Errors: ::FRZ_CORRUPT for bytes that ::frz_compress did not write; ::FRZ_UNSUPPORTED for values
/// in another byte order than this machine's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_inquire_compressed(
    packed: *const c_void,
    packed_bytes: usize,
    value_type: *mut c_int,
    rank: *mut c_int,
    shape: *mut u64,
    value_bytes: *mut usize,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises; pointers are followed where they are not NULL.
        unsafe {
            let packed = elements(packed.cast::<u8>(), packed_bytes, "packed")?;
            let found = compressed_values(packed)?;
            let number = type_of(found.element)?;
            if !shape.is_null() {
                let place = elements_mut(shape, found.shape.len(), "shape")?;
                place.copy_from_slice(&found.shape);
            }
            if !value_type.is_null() {
                *result_at(value_type, "value_type")? = number;
            }
            if !rank.is_null() {
                // At most 32.
                *result_at(rank, "rank")? = found.shape.len() as c_int;
            }
            if !value_bytes.is_null() {
                *result_at(value_bytes, "value_bytes")? = found.raw_bytes;
            }
        }
        Ok(())
    })
}

/// Decompresses bytes of ::frz_compress. `values` has room for `value_bytes` bytes, exactly the
/// number that ::frz_inquire_compressed returns.
///
/// Errors: ::FRZ_CORRUPT for damaged bytes: the contents of `values` are then undefined;
/// ::FRZ_UNSUPPORTED as ::frz_inquire_compressed; ::FRZ_INVALID_ARGUMENT for another number of
/// bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_decompress(
    packed: *const c_void,
    packed_bytes: usize,
    values: *mut c_void,
    value_bytes: usize,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promises.
        unsafe {
            let packed = elements(packed.cast::<u8>(), packed_bytes, "packed")?;
            type_of(compressed_values(packed)?.element)?;
            let values = elements_mut(values.cast::<u8>(), value_bytes, "values")?;
            decompress_into(packed, values)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_found_again_from_its_element() {
        for nc_type in NcType::ALL {
            let number = nc_type.number().cast_signed();
            let element = element_of(number).unwrap();
            assert_eq!(type_of(element).unwrap(), number);
        }
        assert!(element_of(12).is_err());
        let foreign = ElementType {
            class: ElementClass::Float,
            size_bytes: 4,
            order: ByteOrder::Big,
        };
        assert_eq!(type_of(foreign).unwrap_err().code, ErrorCode::Unsupported);
    }
}
