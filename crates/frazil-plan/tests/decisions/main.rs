//! Decisions by their public functions: one executable.

mod chunk_shapes;
mod filter_choice;
mod information;
mod read_shapes;
