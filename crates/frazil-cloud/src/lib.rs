//! Files as remote readers see them.
//!
//! - [`references`](references()): in, a file; out, where each of its chunks lies, in the words of Zarr's readers.
//! - [`cost`](cost()): in, a file; out, how many requests and bytes it takes to open and to read it in a bucket.

#![forbid(unsafe_code)]

mod cost;
mod references;

pub use cost::{CloudCost, Link, ReadCost, VariableCost, cost};
pub use references::{LeftOut, Reference, ReferenceOptions, References, references};
