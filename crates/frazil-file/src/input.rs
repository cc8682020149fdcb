//! One view of the two kinds of input: HDF5 (netCDF-4 included) and classic netCDF.

use std::fs::{File, FileType};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use frazil_container::classic::{ClassicFile, ClassicFormat, NcType};
use frazil_container::hdf5::{
    DatasetInfo, DatasetStorage, FillStatus, FillTime, Hdf5Input, Source,
};
use frazil_types::{ByteOrder, ErrorCode};
use rustix::fs::OFlags;

use crate::address;
use crate::attributes::Attributes;
use crate::error::{Error, Result};
use crate::far_bytes::FarBytes;
pub use crate::file_bytes::FileBytes;
use crate::file_state::{self, FileState};
use crate::left_commit::{LeftCommit, look_beside};
use crate::other_writers::{self, Writer};
pub use crate::recognise::InputKind;
use crate::recognise::{open_far, open_kind, or_one_of_several};
use crate::remote::{self, StorageOptions};
use crate::storage_error::{from_container, unreadable};
use crate::virtual_data;

/// An input file of either kind, with its variables as plain data.
#[derive(Debug)]
pub struct Input {
    path: PathBuf,
    bytes: Arc<FileBytes>,
    /// As of opening; files that are somewhere else tell versions apart themselves.
    state: Option<FileState>,
    writer: Option<Writer>,
    kind: InputKind,
    variables: Vec<DatasetInfo>,
    left: Option<LeftCommit>,
}

