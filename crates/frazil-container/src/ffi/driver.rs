//! Our virtual file driver: a POSIX driver that learns where raw data belong without writing them.
//!
//! `H5Dwrite_chunk` and contiguous `H5Dwrite` are called with a *sentinel* buffer. When libhdf5
//! hands that buffer to the driver's `write`, the driver notes the address and drops the bytes;
//! whoever holds the real bytes writes them, outside libhdf5's lock. All other writes (metadata,
//! small raw data, heaps) go to the file as usual. The files are the same as stock ones.
//!
//! The space for a chunk may be chosen by the caller: then the driver's `alloc` hands out that
//! address, which must be below the end of the allocation and belong to nobody. libhdf5 asks for it
//! only if it has no free space of its own, so the address that is learned may be another.
//!
//! Inputs are read through it as well, so that a damaged heap can be kept away from libhdf5 (see
//! [`super::heap_guard`]).
//!
//! The driver has three forms: one over a file; one over a file that changes by commits only (see
//! [`crate::commit`]); and one that only measures (nothing is kept), which tells how much metadata
//! a file needs before it is written.
//!
//! `hdf5-sys` describes the driver class of HDF5 before 1.14; the structures here follow
//! `H5FDdevelop.h` of HDF5 2.2 (class version 1).

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use hdf5_sys::h5::{haddr_t, hbool_t, herr_t, hsize_t};
use hdf5_sys::h5f::H5F_close_degree_t;
use hdf5_sys::h5i::hid_t;
use libc::size_t;

use super::backing::Backing;
use super::handle::api;
use super::heap_guard::HeapGuard;
use crate::error::{ContainerError, Result};

/// `H5FD_mem_t`.
type MemoryType = c_int;
const MEM_DRAW: MemoryType = 3;
const MEM_SUPER: MemoryType = 1;
const MEM_TYPES: usize = 7;
/// `HADDR_UNDEF`.
const UNDEFINED: haddr_t = haddr_t::MAX;
/// Largest address a signed file offset can hold.
const MAX_ADDRESS: haddr_t = (1 << 63) - 1;

/// `H5FD_class_t` of HDF5 2.2.
#[repr(C)]
pub(crate) struct DriverClass {
    version: c_uint,
    value: c_int,
    name: *const c_char,
    maxaddr: haddr_t,
    fc_degree: H5F_close_degree_t,
    terminate: Option<unsafe extern "C" fn() -> herr_t>,
    sb_size: Option<unsafe extern "C" fn(*mut OpenFile) -> hsize_t>,
    sb_encode: Option<unsafe extern "C" fn(*mut OpenFile, *mut c_char, *mut u8) -> herr_t>,
    sb_decode: Option<unsafe extern "C" fn(*mut OpenFile, *const c_char, *const u8) -> herr_t>,
    fapl_size: size_t,
    fapl_get: Option<unsafe extern "C" fn(*mut OpenFile) -> *mut c_void>,
    fapl_copy: Option<unsafe extern "C" fn(*const c_void) -> *mut c_void>,
    fapl_free: Option<unsafe extern "C" fn(*mut c_void) -> herr_t>,
    dxpl_size: size_t,
    dxpl_copy: Option<unsafe extern "C" fn(*const c_void) -> *mut c_void>,
    dxpl_free: Option<unsafe extern "C" fn(*mut c_void) -> herr_t>,
    open: Option<unsafe extern "C" fn(*const c_char, c_uint, hid_t, haddr_t) -> *mut OpenFile>,
    close: Option<unsafe extern "C" fn(*mut OpenFile) -> herr_t>,
    cmp: Option<unsafe extern "C" fn(*const OpenFile, *const OpenFile) -> c_int>,
    query: Option<unsafe extern "C" fn(*const OpenFile, *mut c_ulong) -> herr_t>,
    get_type_map: Option<unsafe extern "C" fn(*const OpenFile, *mut MemoryType) -> herr_t>,
    alloc: Option<unsafe extern "C" fn(*mut OpenFile, MemoryType, hid_t, hsize_t) -> haddr_t>,
    free:
        Option<unsafe extern "C" fn(*mut OpenFile, MemoryType, hid_t, haddr_t, hsize_t) -> herr_t>,
    get_eoa: Option<unsafe extern "C" fn(*const OpenFile, MemoryType) -> haddr_t>,
    set_eoa: Option<unsafe extern "C" fn(*mut OpenFile, MemoryType, haddr_t) -> herr_t>,
    get_eof: Option<unsafe extern "C" fn(*const OpenFile, MemoryType) -> haddr_t>,
    get_handle: Option<unsafe extern "C" fn(*mut OpenFile, hid_t, *mut *mut c_void) -> herr_t>,
    read: Option<
        unsafe extern "C" fn(
            *mut OpenFile,
            MemoryType,
            hid_t,
            haddr_t,
            size_t,
            *mut c_void,
        ) -> herr_t,
    >,
    write: Option<
        unsafe extern "C" fn(
            *mut OpenFile,
            MemoryType,
            hid_t,
            haddr_t,
            size_t,
            *const c_void,
        ) -> herr_t,
    >,
    read_vector: Option<unsafe extern "C" fn()>,
    write_vector: Option<unsafe extern "C" fn()>,
    read_selection: Option<unsafe extern "C" fn()>,
    write_selection: Option<unsafe extern "C" fn()>,
    flush: Option<unsafe extern "C" fn(*mut OpenFile, hid_t, hbool_t) -> herr_t>,
    truncate: Option<unsafe extern "C" fn(*mut OpenFile, hid_t, hbool_t) -> herr_t>,
    lock: Option<unsafe extern "C" fn(*mut OpenFile, hbool_t) -> herr_t>,
    unlock: Option<unsafe extern "C" fn(*mut OpenFile) -> herr_t>,
    del: Option<unsafe extern "C" fn(*const c_char, hid_t) -> herr_t>,
    ctl: Option<
        unsafe extern "C" fn(*mut OpenFile, u64, u64, *const c_void, *mut *mut c_void) -> herr_t,
    >,
    fl_map: [MemoryType; MEM_TYPES],
}

