//! Reads HDF5's metadata, in safe Rust.
//!
//! In: a [`Source`] of bytes, which is a file, memory, or anything that returns ranges. Out: plain
//! data: groups and their [`Link`]s, [`Dataset`]s with the places of their chunks, types down to
//! the last bit, [`Attribute`]s with their values as stored.
//!
//! A file can say anything. So the crate believes no size before the file has as many bytes. It
//! bounds recursion, finds cycles, and counts the bytes that metadata lead to: a small file cannot
//! make a reader work long. It does not use libhdf5 or its lock, so many threads can use it.
//!
//! Source: the *HDF5 File Format Specification*, version 4.0, and, where that is silent, what libhdf5 2.x accepts.

#![forbid(unsafe_code)]

mod attributes;
mod cache_image;
mod checksum;
mod chunks;
mod context;
mod cursor;
mod dataset;
mod dataspace;
mod datatype;
mod error;
mod file;
mod group;
mod header;
mod heap;
mod input;
mod message;
mod numbers;
mod selection;
pub mod soft_link;
mod source;
mod superblock;
pub mod text;
mod tree1;
mod tree2;
mod values;
mod virtual_layout;

pub use checksum::lookup3;
pub use dataset::{Chunks, Dataset, Storage};
pub use dataspace::Extent;
pub use datatype::{
    BitRange, FloatForm, MemberDescription, TextPadding, TypeClass, TypeDescription, widen,
};
pub use error::{Error, Result};
pub use file::{File, FileSpace, Object, ObjectKind};
pub use group::LinkOrder;
pub use heap::{DecodeBlock, GlobalId};
pub use input::NumberSizes;
pub use message::{Attribute, ExternalFile, FillStatus, FillTime, FillValue, Link, LinkTarget};
pub use numbers::NumberConversion;
pub use selection::Selection;
pub use source::{Arrival, Source};
pub use superblock::{Superblock, TreeRanks};
pub use values::{Region, RegionReference, object_reference};
pub use virtual_layout::VirtualPart;
