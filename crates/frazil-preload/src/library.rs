//! The two netCDF libraries behind each call: the program's own, and frazil's.
//!
//! In the drop-in library (`scripts/make-netcdf-library`) the program's own is netCDF-C inside of it: the
//! functions that this one exports have the prefix `bundled_` there.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use frazil_interpose::{Caller, Handle};
use once_cell::race::OnceBox;

use crate::names::{CALLS, NAMES};

/// Where `frazil run` says libfrazil to be.
const LIBRARY: &str = "FRAZIL_RUN_LIBRARY";
/// Where it is else, from the folder of this library.
const BESIDE: &str = "frazil/libfrazil.so";
/// What is before names of netCDF-C inside this library.
const BUNDLED: &str = "bundled_";
/// What reaches the MPI of a program, in libfrazil's folder.
const MPI_TABLE: &str = "libfrazil_mpi_table.so";
/// How HDF5 files begin.
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";
/// A name that was looked for and is not there.
const ABSENT: usize = 1;

/// A shared library, and the addresses of its functions as far as they were asked for.
pub(crate) struct Library {
    handle: Handle,
    /// By number of the call; 0: not looked for yet.
    addresses: [AtomicUsize; CALLS],
    /// What is put before netCDF's names.
    prefix: &'static str,
}

impl Library {
    fn new(handle: Handle, prefix: &'static str) -> Self {
        Self {
            handle,
            addresses: [const { AtomicUsize::new(0) }; CALLS],
            prefix,
        }
    }

    /// A function by its number; `None`: this library has none of that name.
    pub(crate) fn function(&self, call: usize) -> Option<usize> {
        let known = self.addresses.get(call)?;
        let mut address = known.load(Ordering::Relaxed);
        if address == 0 {
            address = self.symbol(NAMES.get(call)?).unwrap_or(ABSENT);
            known.store(address, Ordering::Relaxed);
        }
        (address != ABSENT).then_some(address)
    }

    /// Calls into the library; what it calls by a name of ours comes back to it.
    pub(crate) fn during<T>(&'static self, call: impl FnOnce() -> T) -> T {
        let before = CALLED.replace(Some(self));
        let outcome = call();
        CALLED.set(before);
        outcome
    }

    /// Whether this thread is inside a call of this library that was made from here.
    pub(crate) fn is_being_called(&'static self) -> bool {
        CALLED
            .get()
            .is_some_and(|called| std::ptr::eq(called, self))
    }

    /// A function by netCDF's name.
    pub(crate) fn symbol(&self, name: &str) -> Option<usize> {
        let found = self.exact(&[self.prefix, name].concat());
        match self.prefix {
            // Names that this library does not export itself are as they were.
            BUNDLED => found.or_else(|| self.exact(name)),
            _ => found,
        }
    }

    fn exact(&self, name: &str) -> Option<usize> {
        self.handle.symbol(&CString::new(name).ok()?)
    }
}

thread_local! {
    /// The library that is being called from here.
    static CALLED: Cell<Option<&'static Library>> = const { Cell::new(None) };
}

/// The library that frazil writes with; the words of the failure to load it.
pub(crate) fn frazil() -> Result<&'static Library, &'static str> {
    static FRAZIL: OnceBox<Result<Library, String>> = OnceBox::new();
    let load = || load(&place_of_frazil()?);
    let loaded = FRAZIL.get_or_init(|| Box::new(load()));
    loaded.as_ref().map_err(String::as_str)
}

/// What reaches the program's MPI, if it is installed; else why not.
pub(crate) fn mpi_table() -> Result<&'static Library, &'static str> {
    static TABLE: OnceBox<Result<Library, String>> = OnceBox::new();
    let load = || {
        let path = place_of_frazil()?.with_file_name(MPI_TABLE);
        match path.exists() {
            true => load(&path),
            false => Err(format!("{} is not there", path.display())),
        }
    };
    let loaded = TABLE.get_or_init(|| Box::new(load()));
    loaded.as_ref().map_err(String::as_str)
}

fn load(path: &Path) -> Result<Library, String> {
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    Ok(Library::new(Handle::load(&name)?, "frz_"))
}

/// The path of libfrazil.
fn place_of_frazil() -> Result<PathBuf, String> {
    let named = std::env::var_os(LIBRARY).map(PathBuf::from);
    (named.or_else(beside)).ok_or_else(|| "FRAZIL_RUN_LIBRARY is not set".to_owned())
}

/// libfrazil where it is installed with the drop-in library.
fn beside() -> Option<PathBuf> {
    bundled()?;
    let own = Caller::of(beside as *const () as usize)?.file;
    let own = Path::new(OsStr::from_bytes(own.to_bytes()))
        .canonicalize()
        .ok()?;
    Some(own.parent()?.join(BESIDE))
}

