//! Decides chunk shape, filters, level and precision, with reasons.
//!
//! In: shapes, types, samples of values, and what the user wants. Out: for each variable a chunk
//! shape, filters and precision, each with its reason and the size that is predicted.
//!
//! It uses no files, clocks, threads or libhdf5. Trials measure sizes, never times, so the same
//! input gives the same plan on every machine.
//!
//! Shapes are in elements, slowest axis first; sizes are in bytes unless their name says otherwise.

#![forbid(unsafe_code)]

mod candidates;
mod choice;
mod chunking;
mod contest;
pub mod energy;
mod error;
mod explain;
mod fast_level;
mod features;
mod filters;
mod goal;
mod index;
pub mod information;
mod integer_packing;
mod precision;
mod requests;
mod sample;
mod score;
mod serving;
mod spread;
mod tree;
mod trial;
mod trial_sizes;
mod weighing;

pub use candidates::{CandidateFilters, candidate, candidates, zlib_candidates};
pub use chunking::{
    AxisFacts, AxisRole, CMIP7_CHUNK_BYTES, Candidate, ChunkChoice, DEFAULT_TARGET_BYTES,
    ExistingShape, GoalInput, KEEP_FACTOR, KEEP_FOR_READS, MAX_CHUNK_BYTES, MOST_CHUNKS,
    NamedShape, ReadChoice, ReadCost, ReadCosts, ReadEstimate, ReadExtent, ReadGoal, ReadIntent,
    ServingShape, ShapeInput, ShapePolicy, TOTAL_CACHE_BYTES, WantedRead, apply_override,
    axis_roles, balanced_reads, cache_for_reads, choose, choose_for_reads, cmip7_data_shape,
    compare_for_reads, is_level_name, kept_for_reads, parse_reads, parts_for_reads,
    shapes_for_size, share_caches, whole_shape,
};
pub use error::PlanError;
pub use explain::{explain_finer, explain_smaller, filters_by};
pub use fast_level::{fastest_deflate_encoder, has_fastest_deflate};
pub use features::{FEATURE_NAMES, Features, LOOKED_AT};
pub use filters::{
    CurrentStorage, Estimate, FilterChoice, Finalist, Whole, choose_filters, confirmed,
};
pub use goal::Goal;
pub use index::index_bytes;
pub use integer_packing::choose_packing;
pub use precision::{PrecisionChoice, check_precision, choose_precision, has_precision, rounds};
pub use requests::{FilterOptions, ShuffleRequest};
pub use sample::{
    SamplePlan, is_large_file, sample_chunks, sample_plan, sample_shape, sample_window,
};
pub use score::{Score, Weights, is_next_to_nothing};
pub use spread::{share, spread};
pub use tree::{Advice, FilterTree, MOST_CHAINS, Node, TreeOf};
pub use trial::TriedChain;
pub use trial_sizes::TrialSizes;
pub use weighing::{SelectionCriteria, SpeedFloor};