// SAFETY: the class is immutable and its name points to a static string.
unsafe impl Sync for DriverClass {}

/// `H5FD_t` of HDF5 2.2: the part of an open file that libhdf5 itself fills in.
#[repr(C)]
struct PublicPart {
    driver_id: hid_t,
    class: *const DriverClass,
    file_number: c_ulong,
    access_flags: c_uint,
    feature_flags: c_ulong,
    maxaddr: haddr_t,
    base_address: haddr_t,
    threshold: hsize_t,
    alignment: hsize_t,
    paged_aggregation: u8,
}

/// An open file of this driver. `public` must be first: libhdf5 sees only that.
#[repr(C)]
pub(crate) struct OpenFile {
    public: PublicPart,
    backing: Backing,
    end_of_allocation: haddr_t,
    end_of_file: haddr_t,
    sentinel: Sentinel,
    /// Space for the next raw data of so many bytes.
    chosen: Option<Chosen>,
    metadata_end: u64,
    written_end: u64,
    last_error: Option<i32>,
    heap_guard: Option<HeapGuard>,
}

/// Space that the caller has chosen.
#[derive(Debug, Clone, Copy)]
struct Chosen {
    address: haddr_t,
    bytes: hsize_t,
}

/// The buffer that stands for bytes held elsewhere, and what was learned from it.
#[derive(Debug, Clone, Copy, Default)]
struct Sentinel {
    buffer: usize,
    bytes: usize,
    address: Option<haddr_t>,
}

static DRIVER: DriverClass = DriverClass {
    version: 1,
    // From the range left to users (256 to 511).
    value: 397,
    name: c"frazil".as_ptr(),
    maxaddr: MAX_ADDRESS,
    fc_degree: H5F_close_degree_t::H5F_CLOSE_SEMI,
    terminate: None,
    sb_size: None,
    sb_encode: None,
    sb_decode: None,
    fapl_size: 0,
    fapl_get: None,
    fapl_copy: None,
    fapl_free: None,
    dxpl_size: 0,
    dxpl_copy: None,
    dxpl_free: None,
    open: Some(open),
    close: Some(close),
    cmp: None,
    query: Some(query),
    get_type_map: None,
    alloc: Some(alloc),
    free: None,
    get_eoa: Some(get_eoa),
    set_eoa: Some(set_eoa),
    get_eof: Some(get_eof),
    get_handle: Some(get_handle),
    read: Some(read),
    write: Some(write),
    read_vector: None,
    write_vector: None,
    read_selection: None,
    write_selection: None,
    flush: None,
    truncate: Some(truncate),
    // The writer holds its own lock (see `frazil::output`), taken before libhdf5 opens the file.
    lock: None,
    unlock: None,
    del: None,
    ctl: None,
    // H5FD_FLMAP_DICHOTOMY: heaps of data next to the data, all else together.
    fl_map: [
        MEM_SUPER, MEM_SUPER, MEM_SUPER, MEM_DRAW, MEM_DRAW, MEM_SUPER, MEM_SUPER,
    ],
};

