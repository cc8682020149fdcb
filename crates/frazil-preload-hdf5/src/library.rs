//! The libhdf5 that a caller of `H5Dwrite` would have reached, and what is called in it.

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use frazil_interpose::{Caller, Handle};

/// An identifier of HDF5's.
pub(crate) type Hid = i64;
/// `H5Dwrite`.
pub(crate) type Write = unsafe extern "C" fn(Hid, Hid, Hid, Hid, Hid, *const u8) -> c_int;

macro_rules! functions {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        /// Functions of one libhdf5.
        #[expect(non_snake_case, reason = "HDF5's names")]
        pub(crate) struct Functions {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) -> $result,)*
            /// Only where libhdf5 is built for MPI.
            pub(crate) fapl_mpio: Option<unsafe extern "C" fn(Hid, *mut usize, *mut usize) -> c_int>,
        }

        impl Functions {
            /// Finds them; `None`: this libhdf5 has not got all.
            fn find(library: &Handle) -> Option<Self> {
                Some(Self {
                    $($name: {
                        let address = symbol(library, stringify!($name))?;
                        // SAFETY: HDF5's function of this name, which has this type.
                        unsafe {
                            std::mem::transmute::<
                                usize,
                                unsafe extern "C" fn($($argument),*) -> $result,
                            >(address)
                        }
                    },)*
                    fapl_mpio: symbol(library, "H5Pget_fapl_mpio").map(|address| {
                        // SAFETY: as above; the communicator and its hints are words.
                        unsafe {
                            std::mem::transmute::<
                                usize,
                                unsafe extern "C" fn(Hid, *mut usize, *mut usize) -> c_int,
                            >(address)
                        }
                    }),
                })
            }
        }
    };
}

functions! {
    H5Dwrite_chunk(Hid, Hid, u32, *const u64, usize, *const c_void) -> c_int;
    H5Dget_space(Hid) -> Hid;
    H5Dget_type(Hid) -> Hid;
    H5Dget_create_plist(Hid) -> Hid;
    H5Eget_auto2(Hid, *mut usize, *mut usize) -> c_int;
    H5Eset_auto2(Hid, usize, usize) -> c_int;
    H5Fclose(Hid) -> c_int;
    H5Fget_access_plist(Hid) -> Hid;
    H5Fget_intent(Hid, *mut c_uint) -> c_int;
    H5Fget_name(Hid, *mut c_char, usize) -> isize;
    H5Iget_file_id(Hid) -> Hid;
    H5Iget_name(Hid, *mut c_char, usize) -> isize;
    H5Iget_type(Hid) -> c_int;
    H5Pclose(Hid) -> c_int;
    H5Pfill_value_defined(Hid, *mut c_int) -> c_int;
    H5Pget_chunk(Hid, c_int, *mut u64) -> c_int;
    H5Pget_chunk_opts(Hid, *mut c_uint) -> c_int;
    H5Pget_fill_value(Hid, Hid, *mut c_void) -> c_int;
    H5Pget_filter2(Hid, c_uint, *mut c_uint, *mut usize, *mut c_uint, usize, *mut c_char, *mut c_uint) -> c_int;
    H5Pget_data_transform(Hid, *mut c_char, usize) -> isize;
    H5Pget_layout(Hid) -> c_int;
    H5Pget_nfilters(Hid) -> c_int;
    H5Pget_type_conv_cb(Hid, *mut usize, *mut usize) -> c_int;
    H5Sclose(Hid) -> c_int;
    H5Sget_select_bounds(Hid, *mut u64, *mut u64) -> c_int;
    H5Sget_select_npoints(Hid) -> i64;
    H5Sget_select_type(Hid) -> c_int;
    H5Sget_simple_extent_dims(Hid, *mut u64, *mut u64) -> c_int;
    H5Sget_simple_extent_ndims(Hid) -> c_int;
    H5Tclose(Hid) -> c_int;
    H5Tconvert(Hid, Hid, usize, *mut c_void, *mut c_void, Hid) -> c_int;
    H5Tequal(Hid, Hid) -> c_int;
    H5Tget_class(Hid) -> c_int;
    H5Tget_member_type(Hid, c_uint) -> Hid;
    H5Tget_nmembers(Hid) -> c_int;
    H5Tget_size(Hid) -> usize;
    H5Tget_super(Hid) -> Hid;
    H5Tis_variable_str(Hid) -> c_int;
    H5Zfilter_avail(c_int) -> c_int;
}

fn symbol(library: &Handle, name: &str) -> Option<usize> {
    library.symbol(&CString::new(name).ok()?)
}

/// One libhdf5 of the process.
pub(crate) struct Library {
    pub(crate) write: Write,
    /// `None`: a version that lacks something (`H5Dwrite_chunk` is in 1.10.3 and later).
    pub(crate) functions: Option<Functions>,
}

impl Library {
    /// Whatever the linker finds in `handle`.
    fn within(handle: &Handle) -> Option<Self> {
        let address = symbol(handle, "H5Dwrite")?;
        let own = Caller::of(address)?;
        if Caller::of(library_of as *const () as usize).is_some_and(|here| here.base == own.base) {
            // The door of this library is no libhdf5.
            return None;
        }
        // Another libhdf5 may stand before this one in the order that `handle` is searched in.
        let own = own.handle();
        // SAFETY: HDF5's function of this name, which has this type.
        let write = unsafe { std::mem::transmute::<usize, Write>(address) };
        let functions = Functions::find(own.as_ref().unwrap_or(handle));
        Some(Self { write, functions })
    }
}

/// What callers from one file reach. Nodes are never removed, and no lock is held that a child process of
/// a fork could find locked.
struct Known {
    base: usize,
    library: Option<Library>,
    next: *mut Known,
}

static KNOWN: AtomicPtr<Known> = AtomicPtr::new(ptr::null_mut());

/// The libhdf5 of the code at `address`; `None`: it has none.
pub(crate) fn library_of(address: usize) -> Option<&'static Library> {
    thread_local! {
        /// The last answer: most calls come from where the one before came from.
        static LAST: Cell<Option<(usize, &'static Library)>> = const { Cell::new(None) };
    }
    if let Ok(Some((known, library))) = LAST.try_with(Cell::get)
        && known == address
    {
        return Some(library);
    }
    let library = look_up(address)?;
    // At the end of a thread nothing is kept.
    let _ = LAST.try_with(|last| last.set(Some((address, library))));
    Some(library)
}

fn look_up(address: usize) -> Option<&'static Library> {
    let caller = Caller::of(address);
    let base = caller.as_ref().map_or(0, |caller| caller.base);
    let first = KNOWN.load(Ordering::Acquire);
    let mut node = first;
    // SAFETY: nodes live for ever.
    while let Some(known) = unsafe { node.as_ref() } {
        if known.base == base {
            return known.library.as_ref();
        }
        node = known.next;
    }
    let handle = caller.and_then(|caller| caller.handle());
    let within = handle.as_ref().and_then(Library::within);
    let library = within.or_else(|| Library::within(&Handle::next()));
    let made: &'static mut Known = Box::leak(Box::new(Known {
        base,
        library,
        next: first,
    }));
    let place: *mut Known = made;
    // Another thread may have been first: then this node is used by this call only.
    let _ = KNOWN.compare_exchange(first, place, Ordering::AcqRel, Ordering::Acquire);
    // SAFETY: leaked above.
    unsafe { place.as_ref() }.and_then(|known| known.library.as_ref())
}
