//! Chunk shapes: how a variable's values are cut.
//!
//! Two rules decide. Where nothing is said about reads, [`choose`] balances maps and series in
//! chunks of about 1 MiB; of large variables [`parts_for_reads`] are smaller ones, if they pack as well.
//! Where
//! bytes are what counts, some of [`shapes_for_size`] may pack better. Where reads or storage are stated,
//! [`choose_for_reads`] minimises what the worst of the wanted reads costs beside its own best. All are pure: shapes in, shapes out.

mod axes;
mod balance;
mod cache;
mod chunk_shape;
mod cost;
mod fixed_shape;
mod for_size;
mod goal;
mod goal_input;
mod read_cost;
mod reads;
mod search;

pub use axes::{AxisFacts, AxisRole, axis_roles, is_level_name};
pub use cache::{TOTAL_CACHE_BYTES, cache_for_reads, kept_for_reads, share_caches};
pub use chunk_shape::{
    ChunkChoice, DEFAULT_TARGET_BYTES, ExistingShape, KEEP_FACTOR, MAX_CHUNK_BYTES, ShapeInput,
    ShapePolicy, choose,
};
pub use fixed_shape::{CMIP7_CHUNK_BYTES, apply_override, cmip7_data_shape, whole_shape};
pub use for_size::{NamedShape, shapes_for_size};
pub use goal::{
    Candidate, KEEP_FOR_READS, MOST_CHUNKS, ReadChoice, ReadEstimate, ServingShape,
    choose_for_reads, compare_for_reads, parts_for_reads,
};
pub use goal_input::{GoalInput, ReadGoal};
pub use read_cost::{ReadCost, ReadCosts};
pub use reads::{ReadExtent, ReadIntent, WantedRead, balanced_reads, parse_reads};
