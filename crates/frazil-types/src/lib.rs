//! Types that all crates of frazil share, as plain data.
//!
//! In and out: numbers and names, such as element types, chunk grids, filters and error codes.
//!
//! This crate opens no files, starts no threads and compresses nothing. Shapes are in elements,
//! slowest axis first (C order), as in HDF5 and netCDF-C.

#![forbid(unsafe_code)]

mod axis_run;
mod axis_selection;
mod calibration;
mod chunk_goal;
mod chunk_record;
mod element;
mod error_code;
mod filter_chain;
mod filter_constraints;
mod filter_spec;
mod filter_values;
mod grid;
mod plain_text;
mod plan;
mod precision;
mod selection;
mod source_error;
mod speed_demand;
pub mod spelling;
pub mod sync;
mod type_fault;
mod words;

pub use axis_run::AxisRun;
pub use axis_selection::{AxisSelection, selected_elements};
pub use calibration::{
    Calibration, CodecSpeed, FigureSource, FigureSources, Storage, StorageSpeed,
};
pub use chunk_goal::ChunkGoal;
pub use chunk_record::{ChunkRecord, FileAddress, FileExtent};
pub use element::{ByteOrder, ElementClass, ElementType, is_all, repeated_element};
pub use error_code::ErrorCode;
pub use filter_chain::{FilterChain, FilterChainError};
pub use filter_constraints::FilterConstraints;
pub use filter_spec::{FilterPipeline, FilterSpec, ReaderLevel, filter_id, filter_name};
pub use filter_values::{completed, completed_values};
pub use grid::{ChunkGrid, MAX_RANK};
pub use plain_text::{is_plain, plain, plain_path, without_secrets};
pub use plan::{
    DeflateEncoder, LayoutProfile, ReaderCache, StorageLayout, VariablePlan, WritePlan,
};
pub use precision::{
    DataOrigin, ErrorBound, IntegerPacking, PrecisionRequest, ProtectedValues, QuantizeAlgorithm,
    QuantizePlan, Rounding, share_of_percent,
};
pub use selection::Selection;
pub use source_error::SourceError;
pub use speed_demand::{SpeedDemand, Transfer};
pub use type_fault::type_fault;
