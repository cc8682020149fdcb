//! Where the two libraries are: beside the command, installed or built.

use std::env;
use std::path::{Path, PathBuf};

use frazil::{Error, ErrorCode};

use crate::args::Level;

/// Names the folder, in place of those beside the command.
const VARIABLE: &str = "FRAZIL_RUN_PATH";
/// What is preloaded for each level, and what the first one loads.
const PRELOAD: &str = "libfrazil_preload.so";
const PRELOAD_HDF5: &str = "libfrazil_preload_hdf5.so";
const PRELOAD_CODEC: &str = "libfrazil_preload_zlib.so";
const FRAZIL: &str = "libfrazil.so";

/// The two libraries.
#[derive(Debug)]
pub(super) struct Libraries {
    pub(super) preload: PathBuf,
    pub(super) frazil: PathBuf,
}

impl Libraries {
    /// Looks for them.
    ///
    /// # Errors
    /// Where they are not, and how to get them.
    pub(super) fn find(level: Level) -> frazil::Result<Self> {
        let is_known = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
        if !is_known || !cfg!(target_os = "linux") {
            let cause = "frazil run needs Linux on x86_64 or aarch64";
            return Err(Error::new(ErrorCode::Unsupported, cause));
        }
        let named = env::var_os(VARIABLE).filter(|path| !path.is_empty());
        let command = env::current_exe().and_then(|path| path.canonicalize());
        let folders = match named {
            Some(named) => vec![PathBuf::from(named)],
            None => beside(command.ok().as_deref()),
        };
        let preload = match level {
            Level::Engine => PRELOAD,
            Level::Hdf5 => PRELOAD_HDF5,
            Level::Codec => PRELOAD_CODEC,
        };
        let found = folders.iter().find_map(|it| Self::in_folder(it, preload));
        found.ok_or_else(|| {
            let looked: Vec<_> = folders.iter().map(|it| it.display().to_string()).collect();
            let cause = format!("{preload} and {FRAZIL} are not in {}", looked.join(" or "));
            Error::new(ErrorCode::NotFound, cause).with_cure(format!(
                "build them with `make lib preload`, install them with `make install`, or name their \
                 folder in {VARIABLE}"
            ))
        })
    }

    fn in_folder(folder: &Path, preload: &str) -> Option<Self> {
        // The linker takes paths from the root only for what they are.
        let folder = folder.canonicalize().ok()?;
        let (preload, frazil) = (folder.join(preload), folder.join(FRAZIL));
        (preload.is_file() && frazil.is_file()).then_some(Self { preload, frazil })
    }
}

/// The folders where they are installed or built.
fn beside(command: Option<&Path>) -> Vec<PathBuf> {
    let Some(prefix) = command.and_then(Path::parent).and_then(Path::parent) else {
        return Vec::new();
    };
    let mut folders = vec![prefix.join("lib/frazil")];
    // A checkout: the command is in target/release.
    if let Some(checkout) = prefix.parent() {
        folders.push(checkout.join(".build/lib"));
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_libraries_are_in_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(PRELOAD), "").unwrap();
        assert!(Libraries::in_folder(folder.path(), PRELOAD).is_none());
        std::fs::write(folder.path().join(FRAZIL), "").unwrap();
        assert!(Libraries::in_folder(folder.path(), PRELOAD).is_some());
    }

    #[test]
    fn they_are_beside_the_command() {
        let folders = beside(Some(Path::new("/opt/frazil/bin/frazil")));
        assert_eq!(folders[0], Path::new("/opt/frazil/lib/frazil"));
        let folders = beside(Some(Path::new("/src/frazil/target/release/frazil")));
        assert_eq!(folders[1], Path::new("/src/frazil/.build/lib"));
    }
}
