//! Files of the netCDF-4 format that are opened for reading: frazil reads them itself.
//!
//! In: a path. Out: answers and values as netCDF-C gives them, of files in which it sees what frazil sees;
//! `served` says of which. Others are not taken, so that netCDF-C serves all of a file or nothing.
//!
//! Calls that write, and what goes wrong in an unusual way, are netCDF-C's to answer: it opens the file
//! when it is first asked.

mod attributes;
mod inquiries;
mod served;
mod storage;
mod user_types;
mod values;
mod view;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use frazil_container::schema::{Text, VariableId};
use frazil_read::{Reader, ReaderOptions};
use frazil_write::WriterOptions;

use self::view::{GroupView, View};
use crate::bundled::Bundled;
use crate::status::{Answer, Status};
use crate::types::{AttributeValues, ChunkCache, GroupNumber, MemoryType, Mode, Region};

/// What a file may be opened with that is served: `NC_SHARE`, and the format.
const SERVED: i32 = Mode::SHARE.0 | Mode::NETCDF4.0;

/// A file that frazil reads.
#[derive(Debug)]
pub(crate) struct Reading {
    /// From the root: the program may go to another folder.
    path: PathBuf,
    mode: Mode,
    reader: Reader,
    view: View,
    /// The chunk caches that the caller has set; frazil's is the process's.
    caches: BTreeMap<(GroupNumber, i32), ChunkCache>,
    /// netCDF-C, once it was asked.
    library: Option<Box<Bundled>>,
}

impl Reading {
    /// Whether the file keeps the order of definition; netCDF-C writes to no other.
    pub(crate) fn keeps_order(&self) -> bool {
        self.reader.keeps_link_order()
    }

    /// Opens a file; the error says why netCDF-C must read it.
    pub(crate) fn open(path: &Path, mode: Mode, options: &WriterOptions) -> Result<Self, String> {
        if mode.0 & !SERVED != 0 {
            return Err(format!("it is opened with mode {:#x}", mode.0));
        }
        let path = std::path::absolute(path).map_err(|error| error.to_string())?;
        let options = ReaderOptions {
            threads: options.resources.threads,
            ..ReaderOptions::default()
        };
        let reader = Reader::open(&path, &options).map_err(|error| error.to_string())?;
        let view = View::of(&reader)?;
        Ok(Self {
            path,
            mode,
            reader,
            view,
            caches: BTreeMap::new(),
            library: None,
        })
    }

    /// How many groups there are.
    pub(crate) fn groups(&self) -> u16 {
        u16::try_from(self.view.groups.len()).unwrap_or(u16::MAX)
    }

    /// netCDF-C, which has the last word on what is not served here.
    fn library(&mut self) -> Answer<&mut Bundled> {
        let open = match self.library.take() {
            Some(open) => open,
            None => Box::new(Bundled::open(&self.path, self.mode)?),
        };
        Ok(self.library.insert(open))
    }

    pub(crate) fn close(self) -> Answer<()> {
        self.library.map_or(Ok(()), |library| library.close())
    }

    fn group(&self, group: GroupNumber) -> Answer<&GroupView> {
        let found = self.view.groups.get(usize::from(group.0));
        found.ok_or_else(|| Status::EBADID.into())
    }

    fn variable(&self, group: GroupNumber, varid: i32) -> Answer<VariableId> {
        let variables = &self.group(group)?.variables;
        let found = usize::try_from(varid).ok().and_then(|n| variables.get(n));
        found.copied().ok_or_else(|| Status::ENOTVAR.into())
    }
}

