//! A dataset as plain data.

use frazil_types::{ElementType, FileAddress, FilterPipeline};

use frazil_hdf5::{FillStatus, FillTime};

/// How a dataset's values are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatasetStorage {
    /// In the object header.
    Compact,
    /// One run of bytes; no address if nothing was ever written.
    Contiguous {
        /// Where the run begins.
        address: Option<FileAddress>,
    },
    /// In other files.
    External,
    /// Mapped onto datasets of (other) files.
    Virtual,
    /// Equal chunks.
    Chunked {
        /// Chunk shape in elements.
        chunk: Vec<u64>,
        /// Filters in writing order.
        pipeline: FilterPipeline,
        /// Chunks that stick out of the array are stored without filters
        /// (`H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS`).
        raw_partial_edges: bool,
    },
}

/// A dataset as plain data.
#[derive(Debug, Clone)]
pub struct DatasetInfo {
    /// Absolute path, the variable's name in netCDF at its end.
    pub path: String,
    /// Absolute path of the object in the file: netCDF gives some variables another name there.
    pub object_path: String,
    /// One element.
    pub element: ElementType,
    /// Shape in elements; empty for scalars.
    pub shape: Vec<u64>,
    /// Which axes are unlimited.
    pub unlimited: Vec<bool>,
    /// Whether an axis may become longer than it is, without limit or up to one: HDF5 then wants
    /// chunks.
    pub may_grow: bool,
    /// Whether the dataspace is null: no value at all.
    pub is_null: bool,
    /// How values are stored.
    pub storage: DatasetStorage,
    /// Bytes stored for values. 0 for chunks until somebody counts them: few readers need that, and it walks the index.
    pub stored_bytes: u64,
    /// One element of fill value, zeros where none was set; empty for indirect elements, and for zeros of those that
    /// are larger than the file: any number of datasets may claim such.
    pub fill: Vec<u8>,
    /// What kind of fill value that is.
    pub fill_status: FillStatus,
    /// When fill values are written.
    pub fill_time: FillTime,
    /// Dimension names by axis where dimension scales name them, else empty strings.
    pub dimension_names: Vec<String>,
    /// Address of the object header: what object references hold.
    pub object_address: u64,
    /// Whether this is a netCDF dimension without a variable.
    pub is_dimension_only: bool,
}

impl DatasetInfo {
    /// Whether one element is larger than the file, which holds it compressed or not at all.
    #[must_use]
    pub fn has_oversized_elements(&self) -> bool {
        self.element.is_self_contained() && self.fill.len() < self.element.size_bytes
    }

    /// Number of elements; `None` on overflow.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        if self.is_null {
            return Some(0);
        }
        self.shape
            .iter()
            .try_fold(1_u64, |product, &n| product.checked_mul(n))
    }

    /// Bytes without compression; `None` on overflow.
    #[must_use]
    pub fn raw_bytes(&self) -> Option<u64> {
        self.elements()?.checked_mul(self.element.size_bytes as u64)
    }
}
