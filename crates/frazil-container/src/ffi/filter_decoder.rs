//! The codec behind libhdf5's filters: what only libhdf5 can read, variable-length data above all, may
//! lie under filters that libhdf5 lacks and the codec knows.

use std::cell::{Cell, RefCell};
use std::ffi::{c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use frazil_hdf5::DecodeBlock;
use frazil_types::{FilterPipeline, FilterSpec, filter_id};

use super::handle::api;
use crate::error::{ContainerError, Result};
use crate::system::outside_forks;

/// Undoes one filter of one chunk; the result must not be longer than the number of bytes given.
pub type DecodeFilter = fn(&FilterSpec, &[u8], usize) -> std::result::Result<Vec<u8>, String>;

/// `H5Z_FLAG_REVERSE`: decode.
const REVERSE: c_uint = 0x0100;

/// The codec's entrance.
static DECODE: OnceLock<DecodeFilter> = OnceLock::new();

thread_local! {
    /// What a decoded chunk may hold, of the dataset that this thread reads through libhdf5.
    static AT_MOST: Cell<usize> = const { Cell::new(0) };
    /// Why the codec could not decode a chunk.
    static FAILURE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Filters that the codec decodes for libhdf5: those that it is built without.
const FUNCTIONS: [(i32, Function); 14] = [
    (filter_id::SZIP, decode::<{ filter_id::SZIP }>),
    (filter_id::BZIP2, decode::<{ filter_id::BZIP2 }>),
    (filter_id::LZF, decode::<{ filter_id::LZF }>),
    (filter_id::BLOSC, decode::<{ filter_id::BLOSC }>),
    (filter_id::MAFISC, decode::<{ filter_id::MAFISC }>),
    (filter_id::LZ4, decode::<{ filter_id::LZ4 }>),
    (filter_id::BITSHUFFLE, decode::<{ filter_id::BITSHUFFLE }>),
    (filter_id::ZSTD, decode::<{ filter_id::ZSTD }>),
    (filter_id::BITGROOM, decode::<{ filter_id::BITGROOM }>),
    (
        filter_id::GRANULAR_BITROUND,
        decode::<{ filter_id::GRANULAR_BITROUND }>,
    ),
    (filter_id::BITROUND, decode::<{ filter_id::BITROUND }>),
    (filter_id::PCODEC, decode::<{ filter_id::PCODEC }>),
    (filter_id::DELTA, decode::<{ filter_id::DELTA }>),
    (filter_id::FRAZIL, decode::<{ filter_id::FRAZIL }>),
];

/// As libhdf5 declares a filter's function.
type Function = unsafe extern "C" fn(
    c_uint,
    usize,
    *const c_uint,
    usize,
    *mut usize,
    *mut *mut c_void,
) -> usize;

/// Gives libhdf5 the codec's help, for the life of the process.
pub fn decode_filters_with(decode: DecodeFilter) {
    if DECODE.get().is_none() {
        // The first one stays: there is one codec in a process.
        let _ = outside_forks(|| DECODE.set(decode));
    }
}

/// The codec as the reader of metadata wants it: undoes all filters of one block.
pub(crate) fn decode_block() -> Option<Arc<DecodeBlock>> {
    let decode = *DECODE.get()?;
    Some(Arc::new(
        move |pipeline: &FilterPipeline, mask, stored: &[u8], most| {
            let mut bytes = stored.to_vec();
            for (number, filter) in pipeline.0.iter().enumerate().rev() {
                if number >= 32 || mask >> number & 1 == 0 {
                    bytes = decode(filter, &bytes, most)?;
                }
            }
            Ok(bytes)
        },
    ))
}

/// Whether the codec decodes a filter for libhdf5.
pub(super) fn knows(id: i32) -> bool {
    DECODE.get().is_some() && FUNCTIONS.iter().any(|(known, _)| *known == id)
}

/// The function behind a filter's stand-in.
pub(super) fn function_for(id: i32) -> Function {
    let known = FUNCTIONS.iter().find(|(known, _)| *known == id);
    known.map_or(refuse, |(_, function)| *function)
}

/// Runs `work`, which reads chunks of at most `chunk_bytes` through libhdf5.
pub(crate) fn reading<T>(chunk_bytes: usize, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = AT_MOST.replace(chunk_bytes);
    FAILURE.take();
    let outcome = work();
    AT_MOST.set(before);
    match (outcome, FAILURE.take()) {
        (Err(_), Some(reason)) => Err(ContainerError::Corrupt(reason)),
        (outcome, _) => outcome,
    }
}

/// Refuses to work: stands for a filter whose chunks are copied undecoded.
unsafe extern "C" fn refuse(
    _flags: c_uint,
    _count: usize,
    _values: *const c_uint,
    _bytes: usize,
    _buffer_bytes: *mut usize,
    _buffer: *mut *mut c_void,
) -> usize {
    0
}

/// Decodes a chunk with filter `ID`; never encodes.
unsafe extern "C" fn decode<const ID: i32>(
    flags: c_uint,
    count: usize,
    values: *const c_uint,
    bytes: usize,
    buffer_bytes: *mut usize,
    buffer: *mut *mut c_void,
) -> usize {
    if flags & REVERSE == 0 || buffer.is_null() || buffer_bytes.is_null() {
        return 0;
    }
    let cd_values = match count {
        0 => Vec::new(),
        // SAFETY: libhdf5 passes as many values as it says.
        _ => unsafe { std::slice::from_raw_parts(values, count) }.to_vec(),
    };
    // SAFETY: checked above; libhdf5's buffer holds `bytes` bytes.
    let stored = unsafe {
        match (*buffer).is_null() {
            true => &[][..],
            false => std::slice::from_raw_parts((*buffer).cast::<u8>(), bytes),
        }
    };
    let spec = FilterSpec::new(ID, cd_values);
    let decoded = match catch_unwind(AssertUnwindSafe(|| decode_within(&spec, stored))) {
        Ok(Ok(decoded)) => decoded,
        Ok(Err(reason)) => return fail(reason),
        Err(_) => return fail(format!("a bug in the decoder of {}", spec.display_name())),
    };
    // SAFETY: a plain allocation of libhdf5's, large enough for what is copied; the old buffer was
    // libhdf5's as well and is given back once.
    unsafe {
        let fresh = (api().H5allocate_memory)(decoded.len().max(1), 0);
        if fresh.is_null() {
            return fail("there is no memory for a decoded chunk".to_owned());
        }
        std::ptr::copy_nonoverlapping(decoded.as_ptr(), fresh.cast::<u8>(), decoded.len());
        (api().H5free_memory)(*buffer);
        *buffer = fresh;
        *buffer_bytes = decoded.len().max(1);
    }
    decoded.len()
}

fn decode_within(spec: &FilterSpec, stored: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let decode = DECODE.get().ok_or("no codec is at hand")?;
    decode(spec, stored, AT_MOST.get())
}

fn fail(reason: String) -> usize {
    FAILURE.set(Some(reason));
    0
}
