//! A file in memory of the program's own library, which is asked what it would do: its rules differ from
//! version to version.

use std::collections::BTreeMap;
use std::ffi::{CString, c_int};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::invoke::{INVALID, Words, invoke, invoke_on, number};
use crate::library::Library;
use crate::values::done;

/// `NC_NETCDF4` and `NC_DISKLESS`.
const IN_MEMORY: c_int = 0x1000 | 0x0008;
/// `NC_CHUNKED` and `NC_CONTIGUOUS`
const CHUNKED: c_int = 0;
const CONTIGUOUS: c_int = 1;
/// `NC_STRING`
const STRING: c_int = 12;

/// A file in memory of the program's own library.
pub(crate) struct Shadow {
    id: c_int,
    /// Its dimensions, by their lengths.
    dimensions: BTreeMap<usize, c_int>,
    /// Its types, by the sizes of their elements.
    types: BTreeMap<usize, c_int>,
    variables: u32,
}

/// A variable as frazil knows it.
pub(crate) struct Variable {
    pub(crate) nc_type: c_int,
    /// Bytes of an element of a type that the program has defined.
    pub(crate) size: Option<usize>,
    /// Lengths; 0 of unlimited ones.
    pub(crate) lengths: Vec<usize>,
    pub(crate) is_filtered: bool,
    /// Asked for chunks, of whatever shape.
    pub(crate) is_chunked: bool,
    /// The chunk shape that it has, if that is to be said.
    pub(crate) chunk: Option<Vec<usize>>,
}

impl Shadow {
    /// `model`: `NC_CLASSIC_MODEL` or 0.
    pub(crate) fn create(program: &'static Library, model: c_int) -> Option<Self> {
        let id = create_in_memory(program, model).ok()?;
        Some(Self {
            id,
            dimensions: BTreeMap::new(),
            types: BTreeMap::new(),
            variables: 0,
        })
    }

    fn dimension(&mut self, program: &'static Library, length: usize) -> Option<c_int> {
        if let Some(&known) = self.dimensions.get(&length) {
            return Some(known);
        }
        let name = CString::new(format!("d{length}")).ok()?;
        let mut dimid: c_int = 0;
        let places = [name.as_ptr() as usize, length, (&raw mut dimid) as usize];
        // SAFETY: nc_def_dim with its arguments.
        let status = unsafe { invoke_on(program, "nc_def_dim", self.id, places) };
        (status == 0).then_some(())?;
        self.dimensions.insert(length, dimid);
        Some(dimid)
    }

    /// A type of elements of this size.
    fn opaque(&mut self, program: &'static Library, size: usize) -> Option<c_int> {
        if let Some(&known) = self.types.get(&size) {
            return Some(known);
        }
        let name = CString::new(format!("t{size}")).ok()?;
        let mut nc_type: c_int = 0;
        let places = [size, name.as_ptr() as usize, (&raw mut nc_type) as usize];
        // SAFETY: nc_def_opaque with its arguments.
        let status = unsafe { invoke_on(program, "nc_def_opaque", self.id, places) };
        (status == 0).then_some(())?;
        self.types.insert(size, nc_type);
        Some(nc_type)
    }

    /// Defines such a variable; its number.
    fn define(&mut self, program: &'static Library, variable: &Variable) -> Option<c_int> {
        let dimids: Vec<c_int> = (variable.lengths.iter())
            .map(|&length| self.dimension(program, length))
            .collect::<Option<_>>()?;
        let name = CString::new(format!("v{}", self.variables)).ok()?;
        self.variables += 1;
        let mut varid: c_int = 0;
        let nc_type = match variable.size {
            Some(size) => self.opaque(program, size)?,
            None => variable.nc_type,
        };
        let places = [
            name.as_ptr() as usize,
            number(nc_type),
            dimids.len(),
            dimids.as_ptr() as usize,
            (&raw mut varid) as usize,
        ];
        // SAFETY: nc_def_var with its arguments.
        let status = unsafe { invoke_on(program, "nc_def_var", self.id, places) };
        (status == 0).then_some(())?;
        if variable.is_filtered && variable.nc_type != STRING {
            let others = [number(varid), 0, 1, 1];
            // SAFETY: nc_def_var_deflate with its arguments.
            unsafe { invoke_on(program, "nc_def_var_deflate", self.id, others) };
        } else if variable.is_filtered || variable.is_chunked {
            let others = [number(varid), number(CHUNKED), 0];
            // SAFETY: nc_def_var_chunking with its arguments.
            unsafe { invoke_on(program, "nc_def_var_chunking", self.id, others) };
        }
        if let Some(chunk) = &variable.chunk {
            let others = [number(varid), number(CHUNKED), chunk.as_ptr() as usize];
            // SAFETY: nc_def_var_chunking with its arguments; as many numbers as there are axes.
            unsafe { invoke_on(program, "nc_def_var_chunking", self.id, others) };
        }
        Some(varid)
    }

    /// What the library says to a call on such a variable.
    pub(crate) fn verdict(
        &mut self,
        program: &'static Library,
        variable: &Variable,
        call: &str,
        mut words: Words,
    ) -> Option<c_int> {
        let varid = self.define(program, variable)?;
        words[0] = number(self.id);
        words[1] = number(varid);
        // SAFETY: the call as it came, with the numbers of a file and a variable of the library.
        Some(unsafe { invoke(program, call, words) })
    }

    /// Storage and chunk shape of such a variable.
    pub(crate) fn ask(
        &mut self,
        program: &'static Library,
        variable: &Variable,
    ) -> Option<(c_int, Vec<usize>)> {
        let varid = self.define(program, variable)?;
        let mut storage = CONTIGUOUS;
        let mut chunk = vec![0_usize; variable.lengths.len()];
        let places = [
            number(varid),
            (&raw mut storage) as usize,
            chunk.as_mut_ptr() as usize,
        ];
        // SAFETY: nc_inq_var_chunking with its arguments; as many numbers as there are axes.
        let status = unsafe { invoke_on(program, "nc_inq_var_chunking", self.id, places) };
        (status == 0).then_some((storage, chunk))
    }

    /// `nc_inq_filter_avail`
    pub(crate) fn has_filter(&self, program: &'static Library, filter: usize) -> c_int {
        // SAFETY: nc_inq_filter_avail with its arguments.
        unsafe { invoke_on(program, "nc_inq_filter_avail", self.id, [filter]) }
    }

    /// Lets go of it.
    pub(crate) fn close(self, program: &'static Library) {
        // SAFETY: nc_abort with the number of a file of our own.
        unsafe { invoke_on(program, "nc_abort", self.id, []) };
    }
}

/// A new file in memory; `model`: `NC_CLASSIC_MODEL` or 0.
///
/// # Errors
/// The library's status.
pub(crate) fn create_in_memory(program: &'static Library, model: c_int) -> Result<c_int, c_int> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number_of = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = CString::new(format!("frazil-run-{}-{number_of}", std::process::id()));
    let name = name.map_err(|_| INVALID)?;
    let mut id: c_int = 0;
    let mut words: Words = [0; 8];
    words[0] = name.as_ptr() as usize;
    words[1] = number(IN_MEMORY | model);
    words[2] = (&raw mut id) as usize;
    // SAFETY: nc_create with its arguments.
    done(unsafe { invoke(program, "nc_create", words) })?;
    Ok(id)
}
