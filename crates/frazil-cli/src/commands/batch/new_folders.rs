//! Folders that a run makes for its results, and that go again where no result came into them.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::Chosen;

/// Folders that were missing before the work.
#[derive(Debug)]
pub(crate) struct NewFolders(BTreeSet<PathBuf>);

impl NewFolders {
    /// Those that the results of these files need.
    pub(crate) fn of(out_dir: &Path, chosen: &[Chosen]) -> Self {
        Self::above(chosen.iter().map(|one| one.target(out_dir)))
    }

    /// Those that files need.
    pub(crate) fn above(targets: impl IntoIterator<Item = PathBuf>) -> Self {
        let (mut seen, mut missing) = (HashSet::new(), BTreeSet::new());
        for target in targets {
            for folder in target.ancestors().skip(1) {
                if !seen.insert(folder.to_owned()) || folder.symlink_metadata().is_ok() {
                    break;
                }
                missing.insert(folder.to_owned());
            }
        }
        Self(missing)
    }

    /// Removes those that are empty, the deepest first.
    pub(crate) fn remove_empty(&self) {
        for folder in self.0.iter().rev() {
            // The system refuses it where there is anything in it.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_and_empty_folders_go() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let chosen = ["", "a", "a/b", "c"].map(|folder| Chosen {
            path: "x.nc".into(),
            folder: folder.into(),
            unlisted: None,
        });
        fs::create_dir_all(at("out/c")).unwrap();
        let some_there = NewFolders::of(&at("out"), &chosen);
        fs::create_dir_all(at("out/a/b")).unwrap();
        fs::write(at("out/a/x.nc"), "").unwrap();
        some_there.remove_empty();
        assert!(at("out/c").exists() && at("out/a/x.nc").exists());
        assert!(!at("out/a/b").exists());
        let none_there = NewFolders::of(&at("new/out"), &chosen);
        fs::create_dir_all(at("new/out/a/b")).unwrap();
        none_there.remove_empty();
        assert!(!at("new").exists());
    }
}