/// Registers the driver once and returns its identifier.
pub(super) fn driver_id() -> hid_t {
    static ID: OnceLock<hid_t> = OnceLock::new();
    // SAFETY: the class is static and complete; the caller holds the library lock.
    *ID.get_or_init(|| unsafe { (api().H5FDregister)(&raw const DRIVER) })
}

/// The driver's side of a file opened through it: tells libhdf5 writes from ours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawSink(*mut OpenFile);

// SAFETY: only used under the library lock while the file is open.
unsafe impl Send for RawSink {}

impl RawSink {
    /// Wraps the pointer that `H5Fget_vfd_handle` returned for a file of this driver.
    pub(super) fn new(pointer: *mut c_void) -> Self {
        Self(pointer.cast())
    }

    /// Runs `call`, which must make libhdf5 write exactly `bytes` bytes from `buffer`, and returns
    /// the address they belong to. Nothing is written there.
    pub(super) fn learn_address(
        self,
        buffer: *const c_void,
        bytes: usize,
        call: impl FnOnce() -> Result<()>,
    ) -> Result<u64> {
        let armed = Sentinel {
            buffer: buffer as usize,
            bytes,
            address: None,
        };
        // SAFETY: the file is open (the caller holds its handle) and the library lock is held, so
        // nobody else touches the structure; no reference to it outlives this statement.
        unsafe { (*self.0).sentinel = armed };
        let outcome = call();
        // SAFETY: as above.
        let learned = unsafe { std::mem::take(&mut (*self.0).sentinel) };
        outcome?;
        learned.address.ok_or_else(|| {
            ContainerError::Internal("libhdf5 did not hand over the reserved bytes".to_owned())
        })
    }

    /// Sets space aside at the end of the file, of which libhdf5 knows nothing: it is never given to
    /// anything else. `None`: no file is that long.
    pub(crate) fn set_aside(self, bytes: u64) -> Option<u64> {
        // SAFETY: as in `learn_address`.
        let file = unsafe { &mut *self.0 };
        file.extend(bytes)
    }

    /// As [`Self::learn_address`], for space that is at `address` if libhdf5 asks the driver for it.
    pub(super) fn learn_chosen_address(
        self,
        buffer: *const c_void,
        bytes: usize,
        address: u64,
        call: impl FnOnce() -> Result<()>,
    ) -> Result<u64> {
        let chosen = Chosen {
            address,
            bytes: bytes as hsize_t,
        };
        // SAFETY: as in `learn_address`.
        unsafe { (*self.0).chosen = Some(chosen) };
        let outcome = self.learn_address(buffer, bytes, call);
        // SAFETY: as above.
        unsafe { (*self.0).chosen = None };
        outcome
    }

    /// Lets the allocation reach to `end` at least.
    pub(crate) fn raise_end(self, end: u64) {
        // SAFETY: as in `learn_address`.
        let file = unsafe { &mut *self.0 };
        if end > file.end_of_allocation {
            file.end_of_allocation = end;
            file.backing.set_end(end);
        }
    }

    /// First byte past the last metadata written so far.
    pub(crate) fn metadata_end(self) -> u64 {
        // SAFETY: as in `learn_address`.
        unsafe { (*self.0).metadata_end }
    }

    /// First byte past all that libhdf5 itself has written so far, values among it.
    pub(crate) fn written_end(self) -> u64 {
        // SAFETY: as in `learn_address`.
        unsafe { (*self.0).written_end }
    }

