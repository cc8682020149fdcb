//! Definitions of a file, made once more in the program's own library.
//!
//! Groups, dimensions and variables get the numbers that the program knows: both libraries count them in the
//! order of their definition.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{c_char, c_int};
use std::ops::Range;

use crate::cache::{Cache, cache_of, set_cache};
use crate::files::Taken;
use crate::invoke::{BAD_ID, INVALID, invoke_on, number};
use crate::library::Library;
use crate::user_types::define_types;
use crate::values::{NAME_BYTES, copy_attributes, done, size_of_type, text};

/// `NC_GLOBAL`
const GLOBAL: c_int = -1;
/// `NC_CHUNKED`, `NC_CONTIGUOUS` and `NC_COMPACT`
const CHUNKED: c_int = 0;
const CONTIGUOUS: c_int = 1;
const COMPACT: c_int = 2;
/// `NC_STRING`
const STRING: c_int = 12;
/// `NC_MAX_VAR_DIMS`
const MOST_DIMENSIONS: usize = 1024;

/// Where definitions are read.
pub(crate) struct Source {
    pub(crate) library: &'static Library,
    /// Its numbers of the groups, in their order.
    pub(crate) groups: Vec<c_int>,
    /// By group: so many variables of the file are not there.
    pub(crate) without: Vec<c_int>,
    /// By group and variable: the chunk shapes that the program has stated.
    stated_chunks: BTreeMap<(c_int, c_int), Vec<usize>>,
    /// Those for which it has asked for chunks of whatever shape.
    chunked: BTreeSet<(c_int, c_int)>,
    /// Those for which it has set a chunk cache.
    caches: BTreeMap<(c_int, c_int), Cache>,
}

impl Source {
    /// The definitions of a file in frazil's hands.
    ///
    /// # Errors
    /// Frazil's status.
    pub(crate) fn of(file: &Taken, frazil: &'static Library) -> Result<Self, c_int> {
        let mut groups = vec![file.own];
        let mut parent: c_int = 0;
        let place = (&raw mut parent) as usize;
        loop {
            let next = file.own | groups.len() as c_int;
            // SAFETY: frz_nc_inq_grp_parent with its arguments; there may be no such group.
            if unsafe { invoke_on(frazil, "nc_inq_grp_parent", next, [place]) } != 0 {
                break;
            }
            groups.push(next);
        }
        let mut caches = BTreeMap::new();
        for (group, &id) in groups.iter().enumerate() {
            for varid in 0..variables_of(frazil, id)? {
                if let Some(cache) = cache_of(frazil, id, varid)? {
                    caches.insert((group as c_int, varid), cache);
                }
            }
        }
        let notes = file.notes();
        Ok(Self {
            library: frazil,
            without: vec![0; groups.len()],
            groups,
            stated_chunks: notes.stated_chunks.clone(),
            chunked: notes.chunked.clone(),
            caches,
        })
    }

    /// The same, as a file of another library has them now.
    pub(crate) fn copied(
        self,
        library: &'static Library,
        groups: Vec<c_int>,
        without: Vec<c_int>,
    ) -> Self {
        Self {
            library,
            groups,
            without,
            ..self
        }
    }
}

/// How many variables a group has.
pub(crate) fn variables_of(library: &'static Library, group: c_int) -> Result<c_int, c_int> {
    let mut count: c_int = 0;
    // SAFETY: nc_inq_nvars with its arguments.
    done(unsafe { invoke_on(library, "nc_inq_nvars", group, [(&raw mut count) as usize]) })?;
    Ok(count)
}

/// A file of the program's own library that gets the definitions of another.
pub(crate) struct Twin<'a> {
    pub(crate) source: &'a Source,
    pub(crate) program: &'static Library,
    /// Its numbers of the groups, in their order.
    pub(crate) groups: Vec<c_int>,
    /// By group: so many variables of the file are not there.
    pub(crate) without: Vec<c_int>,
}

