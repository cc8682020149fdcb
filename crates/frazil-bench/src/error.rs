//! What can go wrong in a measurement.

use std::path::PathBuf;

use frazil_codec::CodecError;
use frazil_container::ContainerError;
use thiserror::Error;

/// An error that ends the measurement.
#[derive(Debug, Error)]
pub(crate) enum Error {
    /// No plan can be made for the file.
    #[error("{0}")]
    Plan(#[from] frazil::Error),
    /// The file contradicts itself or cannot be opened.
    #[error("{path}: {source}", path = .path.display())]
    Container {
        /// The file.
        path: PathBuf,
        /// What the storage room says.
        source: ContainerError,
    },
    /// The system refuses to read the file.
    #[error("{path}: {source}", path = .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A chunk cannot be decoded or encoded.
    #[error("{variable}: {source}")]
    Codec {
        /// Path of the variable in the file.
        variable: String,
        /// What the codec says.
        source: CodecError,
    },
    /// A variable whose values do not lie inside the file, or whose size overflows.
    #[error("{variable}: {what}")]
    Variable {
        /// Path of the variable in the file.
        variable: String,
        /// What is wrong.
        what: &'static str,
    },
    /// No variable of this path.
    #[error("there is no variable {0}")]
    NoVariable(String),
    /// There is nothing to measure.
    #[error("nothing to encode or copy with these options; left out: {0}")]
    NoWork(String),
    /// A bug.
    #[error("a codec thread panicked")]
    Panicked,
    /// A report that JSON cannot hold.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}

impl Error {
    /// Names the variable of a codec error.
    pub(crate) fn codec(variable: &str) -> impl FnOnce(CodecError) -> Self {
        let variable = variable.to_owned();
        move |source| Self::Codec { variable, source }
    }
}
