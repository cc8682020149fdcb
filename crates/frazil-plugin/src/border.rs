//! Where libhdf5 calls in: raw buffers become slices, errors and panics become return values.

#![allow(
    unsafe_code,
    reason = "libhdf5 hands over raw buffers of the C library's allocator, and takes such back"
)]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use frazil_codec::{CodecError, Scratch, decode_one, encode_one};
use frazil_types::{FilterSpec, filter_id};

use crate::local;

/// `H5Z_func_t`.
pub type FilterFunction = unsafe extern "C" fn(
    flags: c_uint,
    cd_nelmts: usize,
    cd_values: *const c_uint,
    nbytes: usize,
    buf_size: *mut usize,
    buf: *mut *mut c_void,
) -> usize;

/// `H5Z_can_apply_func_t` and `H5Z_set_local_func_t`: creation property list, type, space.
pub type SetLocalFunction = unsafe extern "C" fn(dcpl: i64, datatype: i64, space: i64) -> c_int;

/// `H5Z_class2_t`.
#[repr(C)]
pub struct Class {
    /// Version of this structure.
    pub version: c_int,
    /// Filter identifier.
    pub id: c_int,
    /// Whether it can encode.
    pub encoder_present: c_uint,
    /// Whether it can decode.
    pub decoder_present: c_uint,
    /// Its name, for messages.
    pub name: *const c_char,
    /// Whether it can be applied to a dataset.
    pub can_apply: Option<SetLocalFunction>,
    /// Sets the values that depend on the dataset.
    pub set_local: Option<SetLocalFunction>,
    /// Encodes or decodes.
    pub filter: Option<FilterFunction>,
}

// SAFETY: only ever read; the name is static.
unsafe impl Sync for Class {}

/// `H5Z_FLAG_REVERSE`: decode.
const REVERSE: c_uint = 0x0100;
/// Client data values at most; the rest of a longer list is no filter's of ours.
const MOST_VALUES: usize = 64;
/// zstd's level where none is given.
const ZSTD_DEFAULT: u32 = 3;

/// Runs `body`; a panic becomes `failed`, without a word on the terminal.
fn guarded<T>(failed: T, body: impl FnOnce() -> Option<T>) -> T {
    static SILENCE: Once = Once::new();
    // A shared library of Rust has a standard library of its own: this is its hook, not the host's.
    SILENCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Some(value)) => value,
        Ok(None) | Err(_) => failed,
    }
}

/// The filter `ID`, encoding or decoding; 0 if it fails, and then nothing was changed.
///
/// # Safety
/// As libhdf5 calls it: `cd_values` has `cd_nelmts` numbers, `*buf` is a buffer of `malloc` of
/// `*buf_size` bytes of which `nbytes` are in use, and nobody else uses it meanwhile.
pub unsafe extern "C" fn filter<const ID: i32>(
    flags: c_uint,
    cd_nelmts: usize,
    cd_values: *const c_uint,
    nbytes: usize,
    buf_size: *mut usize,
    buf: *mut *mut c_void,
) -> usize {
    guarded(0, || {
        if buf.is_null() || buf_size.is_null() || cd_nelmts > MOST_VALUES {
            return None;
        }
        let values = match cd_values.is_null() || cd_nelmts == 0 {
            true => Vec::new(),
            // SAFETY: the caller's promise.
            false => unsafe { std::slice::from_raw_parts(cd_values, cd_nelmts) }.to_vec(),
        };
        // SAFETY: checked not to be null; the caller's promise.
        let old = unsafe { *buf };
        if old.is_null() {
            return None;
        }
        // SAFETY: the caller's promise.
        let bytes = unsafe { std::slice::from_raw_parts(old.cast::<u8>(), nbytes) };
        let made = run(ID, flags & REVERSE != 0, values, bytes).ok()?;
        // SAFETY: any size may be asked for.
        let new = unsafe { libc::malloc(made.len().max(1)) };
        if new.is_null() {
            return None;
        }
        // SAFETY: both are as long as `made`, and `new` was made just now. The old buffer is of
        // malloc, and libhdf5 forgets it. Both pointers were checked.
        unsafe {
            std::ptr::copy_nonoverlapping(made.as_ptr(), new.cast::<u8>(), made.len());
            libc::free(old);
            *buf = new;
            *buf_size = made.len().max(1);
        }
        Some(made.len())
    })
}

