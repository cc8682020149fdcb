//! Heaps: where a file keeps what has no place in object headers.

mod fractal;
mod global;
mod local;

pub use fractal::DecodeBlock;
pub(crate) use fractal::{FractalHeap, are_different};
pub(crate) use global::GlobalHeaps;
pub use global::GlobalId;
pub(crate) use local::LocalHeap;
