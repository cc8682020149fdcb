//! HDF5 files: scan one, locate its chunks, define its copy, place chunks into that.

mod additions;
mod attribute_form;
mod attributes;
mod classic_define;
mod committed_types;
mod contents;
mod creation;
mod dataset_info;
mod define;
mod describe;
mod filters;
mod links;
mod live;
mod locate;
mod metadata;
mod netcdf_names;
mod objects;
mod output;
mod provenance;
mod references;
mod scales;
mod scan;
mod values;
mod writer_flags;

pub use additions::{Additions, AttributeValue, NewAttribute, NewContainer, Retyped};
pub use contents::{Contents, Entry, EntryKind};
pub use dataset_info::{DatasetInfo, DatasetStorage};
pub use define::is_storable_chunk;
pub use describe::netcdf::is_internal as is_hidden_attribute;
pub use describe::{
    AttributeDescription, ClassicView, DatasetPlace, Expanded, ObjectAttributes, Obstacle,
    StoredElement, expand_plain,
};
pub use frazil_hdf5::text::bytes_of_text;
pub use frazil_hdf5::{
    Arrival, BitRange, Extent, ExternalFile, FillStatus, FillTime, FloatForm, MemberDescription,
    NumberConversion, Selection as ElementSelection, Source, TextPadding, TypeClass,
    TypeDescription, VirtualPart,
};
pub use live::{ExistingFile, ExistingVariable, LiveOutput, Placement};
pub use netcdf_names::NON_COORDINATE_PREFIX;
pub use output::{Finished, Hdf5Output, OutputTarget};
pub use provenance::provenance;
pub use scan::Hdf5Input;
pub use values::parts_to_copy;
pub use writer_flags::WriterFlags;

pub use crate::commit::{
    LeftBeside, Recovery, cut_trailing, forget_journal, left_beside, recover, trailing_bytes,
};
pub use crate::ffi::dataspace::Hyperslab;
pub use crate::ffi::filter_decoder::{DecodeFilter, decode_filters_with};

/// How one dataset is to be stored in the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputStorage {
    /// As it is in the input: compact, virtual, or the same contiguous or chunked layout.
    Keep,
    /// One run of bytes.
    Contiguous,
    /// Chunks with filters.
    Chunked {
        /// Chunk shape in elements.
        chunk: Vec<u64>,
        /// Filters in writing order.
        pipeline: frazil_types::FilterPipeline,
    },
}
