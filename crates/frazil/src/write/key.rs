//! The name of a chunk, and collections by it.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use rapidhash::fast::RapidHasher;
use smallvec::SmallVec;

/// A chunk's first element; of few axes without memory of its own.
pub(super) type Offset = SmallVec<[u64; 4]>;

/// A chunk of a variable, by its first element.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) variable: usize,
    pub(super) offset: Offset,
}

// Millions of chunks are looked up, and nobody chooses their names to do harm.
type Hasher = BuildHasherDefault<RapidHasher<'static>>;
pub(super) type KeyMap<V> = HashMap<Key, V, Hasher>;
pub(super) type KeySet = HashSet<Key, Hasher>;
