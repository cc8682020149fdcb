//! Hands a file over to the program's own library, which gets the same definitions.
//!
//! A file with values is handed over in `reopen`. Groups, dimensions and variables get the numbers
//! that the program knows: both libraries count them in the order of their definition.

use std::ffi::{CString, OsStr, OsString, c_char, c_int};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::cache::set_cache;
use crate::files::{Place, Taken};
use crate::invoke::{BAD_ID, INVALID, invoke, invoke_on, number};
use crate::library::{Library, frazil};
use crate::reopen::go_on_there;
use crate::report;
use crate::state::State;
use crate::user_types::define_types;
use crate::values::{NAME_BYTES, copy_attributes, done, text};

/// `NC_GLOBAL`
const GLOBAL: c_int = -1;
/// `NC_CHUNKED` and `NC_COMPACT`
const CHUNKED: c_int = 0;
const COMPACT: c_int = 2;
/// `NC_ENOMEM`
pub(crate) const NO_MEMORY: c_int = -61;
/// `NC_MAX_VAR_DIMS`
const MOST_DIMENSIONS: usize = 1024;

/// Gives a file back; `why` goes into the report, behind "because".
///
/// # Errors
/// The status of what failed; the file is then not in either library's hands as it should be, and the
/// report says so.
pub(crate) fn give_back(file: &Taken, why: &str) -> Result<(), c_int> {
    match file.has_content() {
        true => go_on_there(file, why),
        false => hand_over(file, why),
    }
}

/// Gives a file back of which there are definitions only.
fn hand_over(file: &Taken, why: &str) -> Result<(), c_int> {
    let frazil = frazil().map_err(|_| BAD_ID)?;
    let names = Names::of(file).ok_or(INVALID)?;
    let mut real: c_int = 0;
    let place = (&raw mut real) as usize;
    let words = [
        names.beside.as_ptr() as usize,
        number(file.mode),
        place,
        0,
        0,
        0,
        0,
        0,
    ];
    // SAFETY: nc_create with its arguments.
    let created = done(unsafe { invoke(file.program, "nc_create", words) });
    let copied = created.and_then(|()| {
        let mut twin = Twin {
            file,
            frazil,
            program: file.program,
            groups: vec![real],
        };
        twin.define()?;
        Ok(twin.groups)
    });
    match copied {
        Ok(groups) => {
            // Frazil's file has the name until now.
            if let Some(shadow) = file.notes().shadow.take() {
                shadow.close(file.program);
            }
            // SAFETY: frz_nc_discard with the file's number.
            unsafe { invoke_on(frazil, "nc_discard", file.own, []) };
            file.hand_over(groups);
            match names.give() {
                Ok(()) => report::returned(&file.path, why),
                Err(error) => report::refused(&file.path, why, &error.to_string()),
            }
            Ok(())
        }
        Err(status) => {
            if created.is_ok() {
                // SAFETY: nc_abort with the number of the file that was made above.
                unsafe { invoke_on(file.program, "nc_abort", real, []) };
            }
            report::refused(&file.path, why, "the file could not be given back");
            Err(status)
        }
    }
}

/// Before the first values come: gives a file back whose variables frazil cannot store as the program's own
/// library would.
pub(crate) fn give_back_unfit(file: &Taken) {
    let is_own = matches!(file.place(0), Place::Own(_)) && !file.has_values();
    // Tried once: what frazil then chooses is as good.
    let unfit = match is_own {
        true => std::mem::take(&mut file.notes().unfit),
        false => return,
    };
    if let Some(why) = unfit.values().next() {
        // If that fails, the report says so, and frazil goes on with other chunks.
        let _ = give_back(file, why);
    }
}

/// Why a file goes back.
pub(crate) fn why(call: &str, status: c_int) -> String {
    match status {
        NO_MEMORY => format!(
            "of {call}: a chunk or a contiguous variable has more bytes than an eighth of --memory"
        ),
        _ => format!("of {call}, which frazil does not serve here"),
    }
}

/// The fill mode of a file of frazil's, which is not needed there any more.
///
/// # Errors
/// Frazil's status.
pub(crate) fn fill_mode_of(frazil: &'static Library, own: c_int) -> Result<c_int, c_int> {
    let mut fill_mode: c_int = 0;
    let places = [0, (&raw mut fill_mode) as usize];
    // SAFETY: frz_nc_set_fill, which tells the mode before.
    done(unsafe { invoke_on(frazil, "nc_set_fill", own, places) })?;
    Ok(fill_mode)
}