impl Input {
    /// Opens a file of either kind. What a killed writer left beside it is told of
    /// ([`Self::notices`]) and not touched.
    ///
    /// # Errors
    /// If it cannot be read, or a writer was killed when a part of a commit was in it.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, &StorageOptions::new())
    }

    /// As [`Self::open`]; `options` are for access to files on other machines, which URLs name.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(path: &Path, options: &StorageOptions) -> Result<Self> {
        if let Some(url) = address::url_of(path) {
            return Self::open_source(&address::shown(&url), remote::open(&url, options)?);
        }
        if !options.is_empty() {
            let cause = "storage options apply only to files on other machines, and this file is \
                         local";
            return Err(Error::new(ErrorCode::InvalidArgument, cause)
                .in_file(path)
                .with_cure("leave them out"));
        }
        address::refuse_stream(path, true)?;
        Self::open_for(&address::local(path)?, Purpose::Read)
    }

    /// Opens a file whose bytes come from `source`, and which messages call `name`.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_source(name: &Path, source: Arc<dyn Source>) -> Result<Self> {
        Self::open_far(name, source, Purpose::Read)
    }

    /// As [`Self::open_as_source`], of a file that is somewhere else.
    pub(crate) fn open_far_as_source(name: &Path, source: Arc<dyn Source>) -> Result<Self> {
        Self::open_far(name, source, Purpose::Source)
    }

    fn open_far(name: &Path, source: Arc<dyn Source>, purpose: Purpose) -> Result<Self> {
        let metadata = source.of_metadata().unwrap_or_else(|| Arc::clone(&source));
        let mut kind = open_far(name, &metadata).map_err(|error| unreadable(error, name))?;
        if let (InputKind::Hdf5(hdf5), false) = (&mut kind, purpose == Purpose::Source) {
            virtual_data::adjust_shapes(hdf5);
        }
        metadata.settle();
        let bytes = FileBytes::Far(FarBytes::new(source));
        Ok(Self::of(name, bytes, None, kind))
    }

    /// Counts the stored bytes of every variable. This walks all chunk indexes, so opening leaves it out.
    #[must_use]
    pub fn with_stored_bytes(mut self) -> Self {
        let InputKind::Hdf5(hdf5) = &self.kind else {
            return self;
        };
        // Reading the chunks of a damaged index gives the error.
        if hdf5.is_far() && hdf5.prefetch_indexes().is_err() {
            return self;
        }
        for variable in &mut self.variables {
            if let DatasetStorage::Chunked { .. } = variable.storage {
                let records = hdf5.locate(variable).unwrap_or_default();
                variable.stored_bytes = records.iter().map(|record| record.stored_bytes).sum();
            }
        }
        self
    }

    fn of(path: &Path, bytes: FileBytes, state: Option<FileState>, kind: InputKind) -> Self {
        let variables = match &kind {
            InputKind::Hdf5(hdf5) => hdf5.datasets().to_vec(),
            InputKind::Classic(classic) => classic_variables(classic),
        };
        Self {
            path: path.to_owned(),
            bytes: Arc::new(bytes),
            state,
            writer: None,
            kind,
            variables,
            left: None,
        }
    }

    /// Opens a file that will be replaced by what becomes of it, and keeps writers that take locks
    /// away from it as long as it is open.
    ///
    /// # Errors
    /// As [`Self::open`]; [`ErrorCode::Locked`] if another program is writing it.
    pub fn open_to_replace(path: &Path) -> Result<Self> {
        Self::open_for(path, Purpose::Replace)
    }

    /// Opens a file that this process has written, and has open still.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_to_prove(path: &Path) -> Result<Self> {
        Self::open_for(path, Purpose::Prove)
    }

    /// Opens a file in which a virtual dataset has a source: as it is at this moment, and with the shapes that it
    /// states.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn open_as_source(path: &Path) -> Result<Self> {
        Self::open_for(path, Purpose::Source)
    }

    fn open_for(path: &Path, purpose: Purpose) -> Result<Self> {
        let left = match purpose {
            Purpose::Read | Purpose::Replace => look_beside(path)?,
            Purpose::Prove | Purpose::Source => None,
        };
        let file = open_regular(path)?;
        if purpose == Purpose::Replace {
            other_writers::keep_away(&file, path)?;
        }
        let inspect = |error| Error::io(&error, "inspect", path);
        let state = match purpose {
            Purpose::Read | Purpose::Replace => file_state::settled(&file),
            Purpose::Prove | Purpose::Source => {
                file.metadata().map(|metadata| FileState::of(&metadata))
            }
        };
        let state = state.map_err(inspect)?;
        let mut kind = open_kind(&file, path).map_err(|error| {
            let error = or_one_of_several(unreadable(error, path), &file);
            match purpose {
                Purpose::Prove | Purpose::Source => error,
                Purpose::Read | Purpose::Replace => blame(error, &file, path),
            }
        })?;
        if let (InputKind::Hdf5(hdf5), false) = (&mut kind, purpose == Purpose::Source) {
            virtual_data::adjust_shapes(hdf5);
        }
        // libhdf5 opens the file by its name once more.
        let named = path.metadata().map_err(inspect)?;
        if !state.is_same_file(&FileState::of(&named)) {
            return Err(changed(path));
        }
        let writer = match purpose {
            Purpose::Read => Writer::of(&file),
            Purpose::Replace | Purpose::Prove | Purpose::Source => None,
        };
        let mut input = Self::of(path, FileBytes::Here(file), Some(state), kind);
        (input.writer, input.left) = (writer, left);
        Ok(input)
    }

    /// Checks that the file may be replaced by what is made of it.
    ///
    /// # Errors
    /// [`ErrorCode::Locked`] if a commit to it is unfinished, which would be lost.
    pub fn check_replaceable(&self) -> Result<()> {
        if self.left.as_ref().is_none_or(|one| !one.is_of_the_file) {
            return Ok(());
        }
        let cause = "a commit to it is unfinished, and would be lost";
        let cure = format!("run `frazil recover {}` first", self.path.display());
        Err(Error::new(ErrorCode::Locked, cause)
            .in_file(&self.path)
            .with_cure(cure))
    }

    /// The path that the caller named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file's state when it was opened, if it is one of this machine.
    pub fn state(&self) -> Option<FileState> {
        self.state
    }

    /// What its user should know before relying on what is read: that a commit was left unfinished,
    /// that another program is writing the file, or that the file says so. frazil's own writers let readers see their last commit.
    pub fn notices(&self) -> Vec<String> {
        let writer = self
            .writer
            .filter(|_| !crate::left_commit::is_being_written(&self.path));
        let left = self.left.iter().map(|one| one.notice.clone());
        left.chain(writer.iter().map(|one| one.notice(&self.path)))
            .collect()
    }

    /// Whether what was read is of one state of the file: as it was opened. Of one that is written
    /// for many readers (SWMR), libhdf5 sees to that.
    ///
    /// # Errors
    /// [`ErrorCode::FileChanged`] if it is not.
    pub fn check_unchanged(&self) -> Result<()> {
        let is_swmr = self.hdf5().is_some_and(|hdf5| hdf5.contents().is_swmr());
        // What is read of a file that is somewhere else is of one version, or an error.
        let is_unchanged = match (self.bytes.file(), &self.state) {
            (Some(file), Some(state)) => is_unchanged(file, &self.path, state),
            _ => true,
        };
        match is_swmr || is_unchanged {
            true => Ok(()),
            false => Err(changed(&self.path)),
        }
    }

    /// Whether the file is as it was, and what has its name still. A file that is somewhere else is of one version.
    pub(crate) fn is_current(&self) -> bool {
        let Some(state) = self.state else {
            return true;
        };
        let named = self.path.metadata();
        let is_named = named.is_ok_and(|named| state.is_same_file(&FileState::of(&named)));
        is_named && self.check_unchanged().is_ok()
    }

    /// The outcome of work that read the file, if nobody changed it meanwhile.
    ///
    /// # Errors
    /// Those of the work; [`ErrorCode::FileChanged`].
    pub fn judge<T>(&self, outcome: Result<T>) -> Result<T> {
        match outcome {
            Ok(found) => self.check_unchanged().map(|()| found),
            Err(error) => Err(self.blame(error)),
        }
    }

    /// Why work that read the file failed: what looks like damage may be another program's work.
    pub fn blame(&self, error: Error) -> Error {
        if !may_come_of_a_change(error.code) {
            return error;
        }
        match self.check_unchanged() {
            Ok(()) => match self.bytes.file() {
                Some(file) => blame(error, file, &self.path),
                None => error,
            },
            Err(changed) => changed,
        }
    }

    /// The open file, HDF5 or classic netCDF.
    pub fn kind(&self) -> &InputKind {
        &self.kind
    }

    /// The HDF5 view, if it is HDF5.
    pub fn hdf5(&self) -> Option<&Hdf5Input> {
        match &self.kind {
            InputKind::Hdf5(hdf5) => Some(hdf5),
            InputKind::Classic(_) => None,
        }
    }

    /// All variables (HDF5: all datasets), in file order.
    pub fn variables(&self) -> &[DatasetInfo] {
        &self.variables
    }

    /// The file's bytes, for reading at any place.
    pub fn bytes(&self) -> Arc<FileBytes> {
        Arc::clone(&self.bytes)
    }

    /// What kind of file it is, and its bytes.
    pub fn into_parts(self) -> (InputKind, Arc<FileBytes>, Vec<DatasetInfo>) {
        (self.kind, self.bytes, self.variables)
    }

    /// The file's size.
    pub fn file_bytes(&self) -> u64 {
        match &self.kind {
            InputKind::Hdf5(hdf5) => hdf5.file_bytes(),
            InputKind::Classic(classic) => classic.file_bytes(),
        }
    }

    /// All attributes of a variable, or of the file (`None`).
    ///
    /// # Errors
    /// If an attribute cannot be read.
    pub fn attributes(&self, variable: Option<usize>) -> Result<Attributes> {
        match &self.kind {
            InputKind::Hdf5(hdf5) => {
                let path = variable.map_or("/", |i| self.variables[i].object_path.as_str());
                hdf5.describe_attributes(path)
                    .map(|attributes| Attributes::of_hdf5(&attributes))
                    .map_err(|error| from_container(error, &self.path))
            }
            InputKind::Classic(classic) => {
                let model = classic.model();
                Ok(Attributes::of_classic(match variable {
                    Some(i) => &model.variables[i].attributes,
                    None => &model.attributes,
                }))
            }
        }
    }

    /// A text attribute of a variable, or of the file (`None`).
    ///
    /// # Errors
    /// If attributes cannot be read.
    pub fn text_attribute(&self, variable: Option<usize>, name: &str) -> Result<Option<String>> {
        match &self.kind {
            InputKind::Hdf5(hdf5) => {
                let path = variable.map_or("/", |i| self.variables[i].object_path.as_str());
                hdf5.text_attribute(path, name)
                    .map_err(|e| from_container(e, &self.path))
            }
            InputKind::Classic(classic) => {
                let model = classic.model();
                let list = match variable {
                    Some(i) => &model.variables[i].attributes,
                    None => &model.attributes,
                };
                let found = list.iter().find(|attribute| attribute.name == name);
                Ok(found
                    .filter(|attribute| attribute.value.nc_type() == NcType::Char)
                    .map(|a| String::from_utf8_lossy(&a.value.to_be_bytes()).into_owned()))
            }
        }
    }

    /// The name users know the format by.
    ///
    /// # Errors
    /// If the superblock cannot be read.
    pub fn format_name(&self) -> Result<String> {
        let describe = |hdf5: &Hdf5Input| {
            Ok(if hdf5.is_classic_model()? {
                "netCDF-4 classic model"
            } else if hdf5.is_netcdf4()? {
                "netCDF-4"
            } else {
                "HDF5"
            })
        };
        match &self.kind {
            InputKind::Hdf5(hdf5) => describe(hdf5)
                .map(str::to_owned)
                .map_err(|e| from_container(e, &self.path)),
            InputKind::Classic(classic) => Ok(classic.format().name().to_owned()),
        }
    }

    /// Whether the output of a classic file keeps to the classic model (CDF-5 has types that the
    /// netCDF-4 classic model lacks).
    pub fn is_strict(&self) -> bool {
        match &self.kind {
            InputKind::Hdf5(_) => false,
            InputKind::Classic(classic) => classic.format() != ClassicFormat::Cdf5,
        }
    }
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Read,
    Replace,
    Prove,
    Source,
}

