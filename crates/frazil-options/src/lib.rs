//! Options that several operations share, and the plans and reports that they lead to.
//!
//! In: what a user states, as text or as values. Out: typed options, checked, with messages that
//! name the option and the values allowed.
//!
//! - [`options`]: packing and unpacking. [`chunk_goal`]: the reads that chunks must serve.
//! - [`filter_options`]: which filters may be chosen, and for what.
//! - [`option_table`]: all options, each [declared] once, for all interfaces; [`declared`]: what a
//!   declaration holds.
//! - [`policy`]: files that state options for all variables and by variable.
//! - [`plan_text`]: plans as files. [`environment`]: variables named `FRAZIL_*`. [`size`]: bytes.
//! - [`pack_report`]: what packing did, for people and as JSON.

#![forbid(unsafe_code)]

pub mod chunk_goal;
pub mod declared;
pub mod environment;
pub mod filter_options;
pub mod names;
pub mod option_table;
pub mod options;
pub mod pack_report;
pub mod plan_text;
pub mod policy;
pub mod size;
pub mod stated_names;
