//! Files behind URLs as sources of bytes: HTTP and HTTPS, S3 and compatible stores, GCS, Azure.
//!
//! In: a URL, and options for access to it ([`StorageOptions`]). Out: a [`Remote`], which returns
//! ranges like a file, and [`upload`], which makes a finished file appear there completely or not
//! at all.
//!
//! - `source`: ranges in, bytes out. The first request brings the file's head and says which version it is; all
//!   others must be of that version.
//! - `kept` has metadata of files that were opened before, in memory and in a folder (`kept_folder`).
//! - `plan` joins and cuts ranges into requests, by what requests and bytes cost (`cost` measures).
//! - `request` asks for one range, again where that helps, and within bounds of time; `failure` puts into words
//!   why it did not come.
//! - `address` and `store` (for S3 with `aws_profile`) say who is asked, `client` where requests may lead.
//! - `runtime` has the threads on which requests wait, those of this process.

#![forbid(unsafe_code)]

mod address;
mod aws_profile;
mod client;
mod cost;
mod failure;
mod kept;
mod kept_folder;
mod limits;
mod plan;
mod request;
mod runtime;
mod source;
mod store;
mod upload;

use std::fs::File;
use std::io;
use std::sync::Arc;

use frazil_file::remote::Network;
use frazil_hdf5::Source;

/// What a user says of access, by name: names of `object_store`, and those that fsspec uses.
pub use frazil_file::remote::StorageOptions;
pub use source::Remote;
pub use upload::{check_new, upload};

/// Gives this program a way to files on other machines.
pub fn install() {
    frazil_file::remote::install(&Way);
}

struct Way;

impl Network for Way {
    fn open(&self, url: &str, options: &StorageOptions) -> io::Result<Arc<dyn Source>> {
        Ok(Arc::new(Remote::open(url, options)?))
    }

    fn check_new(&self, url: &str, options: &StorageOptions, overwrite: bool) -> io::Result<()> {
        check_new(url, options, overwrite)
    }

    fn upload(&self, file: File, url: &str, options: &StorageOptions) -> io::Result<()> {
        upload(file, url, options)
    }
}
