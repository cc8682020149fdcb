//! One view of the two kinds of input: HDF5 (netCDF-4 included) and classic netCDF.

use std::fs::{File, FileType};
use std::io::Read;
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use frazil_codec::{BoundDecoder, Scratch, decode_one};
use frazil_container::ContainerError;
use frazil_container::classic::{ClassicFile, ClassicFormat, NcType};
use frazil_container::hdf5::{
    DatasetInfo, DatasetStorage, FillStatus, FillTime, Hdf5Input, decode_filters_with,
};
use frazil_types::{ByteOrder, ErrorCode, FilterPipeline, FilterSpec};
use rustix::fs::OFlags;

use crate::attributes::Attributes;
use crate::error::{Error, Result};
pub use crate::file_bytes::FileBytes;
use crate::file_state::{self, FileState};
use crate::left_commit::{LeftCommit, look_beside};
use crate::other_writers::{self, Writer};
use crate::storage_error::{from_container, unreadable};
use crate::virtual_data;

/// HDF5 superblocks begin at byte 0, 512, 1024, ... with these bytes.
const HDF5_SIGNATURE: [u8; 8] = [0x89, b'H', b'D', b'F', 0x0d, 0x0a, 0x1a, 0x0a];

/// An input file of either kind, with its variables as plain data.
#[derive(Debug)]
pub struct Input {
    path: PathBuf,
    bytes: Arc<FileBytes>,
    /// As of opening.
    state: FileState,
    writer: Option<Writer>,
    kind: InputKind,
    variables: Vec<DatasetInfo>,
    left: Option<LeftCommit>,
}

/// What kind of file an input is.
#[derive(Debug)]
pub enum InputKind {
    /// HDF5 of any sort.
    Hdf5(Hdf5Input),
    /// Classic netCDF.
    Classic(ClassicFile),
}

impl Input {
    /// Opens a file of either kind. What a killed writer left beside it is told of
    /// ([`Self::notices`]) and not touched.
    ///
    /// # Errors
    /// If it cannot be read, or a writer was killed when a part of a commit was in it.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_for(path, Purpose::Read)
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
        let variables = match &kind {
            InputKind::Hdf5(hdf5) => hdf5.datasets().to_vec(),
            InputKind::Classic(classic) => classic_variables(classic),
        };
        Ok(Self {
            path: path.to_owned(),
            bytes: Arc::new(FileBytes::new(file)),
            state,
            writer,
            kind,
            variables,
            left,
        })
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

    /// The file's state when it was opened.
    pub fn state(&self) -> FileState {
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
        match is_swmr || is_unchanged(self.bytes.file(), &self.path, &self.state) {
            true => Ok(()),
            false => Err(changed(&self.path)),
        }
    }

    /// Whether the file is as it was, and what has its name still.
    pub(crate) fn is_current(&self) -> bool {
        let named = self.path.metadata();
        let is_named = named.is_ok_and(|named| self.state.is_same_file(&FileState::of(&named)));
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
            Ok(()) => blame(error, self.bytes.file(), &self.path),
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
            "name files in it, as DIR/*.nc; `frazil pack --recursive` takes all of it",
        )
    } else if kind.is_fifo() || kind.is_socket() {
        (
            "is a pipe or a socket, and parts of it are read in any order",
            "save it to a file first, as `cat PIPE > FILE`",
        )
    } else {
        ("is a device, and holds no file", "name a file")
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

fn open_kind(file: &File, path: &Path) -> std::result::Result<InputKind, ContainerError> {
    let mut magic = [0_u8; 8];
    let mut head = file;
    let got = head.read(&mut magic).unwrap_or(0);
    if ClassicFormat::from_magic(&magic[..got]).is_some() {
        return Ok(InputKind::Classic(ClassicFile::open(path)?));
    }
    if has_signature(file) {
        decode_filters_with(undo_one_filter);
        return Hdf5Input::open(path).map(InputKind::Hdf5);
    }
    Err(ContainerError::NotAContainer(match &magic[..got] {
        [] => " (the file is empty)".to_owned(),
        [0x0e, 0x03, 0x13, 0x01, ..] => " (it is HDF4; convert it with h4toh5 first)".to_owned(),
        [b'G', b'R', b'I', b'B', ..] => " (it is GRIB; convert it with cdo or ecCodes)".to_owned(),
        _ => String::new(),
    }))
}

/// Undoes one filter of a chunk that is read through libhdf5. The result has at most as many bytes
/// as given; 0: as the chunk itself states.
fn undo_one_filter(
    filter: &FilterSpec,
    stored: &[u8],
    at_most: usize,
) -> std::result::Result<Vec<u8>, String> {
    let mut scratch = Scratch::default();
    let decoded = match at_most {
        0 => decode_one(filter, stored, &mut scratch),
        _ => BoundDecoder::bind(&FilterPipeline(vec![filter.clone()]), 1, at_most)
            .and_then(|decoder| decoder.decode_start(stored, 0, &mut scratch)),
    };
    decoded.map_err(|error| error.to_string())
}

/// Looks for the HDF5 signature where a user block may have pushed it.
fn has_signature(file: &File) -> bool {
    let mut found = [0_u8; 8];
    let mut at = 0_u64;
    while file.read_exact_at(&mut found, at).is_ok() {
        if found == HDF5_SIGNATURE {
            return true;
        }
        at = if at == 0 { 512 } else { at * 2 };
    }
    false
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

/// The error for one file of several that a driver of HDF5 has split: libhdf5 calls it damaged.
fn or_one_of_several(error: Error, file: &File) -> Error {
    /// A driver's name stands near the superblock.
    const HEAD_BYTES: usize = 512;
    let mut head = [0; HEAD_BYTES];
    let read = file.read_at(&mut head, 0).unwrap_or(0);
    let has = |name: &[u8]| head[..read].windows(name.len()).any(|at| at == name);
    let (driver, cure) = if has(b"NCSAfami") {
        let cure = "join them first: h5repart -family_to_single NAME_%d.h5 whole.h5";
        ("family", cure)
    } else if has(b"NCSAmult") {
        let cure = "copy all of it to one file first, for example with h5py's driver=\"split\"";
        ("multi", cure)
    } else {
        return error;
    };
    let path = error.file.clone().unwrap_or_default();
    let cause = format!("is one of several files that HDF5's {driver} driver makes of one");
    Error::new(ErrorCode::Unsupported, cause)
        .in_file(&path)
        .with_cure(cure)
}
