//! The name of a chunk, and collections by it.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use rapidhash::fast::RapidHasher;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A chunk's first element; of few axes without memory of its own.
pub(super) type Offset = SmallVec<[u64; 4]>;

/// A chunk of a variable, by its first element.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) variable: usize,
    pub(super) offset: Offset,
}

/// The same on its way to other ranks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Name {
    pub(super) variable: usize,
    pub(super) offset: Vec<u64>,
}

impl From<&Key> for Name {
    fn from(key: &Key) -> Self {
        Self {
            variable: key.variable,
            offset: key.offset.to_vec(),
        }
    }
}

impl From<&Name> for Key {
    fn from(name: &Name) -> Self {
        Self {
            variable: name.variable,
            offset: Offset::from_slice(&name.offset),
        }
    }
}

// Millions of chunks are looked up, and nobody chooses their names to do harm.
type Hasher = BuildHasherDefault<RapidHasher<'static>>;
pub(super) type KeyMap<V> = HashMap<Key, V, Hasher>;
pub(super) type KeySet = HashSet<Key, Hasher>;

/// Something of chunks, variable by variable.
pub(super) struct VariableMap<V>(Vec<HashMap<Offset, V, Hasher>>);

impl<V> Default for VariableMap<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> VariableMap<V> {
    pub(super) fn get(&self, key: &Key) -> Option<&V> {
        self.0.get(key.variable)?.get(&key.offset)
    }

    pub(super) fn get_mut(&mut self, key: &Key) -> Option<&mut V> {
        self.0.get_mut(key.variable)?.get_mut(&key.offset)
    }

    pub(super) fn insert(&mut self, key: Key, value: V) {
        if self.0.len() <= key.variable {
            self.0.resize_with(key.variable + 1, HashMap::default);
        }
        self.0[key.variable].insert(key.offset, value);
    }

    pub(super) fn remove(&mut self, key: &Key) -> Option<V> {
        self.0.get_mut(key.variable)?.remove(&key.offset)
    }

    /// Chunks of a variable.
    pub(super) fn offsets(&self, variable: usize) -> impl Iterator<Item = &Offset> {
        self.0.get(variable).into_iter().flat_map(HashMap::keys)
    }

    /// All, variable by variable.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Key, &V)> {
        self.0.iter().enumerate().flat_map(|(variable, all)| {
            all.iter().map(move |(offset, value)| {
                let offset = offset.clone();
                (Key { variable, offset }, value)
            })
        })
    }
}