    /// Where libhdf5 lets the file end.
    pub(crate) fn end_of_allocation(self) -> u64 {
        // SAFETY: as in `learn_address`.
        unsafe { (*self.0).end_of_allocation }
    }

    /// The system error behind libhdf5's last failure, if it came from this driver.
    pub(crate) fn system_error(self) -> Option<std::io::Error> {
        // SAFETY: as in `learn_address`.
        unsafe { (*self.0).last_error.map(std::io::Error::from_raw_os_error) }
    }
}

/// Runs a callback's body; a panic must not cross into C.
fn guarded<T>(on_failure: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(on_failure)
}

unsafe extern "C" fn open(
    name: *const c_char,
    flags: c_uint,
    _fapl: hid_t,
    _maxaddr: haddr_t,
) -> *mut OpenFile {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: libhdf5 passes a NUL-terminated name.
        let name = unsafe { CStr::from_ptr(name) };
        let Some((backing, end_of_file)) = Backing::open(name, flags) else {
            return std::ptr::null_mut();
        };
        // SAFETY: all-zero is valid for the public part; libhdf5 fills it in after this returns.
        let public = unsafe { std::mem::zeroed::<PublicPart>() };
        Box::into_raw(Box::new(OpenFile {
            public,
            backing,
            end_of_allocation: 0,
            end_of_file,
            sentinel: Sentinel::default(),
            chosen: None,
            metadata_end: 0,
            written_end: 0,
            last_error: None,
            heap_guard: None,
        }))
    })
}

unsafe extern "C" fn close(file: *mut OpenFile) -> herr_t {
    guarded(-1, || {
        // SAFETY: `file` came from Box::into_raw in `open`, and libhdf5 closes it once.
        drop(unsafe { Box::from_raw(file) });
        0
    })
}

unsafe extern "C" fn query(_file: *const OpenFile, flags: *mut c_ulong) -> herr_t {
    const AGGREGATE_METADATA: c_ulong = 0x1;
    const ACCUMULATE_METADATA: c_ulong = 0x2 | 0x4;
    const AGGREGATE_SMALLDATA: c_ulong = 0x10;
    const DEFAULT_VFD_COMPATIBLE: c_ulong = 0x8000;
    // Reads see what others have written, in the order in which they wrote it.
    const SUPPORTS_SWMR_IO: c_ulong = 0x1000;
    // No DATA_SIEVE: a sieve buffer would copy from the sentinel.
    if !flags.is_null() {
        // SAFETY: checked; libhdf5 passes a valid out-pointer.
        unsafe {
            *flags = AGGREGATE_METADATA
                | ACCUMULATE_METADATA
                | AGGREGATE_SMALLDATA
                | SUPPORTS_SWMR_IO
                | DEFAULT_VFD_COMPATIBLE;
        }
    }
    0
}

unsafe extern "C" fn alloc(
    file: *mut OpenFile,
    kind: MemoryType,
    _dxpl: hid_t,
    bytes: hsize_t,
) -> haddr_t {
    guarded(UNDEFINED, || {
        // SAFETY: libhdf5 passes its open file, and holds the only reference during a callback.
        let file = unsafe { &mut *file };
        let is_chosen = |chosen: &mut Chosen| kind == MEM_DRAW && chosen.bytes == bytes;
        match file.chosen.take_if(is_chosen) {
            Some(chosen) => chosen.address,
            None => file.extend(bytes).unwrap_or(UNDEFINED),
        }
    })
}

unsafe extern "C" fn get_eoa(file: *const OpenFile, _kind: MemoryType) -> haddr_t {
    // SAFETY: libhdf5 passes a file that `open` returned.
    unsafe { (*file).end_of_allocation }
}

unsafe extern "C" fn set_eoa(file: *mut OpenFile, _kind: MemoryType, address: haddr_t) -> herr_t {
    guarded(-1, || {
        // SAFETY: as above, and libhdf5 holds the only reference during a callback.
        let file = unsafe { &mut *file };
        if address > file.end_of_allocation && file.backing.is_lent() {
            return -1;
        }
        file.end_of_allocation = address;
        file.backing.set_end(address);
        0
    })
}

