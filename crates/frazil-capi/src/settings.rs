//! How a variable is stored, where the caller does not leave that to frazil.

use std::ffi::{c_int, c_void};
use std::slice;

use frazil::schema::{Fill, SchemaVariable, ValueType};
use frazil::{
    AttributeValue, FilterPipeline, FilterRequest, FilterSpec, LayoutRequest, PrecisionRequest,
    QuantizeAlgorithm, Result, VariableSettings, filter_id,
};

use crate::arguments::{elements, invalid, not_negative, null};
use crate::guard::guarded;
use crate::status::frz_status;
use crate::writer::{frz_writer, variable_id, with_writer};

/// Changes a variable's settings by `body`.
///
/// # Safety
/// `writer` as [`with_writer`].
unsafe fn change(
    writer: *mut frz_writer,
    variable: c_int,
    body: impl FnOnce(&SchemaVariable, &mut VariableSettings) -> Result<()>,
) -> frz_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        unsafe {
            with_writer(writer, |writer| {
                let variable = variable_id(writer, variable)?;
                let path = writer.schema().variable_path(variable);
                let mut settings = writer.settings(variable).clone();
                body(&writer.schema().variables[variable.0], &mut settings)
                    .and_then(|()| writer.set_settings(variable, settings))
                    .map_err(|error| error.at_variable(&path))
            })
        }
    })
}

/// Bytes of one element, as C sees it, of a variable of numbers or characters.
fn element_bytes(variable: &SchemaVariable) -> Option<usize> {
    variable.value_type.size_bytes()
}

/// Sets the value of elements that are never written: one element of the variable's own type at
/// `value`.
///
/// Errors of all functions `frz_set_...`: ::FRZ_INVALID_ARGUMENT for a value that the variable
/// cannot have, or once values were put into it or it is in the file by a ::frz_sync.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_fill_value(
    writer: *mut frz_writer,
    variable: c_int,
    value: *const c_void,
) -> frz_status {
    let set = |variable: &SchemaVariable, settings: &mut VariableSettings| {
        let ValueType::Atomic(nc_type) = variable.value_type else {
            return Err(invalid(
                "variables of strings cannot have a fill value of your own",
            ));
        };
        if value.is_null() {
            return Err(null("value"));
        }
        // SAFETY: not NULL; one element is there, as the caller promises.
        let native = unsafe { slice::from_raw_parts(value.cast::<u8>(), nc_type.size_bytes()) };
        settings.fill = Fill::Value(AttributeValue::from_native_bytes(nc_type, native));
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { change(writer, variable, set) }
}

/// Leaves elements that are never written undefined, as netCDF's `NC_NOFILL` does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_no_fill(writer: *mut frz_writer, variable: c_int) -> frz_status {
    let set = |_: &SchemaVariable, settings: &mut VariableSettings| {
        settings.fill = Fill::Nothing;
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { change(writer, variable, set) }
}

/// Not 0: the elements are stored big-endian. 0 (the default): little-endian. Values are put and
/// read in this machine's order either way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_big_endian(
    writer: *mut frz_writer,
    variable: c_int,
    big_endian: c_int,
) -> frz_status {
    let set = |_: &SchemaVariable, settings: &mut VariableSettings| {
        settings.is_big_endian = big_endian != 0;
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { change(writer, variable, set) }
}

/// Chunks of this shape: elements along each dimension, the slowest first, each at least 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_chunk_shape(
    writer: *mut frz_writer,
    variable: c_int,
    shape: *const u64,
) -> frz_status {
    let set = |variable: &SchemaVariable, settings: &mut VariableSettings| {
        // SAFETY: the caller's promise.
        let shape = unsafe { elements(shape, variable.dimensions.len(), "shape") }?;
        settings.layout = LayoutRequest::Chunked(shape.to_vec());
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { change(writer, variable, set) }
}

/// One run of bytes: no chunks, no filters, no unlimited dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_contiguous(
    writer: *mut frz_writer,
    variable: c_int,
) -> frz_status {
    let set = |_: &SchemaVariable, settings: &mut VariableSettings| {
        settings.layout = LayoutRequest::Contiguous;
        settings.filters = FilterRequest::Exactly(FilterPipeline::default());
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { change(writer, variable, set) }
}

/// No compression, no shuffle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_uncompressed(
    writer: *mut frz_writer,
    variable: c_int,
) -> frz_status {
    let set = |_: &SchemaVariable, settings: &mut VariableSettings| {
        settings.filters = FilterRequest::Exactly(FilterPipeline::default());
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { change(writer, variable, set) }
}

/// Deflate (zlib) with this level, 1 (fast) to 9 (small), after a byte shuffle if `shuffle` is not
/// 0. A variable has one compressor: to replace another one, call ::frz_set_uncompressed first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_deflate(
    writer: *mut frz_writer,
    variable: c_int,
    level: c_int,
    shuffle: c_int,
) -> frz_status {
    let set = |variable: &SchemaVariable, settings: &mut VariableSettings| {
        if !(1..=9).contains(&level) {
            return Err(invalid(format!("deflate has levels 1 to 9, not {level}"))
                .with_cure("frz_set_uncompressed asks for no compression"));
        }
        let deflate = FilterSpec::new(filter_id::DEFLATE, vec![level.cast_unsigned()]);
        set_compressor(settings, variable, deflate, shuffle != 0)
    };
    // SAFETY: the caller's promise.
    unsafe { change(writer, variable, set) }
}

