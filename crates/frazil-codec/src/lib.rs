//! One chunk's bytes into another's: filters and compressors.