unsafe extern "C" fn get_eof(file: *const OpenFile, _kind: MemoryType) -> haddr_t {
    // SAFETY: libhdf5 passes a file that `open` returned.
    unsafe { (*file).end_of_file }
}

unsafe extern "C" fn get_handle(
    file: *mut OpenFile,
    _fapl: hid_t,
    handle: *mut *mut c_void,
) -> herr_t {
    if handle.is_null() {
        return -1;
    }
    // SAFETY: checked; libhdf5 passes a valid out-pointer.
    unsafe { *handle = file.cast() };
    0
}

unsafe extern "C" fn read(
    file: *mut OpenFile,
    kind: MemoryType,
    _dxpl: hid_t,
    address: haddr_t,
    size: size_t,
    buffer: *mut c_void,
) -> herr_t {
    if size == 0 {
        return 0;
    }
    guarded(-1, || {
        // SAFETY: libhdf5 passes its open file and a buffer of `size` bytes for this call.
        let (file, buffer) = unsafe {
            (
                &mut *file,
                std::slice::from_raw_parts_mut(buffer.cast::<u8>(), size),
            )
        };
        match file.backing.read(buffer, address) {
            Ok(()) if file.may_be_parsed(kind, buffer) => 0,
            Ok(()) => -1,
            Err(error) => {
                file.last_error = error.raw_os_error();
                -1
            }
        }
    })
}

unsafe extern "C" fn write(
    file: *mut OpenFile,
    kind: MemoryType,
    _dxpl: hid_t,
    address: haddr_t,
    size: size_t,
    buffer: *const c_void,
) -> herr_t {
    guarded(-1, || {
        // SAFETY: libhdf5 passes its open file.
        let file = unsafe { &mut *file };
        let sentinel = &mut file.sentinel;
        if sentinel.buffer != 0 && sentinel.buffer == buffer as usize {
            if sentinel.bytes != size || sentinel.address.is_some() || kind != MEM_DRAW {
                return -1;
            }
            sentinel.address = Some(address);
            file.backing.expect_values(address, size as u64);
            file.end_of_file = file.end_of_file.max(address.saturating_add(size as u64));
            return 0;
        }
        if size == 0 {
            return 0;
        }
        // SAFETY: not the sentinel, so `buffer` holds `size` readable bytes for this call.
        let bytes = unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), size) };
        let end = address.saturating_add(size as u64);
        file.written_end = file.written_end.max(end);
        if kind != MEM_DRAW {
            file.metadata_end = file.metadata_end.max(end);
        }
        match file.backing.write(bytes, address, kind == MEM_DRAW) {
            Ok(()) => {
                file.end_of_file = file.end_of_file.max(end);
                0
            }
            Err(error) => {
                file.last_error = error.raw_os_error();
                -1
            }
        }
    })
}

unsafe extern "C" fn truncate(file: *mut OpenFile, _dxpl: hid_t, _closing: hbool_t) -> herr_t {
    guarded(-1, || {
        // SAFETY: libhdf5 passes its open file.
        let file = unsafe { &mut *file };
        let end = file.end_of_allocation;
        if let Err(error) = file.backing.truncate(end) {
            file.last_error = error.raw_os_error();
            return -1;
        }
        file.end_of_file = end;
        0
    })
}

impl OpenFile {
    /// Lets the file grow by so many bytes, and says where they begin.
    fn extend(&mut self, bytes: u64) -> Option<haddr_t> {
        let address = self.end_of_allocation;
        let end = address.checked_add(bytes);
        let end = end.filter(|&end| end <= MAX_ADDRESS && !self.backing.is_lent())?;
        self.end_of_allocation = end;
        self.backing.set_end(end);
        Some(address)
    }

    /// Keeps damaged heaps away from libhdf5; learns their form from the superblock it reads.
    fn may_be_parsed(&mut self, kind: MemoryType, bytes: &[u8]) -> bool {
        match kind {
            MEM_SUPER => {
                self.heap_guard = self.heap_guard.or(HeapGuard::from_superblock(bytes));
                true
            }
            // libhdf5 treats global heaps as raw data on their way to the driver.
            MEM_DRAW => self.heap_guard.is_none_or(|guard| guard.admits(bytes)),
            _ => true,
        }
    }
}