impl<'a> Twin<'a> {
    /// A new file, of which there is the root group.
    pub(crate) fn of(source: &'a Source, program: &'static Library, root: c_int) -> Self {
        Self {
            source,
            program,
            groups: vec![root],
            without: vec![0; source.groups.len()],
        }
    }

    /// Defines all that there is.
    ///
    /// # Errors
    /// The status of the library that refuses, as of all that follow.
    pub(crate) fn define(&mut self) -> Result<(), c_int> {
        self.define_groups()?;
        self.define_dimensions()?;
        for group in 0..self.groups.len() {
            let (from, to) = (self.source.groups[group], self.groups[group]);
            let mut attributes: c_int = 0;
            let places = [0, 0, (&raw mut attributes) as usize, 0];
            // SAFETY: nc_inq with its arguments.
            done(unsafe { invoke_on(self.source.library, "nc_inq", from, places) })?;
            let owners = (
                (self.source.library, from, GLOBAL),
                (self.program, to, GLOBAL),
            );
            copy_attributes(attributes, owners.0, owners.1)?;
            self.define_variables(group, 0..variables_of(self.source.library, from)?)?;
        }
        Ok(())
    }

    /// Groups, in the order of their numbers, and the types in them.
    pub(crate) fn define_groups(&mut self) -> Result<(), c_int> {
        let from = self.source.library;
        for &own in &self.source.groups[1..] {
            let mut parent: c_int = 0;
            let place = (&raw mut parent) as usize;
            // SAFETY: nc_inq_grp_parent with its arguments.
            done(unsafe { invoke_on(from, "nc_inq_grp_parent", own, [place]) })?;
            let mut name: Vec<c_char> = vec![0; NAME_BYTES];
            let place = name.as_mut_ptr() as usize;
            // SAFETY: nc_inq_grpname with room for the longest name.
            done(unsafe { invoke_on(from, "nc_inq_grpname", own, [place]) })?;
            let above = self.source.groups.iter().position(|&known| known == parent);
            let above = above.and_then(|above| self.groups.get(above));
            let above = *above.ok_or(BAD_ID)?;
            let mut real: c_int = 0;
            let places = [place, (&raw mut real) as usize];
            // SAFETY: nc_def_grp with its arguments.
            done(unsafe { invoke_on(self.program, "nc_def_grp", above, places) })?;
            self.groups.push(real);
        }
        define_types((from, &self.source.groups), (self.program, &self.groups))
    }