/// Zstandard with this level, -131072 (fast) to 22 (small), after a byte shuffle if `shuffle` is
/// not 0. Readers need its plugin. A variable has one compressor, as for ::frz_set_deflate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_zstd(
    writer: *mut frz_writer,
    variable: c_int,
    level: c_int,
    shuffle: c_int,
) -> frz_status {
    let set = |variable: &SchemaVariable, settings: &mut VariableSettings| {
        if !(-131_072..=22).contains(&level) {
            return Err(invalid(format!(
                "Zstandard has levels -131072 to 22, not {level}"
            )));
        }
        let zstd = FilterSpec::new(filter_id::ZSTD, vec![level.cast_unsigned()]);
        set_compressor(settings, variable, zstd, shuffle != 0)
    };
    // SAFETY: the caller's promise.
    unsafe { change(writer, variable, set) }
}

fn set_compressor(
    settings: &mut VariableSettings,
    variable: &SchemaVariable,
    compressor: FilterSpec,
    with_shuffle: bool,
) -> Result<()> {
    let Some(element_bytes) = element_bytes(variable) else {
        return Err(invalid("strings cannot be compressed"));
    };
    if variable.dimensions.is_empty() {
        return Err(invalid("a scalar takes no filters"));
    }
    let mut checksum = None;
    if let FilterRequest::Exactly(before) = &settings.filters {
        let compressors = [filter_id::DEFLATE, filter_id::ZSTD];
        let other = |one: &&FilterSpec| compressors.contains(&one.id) && one.id != compressor.id;
        if let Some(other) = before.0.iter().find(other) {
            let (new, old) = (compressor.display_name(), other.display_name());
            return Err(invalid(format!(
                "{new} and {old} are both requested, and only one is possible"
            ))
            .with_cure("call frz_set_uncompressed first, or request only one of them"));
        }
        checksum = before.0.iter().find(|one| one.id == filter_id::FLETCHER32);
    }
    let shuffle = u32::try_from(element_bytes)
        .ok()
        .filter(|&bytes| with_shuffle && bytes > 1)
        .map(|bytes| FilterSpec::new(filter_id::SHUFFLE, vec![bytes]));
    let all = shuffle.into_iter().chain([compressor]);
    let pipeline = FilterPipeline(all.chain(checksum.cloned()).collect());
    settings.filters = FilterRequest::Exactly(pipeline);
    Ok(())
}

/// Adds a Fletcher-32 checksum to each chunk, in addition to the requested compression: call it
/// after ::frz_set_deflate, ::frz_set_zstd or ::frz_set_uncompressed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_checksum(writer: *mut frz_writer, variable: c_int) -> frz_status {
    let set = |_: &SchemaVariable, settings: &mut VariableSettings| match &mut settings.filters {
        FilterRequest::Exactly(pipeline) => {
            if !pipeline.contains(filter_id::FLETCHER32) {
                pipeline
                    .0
                    .push(FilterSpec::new(filter_id::FLETCHER32, Vec::new()));
            }
            Ok(())
        }
        FilterRequest::Ours => Err(invalid("a checksum needs filters that are stated")
            .with_cure("call frz_set_deflate, frz_set_zstd or frz_set_uncompressed first")),
    };
    // SAFETY: the caller's promise.
    unsafe { change(writer, variable, set) }
}

