//! The moment at which a finished file gets its name, and nothing that others did meanwhile is lost.

use std::io;
use std::path::Path;

use frazil_types::ErrorCode;

use crate::error::{Error, Result};
use crate::file_state::{self, FileState};
use crate::other_writers::{is_open_for_writing, open_quietly};

/// What lies under the name of an output, as of the moment at which that was decided on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// Nothing: what comes there meanwhile stays.
    Nothing,
    /// A file that is to be replaced, as long as it is in this state.
    File(FileState),
    /// Whatever there is: others may be writing the same.
    Anything,
}

impl Before {
    /// What lies at `path` now.
    pub fn now(path: &Path) -> Self {
        file_state::of_name(path).map_or(Self::Nothing, Self::File)
    }
}

/// Gives `temporary` the name `target`, in place of what was there before.
///
/// # Errors
/// [`ErrorCode::AlreadyExists`] if there is a file now where none was, [`ErrorCode::FileChanged`] if
/// the file that was there changed: both stay as they are. System errors.
pub(crate) fn give_name(temporary: &Path, target: &Path, before: Before) -> Result<()> {
    match before {
        Before::Nothing => match rename_to_nothing(temporary, target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(appeared(target)),
            outcome => outcome.map_err(|error| failed(&error, target)),
        },
        Before::File(state) => replace(temporary, target, &state),
        Before::Anything => {
            std::fs::rename(temporary, target).map_err(|error| failed(&error, target))
        }
    }
}

/// Replaces a file that is in this state. The old one is removed only when it is certain that nobody
/// changed it up to the moment at which it lost its name, or has it open to do so.
fn replace(temporary: &Path, target: &Path, state: &FileState) -> Result<()> {
    if file_state::of_name(target) != Some(*state) {
        return Err(changed(target));
    }
    if exchange(temporary, target).is_err() {
        // A file system that cannot: the look just before must do.
        return std::fs::rename(temporary, target).map_err(|error| failed(&error, target));
    }
    if is_unchanged(temporary, state) {
        return std::fs::remove_file(temporary).map_err(|error| failed(&error, target));
    }
    match exchange(temporary, target) {
        Ok(()) => Err(changed(target)),
        Err(error) => {
            let cause = format!(
                "it changed while frazil replaced it, and cannot be put back: {error}; it is now \
                 in {}",
                temporary.display()
            );
            Err(Error::new(ErrorCode::FileChanged, cause).in_file(target))
        }
    }
}

/// Whether the file that had the name a moment ago is as it was, and stays so.
fn is_unchanged(path: &Path, state: &FileState) -> bool {
    // First: who opens it from now on finds another file by its name.
    let is_written = open_quietly(path).is_ok_and(|file| is_open_for_writing(&file) == Some(true));
    !is_written && file_state::of_name(path).is_some_and(|now| state.has_same_bytes_renamed(&now))
}

/// Lets two files change their names, at once.
#[cfg(target_os = "linux")]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn exchange(_a: &Path, _b: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Renames unless something has the new name.
fn rename_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;

        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // A file system, or a kernel, that cannot.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            outcome => return Ok(outcome?),
        }
    }
    if to.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    std::fs::rename(from, to)
}

fn failed(error: &io::Error, target: &Path) -> Error {
    Error::io(error, "rename to", target)
}

fn appeared(target: &Path) -> Error {
    let cause = "another program created a file of this name in the meantime";
    Error::new(ErrorCode::AlreadyExists, cause)
        .in_file(target)
        .with_cure("run it again; add --overwrite to replace that file")
}

fn changed(target: &Path) -> Error {
    let cause = "another program changed it in the meantime, so frazil does not replace it";
    Error::new(ErrorCode::FileChanged, cause)
        .in_file(target)
        .with_cure("try again when no other program writes it")
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    struct Scene {
        folder: tempfile::TempDir,
    }

    impl Scene {
        fn new(old: Option<&str>) -> Self {
            let scene = Self {
                folder: tempfile::tempdir().unwrap(),
            };
            fs::write(scene.path("part"), "new").unwrap();
            if let Some(old) = old {
                fs::write(scene.path("target"), old).unwrap();
            }
            scene
        }

        fn path(&self, name: &str) -> std::path::PathBuf {
            self.folder.path().join(name)
        }

        fn give_name(&self, before: Before) -> Result<()> {
            give_name(&self.path("part"), &self.path("target"), before)
        }

        fn content(&self, name: &str) -> String {
            fs::read_to_string(self.path(name)).unwrap()
        }
    }

    #[test]
    fn what_was_there_is_replaced() {
        let scene = Scene::new(Some("old"));
        scene.give_name(Before::now(&scene.path("target"))).unwrap();
        assert_eq!(scene.content("target"), "new");
        assert!(!scene.path("part").exists());
        let scene = Scene::new(None);
        scene.give_name(Before::now(&scene.path("target"))).unwrap();
        assert_eq!(scene.content("target"), "new");
    }

    #[test]
    fn what_came_meanwhile_stays() {
        let scene = Scene::new(None);
        let before = Before::now(&scene.path("target"));
        fs::write(scene.path("target"), "other").unwrap();
        let refused = scene.give_name(before).unwrap_err();
        assert_eq!(refused.code, ErrorCode::AlreadyExists);
        assert_eq!(scene.content("target"), "other");
    }

    #[test]
    fn what_changed_meanwhile_stays() {
        let change: [fn(&Scene); 3] = [
            |scene| fs::write(scene.path("target"), "old and more").unwrap(),
            |scene| {
                fs::write(scene.path("other"), "old").unwrap();
                fs::rename(scene.path("other"), scene.path("target")).unwrap();
            },
            |scene| fs::remove_file(scene.path("target")).unwrap(),
        ];
        for change in change {
            let scene = Scene::new(Some("old"));
            let before = Before::now(&scene.path("target"));
            change(&scene);
            let now = Before::now(&scene.path("target"));
            let refused = scene.give_name(before).unwrap_err();
            assert_eq!(refused.code, ErrorCode::FileChanged);
            assert!(Before::now(&scene.path("target")) == now && scene.path("part").exists());
        }
    }

    #[test]
    fn a_file_that_was_opened_for_writing_gets_its_name_back() {
        let scene = Scene::new(Some("old"));
        let before = Before::now(&scene.path("target"));
        let writer = File::options()
            .write(true)
            .open(scene.path("target"))
            .unwrap();
        if is_open_for_writing(&open_quietly(&scene.path("target")).unwrap()).is_none() {
            return;
        }
        let refused = scene.give_name(before).unwrap_err();
        assert_eq!(refused.code, ErrorCode::FileChanged);
        assert_eq!(scene.content("target"), "old");
        drop(writer);
        scene.give_name(Before::now(&scene.path("target"))).unwrap();
        assert_eq!(scene.content("target"), "new");
    }
}