/// A file's own name, and that of the one that takes its place.
struct Names {
    /// With links followed.
    own: PathBuf,
    beside: CString,
}

impl Names {
    fn of(file: &Taken) -> Option<Self> {
        let path = Path::new(OsStr::from_bytes(file.at.to_bytes()));
        let own = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut name = OsString::from(".");
        name.push(own.file_name()?);
        name.push(format!(".{}.frazil-run", std::process::id()));
        let beside = CString::new(own.with_file_name(name).into_os_string().into_vec()).ok()?;
        Some(Self { own, beside })
    }

    fn give(&self) -> std::io::Result<()> {
        std::fs::rename(OsStr::from_bytes(self.beside.to_bytes()), &self.own)
    }
}

/// A file in the hands of both libraries.
struct Twin<'a> {
    file: &'a Taken,
    frazil: &'static Library,
    program: &'static Library,
    /// The program's library's numbers of the groups, in their order.
    groups: Vec<c_int>,
}

impl Twin<'_> {
    fn own(&self, group: usize) -> c_int {
        self.file.own | group as c_int
    }

    /// Defines everything there that was defined here.
    fn define(&mut self) -> Result<(), c_int> {
        self.define_groups()?;
        define_types((self.frazil, self.file.own), (self.program, &self.groups))?;
        self.define_dimensions()?;
        for group in 0..self.groups.len() {
            let (from, to) = (self.own(group), self.groups[group]);
            let (mut variables, mut attributes): (c_int, c_int) = (0, 0);
            let places = [
                0,
                (&raw mut variables) as usize,
                (&raw mut attributes) as usize,
                0,
            ];
            // SAFETY: frz_nc_inq with its arguments.
            done(unsafe { invoke_on(self.frazil, "nc_inq", from, places) })?;
            let owners = ((self.frazil, from, GLOBAL), (self.program, to, GLOBAL));
            copy_attributes(attributes, owners.0, owners.1)?;
            for varid in 0..variables {
                self.define_variable(from, to, varid)?;
            }
        }
        self.define_modes()
    }

    fn define_modes(&self) -> Result<(), c_int> {
        let root = self.groups[0];
        let fill_mode = fill_mode_of(self.frazil, self.file.own)?;
        // SAFETY: nc_set_fill with its arguments.
        done(unsafe { invoke_on(self.program, "nc_set_fill", root, [number(fill_mode), 0]) })?;
        let state = State::of(self.file);
        // Reading leaves define mode without settling fill values, as `nc_sync` does.
        let call = match (state.is_in_data_mode(), state.is_ended()) {
            (false, _) => return Ok(()),
            (true, true) => "nc_enddef",
            (true, false) => "nc_sync",
        };
        // SAFETY: either with the file's number.
        done(unsafe { invoke_on(self.program, call, root, []) })
    }

    /// Groups, in the order of their numbers.
    fn define_groups(&mut self) -> Result<(), c_int> {
        loop {
            let own = self.own(self.groups.len());
            let mut parent: c_int = 0;
            // SAFETY: frz_nc_inq_grp_parent with its arguments; there may be no such group.
            let status = unsafe {
                invoke_on(
                    self.frazil,
                    "nc_inq_grp_parent",
                    own,
                    [(&raw mut parent) as usize],
                )
            };
            if status != 0 {
                return Ok(());
            }
            let mut name: Vec<c_char> = vec![0; NAME_BYTES];
            let place = name.as_mut_ptr() as usize;
            // SAFETY: frz_nc_inq_grpname with room for the longest name.
            done(unsafe { invoke_on(self.frazil, "nc_inq_grpname", own, [place]) })?;
            let above = self.groups.get((parent & 0xFFFF) as usize).ok_or(BAD_ID)?;
            let mut real: c_int = 0;
            // SAFETY: nc_def_grp with its arguments.
            done(unsafe {
                invoke_on(
                    self.program,
                    "nc_def_grp",
                    *above,
                    [place, (&raw mut real) as usize],
                )
            })?;
            self.groups.push(real);
        }
    }

    /// Dimensions, in the order of their numbers, which all groups share.
    fn define_dimensions(&self) -> Result<(), c_int> {
        let mut all = Vec::new();
        for group in 0..self.groups.len() {
            let ids = self.numbers("nc_inq_dimids", self.own(group), &[0])?;
            all.extend(ids.into_iter().map(|dimid| (dimid, group)));
        }
        all.sort_unstable();
        for (dimid, group) in all {
            let own = self.own(group);
            let (mut name, mut length): (Vec<c_char>, usize) = (vec![0; NAME_BYTES], 0);
            let place = name.as_mut_ptr() as usize;
            let words = [number(dimid), place, (&raw mut length) as usize];
            // SAFETY: frz_nc_inq_dim with its arguments.
            done(unsafe { invoke_on(self.frazil, "nc_inq_dim", own, words) })?;
            if self.numbers("nc_inq_unlimdims", own, &[])?.contains(&dimid) {
                length = 0;
            }
            let mut real: c_int = 0;
            let words = [place, length, (&raw mut real) as usize];
            // SAFETY: nc_def_dim with its arguments.
            done(unsafe { invoke_on(self.program, "nc_def_dim", self.groups[group], words) })?;
            if real != dimid {
                return Err(INVALID);
            }
        }
        Ok(())
    }

    /// The numbers that a call of frazil's gives: first how many, then which.
    fn numbers(&self, call: &str, id: c_int, more: &[usize]) -> Result<Vec<c_int>, c_int> {
        let mut count: c_int = 0;
        let last = more.first().copied().unwrap_or(0);
        let words = [(&raw mut count) as usize, 0, last];
        // SAFETY: a call that writes a number, and numbers where there is a place for them.
        done(unsafe { invoke_on(self.frazil, call, id, words) })?;
        let mut found = vec![0 as c_int; usize::try_from(count).unwrap_or(0)];
        let words = [0, found.as_mut_ptr() as usize, last];
        // SAFETY: as above; so many numbers.
        done(unsafe { invoke_on(self.frazil, call, id, words) })?;
        Ok(found)
    }

    fn define_variable(&self, from: c_int, to: c_int, varid: c_int) -> Result<(), c_int> {
        let mut name: Vec<c_char> = vec![0; NAME_BYTES];
        let mut dimids = vec![0 as c_int; MOST_DIMENSIONS];
        let (mut nc_type, mut rank, mut attributes): (c_int, c_int, c_int) = (0, 0, 0);
        let words = [
            number(varid),
            name.as_mut_ptr() as usize,
            (&raw mut nc_type) as usize,
            (&raw mut rank) as usize,
            dimids.as_mut_ptr() as usize,
            (&raw mut attributes) as usize,
        ];
        // SAFETY: frz_nc_inq_var with its arguments.
        done(unsafe { invoke_on(self.frazil, "nc_inq_var", from, words) })?;
        let mut real: c_int = 0;
        let words = [
            text(&name).as_ptr() as usize,
            number(nc_type),
            number(rank),
            dimids.as_ptr() as usize,
            (&raw mut real) as usize,
        ];
        // SAFETY: nc_def_var with its arguments.
        done(unsafe { invoke_on(self.program, "nc_def_var", to, words) })?;
        if real != varid {
            return Err(INVALID);
        }
        self.define_storage(from, to, varid)?;
        let owners = ((self.frazil, from, varid), (self.program, to, varid));
        copy_attributes(attributes, owners.0, owners.1)
    }

    /// Chunks that the program has stated, filters, fill mode, byte order.
    fn define_storage(&self, from: c_int, to: c_int, varid: c_int) -> Result<(), c_int> {
        if self
            .file
            .notes()
            .stated_chunks
            .contains(&(from & 0xFFFF, varid))
        {
            let mut chunk = vec![0_usize; MOST_DIMENSIONS];
            let words = [number(varid), 0, chunk.as_mut_ptr() as usize];
            // SAFETY: frz_nc_inq_var_chunking with room for the most axes.
            done(unsafe { invoke_on(self.frazil, "nc_inq_var_chunking", from, words) })?;
            let words = [number(varid), number(CHUNKED), chunk.as_ptr() as usize];
            // SAFETY: nc_def_var_chunking with its arguments.
            done(unsafe { invoke_on(self.program, "nc_def_var_chunking", to, words) })?;
        }
        self.define_filters(from, to, varid)?;
        self.define_compact(from, to, varid)?;
        self.define_quantize(from, to, varid)?;
        set_cache((self.frazil, from), (self.program, to), varid)?;
        let (mut no_fill, mut endian): (c_int, c_int) = (0, 0);
        let words = [number(varid), (&raw mut no_fill) as usize, 0];
        // SAFETY: frz_nc_inq_var_fill with no place for the value.
        done(unsafe { invoke_on(self.frazil, "nc_inq_var_fill", from, words) })?;
        if no_fill != 0 {
            // SAFETY: nc_def_var_fill with its arguments.
            done(unsafe { invoke_on(self.program, "nc_def_var_fill", to, [number(varid), 1, 0]) })?;
        }
        let words = [number(varid), (&raw mut endian) as usize];
        // SAFETY: frz_nc_inq_var_endian with its arguments.
        done(unsafe { invoke_on(self.frazil, "nc_inq_var_endian", from, words) })?;
        if endian != 0 {
            // SAFETY: nc_def_var_endian with its arguments.
            done(unsafe {
                invoke_on(
                    self.program,
                    "nc_def_var_endian",
                    to,
                    [number(varid), number(endian)],
                )
            })?;
        }
        Ok(())
    }

    fn define_compact(&self, from: c_int, to: c_int, varid: c_int) -> Result<(), c_int> {
        let mut storage = CHUNKED;
        let words = [number(varid), (&raw mut storage) as usize, 0];
        // SAFETY: frz_nc_inq_var_chunking with no place for the chunk shape.
        done(unsafe { invoke_on(self.frazil, "nc_inq_var_chunking", from, words) })?;
        if storage != COMPACT {
            return Ok(());
        }
        let words = [number(varid), number(COMPACT), 0];
        // SAFETY: nc_def_var_chunking with its arguments.
        done(unsafe { invoke_on(self.program, "nc_def_var_chunking", to, words) })
    }

    fn define_quantize(&self, from: c_int, to: c_int, varid: c_int) -> Result<(), c_int> {
        let (mut mode, mut kept): (c_int, c_int) = (0, 0);
        let places = [
            number(varid),
            (&raw mut mode) as usize,
            (&raw mut kept) as usize,
        ];
        // SAFETY: frz_nc_inq_var_quantize with its arguments.
        done(unsafe { invoke_on(self.frazil, "nc_inq_var_quantize", from, places) })?;
        if mode == 0 {
            return Ok(());
        }
        let words = [number(varid), number(mode), number(kept)];
        // SAFETY: nc_def_var_quantize with its arguments.
        done(unsafe { invoke_on(self.program, "nc_def_var_quantize", to, words) })
    }

    fn define_filters(&self, from: c_int, to: c_int, varid: c_int) -> Result<(), c_int> {
        let mut count = 0_usize;
        let words = [number(varid), (&raw mut count) as usize, 0];
        // SAFETY: frz_nc_inq_var_filter_ids with no place for the numbers.
        done(unsafe { invoke_on(self.frazil, "nc_inq_var_filter_ids", from, words) })?;
        let mut ids = vec![0_u32; count];
        let words = [number(varid), 0, ids.as_mut_ptr() as usize];
        // SAFETY: as above; so many numbers.
        done(unsafe { invoke_on(self.frazil, "nc_inq_var_filter_ids", from, words) })?;
        for id in ids {
            let id = id as usize;
            let mut parameters = 0_usize;
            let words = [number(varid), id, (&raw mut parameters) as usize, 0];
            // SAFETY: frz_nc_inq_var_filter_info with no place for the parameters.
            done(unsafe { invoke_on(self.frazil, "nc_inq_var_filter_info", from, words) })?;
            let mut values = vec![0_u32; parameters];
            let words = [number(varid), id, 0, values.as_mut_ptr() as usize];
            // SAFETY: as above; so many numbers.
            done(unsafe { invoke_on(self.frazil, "nc_inq_var_filter_info", from, words) })?;
            let (call, words) = match id {
                // `nc_def_var_filter` refuses these in some versions: deflate, shuffle, checksum.
                1 => {
                    let level = values.first().copied().unwrap_or(0) as usize;
                    ("nc_def_var_deflate", [number(varid), 0, 1, level])
                }
                2 => ("nc_def_var_deflate", [number(varid), 1, 0, 0]),
                3 => ("nc_def_var_fletcher32", [number(varid), 1, 0, 0]),
                _ => {
                    let place = values.as_ptr() as usize;
                    ("nc_def_var_filter", [number(varid), id, parameters, place])
                }
            };
            // SAFETY: each with its arguments.
            done(unsafe { invoke_on(self.program, call, to, words) })?;
        }
        Ok(())
    }
}
