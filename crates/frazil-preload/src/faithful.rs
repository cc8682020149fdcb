//! What the program's own library would do: where the program asks for nothing, with chunk shapes, storage
//! and filters; where it asks for what cannot be, with the status.

use std::ffi::c_int;

use once_cell::race::OnceBox;

use crate::cache::cache_of;
use crate::current::is;
use crate::files::{CLASSIC_MODEL, Taken, Unfit};
use crate::handover::{NO_MEMORY, why};
use crate::invoke::{INVALID, Words, invoke, invoke_on, number};
use crate::library::{Library, is_drop_in};
use crate::names::{Call, NAMES};
use crate::shadow::{Shadow, Variable};
use crate::values::size_of_type;

/// `NC_CHUNKED`, `NC_CONTIGUOUS` and `NC_COMPACT`
const CHUNKED: c_int = 0;
pub(crate) const CONTIGUOUS: c_int = 1;
const COMPACT: c_int = 2;
/// `NC_QUANTIZE_BITGROOM`
const BITGROOM: c_int = 1;
/// `NC_EBADCHUNK`
const BAD_CHUNK: c_int = -127;
/// `NC_ENOFILTER`
const NO_FILTER: c_int = -136;
/// The last of the types that are not of programs.
const LAST_ATOMIC: c_int = 12;
/// `NC_MAX_VAR_DIMS`
const MOST_DIMENSIONS: usize = 1024;
/// Calls after which a variable's filters may have changed.
const FILTERS: [Call; 7] = [
    Call::nc_def_var_deflate,
    Call::nc_def_var_fletcher32,
    Call::nc_def_var_szip,
    Call::nc_def_var_zstandard,
    Call::nc_def_var_bzip2,
    Call::nc_def_var_blosc,
    Call::nc_def_var_filter,
];

/// What the user of `frazil run` leaves to frazil.
struct Ours {
    filters: bool,
    chunks: bool,
}

fn ours() -> &'static Ours {
    static OURS: OnceBox<Ours> = OnceBox::new();
    OURS.get_or_init(|| {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| value == "1");
        Box::new(Ours {
            filters: is_set("FRAZIL_RUN_COMPRESS"),
            chunks: is_set("FRAZIL_RUN_CHUNKS"),
        })
    })
}

/// After a call that frazil has served.
pub(crate) fn after(
    file: &Taken,
    own: c_int,
    library: &'static Library,
    call: usize,
    words: Words,
) {
    let varid = words[1] as c_int;
    let name = NAMES.get(call).copied().unwrap_or_default();
    match name {
        "nc_def_var" => {
            let Some(varid) = last_variable(library, own) else {
                return;
            };
            if !ours().filters {
                // SAFETY: frz_nc_def_var_deflate with its arguments.
                unsafe { invoke_on(library, "nc_def_var_deflate", own, [number(varid), 0, 0, 0]) };
            }
            as_it_would_be(file, own, library, (varid, false));
        }
        "nc_def_var_chunking" | "nc_def_var_chunking_ints" if words[2] as c_int == COMPACT => {
            // Frazil's values would lie contiguous.
            let why = why("nc_def_var_chunking", 0);
            file.notes()
                .unfit
                .insert((own & 0xFFFF, varid, Unfit::Storage), why);
        }
        "nc_def_var_chunking" | "nc_def_var_chunking_ints" if words[2] as c_int == CHUNKED => {
            let at = (own & 0xFFFF, varid);
            if is_stated(call, words[3]) {
                let described = describe(library, own, varid, true);
                let rank = described.map_or(0, |variable| variable.lengths.len());
                let chunk = chunk_of(library, own, varid, rank).unwrap_or_default();
                let mut notes = file.notes();
                notes.stated_chunks.insert(at, chunk);
                notes.unfit.remove(&(at.0, at.1, Unfit::Storage));
            } else {
                // A 0 in front asks for the library's own, no shape for the one that was stated before.
                if words[3] != 0 {
                    file.notes().stated_chunks.remove(&at);
                }
                as_it_would_be(file, own, library, (varid, true));
            }
        }
        "nc_def_var_chunking" | "nc_def_var_chunking_ints" if words[2] as c_int == CONTIGUOUS => {
            let mut notes = file.notes();
            notes.chunked.remove(&(own & 0xFFFF, varid));
            notes.unfit.remove(&(own & 0xFFFF, varid, Unfit::Storage));
        }
        "nc_def_var_quantize" => {
            // It rounds elements up and down by turns: by their places in each put, frazil by those in the
            // chunk.
            let at = (own & 0xFFFF, varid, Unfit::Rounding);
            match words[2] as c_int == BITGROOM {
                true => file.notes().unfit.insert(at, why(name, 0)),
                false => file.notes().unfit.remove(&at),
            };
        }
        _ if FILTERS.iter().any(|&one| is(call, one)) => {
            as_it_would_be(file, own, library, (varid, false));
        }
        _ => {}
    }
}

