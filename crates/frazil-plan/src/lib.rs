//! The decision unit: chunk shape, filters, level, precision, and why.
//!
//! Pure: no files, no clocks, no threads, no libhdf5. Trials measure sizes, never times, so the
//! same input gives the same plan on every machine.
//!
//! Shapes are in elements, slowest axis first; sizes are in bytes unless their name says otherwise.

#![forbid(unsafe_code)]

mod balance;
mod chunk_shape;
mod error;
mod explain;
mod fast_level;
mod filters;
mod fixed_shape;
mod goal;
pub mod information;
mod precision;
mod read_cost;
mod sample;
mod trial;

pub use chunk_shape::{
    ChunkChoice, DEFAULT_TARGET_BYTES, ExistingShape, KEEP_FACTOR, MAX_CHUNK_BYTES, ShapeInput,
    ShapePolicy, choose,
};
pub use error::PlanError;
pub use fast_level::{fastest_deflate_encoder, has_fastest_deflate};
pub use filters::{CurrentStorage, FilterChoice, FilterWishes, ShuffleWish, choose_filters};
pub use fixed_shape::{CMIP7_CHUNK_BYTES, apply_override, cmip7_data_shape, whole_shape};
pub use goal::Goal;
pub use precision::{PrecisionChoice, choose_precision, has_precision};
pub use read_cost::{ReadCost, ReadCosts};
pub use sample::{SAMPLE_SHARE, SamplePlan, sample_chunks, sample_plan, sample_window};
