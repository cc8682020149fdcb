//! One open file: every call goes to the back end that serves it.

mod user_types;

use std::path::{Path, PathBuf};

use crate::create::{
    Backend, create, create_parallel, open, open_parallel, open_to_read, open_to_write,
};
use crate::environment::options_from_environment;
use crate::status::{Answer, Outcome, Status};
use crate::types::{
    AttributeInquiry, AttributeValues, CText, ChunkCache, DeflateInquiry, DimensionInquiry,
    FillInquiry, GroupInquiry, GroupNumber, MemorySpan, MemoryType, Mode, Region, State, Storage,
    VariableInquiry,
};
use frazil_container::schema::{Text, VariableId};
use frazil_types::FilterSpec;
use frazil_write::{Comm, WriterOptions, WriterReport};

/// One open file.
///
/// `varid` counts the variables of a group in the order of their definition, [`GLOBAL`] means the
/// group itself; `dimid` counts the dimensions of the whole file. Numbers come as they are given to
/// the library: every method checks them.
///
/// [`GLOBAL`]: crate::GLOBAL
#[derive(Debug)]
pub struct Dataset {
    path: PathBuf,
    backend: Backend,
    last_message: String,
    /// Opened to read by all ranks of a communicator, each for itself.
    is_read_by_ranks: bool,
}

