//! Files that must not stay behind: those being written under a name of their own, and lock files.
//!
//! Whoever ends the process at once, because a signal came twice, removes them first.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use frazil_container::outside_forks;
use frazil_types::sync::Mutex;

/// What is listed belongs to this process: a child after a fork must leave it alone.
static LISTED: Mutex<Vec<(u32, PathBuf)>> = Mutex::new(Vec::new());
/// The list is held for moments only; a thread that died in between must not stop the end.
const PATIENCE: Duration = Duration::from_secs(1);

/// Lists a file as long as it lives.
#[derive(Debug)]
pub(crate) struct Unfinished {
    process: u32,
    path: PathBuf,
}

impl Unfinished {
    /// Lists the file at `path`, which exists or is about to.
    pub(crate) fn new(path: &Path) -> Self {
        let process = std::process::id();
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        outside_forks(|| LISTED.lock().push((process, path.clone())));
        Self { process, path }
    }
}

/// Whether this process lists the file at `path`.
pub(crate) fn is_listed(path: &Path) -> bool {
    let process = std::process::id();
    let is_this = |(owner, listed): &(u32, PathBuf)| *owner == process && listed == path;
    outside_forks(|| LISTED.lock().iter().any(is_this))
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            return;
        }
        outside_forks(|| {
            let mut listed = LISTED.lock();
            let is_this = |(_, path): &(u32, PathBuf)| *path == self.path;
            if let Some(at) = listed.iter().rposition(is_this) {
                listed.swap_remove(at);
            }
        });
    }
}

/// Removes every file that this process has begun and not finished, and its lock files: for those
/// who end the process right afterwards. The work must not go on.
pub fn remove_unfinished() {
    let Some(listed) = LISTED.try_lock_for(PATIENCE) else {
        return;
    };
    let process = std::process::id();
    for (owner, path) in listed.iter() {
        if *owner == process {
            // Whether it is there yet or not.
            let _ = std::fs::remove_file(path);
        }
    }
    // Nothing is begun any more: whoever comes to do so waits until the process has ended.
    std::mem::forget(listed);
}

/// Has [`remove_unfinished`] called when the process ends in good order, while other threads still
/// work: those of an interpreter that does not wait for them.
pub fn remove_unfinished_in_the_end() {
    extern "C" fn end() {
        remove_unfinished();
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Else the next run removes what is left.
        let _ = frazil_container::at_exit(end);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_listed_until_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let is_listed = || LISTED.lock().iter().any(|(_, listed)| *listed == path);
        let unfinished = Unfinished::new(&path);
        assert!(is_listed());
        drop(unfinished);
        assert!(!is_listed());
    }
}
