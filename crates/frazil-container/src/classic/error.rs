//! What can go wrong with a classic file.

use std::io;
use std::path::PathBuf;

use frazil_types::ErrorCode;

use super::model::ModelFault;

/// An error of the classic reader or writer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClassicError {
    /// The operating system could not open or read a file.
    #[error("cannot be read: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The operating system could not create or write a file.
    #[error("cannot be written: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file does not begin with `CDF` and a known version.
    #[error("not a classic netCDF file: it begins with {magic:02x?}")]
    NotClassic {
        /// The first bytes, 4 at most.
        magic: Vec<u8>,
    },
    /// The file ends inside its header, or a count in the header is larger than the file.
    #[error(
        "the header is cut short: {doing} at byte {at} needs {needed_bytes} bytes, but only \
         {left_bytes} are left"
    )]
    HeaderTruncated {
        /// What was being read.
        doing: &'static str,
        /// Address in the file.
        at: u64,
        /// Bytes needed at least.
        needed_bytes: u64,
        /// Bytes up to the end of the file.
        left_bytes: u64,
    },
    /// The header breaks the format's grammar.
    #[error("damaged header: {what} at byte {at}")]
    Header {
        /// What is wrong.
        what: String,
        /// Address in the file.
        at: u64,
    },
    /// The header is larger than [`MAX_HEADER_BYTES`](super::MAX_HEADER_BYTES).
    #[error("the header is larger than {limit_bytes} bytes")]
    HeaderTooLarge {
        /// The limit.
        limit_bytes: u64,
    },
    /// The header contradicts itself.
    #[error("damaged header: {0}")]
    Inconsistent(ModelFault),
    /// A variable's place in the file cannot be right.
    #[error("variable `{variable}`: {what}")]
    Layout {
        /// The variable.
        variable: String,
        /// What is wrong.
        what: String,
    },
    /// The file ends before a variable's last value.
    #[error(
        "variable `{variable}`: the file is cut short, {missing_bytes} of its bytes are missing \
         (its data end at byte {end}, the file at byte {file_bytes})"
    )]
    Truncated {
        /// The variable.
        variable: String,
        /// Bytes from the file's end to the end of the variable's data.
        missing_bytes: u64,
        /// First address past the variable's data.
        end: u64,
        /// Length of the file.
        file_bytes: u64,
    },
    /// The model does not fit the classic format asked for, or none.
    #[error("not possible in a classic netCDF file: {0}")]
    NotRepresentable(ModelFault),
    /// A variable number, selection, buffer or path that cannot be used.
    #[error("{what}")]
    InvalidArgument {
        /// What is wrong.
        what: String,
    },
}

impl ClassicError {
    /// The stable error number.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Io { source, .. } | Self::Write { source, .. } => code_of_io(source),
            Self::NotClassic { .. } | Self::HeaderTooLarge { .. } | Self::NotRepresentable(_) => {
                ErrorCode::Unsupported
            }
            Self::HeaderTruncated { .. }
            | Self::Header { .. }
            | Self::Inconsistent(_)
            | Self::Layout { .. }
            | Self::Truncated { .. } => ErrorCode::Corrupt,
            Self::InvalidArgument { .. } => ErrorCode::InvalidArgument,
        }
    }
}

fn code_of_io(error: &io::Error) -> ErrorCode {
    match error.kind() {
        // The file's length was asked for before: it must have shrunk since.
        io::ErrorKind::UnexpectedEof => ErrorCode::FileChanged,
        _ => ErrorCode::of_io_error(error),
    }
}
