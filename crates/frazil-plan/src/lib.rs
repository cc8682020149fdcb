//! The decision unit: chunk shape, filters, level, and why.
