//! Messages of object headers, decoded.

mod attribute;
mod datatype;
mod encode;
mod filters;
mod layout;
mod link;
mod shared;
mod storage;

pub use attribute::Attribute;
pub(crate) use filters::decode as decode_filters;
pub(crate) use layout::{ChunkIndex, Layout};
pub(crate) use link::{GroupIndexes, decode as decode_link, decode_indexes};
pub use link::{Link, LinkTarget};
pub(crate) use shared::{Shared, read_datatype, read_shared};
pub use storage::{ExternalFile, FillStatus, FillTime, FillValue};
pub(crate) use storage::{decode_external_files, decode_fill};
