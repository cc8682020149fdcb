//! What can go wrong with a picture.

use frazil::ErrorCode;

/// Why a page could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The number of values is not that of the map.
    #[error("{path}: {values} values for a map of {columns} x {rows}")]
    Size {
        /// The variable.
        path: String,
        /// Values given.
        values: usize,
        /// Columns of the map.
        columns: usize,
        /// Rows of the map.
        rows: usize,
    },
    /// A map could not be encoded.
    #[error("a map could not be encoded: {0}")]
    Png(#[from] png::EncodingError),
}

impl Error {
    /// The code that all faces of frazil use.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        ErrorCode::Internal
    }
}

/// A picture, or why there is none.
pub type Result<T> = std::result::Result<T, Error>;