/// Methods that ask the back end and keep the words of a refusal.
macro_rules! forward {
    ($($(#[$text:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty;)*) => {
        impl Dataset {
            $(
                $(#[$text])*
                ///
                /// # Errors
                /// The status that netCDF-C returns in the same case; [`Self::last_message`] says
                /// more.
                pub fn $name(&mut self, $($argument: $type),*) -> Outcome<$result> {
                    let answer = match &mut self.backend {
                        Backend::Engine(engine) => engine.$name($($argument),*),
                        Backend::Reading(reading) => reading.$name($($argument),*),
                        Backend::Bundled(bundled) => bundled.$name($($argument),*),
                        Backend::Closed(_) => Err(Status::EBADID.into()),
                    };
                    self.outcome(answer)
                }
            )*
        }
    };
}

impl Dataset {
    /// `nc_create`. How the writer works is read from the environment: `FRAZIL_THREADS`,
    /// `FRAZIL_MEMORY` (bytes, or with K, M or G), `FRAZIL_CORES=any`, `FRAZIL_MODE=sync`, `FRAZIL_DURABLE=1`,
    /// `FRAZIL_READABLE_BY=plugins`. With `FRAZIL_FORMAT=netcdf4` a classic file becomes a netCDF-4
    /// one of the classic model.
    ///
    /// # Errors
    /// As `nc_create`. The second part says more than the status.
    pub fn create(path: &Path, mode: Mode) -> std::result::Result<Self, (Status, String)> {
        let created = options_from_environment().and_then(|it| create(path, mode, it));
        Self::new(path, created)
    }

    /// As [`Self::create`], with the options of the caller instead of the environment's.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_with(
        path: &Path,
        mode: Mode,
        options: &WriterOptions,
    ) -> std::result::Result<Self, (Status, String)> {
        Self::new(path, create(path, mode, options.clone()))
    }

    /// `nc_create_par`: a netCDF-4 file that all ranks of `comm` write together. `enddef`, `sync` and
    /// `close` are calls that all ranks make; puts wait for nobody. Values cannot be read back.
    ///
    /// # Errors
    /// As [`Self::create`]; `NC_ENOPAR` for the classic formats.
    pub fn create_parallel(
        path: &Path,
        mode: Mode,
        comm: Box<dyn Comm>,
    ) -> std::result::Result<Self, (Status, String)> {
        let options = options_from_environment();
        Self::new(
            path,
            options.and_then(|it| create_parallel(path, mode, comm, it)),
        )
    }

    /// `nc_open_par` for writing: all ranks of `comm` go on with the file together.
    ///
    /// # Errors
    /// As [`Self::open`]; `NC_ENOPAR` for the classic formats.
    pub fn open_parallel(
        path: &Path,
        mode: Mode,
        comm: Box<dyn Comm>,
    ) -> std::result::Result<Self, (Status, String)> {
        let options = options_from_environment();
        Self::new(
            path,
            options.and_then(|it| open_parallel(path, mode, comm, &it)),
        )
    }

    /// `nc_open_par` for reading: every rank reads for itself.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_for_ranks(path: &Path, mode: Mode) -> std::result::Result<Self, (Status, String)> {
        let mut opened = Self::open(path, mode)?;
        opened.is_read_by_ranks = true;
        Ok(opened)
    }

    /// Whether several ranks have opened or made the file together.
    #[must_use]
    pub fn is_of_ranks(&self) -> bool {
        self.is_read_by_ranks || self.is_parallel()
    }

    /// Whether several ranks write the file.
    #[must_use]
    pub fn is_parallel(&self) -> bool {
        matches!(&self.backend, Backend::Engine(engine) if engine.is_parallel())
    }

    /// Whether the netCDF-C library that is built in serves the file.
    #[must_use]
    pub fn is_bundled(&self) -> bool {
        matches!(&self.backend, Backend::Bundled(_))
    }

    /// `nc_open`. Files opened for writing are served as in [`Self::create`]; what a killed writer
    /// left behind is recovered first.
    ///
    /// # Errors
    /// As `nc_open`. The second part says more than the status.
    pub fn open(path: &Path, mode: Mode) -> std::result::Result<Self, (Status, String)> {
        let opened = options_from_environment().and_then(|it| open(path, mode, it));
        Self::new(path, opened)
    }

    /// As [`Self::open`] for reading, if frazil itself reads the file.
    ///
    /// # Errors
    /// As [`Self::open`]; `NC_ENOTBUILT` for a file that netCDF-C would serve, with the reason.
    pub fn open_to_read(path: &Path, mode: Mode) -> std::result::Result<Self, (Status, String)> {
        let opened = options_from_environment().and_then(|it| open_to_read(path, mode, &it));
        Self::new(path, opened)
    }

    /// Whether there is such a group, as far as that is known here: netCDF-C looks for itself.
    #[inline]
    #[must_use]
    pub fn has_group(&self, group: GroupNumber) -> bool {
        match &self.backend {
            Backend::Engine(engine) => group.0 < engine.groups(),
            Backend::Reading(reading) => group.0 < reading.groups(),
            Backend::Bundled(_) | Backend::Closed(_) => true,
        }
    }

    /// Where a file that frazil writes is between its making and its end; `None`: it is none.
    #[must_use]
    pub fn state(&self) -> Option<State> {
        match &self.backend {
            Backend::Engine(engine) => Some(engine.state()),
            Backend::Reading(_) | Backend::Bundled(_) | Backend::Closed(_) => None,
        }
    }

    /// How many variables of a group of a file that frazil writes cannot be stored otherwise any more. Those
    /// behind them were defined since define mode was entered.
    ///
    /// # Errors
    /// `NC_EPERM` if frazil does not write the file.
    pub fn settled_variables(&mut self, group: GroupNumber) -> Outcome<i32> {
        let answer = match &self.backend {
            Backend::Engine(engine) => engine.settled_variables(group),
            _ => Err(Status::EPERM.into()),
        };
        self.outcome(answer)
    }

    /// Takes back the variables that were defined since define mode was entered, before the file is closed and
    /// another library defines them.
    ///
    /// # Errors
    /// `NC_EPERM` if frazil does not write the file; the writer's.
    pub fn take_back_variables(&mut self) -> Outcome<()> {
        let answer = match &mut self.backend {
            Backend::Engine(engine) => engine.take_back_variables(),
            _ => Err(Status::EPERM.into()),
        };
        self.outcome(answer)
    }

    /// As [`Self::open`] for writing, if frazil itself goes on with the file and shows it as netCDF-C does.
    ///
    /// # Errors
    /// As [`Self::open`]; `NC_ENOTBUILT` for a file that netCDF-C would serve, with the reason.
    pub fn open_to_write(path: &Path, mode: Mode) -> std::result::Result<Self, (Status, String)> {
        let opened = options_from_environment().and_then(|it| open_to_write(path, mode, it));
        Self::new(path, opened)
    }

    /// Whether frazil itself reads the file, which may then be used in a child process, too.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        matches!(&self.backend, Backend::Reading(_))
    }

    pub(super) fn new(
        path: &Path,
        backend: Answer<Backend>,
    ) -> std::result::Result<Self, (Status, String)> {
        match backend {
            Ok(backend) => Ok(Self {
                path: path.to_owned(),
                backend,
                last_message: String::new(),
                is_read_by_ranks: false,
            }),
            Err(refusal) => Err((refusal.status, refusal.message())),
        }
    }

    /// `nc_close`; afterwards every call returns `NC_EBADID`, but [`Self::report`] still says what
    /// the writer did.
    ///
    /// # Errors
    /// As `nc_close`; the file is closed all the same, at its last commit.
    pub fn close(&mut self) -> Outcome<()> {
        let answer = match std::mem::replace(&mut self.backend, Backend::Closed(None)) {
            Backend::Engine(engine) => engine.close().map(|report| {
                self.backend = Backend::Closed(Some(Box::new(report)));
            }),
            Backend::Reading(reading) => reading.close(),
            Backend::Bundled(bundled) => bundled.close(),
            closed @ Backend::Closed(_) => {
                self.backend = closed;
                Err(Status::EBADID.into())
            }
        };
        self.outcome(answer)
    }

    /// `nc_abort`; afterwards every call returns `NC_EBADID`. In data mode it closes. In define mode a new
    /// file that has never left it is removed, and what was defined since `nc_redef` is dropped; but a file
    /// with values that were put since its last commit is closed as it is.
    ///
    /// # Errors
    /// As `nc_abort`.
    pub fn abort(&mut self) -> Outcome<()> {
        let answer = match std::mem::replace(&mut self.backend, Backend::Closed(None)) {
            Backend::Engine(engine) => engine.abort().map(|report| {
                self.backend = Backend::Closed(report.map(Box::new));
            }),
            Backend::Reading(reading) => reading.close(),
            Backend::Bundled(bundled) => bundled.abort(),
            closed @ Backend::Closed(_) => {
                self.backend = closed;
                Err(Status::EBADID.into())
            }
        };
        self.outcome(answer)
    }

    /// Lets go of the file at its last commit, in whatever mode it is; a new file without a commit is
    /// removed.
    ///
    /// # Errors
    /// Where netCDF-C cannot.
    pub fn discard(&mut self) -> Outcome<()> {
        let answer = match std::mem::replace(&mut self.backend, Backend::Closed(None)) {
            Backend::Engine(engine) => {
                engine.discard();
                Ok(())
            }
            Backend::Reading(reading) => reading.close(),
            Backend::Bundled(bundled) => bundled.abort(),
            Backend::Closed(_) => Err(Status::EBADID.into()),
        };
        self.outcome(answer)
    }

    /// What the writer did so far; `None`: the file is not written by it.
    ///
    /// # Errors
    /// The first error of its work.
    pub fn report(&mut self) -> Outcome<Option<WriterReport>> {
        let answer = match &mut self.backend {
            Backend::Engine(engine) => engine.report().map(Some),
            Backend::Reading(_) | Backend::Bundled(_) => Ok(None),
            Backend::Closed(report) => Ok(report.as_deref().cloned()),
        };
        self.outcome(answer)
    }

    /// A variable whose elements [`Self::put_element`] may write from values of this type, and its
    /// number of axes.
    #[inline]
    #[must_use]
    pub fn plain_variable(
        &self,
        group: GroupNumber,
        varid: i32,
        memory: MemoryType,
    ) -> Option<(VariableId, usize)> {
        match &self.backend {
            Backend::Engine(engine) => engine.plain_variable(group, varid, memory),
            Backend::Reading(_) | Backend::Bundled(_) | Backend::Closed(_) => None,
        }
    }

    /// Writes one element the short way: `bytes` at `start` of a [`Self::plain_variable`]. `false`:
    /// there is no short way to it, nothing was done, and [`Self::put`] can do it or says why not.
    ///
    /// # Errors
    /// As [`Self::put`].
    #[inline]
    pub fn put_element(
        &mut self,
        variable: VariableId,
        start: &[u64],
        bytes: &[u8],
    ) -> Outcome<bool> {
        match &mut self.backend {
            Backend::Engine(engine) => {
                let answer = engine.put_element(variable, start, bytes);
                self.outcome(answer)
            }
            Backend::Reading(_) | Backend::Bundled(_) | Backend::Closed(_) => Ok(false),
        }
    }

    /// Keeps the words of a refusal.
    fn outcome<T>(&mut self, answer: Answer<T>) -> Outcome<T> {
        answer.map_err(|refusal| {
            let status = refusal.status;
            self.last_message = refusal.message();
            status
        })
    }

    /// What there is to say about the last refusal; empty if there was none.
    #[must_use]
    pub fn last_message(&self) -> &str {
        &self.last_message
    }

    /// `nc_inq_path`: the path it was created or opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

forward! {
    /// `nc_redef`
    fn redef() -> ();
    /// `nc_enddef`
    fn enddef(group: GroupNumber) -> ();
    /// `nc__enddef`: free bytes after the header and the fixed variables, and their alignment.
    /// Only classic files have such.
    fn enddef_with(group: GroupNumber, header_free: u64, variable_align: u64, variable_free: u64, record_align: u64) -> ();
    /// `nc_sync`
    fn sync() -> ();
    /// `nc_set_fill` (`NC_FILL` 0, `NC_NOFILL` 0x100): the mode before.
    fn set_fill(mode: i32) -> i32;

    /// `nc_inq`
    fn inq(group: GroupNumber) -> GroupInquiry;
    /// `nc_inq_format`: `NC_FORMAT_*`
    fn inq_format() -> i32;
    /// `nc_inq_format_extended`: `NC_FORMATX_*` and the mode.
    fn inq_format_extended() -> (i32, i32);
    /// `nc_inq_unlimdims`: the unlimited dimensions of a group.
    fn inq_unlimdims(group: GroupNumber) -> Vec<i32>;
    /// `nc_inq_unlimdim`: the first one of a group; -1: none.
    fn inq_unlimdim(group: GroupNumber) -> i32;

    /// `nc_def_dim`: its number; a length of [`UNLIMITED`](crate::UNLIMITED) grows.
    fn def_dim(group: GroupNumber, name: &str, length: u64) -> i32;
    /// `nc_inq_dim`
    fn inq_dim(group: GroupNumber, dimid: i32) -> DimensionInquiry;
    /// `nc_inq_dimid`: searches the groups above too.
    fn inq_dimid(group: GroupNumber, name: &str) -> i32;
    /// `nc_rename_dim`
    fn rename_dim(group: GroupNumber, dimid: i32, name: &str) -> ();
    /// `nc_inq_dimids`: in ascending order.
    fn inq_dimids(group: GroupNumber, include_parents: bool) -> Vec<i32>;

    /// `nc_def_grp`
    fn def_grp(parent: GroupNumber, name: &str) -> GroupNumber;
    /// `nc_inq_grps`: the groups just below.
    fn inq_grps(group: GroupNumber) -> Vec<GroupNumber>;
    /// `nc_inq_grpname`
    fn inq_grpname(group: GroupNumber) -> String;
    /// `nc_inq_grpname_full`
    fn inq_grpname_full(group: GroupNumber) -> String;
    /// `nc_inq_grp_parent`: `NC_ENOGRP` for the root group.
    fn inq_grp_parent(group: GroupNumber) -> GroupNumber;
    /// `nc_inq_grp_ncid`: a group just below, by name.
    fn inq_grp_ncid(group: GroupNumber, name: &str) -> GroupNumber;
    /// `nc_inq_grp_full_ncid`: any group, by its absolute path.
    fn inq_grp_full_ncid(group: GroupNumber, path: &str) -> GroupNumber;
    /// `nc_rename_grp`
    fn rename_grp(group: GroupNumber, name: &str) -> ();
    /// `nc_inq_typeids`
    fn inq_typeids(group: GroupNumber) -> Vec<i32>;

    /// `nc_def_var`: its number.
    fn def_var(group: GroupNumber, name: &str, nc_type: i32, dimids: &[i32]) -> i32;
    /// `nc_inq_var`
    fn inq_var(group: GroupNumber, varid: i32) -> VariableInquiry;
    /// `nc_inq_varndims`: fast, for those who need the length of `start` and `count`.
    fn inq_varndims(group: GroupNumber, varid: i32) -> usize;
    /// `nc_inq_vartype`
    fn inq_vartype(group: GroupNumber, varid: i32) -> i32;
    /// `nc_inq_varid`
    fn inq_varid(group: GroupNumber, name: &str) -> i32;
    /// `nc_inq_varids`
    fn inq_varids(group: GroupNumber) -> Vec<i32>;
    /// `nc_rename_var`
    fn rename_var(group: GroupNumber, varid: i32, name: &str) -> ();

    /// `nc_def_var_fill`: `value` is one element of the variable's type in native byte order.
    fn def_var_fill(group: GroupNumber, varid: i32, no_fill: bool, value: Option<&[u8]>) -> ();
    /// `nc_def_var_fill` of a variable of strings.
    fn def_var_fill_text(group: GroupNumber, varid: i32, text: &Text) -> ();
    /// `nc_inq_var_fill`
    fn inq_var_fill(group: GroupNumber, varid: i32) -> FillInquiry;
    /// `nc_def_var_chunking`; `storage` is `NC_CHUNKED` 0, `NC_CONTIGUOUS` 1 or `NC_COMPACT` 2.
    fn def_var_chunking(group: GroupNumber, varid: i32, storage: i32, chunk: Option<&[u64]>) -> ();
    /// `nc_inq_var_chunking`: the chunk shape is empty unless chunked.
    fn inq_var_chunking(group: GroupNumber, varid: i32) -> (Storage, Vec<u64>);
    /// `nc_def_var_deflate`
    fn def_var_deflate(group: GroupNumber, varid: i32, shuffle: bool, deflate: bool, level: i32) -> ();
    /// `nc_inq_var_deflate`
    fn inq_var_deflate(group: GroupNumber, varid: i32) -> DeflateInquiry;
    /// `nc_def_var_fletcher32`
    fn def_var_fletcher32(group: GroupNumber, varid: i32, fletcher32: bool) -> ();
    /// `nc_inq_var_fletcher32`
    fn inq_var_fletcher32(group: GroupNumber, varid: i32) -> bool;
    /// `nc_def_var_endian`: `NC_ENDIAN_NATIVE` 0, `LITTLE` 1, `BIG` 2
    fn def_var_endian(group: GroupNumber, varid: i32, endian: i32) -> ();
    /// `nc_inq_var_endian`
    fn inq_var_endian(group: GroupNumber, varid: i32) -> i32;
    /// `nc_def_var_szip`
    fn def_var_szip(group: GroupNumber, varid: i32, options_mask: i32, pixels_per_block: i32) -> ();
    /// `nc_inq_var_szip`: options mask and pixels per block, both 0 without szip.
    fn inq_var_szip(group: GroupNumber, varid: i32) -> (i32, i32);
    /// `nc_def_var_zstandard`
    fn def_var_zstandard(group: GroupNumber, varid: i32, level: i32) -> ();
    /// `nc_inq_var_zstandard`: the level; `None`: not compressed so.
    fn inq_var_zstandard(group: GroupNumber, varid: i32) -> Option<i32>;
    /// `nc_def_var_filter`, of which `nc_def_var_bzip2` and `nc_def_var_blosc` are special cases.
    fn def_var_filter(group: GroupNumber, varid: i32, id: u32, parameters: &[u32]) -> ();
    /// `nc_inq_var_filter_ids` and `nc_inq_var_filter_info`: all filters in the order of writing.
    fn inq_var_filters(group: GroupNumber, varid: i32) -> Vec<FilterSpec>;
    /// `nc_inq_filter_avail`: refused with `NC_ENOFILTER` and advice if it is not.
    fn inq_filter_avail(id: u32) -> ();
    /// `nc_def_var_quantize`: modes 0 none, 1 BitGroom, 2 Granular BitRound, 3 BitRound; `nsd` are
    /// decimal digits, for BitRound bits.
    fn def_var_quantize(group: GroupNumber, varid: i32, mode: i32, nsd: i32) -> ();
    /// `nc_inq_var_quantize`: mode and digits.
    fn inq_var_quantize(group: GroupNumber, varid: i32) -> (i32, i32);
    /// `nc_set_var_chunk_cache`
    fn set_var_chunk_cache(group: GroupNumber, varid: i32, cache: ChunkCache) -> ();
    /// `nc_get_var_chunk_cache`
    fn get_var_chunk_cache(group: GroupNumber, varid: i32) -> ChunkCache;

    /// `nc_put_att_*`: all of `bytes`, converted to `nc_type`. `NC_ERANGE` is returned after the
    /// attribute was set.
    #[expect(clippy::too_many_arguments, reason = "the arguments of nc_put_att")]
    fn put_att(group: GroupNumber, varid: i32, name: &str, nc_type: i32, memory: MemoryType, bytes: &[u8]) -> ();
    /// `nc_put_att_string`
    fn put_att_strings(group: GroupNumber, varid: i32, name: &str, values: &[Text]) -> ();
    /// `nc_get_att_*`: `out` becomes the values; also if the result is `NC_ERANGE`.
    fn get_att(group: GroupNumber, varid: i32, name: &str, memory: MemoryType, out: &mut Vec<u8>) -> ();
    /// `nc_get_att_string`
    fn get_att_strings(group: GroupNumber, varid: i32, name: &str) -> Vec<CText>;
    /// `nc_inq_att`
    fn inq_att(group: GroupNumber, varid: i32, name: &str) -> AttributeInquiry;
    /// `nc_inq_attid`
    fn inq_attid(group: GroupNumber, varid: i32, name: &str) -> i32;
    /// `nc_inq_attname`
    fn inq_attname(group: GroupNumber, varid: i32, number: i32) -> String;
    /// `nc_rename_att`
    fn rename_att(group: GroupNumber, varid: i32, name: &str, new_name: &str) -> ();
    /// `nc_del_att`
    fn del_att(group: GroupNumber, varid: i32, name: &str) -> ();
    /// First half of `nc_copy_att`: the values with their type.
    fn attribute(group: GroupNumber, varid: i32, name: &str) -> AttributeValues;
    /// Second half of `nc_copy_att`.
    fn put_attribute(group: GroupNumber, varid: i32, name: &str, values: &AttributeValues) -> ();

    /// How much memory `region` covers in a put or get: what a caller with a bare pointer must know
    /// to make a slice of it. All that is wrong with the region is reported here already.
    fn memory_span(group: GroupNumber, varid: i32, region: &Region<'_>, memory: MemoryType, is_put: bool) -> MemorySpan;
    /// `nc_put_var*_*`: `bytes` are the memory that [`Self::memory_span`] says (more is ignored),
    /// in elements of `memory`. `NC_ERANGE` is returned after all values were written.
    fn put(group: GroupNumber, varid: i32, region: &Region<'_>, memory: MemoryType, bytes: &[u8]) -> ();
    /// `nc_get_var*_*`: into `bytes`, the memory that [`Self::memory_span`] says. `NC_ERANGE` is
    /// returned after all values were stored.
    fn get(group: GroupNumber, varid: i32, region: &Region<'_>, memory: MemoryType, bytes: &mut [u8]) -> ();
    /// `nc_put_var*_string`: `values` are laid out as `bytes` in [`Self::put`].
    fn put_strings(group: GroupNumber, varid: i32, region: &Region<'_>, values: &[Text]) -> ();
    /// `nc_get_var*_string`: `values` are laid out as `bytes` in [`Self::get`]; what the region
    /// does not cover is left alone.
    fn get_strings(group: GroupNumber, varid: i32, region: &Region<'_>, values: &mut [Option<CText>]) -> ();
}
