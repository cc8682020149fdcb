//! Files: opening an input, placing an output, and what every operation needs for that.
//!
//! In: paths that a user names. Out: an [`input::Input`] whose metadata are known and checked, and
//! a [`pending::Attempt`], an output that appears complete under its name or not at all.
//!
//! - Names: [`address`] tells URLs from paths, [`remote`] is the way to other machines.
//! - Errors: [`error::Error`] names the file, the object, the cause and the cure, with a stable code.
//! - Outputs: [`output`] finds the place that a path means, [`name_lock`] and [`naming`] keep two
//!   processes from one name, [`unfinished`] removes what is left when the process ends.
//! - Unfinished commits: [`recover`] applies or drops a journal; everything else only reports it.
//! - Limits: [`resources`] holds threads and memory, [`run`] starts the pipeline with them.
//! - Values: [`virtual_data`] gathers those of other datasets, [`through_library`] asks libhdf5.
//! - Stored chunks: [`sources`] finds them, [`chunk_subset`] takes a part, [`placer`] writes runs.

#![forbid(unsafe_code)]

pub mod address;
pub mod attributes;
pub mod chunk_subset;
pub mod coordinate;
pub mod counting;
pub mod error;
mod external;
mod far_bytes;
mod file_bytes;
pub mod file_state;
pub mod folder;
pub mod history;
pub mod input;
pub mod left_behind;
pub mod left_commit;
pub mod name_lock;
pub mod name_search;
pub mod naming;
pub mod other_writers;
pub mod output;
pub mod pending;
pub mod pipeline_error;
pub mod placer;
pub mod progress;
pub mod read_box;
mod recognise;
pub mod recover;
pub mod remote;
pub mod resources;
pub mod run;
pub mod sources;
pub mod storage_error;
pub mod text_file;
pub mod through_library;
pub mod unfinished;
pub mod user_block;
pub mod virtual_data;
pub mod wording;
pub mod write_run;