/// Adds to what is stated about a variable's precision.
///
/// # Safety
/// `writer` as [`with_writer`].
unsafe fn change_precision(
    writer: *mut frz_writer,
    variable: c_int,
    state: impl FnOnce(&mut PrecisionRequest) -> Result<()>,
) -> frz_status {
    let set = |_: &SchemaVariable, settings: &mut VariableSettings| {
        let mut request = settings.precision.take().unwrap_or_default();
        state(&mut request)?;
        settings.precision = Some(request);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { change(writer, variable, set) }
}

/// Rounds values to this many decimal digits: 1 to 6 (float), 1 to 15 (double); others are refused.
/// Integers and text always stay exact.
///
/// If you state precision with several of this and the following functions, all of them apply. Fill
/// values, NaN, infinities and zeros are never rounded. The file states what was done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_significant_digits(
    writer: *mut frz_writer,
    variable: c_int,
    digits: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change_precision(writer, variable, |request| {
            request.significant_digits = Some(at_least_1(digits, "digits")?);
            Ok(())
        })
    }
}

/// Rounds values to this many mantissa bits: 1 to 23 (float), 1 to 52 (double).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_significant_bits(
    writer: *mut frz_writer,
    variable: c_int,
    bits: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change_precision(writer, variable, |request| {
            request.significant_bits = Some(at_least_1(bits, "bits")?);
            Ok(())
        })
    }
}

/// How values are rounded, with netCDF's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum frz_quantize {
    /// Clears and sets the trailing mantissa bits in turn; to decimal digits.
    FRZ_BITGROOM = 1,
    /// As many bits for each value as the digits need; to decimal digits.
    FRZ_GRANULAR_BITROUND = 2,
    /// The same number of bits for all values; to bits.
    FRZ_BITROUND = 3,
}

/// Sets the rounding algorithm, one of ::frz_quantize. State how far it rounds with
/// ::frz_set_significant_digits (::FRZ_BITGROOM, ::FRZ_GRANULAR_BITROUND) or
/// ::frz_set_significant_bits (::FRZ_BITROUND). By default frazil chooses the algorithm that fits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_quantize(
    writer: *mut frz_writer,
    variable: c_int,
    algorithm: c_int,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change_precision(writer, variable, |request| {
            let all = [
                (frz_quantize::FRZ_BITGROOM, QuantizeAlgorithm::BitGroom),
                (
                    frz_quantize::FRZ_GRANULAR_BITROUND,
                    QuantizeAlgorithm::GranularBitRound,
                ),
                (frz_quantize::FRZ_BITROUND, QuantizeAlgorithm::BitRound),
            ];
            let known = all.iter().find(|one| one.0 as c_int == algorithm);
            let (_, algorithm) =
                known.ok_or_else(|| invalid(format!("no algorithm has the number {algorithm}")))?;
            request.algorithm = Some(*algorithm);
            Ok(())
        })
    }
}

/// Sets the largest error of any value, in the variable's units.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_absolute_tolerance(
    writer: *mut frz_writer,
    variable: c_int,
    tolerance: f64,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change_precision(writer, variable, |request| {
            request.absolute_tolerance = Some(above_0(tolerance, "tolerance")?);
            Ok(())
        })
    }
}

/// Sets the largest error of any value, in percent of the value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn frz_set_relative_tolerance(
    writer: *mut frz_writer,
    variable: c_int,
    percent: f64,
) -> frz_status {
    // SAFETY: the caller's promise.
    unsafe {
        change_precision(writer, variable, |request| {
            request.relative_tolerance_percent = Some(above_0(percent, "percent")?);
            Ok(())
        })
    }
}

fn at_least_1(number: c_int, name: &str) -> Result<u32> {
    let number = not_negative(number, name)?;
    u32::try_from(number)
        .ok()
        .filter(|&number| number > 0)
        .ok_or_else(|| invalid(format!("`{name}` must be at least 1")))
}

fn above_0(number: f64, name: &str) -> Result<f64> {
    if number.is_finite() && number > 0.0 {
        Ok(number)
    } else {
        Err(invalid(format!("`{name}` must be above 0, not {number}")))
    }
}
