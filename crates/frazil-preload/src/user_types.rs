//! Types that programs define, on their way from frazil to the program's own library.

use std::ffi::{CString, c_char, c_int};

use crate::invoke::{INVALID, invoke_on, number};
use crate::library::Library;
use crate::values::{NAME_BYTES, done, text};

/// `NC_VLEN`, `NC_OPAQUE`, `NC_ENUM` and `NC_COMPOUND`
const VARIABLE_LENGTH: c_int = 13;
const OPAQUE: c_int = 14;
const ENUMERATION: c_int = 15;
const COMPOUND: c_int = 16;
/// Axes of a member at most, by HDF5.
const MOST_AXES: usize = 32;

/// A type: its number, its group by its place, its name.
pub(crate) type Named = (c_int, usize, CString);

/// A type of a file of frazil's, to be defined once more.
struct Source {
    library: &'static Library,
    id: c_int,
    nc_type: c_int,
    name: Vec<c_char>,
    size: usize,
    base: c_int,
    members: usize,
}

/// All types of a file, by their numbers.
///
/// # Errors
/// The library's status.
pub(crate) fn types_of(library: &'static Library, groups: &[c_int]) -> Result<Vec<Named>, c_int> {
    let mut all = Vec::new();
    for (place, &group) in groups.iter().enumerate() {
        let mut count: c_int = 0;
        // SAFETY: nc_inq_typeids with no place for the numbers.
        done(unsafe {
            invoke_on(
                library,
                "nc_inq_typeids",
                group,
                [(&raw mut count) as usize, 0],
            )
        })?;
        let mut found = vec![0 as c_int; usize::try_from(count).unwrap_or(0)];
        let words = [0, found.as_mut_ptr() as usize];
        // SAFETY: as above; so many numbers.
        done(unsafe { invoke_on(library, "nc_inq_typeids", group, words) })?;
        for nc_type in found {
            let mut name: Vec<c_char> = vec![0; NAME_BYTES];
            let words = [number(nc_type), name.as_mut_ptr() as usize, 0];
            // SAFETY: nc_inq_type with room for the longest name.
            done(unsafe { invoke_on(library, "nc_inq_type", group, words) })?;
            all.push((nc_type, place, text(&name).to_owned()));
        }
    }
    all.sort();
    Ok(all)
}

/// Defines all types of a file in another one, where they get the same numbers.
///
/// # Errors
/// The status of the library that refuses; `NC_EINVAL` for other numbers.
pub(crate) fn define_types(
    (source, own): (&'static Library, &[c_int]),
    (program, groups): (&'static Library, &[c_int]),
) -> Result<(), c_int> {
    for (nc_type, place, _) in types_of(source, own)? {
        let made = define(source, own[place], nc_type, (program, groups[place]))?;
        if made != nc_type {
            return Err(INVALID);
        }
    }
    Ok(())
}

fn define(
    library: &'static Library,
    id: c_int,
    nc_type: c_int,
    (program, to): (&'static Library, c_int),
) -> Result<c_int, c_int> {
    let mut source = Source {
        library,
        id,
        nc_type,
        name: vec![0; NAME_BYTES],
        size: 0,
        base: 0,
        members: 0,
    };
    let mut class: c_int = 0;
    let words = [
        number(nc_type),
        source.name.as_mut_ptr() as usize,
        (&raw mut source.size) as usize,
        (&raw mut source.base) as usize,
        (&raw mut source.members) as usize,
        (&raw mut class) as usize,
    ];
    // SAFETY: frz_nc_inq_user_type with its arguments.
    done(unsafe { invoke_on(library, "nc_inq_user_type", id, words) })?;
    let mut made: c_int = 0;
    let (name, place) = (source.name.as_ptr() as usize, (&raw mut made) as usize);
    let (call, words) = match class {
        COMPOUND => ("nc_def_compound", [source.size, name, place]),
        OPAQUE => ("nc_def_opaque", [source.size, name, place]),
        ENUMERATION => ("nc_def_enum", [number(source.base), name, place]),
        VARIABLE_LENGTH => ("nc_def_vlen", [name, number(source.base), place]),
        _ => return Err(INVALID),
    };
    // SAFETY: each with its arguments.
    done(unsafe { invoke_on(program, call, to, words) })?;
    match class {
        COMPOUND => source.insert_fields(program, to)?,
        ENUMERATION => source.insert_names(program, to)?,
        _ => {}
    }
    Ok(made)
}

impl Source {
    fn insert_fields(&self, program: &'static Library, to: c_int) -> Result<(), c_int> {
        for field in 0..self.members {
            let mut name: Vec<c_char> = vec![0; NAME_BYTES];
            let (mut offset, mut nc_type, mut rank): (usize, c_int, c_int) = (0, 0, 0);
            let rank_at = (&raw mut rank) as usize;
            let words = [number(self.nc_type), field, rank_at];
            // SAFETY: frz_nc_inq_compound_fieldndims with its arguments.
            done(unsafe { invoke_on(self.library, "nc_inq_compound_fieldndims", self.id, words) })?;
            let axes = usize::try_from(rank).unwrap_or(0).max(MOST_AXES);
            let mut shape = vec![0 as c_int; axes];
            let words = [
                number(self.nc_type),
                field,
                name.as_mut_ptr() as usize,
                (&raw mut offset) as usize,
                (&raw mut nc_type) as usize,
                rank_at,
                shape.as_mut_ptr() as usize,
            ];
            // SAFETY: frz_nc_inq_compound_field with its arguments; there is room for all axes.
            done(unsafe { invoke_on(self.library, "nc_inq_compound_field", self.id, words) })?;
            let words = [
                number(self.nc_type),
                name.as_ptr() as usize,
                offset,
                number(nc_type),
                number(rank),
                shape.as_ptr() as usize,
            ];
            let call = match rank {
                0 => "nc_insert_compound",
                _ => "nc_insert_array_compound",
            };
            // SAFETY: either with its arguments, of which the first looks at fewer.
            done(unsafe { invoke_on(program, call, to, words) })?;
        }
        Ok(())
    }

    fn insert_names(&self, program: &'static Library, to: c_int) -> Result<(), c_int> {
        for member in 0..self.members {
            let (mut name, mut value): (Vec<c_char>, u64) = (vec![0; NAME_BYTES], 0);
            let (text, place) = (name.as_mut_ptr() as usize, (&raw mut value) as usize);
            let words = [number(self.nc_type), member, text, place];
            // SAFETY: frz_nc_inq_enum_member with its arguments; no integer has more bytes.
            done(unsafe { invoke_on(self.library, "nc_inq_enum_member", self.id, words) })?;
            let words = [number(self.nc_type), text, place];
            // SAFETY: nc_insert_enum with its arguments.
            done(unsafe { invoke_on(program, "nc_insert_enum", to, words) })?;
        }
        Ok(())
    }
}
