//! Many chunks in parallel, in bounded memory, in order.
