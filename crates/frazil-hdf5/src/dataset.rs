//! Datasets.

use std::ops::Range;

use frazil_types::{ChunkRecord, FilterPipeline};

use crate::chunks::Chunked;
use crate::context::Context;
use crate::dataspace::Extent;
use crate::datatype::TypeDescription;
use crate::error::{Result, damaged};
use crate::header::{Header, kind};
use crate::heap::GlobalId;
use crate::message::{ChunkIndex, ExternalFile, FillValue, Layout, decode_fill, decode_filters};

/// How a dataset's values are stored.
#[derive(Debug, Clone)]
pub enum Storage {
    /// In the object header: these bytes.
    Compact(Vec<u8>),
    /// One run of bytes.
    Contiguous {
        /// Where it begins in the file, the user block included; `None` if nothing was ever written.
        address: Option<u64>,
        /// Bytes of the run as the file says them; old files do not.
        bytes: Option<u64>,
    },
    /// In other files.
    External(Vec<ExternalFile>),
    /// Mapped onto datasets of other files; the list of them is an object of a global heap.
    Virtual(Option<GlobalId>),
    /// Equal chunks.
    Chunked(Chunks),
}

/// The chunks of a dataset.
#[derive(Debug, Clone)]
pub struct Chunks {
    /// Chunk shape in elements.
    pub chunk: Vec<u64>,
    /// Filters in writing order.
    pub pipeline: FilterPipeline,
    /// Chunks that stick out of the array are stored without filters.
    pub raw_partial_edges: bool,
    index: ChunkIndex,
    address: Option<u64>,
}

/// A dataset.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// One element as stored.
    pub datatype: TypeDescription,
    /// The committed datatype that this is, by the address of its header.
    pub committed: Option<u64>,
    /// Its shape.
    pub extent: Extent,
    /// Its fill value.
    pub fill: FillValue,
    /// Where its values are.
    pub storage: Storage,
}

impl Dataset {
    pub(crate) fn read(context: &Context, header: &Header) -> Result<Self> {
        let (datatype, committed) = context.datatype_of(header)?;
        let extent = context.decoded(header, kind::DATASPACE, Extent::decode)?;
        let extent = extent.ok_or_else(|| damaged("it has no dataspace"))?;
        let fill = fill_of(context, header)?;
        if !fill.value.is_empty() && fill.value.len() != datatype.size_bytes {
            return Err(damaged("its fill value has another size than its elements"));
        }
        let layout = context.decoded(header, kind::LAYOUT, Layout::decode)?;
        let layout = layout.ok_or_else(|| damaged("it does not say where its values are"))?;
        let storage = storage_of(context, header, layout, &extent)?;
        Ok(Self {
            datatype,
            committed,
            extent,
            fill,
            storage,
        })
    }

    /// Bytes stored for values that are not in chunks; 0 for chunks.
    #[must_use]
    pub fn unchunked_bytes(&self) -> u64 {
        let whole = || {
            let elements = self.extent.elements().unwrap_or_default();
            elements.saturating_mul(self.datatype.size_bytes as u64)
        };
        match &self.storage {
            Storage::Compact(bytes) => bytes.len() as u64,
            Storage::Contiguous { address: None, .. }
            | Storage::Virtual(_)
            | Storage::Chunked(_) => 0,
            Storage::Contiguous { bytes, .. } => bytes.unwrap_or_else(whole),
            Storage::External(_) => whole(),
        }
    }

    /// Where the stored chunks lie, in row-major order of the grid; none if the dataset has no chunks. `within`: only
    /// chunks of these numbers.
    ///
    /// # Errors
    /// If the index cannot be read, or names chunks outside the file.
    pub(crate) fn locate(
        &self,
        context: &Context,
        within: Option<&Range<u64>>,
    ) -> Result<Vec<ChunkRecord>> {
        let (Storage::Chunked(chunks), Extent::Simple { shape, max_shape }) =
            (&self.storage, &self.extent)
        else {
            return Ok(Vec::new());
        };
        let Some(address) = chunks.address else {
            return Ok(Vec::new());
        };
        Chunked {
            shape,
            max_shape,
            chunk: &chunks.chunk,
            element_bytes: self.datatype.size_bytes as u64,
            has_filters: !chunks.pipeline.0.is_empty(),
            index: chunks.index,
            address,
            tree_rank: context.ranks().chunk_node,
        }
        .locate(context.input(), within)
    }
}

fn fill_of(context: &Context, header: &Header) -> Result<FillValue> {
    let fill = context.decoded(header, kind::FILL_VALUE, |at| decode_fill(at, false))?;
    match fill {
        Some(fill) => Ok(fill),
        None => {
            let old = context.decoded(header, kind::OLD_FILL_VALUE, |at| decode_fill(at, true))?;
            Ok(old.unwrap_or_else(FillValue::unstated))
        }
    }
}

fn storage_of(
    context: &Context,
    header: &Header,
    layout: Layout,
    extent: &Extent,
) -> Result<Storage> {
    let base = context.input().base();
    Ok(match layout {
        Layout::Compact(bytes) => Storage::Compact(bytes),
        Layout::Contiguous { address, bytes } => match context.external_files(header)? {
            Some(files) => Storage::External(files),
            None => Storage::Contiguous {
                address: address.and_then(|address| address.checked_add(base)),
                bytes,
            },
        },
        Layout::Virtual(list) => Storage::Virtual(list),
        Layout::Chunked {
            chunk,
            raw_partial_edges,
            index,
            address,
        } => {
            if chunk.len() != extent.shape().len() {
                return Err(damaged(format!(
                    "chunks of shape {chunk:?} do not fit an array of shape {:?}",
                    extent.shape()
                )));
            }
            let pipeline = context.decoded(header, kind::FILTERS, decode_filters)?;
            Storage::Chunked(Chunks {
                chunk,
                pipeline: pipeline.unwrap_or_default(),
                raw_partial_edges,
                index,
                address,
            })
        }
    })
}
