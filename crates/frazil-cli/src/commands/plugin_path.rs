//! `frazil plugin-path`.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use frazil::{Error, ErrorCode};

use super::Status;
use crate::printer::{self, Printer};

/// Names the folder, in place of those beside the command.
const VARIABLE: &str = "FRAZIL_PLUGIN_PATH";
/// How the plugins' names begin.
const PLUGINS: &str = "libh5frazil_";

/// Prints the folder of frazil's HDF5 plugins.
///
/// # Errors
/// Standard output's.
pub(crate) fn run() -> io::Result<Status> {
    let named = env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let command = env::current_exe().and_then(|path| path.canonicalize());
    let candidates = candidates(named.as_deref(), command.ok().as_deref());
    if let Some(folder) = candidates.iter().find(|folder| has_plugins(folder)) {
        printer::data(&format!("{}\n", folder.display()))?;
        return Ok(Status::Success);
    }
    let looked: Vec<String> = candidates
        .iter()
        .map(|folder| folder.display().to_string())
        .collect();
    let cause = format!("no plugins in {}", looked.join(" or "));
    let cure = format!("build them with `make plugins`, or name their folder in {VARIABLE}");
    Printer::default().error(&Error::new(ErrorCode::NotFound, cause).with_cure(cure));
    Ok(Status::Failure)
}

/// The folder that was named, or else those where plugins are installed or built.
fn candidates(named: Option<&OsStr>, command: Option<&Path>) -> Vec<PathBuf> {
    if let Some(named) = named {
        return vec![PathBuf::from(named)];
    }
    let Some(folder) = command.and_then(Path::parent) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if let Some(prefix) = folder.parent() {
        found.push(prefix.join("lib/frazil/plugins"));
        // A checkout: the command is in target/release.
        if let Some(checkout) = prefix.parent() {
            found.push(checkout.join(".build/plugins"));
        }
    }
    found
}

fn has_plugins(folder: &Path) -> bool {
    let Ok(entries) = folder.read_dir() else {
        return false;
    };
    let mut names = entries.flatten().map(|entry| entry.file_name());
    names.any(|name| name.to_string_lossy().starts_with(PLUGINS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_are_beside_the_command_or_where_somebody_says() {
        let command = Path::new("/opt/frazil/bin/frazil");
        let installed = PathBuf::from("/opt/frazil/lib/frazil/plugins");
        assert_eq!(candidates(None, Some(command))[0], installed);
        let built = Path::new("/home/me/frazil/target/release/frazil");
        let folder = PathBuf::from("/home/me/frazil/.build/plugins");
        assert!(candidates(None, Some(built)).contains(&folder));
        let named = OsStr::new("/somewhere");
        assert_eq!(
            candidates(Some(named), Some(command)),
            [PathBuf::from(named)]
        );
    }

    #[test]
    fn a_folder_counts_if_a_plugin_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!has_plugins(folder.path()) && !has_plugins(Path::new("/nowhere")));
        std::fs::write(folder.path().join("libh5frazil_lz4.so"), "").unwrap();
        assert!(has_plugins(folder.path()));
    }
}
