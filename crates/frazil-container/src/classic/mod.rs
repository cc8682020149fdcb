//! Classic netCDF files: CDF-1, CDF-2 and CDF-5.
//!
//! The reader parses the header itself and never lends the file to a library: [`ClassicFile`] says
//! what is in the file and where, [`Slabs`] cuts a variable into virtual chunks that lie in the file
//! as they are. [`ClassicWriter`] writes one, names and attributes byte for byte: netCDF-C would refuse
//! some that it reads, and normalise others.

mod datatype;
mod encode;
mod error;
mod format;
mod header;
mod locate;
mod model;
mod slabs;
mod value;
mod window;
mod write;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

pub use error::ClassicError;
pub use format::ClassicFormat;
pub use header::MAX_HEADER_BYTES;
pub use locate::VariableLocation;
pub use model::{ClassicAttribute, ClassicDimension, ClassicModel, ClassicVariable, ModelFault};
pub use slabs::Slabs;
pub use value::{AttributeValue, NcType};
pub use write::ClassicWriter;

use header::Stop;

/// The contents of a classic file as plain data: no open file is behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassicFile {
    path: PathBuf,
    format: ClassicFormat,
    model: ClassicModel,
    locations: Vec<VariableLocation>,
    file_bytes: u64,
    header_bytes: u64,
}

impl ClassicFile {
    /// Reads the header of a file and locates its variables. No data are read.
    ///
    /// Names are kept as they are, up to a first NUL (netCDF-C reads them so); a name that is not
    /// UTF-8 is refused, since neither netCDF-4 nor a JSON report could hold it. Bytes of text attributes are kept whatever their encoding.
    ///
    /// A file that lacks bytes of a variable is refused; one that lacks padding only is not. If the
    /// record count is "streaming", the records that are there as a whole count.
    ///
    /// # Errors
    /// [`ClassicError::Io`] if the file cannot be read, [`ClassicError::NotClassic`] if it is
    /// something else, and an error with [`ErrorCode::Corrupt`](frazil_types::ErrorCode::Corrupt)
    /// if it is damaged or cut short.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ClassicError> {
        let path = path.as_ref();
        let io_error = |source| ClassicError::Io {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(io_error)?;
        let file_bytes = file.metadata().map_err(io_error)?.len();
        Self::parse(path, file, file_bytes)
    }

    /// As [`open`](Self::open), from any source of the file's `file_bytes` bytes; `path` is for
    /// messages.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    pub fn parse(
        path: impl Into<PathBuf>,
        source: impl Read,
        file_bytes: u64,
    ) -> Result<Self, ClassicError> {
        let path = path.into();
        let mut header = match header::parse(source, file_bytes) {
            Ok(header) => header,
            Err(Stop::Read(source)) => return Err(ClassicError::Io { path, source }),
            Err(Stop::Fault(error)) => return Err(error),
        };
        header.model.check().map_err(ClassicError::Inconsistent)?;
        let locations = locate::locate(&mut header, file_bytes)?;
        Ok(Self {
            path,
            format: header.format,
            model: header.model,
            locations,
            file_bytes,
            header_bytes: header.end,
        })
    }

    /// The path it was opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file's format.
    #[must_use]
    pub fn format(&self) -> ClassicFormat {
        self.format
    }

    /// Dimensions, attributes and variables.
    #[must_use]
    pub fn model(&self) -> &ClassicModel {
        &self.model
    }

    /// The place of each variable, in the order of [`ClassicModel::variables`].
    #[must_use]
    pub fn locations(&self) -> &[VariableLocation] {
        &self.locations
    }

    /// Length of the file when it was opened.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Length of the header.
    #[must_use]
    pub fn header_bytes(&self) -> u64 {
        self.header_bytes
    }
}
