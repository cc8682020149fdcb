//! The engine behind every face of frazil: pack, unpack, info, verify.
//!
//! Each operation is a short list of stage calls; the stages live in the rooms below.

#![forbid(unsafe_code)]

mod error;
mod options;
mod report;

pub use error::{Error, Result};
pub use frazil_types::{ErrorCode, ReaderLevel};
pub use options::{
    ChunkOverride, ChunkPolicy, Destination, LayoutProfile, PackOptions, Resources, ShufflePolicy,
    UnpackFormat, UnpackOptions,
};
pub use report::{
    Difference, FileInfo, PackReport, Progress, Silent, VariableInfo, VariableReport, VerifyReport,
};
