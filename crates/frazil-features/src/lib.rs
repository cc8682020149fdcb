//! Nothing but dependencies: see `Cargo.toml`.
//!
//! In: nothing. Out: one set of features of foreign crates for every cargo call in this workspace.
