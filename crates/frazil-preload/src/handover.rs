//! Hands a file over to the program's own library: what was defined is defined there again (`twin`).
//!
//! A file with values is handed over in `reopen`.

use std::ffi::{CString, OsStr, OsString, c_int};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::files::{Place, Taken};
use crate::invoke::{BAD_ID, INVALID, NOT_BUILT, invoke, invoke_on, number};
use crate::library::{Library, frazil};
use crate::reopen::go_on_there;
use crate::report;
use crate::state::State;
use crate::twin::{Source, Twin};
use crate::values::done;

/// `NC_ENOMEM`
pub(crate) const NO_MEMORY: c_int = -61;

/// Gives a file back; `why` goes into the report, behind "because".
///
/// # Errors
/// The status of what failed; the file is then not in either library's hands as it should be, and the
/// report says so.
pub(crate) fn give_back(file: &Taken, why: &str) -> Result<(), c_int> {
    if file.is_written_by_ranks() {
        report::refused(
            &file.path,
            why,
            "frazil serves no such call on a file of several ranks",
        );
        return Err(NOT_BUILT);
    }
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
        let source = Source::of(file, frazil)?;
        let mut twin = Twin::of(&source, file.program, real);
        twin.define()?;
        define_modes(file, frazil, real)?;
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

/// Before define mode is left: gives a file back of whose new variables frazil cannot store one as the program's
/// own library would.
pub(crate) fn give_back_unfit(file: &Taken) {
    // The values of a file of ranks are as asked for, and it cannot go anywhere.
    if file.is_written_by_ranks() || !matches!(file.place(0), Place::Own(_)) {
        return;
    }
    // Tried once: what frazil then chooses is as good.
    let unfit = std::mem::take(&mut file.notes().unfit);
    if let Some(why) = unfit.values().next() {
        // If that fails, the report says so, and frazil goes on with other chunks.
        let _ = give_back(file, why);
    }
}

/// Fill mode, and whether define mode was left, as in frazil's file.
fn define_modes(file: &Taken, frazil: &'static Library, root: c_int) -> Result<(), c_int> {
    let fill_mode = fill_mode_of(frazil, file.own)?;
    let words = [number(fill_mode), 0];
    // SAFETY: nc_set_fill with its arguments.
    done(unsafe { invoke_on(file.program, "nc_set_fill", root, words) })?;
    let state = State::of(file);
    // Reading leaves define mode without settling fill values, as `nc_sync` does.
    let call = match (state.is_in_data_mode(), state.is_ended()) {
        (false, _) => return Ok(()),
        (true, true) => "nc_enddef",
        (true, false) => "nc_sync",
    };
    // SAFETY: either with the file's number.
    done(unsafe { invoke_on(file.program, call, root, []) })
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