/// Opens a regular file without waiting for anybody.
fn open_regular(path: &Path) -> Result<File> {
    let opened = File::options()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path);
    let file = opened.map_err(|error| Error::io(&error, "open", path))?;
    let metadata = file.metadata();
    let metadata = metadata.map_err(|error| Error::io(&error, "inspect", path))?;
    match metadata.is_file() {
        true => Ok(file),
        false => Err(no_regular_file(&metadata.file_type()).in_file(path)),
    }
}

/// The error for what can only be read from its begin to its end, or not at all.
fn no_regular_file(kind: &FileType) -> Error {
    let (cause, cure) = if kind.is_dir() {
        (
            "is a directory",
            "name one file in it; `frazil pack --recursive` takes all of them",
        )
    } else if kind.is_fifo() || kind.is_socket() {
        (
            "is a pipe or a socket, and frazil must read its parts in any order",
            "save it to a file first, for example with `cat PIPE > FILE`",
        )
    } else {
        ("is a device, not a file", "name a file")
    };
    Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure)
}

/// Whether an open file holds the bytes that it held in a state. It may have lost its name.
fn is_unchanged(file: &File, path: &Path, state: &FileState) -> bool {
    let Ok(metadata) = file.metadata() else {
        return false;
    };
    let now = FileState::of(&metadata);
    let has_name = || {
        let named = path.metadata();
        named.is_ok_and(|named| now.is_same_file(&FileState::of(&named)))
    };
    state.has_same_bytes(&now) || (state.has_same_bytes_renamed(&now) && !has_name())
}