/// After a call that frazil has refused, if netCDF-C does a part of it nevertheless: a variable for which chunks of
/// an impossible shape were asked is chunked from then on, and one with a wrong level has been shuffled before.
pub(crate) fn after_refusal(
    file: &Taken,
    own: c_int,
    library: &'static Library,
    call: usize,
    (words, status): (Words, c_int),
) {
    let name = NAMES.get(call).copied().unwrap_or_default();
    let is_chunked = name.starts_with("nc_def_var_chunking") && status == BAD_CHUNK;
    let is_shuffled = is(call, Call::nc_def_var_deflate) && status == INVALID;
    if is_chunked || is_shuffled {
        as_it_would_be(file, own, library, (words[1] as c_int, is_chunked));
    }
}

/// Whether a call states a chunk shape: one that begins with 0 asks for the library's own.
fn is_stated(call: usize, extents: usize) -> bool {
    if extents == 0 {
        return false;
    }
    match is(call, Call::nc_def_var_chunking_ints) {
        // SAFETY: not NULL, and of a variable with axes: frazil refuses chunks of a scalar.
        true => unsafe { *(extents as *const c_int) != 0 },
        // SAFETY: as above.
        false => unsafe { *(extents as *const usize) != 0 },
    }
}

/// What the program's own library says to a call on a variable that frazil refuses, if it can be asked.
pub(crate) fn verdict(
    file: &Taken,
    own: c_int,
    library: &'static Library,
    call: usize,
    words: Words,
) -> Option<c_int> {
    let name = NAMES.get(call).copied().unwrap_or_default();
    let is_of_variable = name.starts_with("nc_def_var_") || name.starts_with("nc_put_att");
    // Its types have other numbers.
    let is_of_own_type = name == "nc_put_att" && words[3] as c_int > LAST_ATOMIC;
    if !is_of_variable || is_of_own_type {
        return None;
    }
    let mut variable = describe(library, own, words[1] as c_int, false)?;
    // Filters that it has may be asked for again; which storage it can have depends on them.
    variable.is_filtered &= name == "nc_def_var_chunking";
    with_shadow(file, |shadow| {
        shadow.verdict(file.program, &variable, name, words)
    })
}

/// `nc_get_var_chunk_cache`, also in integers: of a variable without one of its own as the program's own
/// library says.
pub(crate) fn chunk_cache(
    file: &Taken,
    own: c_int,
    library: &'static Library,
    call: usize,
    mut words: Words,
) -> c_int {
    let name = NAMES.get(call).copied().unwrap_or_default();
    let varid = words[1] as c_int;
    let is_set = match cache_of(library, own, varid) {
        Ok(cache) => cache.is_some(),
        Err(status) => return status,
    };
    let described = describe(library, own, varid, false).filter(|_| !is_set);
    let told = described.and_then(|mut variable| {
        variable.chunk = chunk_of(library, own, varid, variable.lengths.len());
        with_shadow(file, |shadow| {
            shadow.verdict(file.program, &variable, name, words)
        })
    });
    told.unwrap_or_else(|| {
        words[0] = number(own);
        // SAFETY: the call as it came, with frazil's number of the file.
        unsafe { invoke(library, name, words) }
    })
}

