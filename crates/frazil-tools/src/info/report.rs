//! What a file holds, as plain data.

use std::path::PathBuf;

use frazil_types::ReaderLevel;
use serde::Serialize;

use frazil_file::wording::lossy;
use frazil_precision::stated::StatedPrecision;

/// One variable as it lies in a file.
#[derive(Debug, Clone, Serialize)]
pub struct VariableInfo {
    /// Absolute path in the file.
    pub path: String,
    /// Element type name.
    pub element: String,
    /// Dimension names where the file has them, else empty.
    pub dimensions: Vec<String>,
    /// Shape in elements.
    pub shape: Vec<u64>,
    /// Which axes are unlimited.
    pub unlimited: Vec<bool>,
    /// `contiguous`, `chunked`, `compact`, `virtual`, `external` or `classic`.
    pub layout: String,
    /// Chunk shape in elements, if chunked.
    pub chunk: Option<Vec<u64>>,
    /// Stored chunks.
    pub chunk_count: Option<u64>,
    /// Filters, `shuffle+deflate(4)`.
    pub filters: String,
    /// Bytes without compression.
    pub raw_bytes: u64,
    /// Bytes stored.
    pub stored_bytes: u64,
    /// Share of elements equal to the fill value, on request.
    pub fill_fraction: Option<f64>,
    /// Filters of this variable that this build cannot decode: `(id, name)`.
    pub missing_filters: Vec<(i32, String)>,
    /// Who can read the variable.
    pub readable_by: Option<ReaderLevel>,
    /// How the file says that its values were rounded.
    pub precision: Option<StatedPrecision>,
}

/// A file at a glance.
#[derive(Debug, Clone, Serialize)]
pub struct FileInfo {
    /// The file.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// `netCDF-4`, `netCDF-4 classic model`, `HDF5`, `CDF-1`, `CDF-2`, `CDF-5`.
    pub format: String,
    /// Size in bytes.
    pub file_bytes: u64,
    /// HDF5 superblock version, if HDF5.
    pub superblock: Option<u32>,
    /// Variables in file order.
    pub variables: Vec<VariableInfo>,
    /// One sentence: who can read the whole file.
    pub readable_by: String,
    /// Groups, links and other things worth knowing, one line each.
    pub notices: Vec<String>,
}