/// Encodes or decodes; an empty result cannot be told from a failure, and is one.
fn run(id: i32, decodes: bool, mut values: Vec<u32>, bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
    if id == filter_id::ZSTD && values.is_empty() {
        values.push(ZSTD_DEFAULT);
    }
    let spec = FilterSpec::new(id, values);
    let mut scratch = Scratch::default();
    match decodes {
        true => decode_one(&spec, bytes, &mut scratch),
        false => encode_one(&spec, bytes, &mut scratch),
    }
}

/// Completes the client data values of filter `ID` by what the dataset is: its element type and its
/// chunk's shape. Values that nothing is missing from stay.
///
/// # Safety
/// As libhdf5 calls it when a dataset is made.
pub unsafe extern "C" fn set_local<const ID: i32>(dcpl: i64, datatype: i64, space: i64) -> c_int {
    guarded(-1, || local::complete(ID, dcpl, datatype, space))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may fail")]
mod tests {
    use super::*;

    /// A buffer as libhdf5 has it.
    struct Buffer {
        pointer: *mut c_void,
        capacity: usize,
        used: usize,
    }

    impl Buffer {
        fn of(bytes: &[u8]) -> Self {
            // SAFETY: a fresh buffer as long as `bytes`.
            let pointer = unsafe {
                let pointer = libc::malloc(bytes.len().max(1));
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), pointer.cast(), bytes.len());
                pointer
            };
            Self {
                pointer,
                capacity: bytes.len(),
                used: bytes.len(),
            }
        }

        fn run<const ID: i32>(&mut self, flags: c_uint, values: &[u32]) -> usize {
            // SAFETY: the buffer is malloc's, the numbers are those of a slice.
            let used = unsafe {
                filter::<ID>(
                    flags,
                    values.len(),
                    values.as_ptr(),
                    self.used,
                    &raw mut self.capacity,
                    &raw mut self.pointer,
                )
            };
            if used > 0 {
                self.used = used;
            }
            used
        }

        fn bytes(&self) -> &[u8] {
            // SAFETY: so many bytes are in use.
            unsafe { std::slice::from_raw_parts(self.pointer.cast(), self.used) }
        }
    }

    impl Drop for Buffer {
        fn drop(&mut self) {
            // SAFETY: of malloc, freed once.
            unsafe { libc::free(self.pointer) }
        }
    }

    #[test]
    fn buffers_are_replaced_and_come_back() {
        let raw: Vec<u8> = (0..9000_u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
        let mut buffer = Buffer::of(&raw);
        assert!(buffer.run::<{ filter_id::ZSTD }>(0, &[]) > 0);
        assert!(buffer.used < raw.len() && buffer.capacity >= buffer.used);
        assert_eq!(buffer.run::<{ filter_id::ZSTD }>(REVERSE, &[]), raw.len());
        assert!(buffer.bytes() == raw);
    }

    #[test]
    fn what_fails_changes_nothing() {
        let mut buffer = Buffer::of(b"no stream of any kind, but long enough");
        let (pointer, before) = (buffer.pointer, buffer.bytes().to_vec());
        assert_eq!(buffer.run::<{ filter_id::LZ4 }>(REVERSE, &[]), 0);
        assert_eq!(
            buffer.run::<{ filter_id::PCODEC }>(REVERSE, &[1, 5, 0, 8]),
            0
        );
        assert_eq!(buffer.run::<{ filter_id::BITSHUFFLE }>(0, &[]), 0);
        assert_eq!(buffer.run::<{ filter_id::DELTA }>(0, &[7; 70]), 0);
        assert_eq!((buffer.pointer, buffer.bytes()), (pointer, &before[..]));
    }

    #[test]
    fn panics_stay_inside() {
        assert_eq!(guarded(0, || -> Option<usize> { panic!("inside") }), 0);
    }
}
