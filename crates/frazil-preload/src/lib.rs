//! The library that `frazil run` preloads into unmodified programs.
//!
//! In: the program's calls of netCDF. Out: the same calls, to `libfrazil` or to the program's library.
//!
//! It exports netCDF's names and nothing else. A netCDF-4 file that the program creates, or opens
//! to write on (`appending`), is written by `libfrazil`, and one that it opens for reading is read
//! by it (`reading`). `libfrazil` is loaded so that the program sees none of its names. All other
//! calls go to the program's own netCDF library, by a plain jump.
//!
//! The number of an open file says who serves it: numbers of files that frazil serves have one high
//! bit (`MARK` in `files`). If the program requests something that frazil does not write, frazil
//! hands the file over to the program's own library: without values by defining it there again
//! (`handover`), with values by closing it and opening it there (`reopen`).

// Empty elsewhere: other calling conventions are not known here, and `frazil run` says so.
#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod appending;
#[expect(unsafe_code, reason = "calls libfrazil")]
mod behind;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod beside;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod cache;
mod commit;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod create;
mod current;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod define;
#[expect(unsafe_code, reason = "exported functions, in machine code")]
mod doors;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod faithful;
mod files;
#[expect(unsafe_code, reason = "registers what is done at a fork")]
mod fork;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod handover;
#[expect(unsafe_code, reason = "calls functions by their names")]
mod invoke;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod late;
mod library;
mod names;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod pairs;
#[expect(
    unsafe_code,
    reason = "calls two netCDF libraries, and what reaches MPI"
)]
mod ranks;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod reading;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod reopen;
#[expect(unsafe_code, reason = "reads C's text, calls libfrazil")]
mod report;
#[expect(unsafe_code, reason = "reads and changes arguments of calls")]
mod route;
#[expect(unsafe_code, reason = "calls a netCDF library")]
mod shadow;
#[expect(unsafe_code, reason = "calls libfrazil")]
mod state;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod twin;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod user_types;
#[expect(unsafe_code, reason = "calls two netCDF libraries")]
mod values;
