//! The library that `frazil run --level codec` preloads: `compress2` of zlib, which every libhdf5 calls
//! for deflate, by libdeflate.
//!
//! In: bytes and a level. Out: a stream of zlib. What it cannot do goes to the program's own zlib.

#![expect(unsafe_code, reason = "an exported function that C calls")]

use std::cell::RefCell;
use std::ffi::{c_int, c_ulong};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use libdeflate_sys::{
    libdeflate_alloc_compressor, libdeflate_compressor, libdeflate_free_compressor,
    libdeflate_zlib_compress,
};
use serde_json::json;

/// `Z_OK` and `Z_STREAM_ERROR`.
const DONE: c_int = 0;
const STREAM_ERROR: c_int = -2;
/// zlib's own choice of a level, and what it chooses.
const DEFAULT_LEVEL: c_int = -1;
const LEVEL_CHOSEN: c_int = 6;

type Compress2 = unsafe extern "C" fn(*mut u8, *mut c_ulong, *const u8, c_ulong, c_int) -> c_int;

/// A compressor of libdeflate's, for one level.
struct Compressor {
    level: c_int,
    state: NonNull<libdeflate_compressor>,
}

impl Compressor {
    fn new(level: c_int) -> Option<Self> {
        // SAFETY: any level may be asked for; NULL is looked for.
        let state = unsafe { libdeflate_alloc_compressor(level) };
        NonNull::new(state).map(|state| Self { level, state })
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: it was allocated above, and nobody else has it.
        unsafe { libdeflate_free_compressor(self.state.as_ptr()) };
    }
}

/// `compress2` of zlib.
///
/// # Safety
/// As zlib's: `source` holds `source_len` bytes and `dest` `*dest_len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compress2(
    dest: *mut u8,
    dest_len: *mut c_ulong,
    source: *const u8,
    source_len: c_ulong,
    level: c_int,
) -> c_int {
    // SAFETY: as this function's.
    let packed = unsafe { packed(dest, dest_len, source, source_len, level) };
    if let Some(bytes) = packed {
        note(source_len, bytes);
        // SAFETY: not NULL, or nothing would have been packed.
        unsafe { *dest_len = bytes };
        return DONE;
    }
    // SAFETY: the name ends with a NUL.
    let own = unsafe { libc::dlsym(libc::RTLD_NEXT, c"compress2".as_ptr()) };
    if own.is_null() {
        return STREAM_ERROR;
    }
    // SAFETY: zlib's function of that name, with the arguments as they came.
    unsafe {
        let own = std::mem::transmute::<*mut libc::c_void, Compress2>(own);
        own(dest, dest_len, source, source_len, level)
    }
}

/// Packs with libdeflate; `None`: it does not, for want of room or because the level is 0.
///
/// # Safety
/// As [`compress2`].
unsafe fn packed(
    dest: *mut u8,
    dest_len: *mut c_ulong,
    source: *const u8,
    source_len: c_ulong,
    level: c_int,
) -> Option<c_ulong> {
    thread_local! {
        static COMPRESSOR: RefCell<Option<Compressor>> = const { RefCell::new(None) };
    }
    let level = if level == DEFAULT_LEVEL {
        LEVEL_CHOSEN
    } else {
        level
    };
    if dest.is_null() || dest_len.is_null() || source.is_null() || !(1..=9).contains(&level) {
        return None;
    }
    // SAFETY: not NULL; the caller vouches for the rest.
    let room = usize::try_from(unsafe { *dest_len }).ok()?;
    let length = usize::try_from(source_len).ok()?;
    // At the end of a thread there is no place for a compressor any more.
    let bytes = COMPRESSOR.try_with(|place| {
        let mut place = place.try_borrow_mut().ok()?;
        if place.as_ref().is_none_or(|known| known.level != level) {
            *place = Compressor::new(level);
        }
        let state = place.as_ref()?.state.as_ptr();
        // SAFETY: the caller vouches for both ranges; the compressor is this thread's.
        let bytes =
            unsafe { libdeflate_zlib_compress(state, source.cast(), length, dest.cast(), room) };
        (bytes > 0).then_some(bytes as c_ulong)
    });
    bytes.ok().flatten()
}

/// Bytes that this process has packed, and to how many.
static RAW: AtomicU64 = AtomicU64::new(0);
static STORED: AtomicU64 = AtomicU64::new(0);
/// The process that they are of: a child after a fork begins anew.
static PROCESS: AtomicU32 = AtomicU32::new(0);

fn note(raw: c_ulong, stored: c_ulong) {
    let id = std::process::id();
    let before = PROCESS.swap(id, Ordering::Relaxed);
    if before != id {
        RAW.store(0, Ordering::Relaxed);
        STORED.store(0, Ordering::Relaxed);
    }
    if before == 0 {
        // SAFETY: the function lives as long as the library, which is never unloaded.
        unsafe { libc::atexit(tell) };
    }
    RAW.fetch_add(raw, Ordering::Relaxed);
    STORED.fetch_add(stored, Ordering::Relaxed);
}

/// Tells `frazil run` what was packed.
extern "C" fn tell() {
    let id = std::process::id();
    if PROCESS.load(Ordering::Relaxed) != id {
        return;
    }
    let (raw, stored) = (RAW.load(Ordering::Relaxed), STORED.load(Ordering::Relaxed));
    frazil_interpose::tell("codec", json!({ "raw_bytes": raw, "stored_bytes": stored }));
}
