//! The datasets on the way from a virtual dataset down to its sources.

use std::path::PathBuf;

use frazil_types::ErrorCode;

use crate::error::{Error, Result};
use crate::file_state::FileState;

/// Virtual datasets may be mapped onto others; deeper than this they are not meant.
const MOST_DEPTH: usize = 32;

/// Which file a dataset is in.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// One of this machine.
    Here(FileState),
    /// One that is somewhere else, as messages call it.
    Far(PathBuf),
}

impl Place {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Here(one), Self::Here(other)) => one.is_same_file(other),
            (Self::Far(one), Self::Far(other)) => one == other,
            _ => false,
        }
    }
}

/// The virtual datasets for whose values a file was opened, outermost first.
#[derive(Debug, Clone, Default)]
pub(super) struct Lineage(Vec<(Place, u64)>);

impl Lineage {
    /// Whether nobody reads the file for another one's sake.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// With one more dataset, which has its header at an address.
    ///
    /// # Errors
    /// If it is there already, or too many are.
    pub(super) fn with(&self, file: Place, address: u64) -> Result<Self> {
        let is_here = |(known, at): &(Place, u64)| known.is_same(&file) && *at == address;
        if self.0.iter().any(is_here) {
            let cause = "its values are mapped onto itself";
            return Err(Error::new(ErrorCode::Corrupt, cause));
        }
        if self.0.len() >= MOST_DEPTH {
            let cause = format!("virtual datasets are mapped onto others {MOST_DEPTH} times");
            return Err(Error::new(ErrorCode::Unsupported, cause));
        }
        let mut all = self.0.clone();
        all.push((file, address));
        Ok(Self(all))
    }
}