    /// Dimensions, in the order of their numbers, which all groups share.
    pub(crate) fn define_dimensions(&self) -> Result<(), c_int> {
        let from = self.source.library;
        let mut all = Vec::new();
        for (group, &own) in self.source.groups.iter().enumerate() {
            let ids = self.numbers("nc_inq_dimids", own, &[0])?;
            all.extend(ids.into_iter().map(|dimid| (dimid, group)));
        }
        all.sort_unstable();
        for (dimid, group) in all {
            let own = self.source.groups[group];
            let (mut name, mut length): (Vec<c_char>, usize) = (vec![0; NAME_BYTES], 0);
            let place = name.as_mut_ptr() as usize;
            let words = [number(dimid), place, (&raw mut length) as usize];
            // SAFETY: nc_inq_dim with its arguments.
            done(unsafe { invoke_on(from, "nc_inq_dim", own, words) })?;
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

    /// The numbers that a call gives: first how many, then which.
    fn numbers(&self, call: &str, id: c_int, more: &[usize]) -> Result<Vec<c_int>, c_int> {
        let from = self.source.library;
        let mut count: c_int = 0;
        let last = more.first().copied().unwrap_or(0);
        let words = [(&raw mut count) as usize, 0, last];
        // SAFETY: a call that writes a number, and numbers where there is a place for them.
        done(unsafe { invoke_on(from, call, id, words) })?;
        let mut found = vec![0 as c_int; usize::try_from(count).unwrap_or(0)];
        let words = [0, found.as_mut_ptr() as usize, last];
        // SAFETY: as above; so many numbers.
        done(unsafe { invoke_on(from, call, id, words) })?;
        Ok(found)
    }

    /// Variables of a group, by the numbers that the program knows.
    pub(crate) fn define_variables(
        &self,
        group: usize,
        variables: Range<c_int>,
    ) -> Result<(), c_int> {
        for varid in variables {
            let one = One {
                from: self.source.library,
                from_id: self.source.groups[group],
                from_varid: varid - self.source.without[group],
                to: self.program,
                to_id: self.groups[group],
                to_varid: varid - self.without[group],
            };
            let attributes = one.define()?;
            let at = (group as c_int, varid);
            let stated = self.source.stated_chunks.get(&at);
            one.define_chunks(stated, self.source.chunked.contains(&at))?;
            one.define_storage()?;
            if let Some(&cache) = self.source.caches.get(&at) {
                set_cache((self.program, one.to_id), one.to_varid, cache)?;
            }
            let owners = (
                (one.from, one.from_id, one.from_varid),
                (one.to, one.to_id, one.to_varid),
            );
            copy_attributes(attributes, owners.0, owners.1)?;
            one.define_fill_value()?;
        }
        Ok(())
    }
}

/// A variable in two libraries.
struct One {
    from: &'static Library,
    from_id: c_int,
    from_varid: c_int,
    to: &'static Library,
    to_id: c_int,
    to_varid: c_int,
}

impl One {
    /// Asks the one library.
    fn ask<const N: usize>(&self, call: &str, places: [usize; N]) -> Result<(), c_int> {
        // SAFETY: the arguments of the call behind the file's number and the variable's.
        done(unsafe { with_varid(self.from, call, (self.from_id, self.from_varid), &places) })
    }

    /// Tells the other.
    fn tell<const N: usize>(&self, call: &str, words: [usize; N]) -> Result<(), c_int> {
        // SAFETY: as above.
        done(unsafe { with_varid(self.to, call, (self.to_id, self.to_varid), &words) })
    }

    /// The variable itself; how many attributes it has.
    fn define(&self) -> Result<c_int, c_int> {
        let mut name: Vec<c_char> = vec![0; NAME_BYTES];
        let mut dimids = vec![0 as c_int; MOST_DIMENSIONS];
        let (mut nc_type, mut rank, mut attributes): (c_int, c_int, c_int) = (0, 0, 0);
        self.ask(
            "nc_inq_var",
            [
                name.as_mut_ptr() as usize,
                (&raw mut nc_type) as usize,
                (&raw mut rank) as usize,
                dimids.as_mut_ptr() as usize,
                (&raw mut attributes) as usize,
            ],
        )?;
        let mut real: c_int = 0;
        let words = [
            text(&name).as_ptr() as usize,
            number(nc_type),
            number(rank),
            dimids.as_ptr() as usize,
            (&raw mut real) as usize,
        ];
        // SAFETY: nc_def_var with its arguments.
        done(unsafe { invoke_on(self.to, "nc_def_var", self.to_id, words) })?;
        if real != self.to_varid {
            return Err(INVALID);
        }
        Ok(attributes)
    }

    /// Chunks of a stated shape, also where other storage was asked for since, or of whatever shape.
    fn define_chunks(&self, stated: Option<&Vec<usize>>, is_asked: bool) -> Result<(), c_int> {
        let mut storage = CHUNKED;
        self.ask("nc_inq_var_chunking", [(&raw mut storage) as usize, 0])?;
        if let Some(chunk) = stated {
            let words = [number(CHUNKED), chunk.as_ptr() as usize];
            self.tell("nc_def_var_chunking", words)?;
        } else if is_asked && storage == CHUNKED {
            self.tell("nc_def_var_chunking", [number(CHUNKED), 0])?;
        }
        match (stated, storage) {
            (Some(_), CONTIGUOUS) => self.tell("nc_def_var_chunking", [number(CONTIGUOUS), 0]),
            _ => Ok(()),
        }
    }

    /// Filters, fill mode, byte order, rounding.
    fn define_storage(&self) -> Result<(), c_int> {
        self.define_filters()?;
        let mut storage = CHUNKED;
        self.ask("nc_inq_var_chunking", [(&raw mut storage) as usize, 0])?;
        if storage == COMPACT {
            self.tell("nc_def_var_chunking", [number(COMPACT), 0])?;
        }
        let (mut mode, mut kept): (c_int, c_int) = (0, 0);
        let places = [(&raw mut mode) as usize, (&raw mut kept) as usize];
        self.ask("nc_inq_var_quantize", places)?;
        if mode != 0 {
            self.tell("nc_def_var_quantize", [number(mode), number(kept)])?;
        }
        let (mut no_fill, mut endian): (c_int, c_int) = (0, 0);
        self.ask("nc_inq_var_fill", [(&raw mut no_fill) as usize, 0])?;
        if no_fill != 0 {
            self.tell("nc_def_var_fill", [1, 0])?;
        }
        self.ask("nc_inq_var_endian", [(&raw mut endian) as usize])?;
        if endian != 0 {
            self.tell("nc_def_var_endian", [number(endian)])?;
        }
        Ok(())
    }

    /// A fill value of which no attribute tells any more.
    fn define_fill_value(&self) -> Result<(), c_int> {
        let (mut nc_type, mut place): (c_int, c_int) = (0, 0);
        let own = [c"_FillValue".as_ptr() as usize, (&raw mut place) as usize];
        if self.ask("nc_inq_attid", own).is_ok() {
            return Ok(());
        }
        self.ask("nc_inq_vartype", [(&raw mut nc_type) as usize])?;
        if nc_type == STRING {
            return Ok(());
        }
        let bytes = match nc_type > STRING {
            true => size_of_type(self.from, self.from_id, nc_type)?,
            false => size_of::<u64>(),
        };
        // Words, so that values of every type are aligned.
        let mut wanted = vec![0_u64; bytes.div_ceil(8).max(1)];
        let (mut known, mut no_fill) = (wanted.clone(), 0 as c_int);
        let place = (&raw mut no_fill) as usize;
        self.ask("nc_inq_var_fill", [place, wanted.as_mut_ptr() as usize])?;
        self.tell("nc_inq_var_fill", [0, known.as_mut_ptr() as usize])?;
        if no_fill != 0 || wanted == known {
            return Ok(());
        }
        self.tell("nc_def_var_fill", [0, wanted.as_ptr() as usize])?;
        self.tell("nc_del_att", [c"_FillValue".as_ptr() as usize])
    }

    fn define_filters(&self) -> Result<(), c_int> {
        let mut count = 0_usize;
        self.ask("nc_inq_var_filter_ids", [(&raw mut count) as usize, 0])?;
        let mut ids = vec![0_u32; count];
        self.ask("nc_inq_var_filter_ids", [0, ids.as_mut_ptr() as usize])?;
        for id in ids {
            let id = id as usize;
            let mut parameters = 0_usize;
            let place = (&raw mut parameters) as usize;
            self.ask("nc_inq_var_filter_info", [id, place, 0])?;
            let mut values = vec![0_u32; parameters];
            let place = values.as_mut_ptr() as usize;
            self.ask("nc_inq_var_filter_info", [id, 0, place])?;
            match id {
                // `nc_def_var_filter` refuses these in some versions: deflate, shuffle, checksum.
                1 => {
                    let level = values.first().copied().unwrap_or(0) as usize;
                    self.tell("nc_def_var_deflate", [0, 1, level])?;
                }
                2 => self.tell("nc_def_var_deflate", [1, 0, 0])?,
                3 => self.tell("nc_def_var_fletcher32", [1])?,
                _ => self.tell("nc_def_var_filter", [id, parameters, place])?,
            }
        }
        Ok(())
    }
}

/// A call on a variable.
///
/// # Safety
/// `others` is what the function takes behind the numbers of file and variable.
unsafe fn with_varid(
    library: &'static Library,
    call: &str,
    (id, varid): (c_int, c_int),
    others: &[usize],
) -> c_int {
    let mut words = [0; 7];
    words[0] = number(varid);
    words[1..=others.len()].copy_from_slice(others);
    // SAFETY: as this function's.
    unsafe { invoke_on(library, call, id, words) }
}
