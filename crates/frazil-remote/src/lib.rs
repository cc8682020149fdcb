//! Files behind URLs as sources of bytes: HTTP and HTTPS, S3 and what speaks like it, GCS, Azure.
//!
//! In: a URL, and what a user says of access to it ([`StorageOptions`]). Out: a [`Remote`], which the reader of HDF5
//! asks for ranges as it asks a file, and [`upload`], by which a finished file appears there whole or not at all.
//!
//! - [`source`]: ranges in, bytes out. The first request brings the file's head and says which version it is; all
//!   others must be of that version.
//! - [`plan`] joins and cuts ranges into requests, by what requests and bytes cost ([`cost`] measures).
//! - [`request`] asks for one range, again where that helps, and within bounds of time; [`failure`] puts into words
//!   why it did not come.
//! - [`address`] and [`store`] say who is asked, [`client`] where requests may lead.
//! - [`runtime`] has the threads on which requests wait, those of this process.

#![forbid(unsafe_code)]

mod address;
mod client;
mod cost;
mod failure;
mod limits;
mod plan;
mod request;
mod runtime;
mod source;
mod store;
mod upload;

use std::collections::BTreeMap;

pub use source::Remote;
pub use upload::{check, upload};

/// What a user says of access, by name: names of `object_store`, and those that fsspec uses.
pub type StorageOptions = BTreeMap<String, String>;
