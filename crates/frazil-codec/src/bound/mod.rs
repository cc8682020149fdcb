//! A dataset's filters, bound to its element and chunk size.

mod decoder;
mod encoder;
mod stage;

pub use decoder::BoundDecoder;
pub use encoder::BoundEncoder;
pub(crate) use stage::{DecodeStage, EncodeStage};
