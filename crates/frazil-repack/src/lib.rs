//! Repacking whole files: `pack`, `unpack`, `plan`, and the dry run.
//!
//! In: an input file and [`frazil_options::options::PackOptions`]. Out: a packed file and a report; or,
//! without writing anything, a plan or a prediction of size and time.
//!
//! The stages, in the order in which a repack runs them:
//!
//! 1. `sample_*` and `samples` read a part of each variable's values.
//! 2. `shapes` and `finer_chunks` choose chunk shapes. `filter_trial` and `confirm` compare
//!    filters. `shape_trial` tries other shapes where bytes count, `shape_contest` takes them if they are
//!    smaller. `decide` puts the decisions together.
//! 3. `routes` says for each variable whether chunks are copied, decoded and packed, or rounded.
//! 4. `define` makes the output's objects, `fill` sends chunks through the pipeline and places them.
//! 5. `kept` keeps the input instead where the output would not be smaller.
//!
//! [`repack`] runs the stages, `predict` all except the writing. [`plan_report`] and
//! [`plan_compare`] report the alternatives; `compared_plans` and `known_sizes` keep what the plans of one comparison
//! have in common.

#![forbid(unsafe_code)]

mod chunk_batches;
mod chunk_values;
mod compared;
mod compared_plans;
mod confirm;
mod copying;
mod decide;
mod define;
mod draft_report;
pub mod encodings;
mod energy;
mod far_output;
mod fill;
pub mod filter_measure;
mod filter_trial;
mod finer_chunks;
mod grown;
mod idle;
mod input_filters;
mod job;
mod kept;
mod known_sizes;
mod metadata_size;
pub mod plan_compare;
pub mod plan_report;
mod planning;
mod predict;
pub mod repack;
mod routes;
mod sample_boxes;
mod sample_run;
mod sample_sources;
mod sample_windows;
mod samples;
mod shape_contest;
mod shape_trial;
mod shapes;
mod shapes_tried;
mod tried_chunks;
mod unpack_classic;