#[cfg(test)]
impl Reading {
    /// Variables whose values netCDF-C does not give as they are: those shorter than one of several unlimited
    /// dimensions (it moves values to other places, and leaves memory as it is), those with elements that
    /// hold nothing in particular, and strings behind a filter that it has not.
    pub(crate) fn beyond_netcdf_c(&self) -> std::collections::BTreeSet<(GroupNumber, i32)> {
        use frazil_container::model::FillTime;
        let mut found = std::collections::BTreeSet::new();
        for (group, view) in self.view.groups.iter().enumerate() {
            for (varid, id) in view.variables.iter().enumerate() {
                let dataset = &self.reader.model().variables[id.0].dataset;
                let of = &self.view.variables[id.0];
                let unlimited = dataset.unlimited.iter().filter(|&&grows| grows).count();
                let is_inside = dataset.unlimited.first() != Some(&true);
                let is_short = dataset.shape != of.shape && (unlimited > 1 || is_inside);
                let is_foreign = of.of.filters.iter().any(|filter| filter.id > 6);
                if is_short
                    || dataset.fill_time == FillTime::Never
                    || (is_foreign && of.of.nc_type == crate::types::STRING)
                {
                    found.insert((GroupNumber(group as u16), varid as i32));
                }
            }
        }
        found
    }
}

/// Calls that write, or set what only a file that is written has: netCDF-C says why not.
macro_rules! refused {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty;)*) => {
        impl Reading {
            $(
                pub(crate) fn $name(&mut self, $($argument: $type),*) -> Answer<$result> {
                    self.library()?.$name($($argument),*)
                }
            )*
        }
    };
}

refused! {
    fn redef() -> ();
    fn enddef(group: GroupNumber) -> ();
    fn enddef_with(group: GroupNumber, header_free: u64, variable_align: u64, variable_free: u64, record_align: u64) -> ();
    fn set_fill(mode: i32) -> i32;
    fn def_dim(group: GroupNumber, name: &str, length: u64) -> i32;
    fn rename_dim(group: GroupNumber, dimid: i32, name: &str) -> ();
    fn def_grp(parent: GroupNumber, name: &str) -> GroupNumber;
    fn rename_grp(group: GroupNumber, name: &str) -> ();
    fn def_var(group: GroupNumber, name: &str, nc_type: i32, dimids: &[i32]) -> i32;
    fn rename_var(group: GroupNumber, varid: i32, name: &str) -> ();
    fn def_var_fill(group: GroupNumber, varid: i32, no_fill: bool, value: Option<&[u8]>) -> ();
    fn def_var_fill_text(group: GroupNumber, varid: i32, text: &Text) -> ();
    fn def_var_chunking(group: GroupNumber, varid: i32, storage: i32, chunk: Option<&[u64]>) -> ();
    fn def_var_deflate(group: GroupNumber, varid: i32, shuffle: bool, deflate: bool, level: i32) -> ();
    fn def_var_fletcher32(group: GroupNumber, varid: i32, fletcher32: bool) -> ();
    fn def_var_endian(group: GroupNumber, varid: i32, endian: i32) -> ();
    fn def_var_szip(group: GroupNumber, varid: i32, options_mask: i32, pixels_per_block: i32) -> ();
    fn def_var_zstandard(group: GroupNumber, varid: i32, level: i32) -> ();
    fn def_var_filter(group: GroupNumber, varid: i32, id: u32, parameters: &[u32]) -> ();
    fn def_var_quantize(group: GroupNumber, varid: i32, mode: i32, nsd: i32) -> ();
    fn put_att_strings(group: GroupNumber, varid: i32, name: &str, values: &[Text]) -> ();
    fn put_attribute(group: GroupNumber, varid: i32, name: &str, values: &AttributeValues) -> ();
    fn rename_att(group: GroupNumber, varid: i32, name: &str, new_name: &str) -> ();
    fn del_att(group: GroupNumber, varid: i32, name: &str) -> ();
    fn put(group: GroupNumber, varid: i32, region: &Region<'_>, memory: MemoryType, bytes: &[u8]) -> ();
    fn put_strings(group: GroupNumber, varid: i32, region: &Region<'_>, values: &[Text]) -> ();
}