fn changed(path: &Path) -> Error {
    let cause = "another program changed it while it was being read";
    Error::new(ErrorCode::FileChanged, cause)
        .in_file(path)
        .with_cure("try again when no other program writes it")
}

/// Whether an error can come of a file that changes while it is read.
fn may_come_of_a_change(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::Corrupt
            | ErrorCode::Io
            | ErrorCode::Hdf5
            | ErrorCode::NetCdf
            | ErrorCode::Mismatch
            | ErrorCode::BoundExceeded
            | ErrorCode::Internal
    )
}

/// Says of an error that reading a file gave whether the file has a writer, who may be the reason.
fn blame(mut error: Error, file: &File, path: &Path) -> Error {
    let is_about_the_file = error.file.as_deref().is_none_or(|named| named == path);
    if is_about_the_file
        && may_come_of_a_change(error.code)
        && let Some(writer) = Writer::of(file)
    {
        error.cause = format!("{} ({})", error.cause, writer.words());
        error.cure = Some(writer.cure(path));
    }
    error
}

/// Classic variables in the words of HDF5 datasets; values become little-endian on reading.
fn classic_variables(classic: &ClassicFile) -> Vec<DatasetInfo> {
    let model = classic.model();
    let dimension_name = |&id: &usize| model.dimensions[id].name.clone();
    let is_record = |&id: &usize| model.dimensions[id].is_record;
    model
        .variables
        .iter()
        .zip(classic.locations())
        .map(|(variable, location)| {
            let mut element = location.element();
            if element.order == ByteOrder::Big {
                element.order = ByteOrder::Little;
            }
            let mut fill = variable.fill_value().to_be_bytes();
            fill.reverse();
            DatasetInfo {
                path: format!("/{}", variable.name),
                object_path: format!("/{}", variable.name),
                element,
                shape: location.shape().to_vec(),
                unlimited: variable.dimensions.iter().map(is_record).collect(),
                may_grow: variable.dimensions.iter().any(is_record),
                is_null: false,
                storage: DatasetStorage::Contiguous {
                    address: Some(location.begin()),
                },
                stored_bytes: location.data_bytes().unwrap_or(0),
                fill,
                fill_status: FillStatus::User,
                fill_time: FillTime::IfSet,
                dimension_names: variable.dimensions.iter().map(dimension_name).collect(),
                object_address: 0,
                is_dimension_only: false,
            }
        })
        .collect()
}