/// The chunk shape of a variable, if it is chunked.
fn chunk_of(
    library: &'static Library,
    own: c_int,
    varid: c_int,
    rank: usize,
) -> Option<Vec<usize>> {
    let mut storage: c_int = 1;
    let mut chunk = vec![0_usize; rank];
    let places = [
        number(varid),
        (&raw mut storage) as usize,
        chunk.as_mut_ptr() as usize,
    ];
    // SAFETY: frz_nc_inq_var_chunking with its arguments; as many numbers as there are axes.
    let status = unsafe { invoke_on(library, "nc_inq_var_chunking", own, places) };
    (status == 0 && storage == CHUNKED && rank > 0).then_some(chunk)
}

/// Whether compact storage was asked for.
fn is_compact(library: &'static Library, own: c_int, varid: c_int) -> bool {
    let mut storage = CHUNKED;
    let places = [number(varid), (&raw mut storage) as usize, 0];
    // SAFETY: frz_nc_inq_var_chunking with no place for the shape.
    let status = unsafe { invoke_on(library, "nc_inq_var_chunking", own, places) };
    status == 0 && storage == COMPACT
}

/// Asks the file in memory of the program's own library.
fn with_shadow<T>(file: &Taken, ask: impl FnOnce(&mut Shadow) -> Option<T>) -> Option<T> {
    let mut notes = file.notes();
    if notes.shadow.is_none() {
        notes.shadow = Shadow::create(file.program, file.mode & CLASSIC_MODEL);
    }
    notes.shadow.as_mut().and_then(ask)
}

fn last_variable(library: &'static Library, own: c_int) -> Option<c_int> {
    let mut count: c_int = 0;
    // SAFETY: frz_nc_inq_nvars with its arguments.
    let status = unsafe { invoke_on(library, "nc_inq_nvars", own, [(&raw mut count) as usize]) };
    (status == 0 && count > 0).then(|| count - 1)
}

/// Gives a variable whose chunks nobody states the storage that the program's own library would choose.
fn as_it_would_be(
    file: &Taken,
    own: c_int,
    library: &'static Library,
    (varid, is_chunked): (c_int, bool),
) {
    let at = (own & 0xFFFF, varid);
    let is_stated = file.notes().stated_chunks.contains_key(&at);
    if is_stated {
        if is_chunked {
            let others = [number(varid), number(CHUNKED), 0];
            // SAFETY: frz_nc_def_var_chunking without a shape.
            unsafe { invoke_on(library, "nc_def_var_chunking", own, others) };
        }
        return;
    }
    if ours().chunks {
        return;
    }
    let is_chunked = {
        let mut notes = file.notes();
        if is_chunked {
            notes.chunked.insert((own & 0xFFFF, varid));
        }
        notes.chunked.contains(&(own & 0xFFFF, varid))
    };
    let Some(mut variable) = describe(library, own, varid, is_chunked) else {
        return;
    };
    // What asked for no filter leaves compact storage as it is.
    let stays = !variable.is_filtered && !is_chunked && is_compact(library, own, varid);
    if variable.lengths.is_empty() || stays {
        return;
    }
    // What frazil compresses has the chunks of a variable that the program would compress.
    variable.is_filtered |= ours().filters;
    let told = with_shadow(file, |shadow| shadow.ask(file.program, &variable));
    let Some((storage, chunk)) = told else {
        return;
    };
    let place = match storage {
        CHUNKED => chunk.as_ptr() as usize,
        _ => 0,
    };
    let others = [number(varid), number(storage), place];
    // SAFETY: frz_nc_def_var_chunking with its arguments; as many numbers as there are axes.
    let status = unsafe { invoke_on(library, "nc_def_var_chunking", own, others) };
    // What follows, a filter say, may still ask for another storage.
    let mut notes = file.notes();
    let at = (own & 0xFFFF, varid, Unfit::Storage);
    match status {
        0 => notes.unfit.remove(&at),
        _ => notes.unfit.insert(at, why("nc_def_var", NO_MEMORY)),
    };
}