/// netCDF-C inside this library, if it is the drop-in.
fn bundled() -> Option<&'static Library> {
    static INSIDE: OnceBox<Option<Library>> = OnceBox::new();
    let look = || {
        let own = Caller::of(bundled as *const () as usize)?;
        let library = Library::new(own.handle()?, BUNDLED);
        let is_inside = library.exact("bundled_nc_create").is_some();
        is_inside.then_some(library)
    };
    INSIDE.get_or_init(|| Box::new(look())).as_ref()
}

/// Whether this is the drop-in library: the program's own is netCDF-C inside.
pub(crate) fn is_drop_in() -> bool {
    bundled().is_some()
}

/// The netCDF library that the code at `address` calls, had nothing been preloaded.
pub(crate) fn program(address: usize) -> &'static Library {
    if let Some(bundled) = bundled() {
        return bundled;
    }
    thread_local! {
        /// The last answer: most calls come from where the one before came from.
        static LAST: Cell<Option<(usize, &'static Library)>> = const { Cell::new(None) };
    }
    if let Some((known, library)) = LAST.get()
        && known == address
    {
        return library;
    }
    // A library's function that ends in another one's call leaves our place to return to.
    if let (Some(called), true) = (CALLED.get(), is_here(address)) {
        return called;
    }
    let library = look_up(address);
    LAST.set(Some((address, library)));
    library
}

/// Whether an address is in this library.
fn is_here(address: usize) -> bool {
    static HERE: OnceBox<Option<usize>> = OnceBox::new();
    let base_of = |address| Some(Caller::of(address)?.base);
    let here = HERE.get_or_init(|| Box::new(base_of(is_here as *const () as usize)));
    base_of(address) == *here
}

/// The netCDF libraries of a program's parts, by the address where the file of each begins.
type Programs = Option<HashMap<usize, &'static Library>>;

/// The table, as one thread has it.
pub(crate) type ProgramsGuard = RwLockWriteGuard<'static, Programs>;

static PROGRAMS: RwLock<Programs> = RwLock::new(None);

/// Waits for the table.
pub(crate) fn lock_programs() -> ProgramsGuard {
    PROGRAMS.write().unwrap_or_else(PoisonError::into_inner)
}

fn look_up(address: usize) -> &'static Library {
    let Some(caller) = Caller::of(address) else {
        return next();
    };
    let known = PROGRAMS.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(library) = known.as_ref().and_then(|all| all.get(&caller.base)) {
        return library;
    }
    drop(known);
    let library: &'static Library = match caller.handle() {
        // The program itself is no library: what comes after this one serves it.
        None => next(),
        Some(handle) => {
            let library = Library::new(handle, "");
            match library.symbol("nc_strerror") {
                // Of what is loaded for all, as by a program that opened netCDF before.
                None => next(),
                Some(_) => Box::leak(Box::new(library)),
            }
        }
    };
    let mut known = lock_programs();
    known.get_or_insert_default().insert(caller.base, library);
    library
}

/// What the linker finds after this library.
fn next() -> &'static Library {
    static NEXT: OnceBox<Library> = OnceBox::new();
    NEXT.get_or_init(|| Box::new(Library::new(Handle::next(), "")))
}

/// Whether the code at `address` is of a netCDF library itself, which calls its own functions by their
/// names.
pub(crate) fn is_netcdf_itself(address: usize) -> bool {
    if is_drop_in() {
        // There all of its calls are its own, but for those of the second version of the interface.
        return false;
    }
    let (Some(caller), Some(real)) = (Caller::of(address), program(address).symbol("nc_strerror"))
    else {
        return false;
    };
    Caller::of(real).is_some_and(|real| real.base == caller.base)
}

/// Whether a path is that of a file of the netCDF-4 format.
pub(crate) fn is_netcdf4(path: &Path) -> bool {
    let mut begin = [0; SIGNATURE.len()];
    let is_it = |mut file: File| file.read_exact(&mut begin).is_ok() && begin == SIGNATURE;
    is_plain_file(path) && File::open(path).is_ok_and(is_it)
}

/// Whether a path may be a plain file's, by its name alone.
pub(crate) fn is_plain_file(path: &Path) -> bool {
    let text = path.as_os_str().as_bytes();
    let is_url = text.windows(3).any(|part| part == b"://") || text.contains(&b'#');
    let is_other = std::fs::metadata(path).is_ok_and(|found| !found.is_file());
    !text.is_empty() && !is_url && !is_other
}
