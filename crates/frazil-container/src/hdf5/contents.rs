//! What an HDF5 file holds, as plain data: no open file is behind it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use frazil_hdf5::Source;

use super::dataset_info::DatasetInfo;

/// What a name in a group stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A group met for the first time.
    Group {
        /// Its identity.
        object_address: u64,
        /// HDF5's link creation order flags.
        link_order: u32,
    },
    /// A dataset met for the first time: its number in [`super::Hdf5Input::datasets`].
    Dataset(usize),
    /// A committed datatype met for the first time.
    NamedDatatype {
        /// Its identity.
        object_address: u64,
    },
    /// One more name for an object that was met before.
    HardLink {
        /// The object's identity.
        object_address: u64,
    },
    /// A soft link to a path.
    Soft(String),
    /// A link to a path in another file.
    External {
        /// The other file.
        file: String,
        /// The path in it.
        path: String,
    },
    /// A link of a class that only its author's program knows.
    UserDefined {
        /// The class's number.
        class: i32,
        /// Its value, as it is stored.
        value: Vec<u8>,
    },
}

/// One name in the file, in the order in which readers see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Absolute path.
    pub path: String,
    /// Path of the group it is in.
    pub parent: String,
    /// Last part of the path.
    pub name: String,
    /// Whether the name is said to be UTF-8 rather than ASCII.
    pub is_utf8: bool,
    /// What it stands for.
    pub kind: EntryKind,
}

/// Bytes of a file that is somewhere else.
#[derive(Clone)]
pub(super) struct FarSource(pub(super) Arc<dyn Source>);

impl std::fmt::Debug for FarSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FarSource")
    }
}

/// What an HDF5 file holds, as plain data, and where it is.
#[derive(Debug, Clone)]
pub struct Contents {
    pub(super) path: PathBuf,
    /// Where the bytes come from, if not from the file at `path`.
    pub(super) source: Option<FarSource>,
    pub(super) file_bytes: u64,
    pub(super) is_swmr: bool,
    pub(super) user_block_bytes: u64,
    pub(super) superblock: u32,
    pub(super) root_link_order: u32,
    pub(super) has_times: bool,
    pub(super) unusual_form: Vec<String>,
    pub(super) entries: Vec<Entry>,
    pub(super) datasets: Vec<DatasetInfo>,
    pub(super) paths: HashMap<u64, String>,
    /// Objects by each of their paths.
    pub(super) addresses: HashMap<String, u64>,
}

impl Contents {
    /// Whether every group keeps the order in which its links were made.
    #[must_use]
    pub fn keeps_link_order(&self) -> bool {
        const TRACKED: u32 = 1;
        let is_kept = |flags: u32| flags & TRACKED != 0;
        let groups = self.entries.iter().filter_map(|entry| match entry.kind {
            EntryKind::Group { link_order, .. } => Some(link_order),
            _ => None,
        });
        is_kept(self.root_link_order) && groups.into_iter().all(is_kept)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size of the file in bytes when it was opened.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Whether the file said when it was opened that another program is writing it in the way that
    /// HDF5 calls single writer, multiple readers (SWMR).
    #[must_use]
    pub fn is_swmr(&self) -> bool {
        self.is_swmr
    }

    /// Address of the object at an absolute path.
    pub(super) fn address(&self, path: &str) -> Option<u64> {
        self.addresses.get(path).copied()
    }

    /// Every dataset, in the order of first names.
    #[must_use]
    pub fn datasets(&self) -> &[DatasetInfo] {
        &self.datasets
    }
}