fn describe(
    library: &'static Library,
    own: c_int,
    varid: c_int,
    is_chunked: bool,
) -> Option<Variable> {
    let (mut nc_type, mut rank): (c_int, c_int) = (0, 0);
    let mut dimids = vec![0 as c_int; MOST_DIMENSIONS];
    let places = [
        number(varid),
        0,
        (&raw mut nc_type) as usize,
        (&raw mut rank) as usize,
        dimids.as_mut_ptr() as usize,
        0,
    ];
    // SAFETY: frz_nc_inq_var with its arguments.
    let status = unsafe { invoke_on(library, "nc_inq_var", own, places) };
    if status != 0 {
        return None;
    }
    dimids.truncate(usize::try_from(rank).ok()?);
    let unlimited = unlimited_dimensions(library, own)?;
    let length = |&dimid: &c_int| {
        let mut length = 0_usize;
        let others = [number(dimid), (&raw mut length) as usize];
        // SAFETY: frz_nc_inq_dimlen with its arguments.
        let status = unsafe { invoke_on(library, "nc_inq_dimlen", own, others) };
        let is_unlimited = unlimited.contains(&dimid);
        (status == 0).then_some(if is_unlimited { 0 } else { length })
    };
    let mut filters = 0_usize;
    let places = [number(varid), (&raw mut filters) as usize, 0];
    // SAFETY: frz_nc_inq_var_filter_ids with no place for the numbers.
    unsafe { invoke_on(library, "nc_inq_var_filter_ids", own, places) };
    let size = match nc_type > LAST_ATOMIC {
        true => Some(size_of_type(library, own, nc_type).ok()?),
        false => None,
    };
    Some(Variable {
        nc_type,
        size,
        lengths: dimids.iter().map(length).collect::<Option<_>>()?,
        is_filtered: filters > 0,
        is_chunked,
        chunk: None,
    })
}

/// The unlimited dimensions that a group sees.
fn unlimited_dimensions(library: &'static Library, own: c_int) -> Option<Vec<c_int>> {
    let mut all = Vec::new();
    let mut group = own;
    loop {
        let mut count: c_int = 0;
        let places = [(&raw mut count) as usize, 0];
        // SAFETY: frz_nc_inq_unlimdims with no place for the numbers.
        let status = unsafe { invoke_on(library, "nc_inq_unlimdims", group, places) };
        if status != 0 {
            return None;
        }
        let mut found = vec![0 as c_int; usize::try_from(count).ok()?];
        let places = [0, found.as_mut_ptr() as usize];
        // SAFETY: as above; so many numbers.
        unsafe { invoke_on(library, "nc_inq_unlimdims", group, places) };
        all.append(&mut found);
        let mut parent: c_int = 0;
        // SAFETY: frz_nc_inq_grp_parent with its arguments.
        let status = unsafe {
            invoke_on(
                library,
                "nc_inq_grp_parent",
                group,
                [(&raw mut parent) as usize],
            )
        };
        if status != 0 {
            return Some(all);
        }
        group = parent;
    }
}

/// `nc_inq_filter_avail`: as the program's own library says. The drop-in library has what frazil has.
pub(crate) fn filter_is_there(
    file: &Taken,
    own: c_int,
    library: &'static Library,
    words: Words,
) -> c_int {
    if is_drop_in() {
        // SAFETY: frz_nc_inq_filter_avail with its arguments.
        return unsafe { invoke_on(library, "nc_inq_filter_avail", own, [words[1]]) };
    }
    let told = with_shadow(file, |shadow| {
        Some(shadow.has_filter(file.program, words[1]))
    });
    told.unwrap_or(INVALID)
}

/// What the program's own library says to a call that asks for a filter that it lacks: the program could
/// not read what frazil would write.
pub(crate) fn without_filter(
    file: &Taken,
    own: c_int,
    library: &'static Library,
    call: usize,
    words: Words,
) -> Option<c_int> {
    let filter = match NAMES.get(call).copied().unwrap_or_default() {
        "nc_def_var_szip" => 4,
        "nc_def_var_bzip2" => 307,
        "nc_def_var_blosc" => 32001,
        "nc_def_var_zstandard" => 32015,
        "nc_def_var_filter" => words[2],
        _ => return None,
    };
    let is_lacking = !is_drop_in()
        && with_shadow(file, |shadow| Some(shadow.has_filter(file.program, filter)))
            == Some(NO_FILTER);
    match is_lacking {
        true => verdict(file, own, library, call, words),
        false => None,
    }
}
