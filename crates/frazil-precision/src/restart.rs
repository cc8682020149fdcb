//! Files that a model starts from again: they keep every bit, unless somebody says otherwise.
//!
//! `docs/precision.md` has the same list. Writers look at the title that is there with a variable's first value.

use std::fmt;
use std::path::Path;

use frazil_file::error::{Error, Result};
use frazil_types::ErrorCode;

use super::rules::globs;

/// What is in the name of a file, in any case.
const IN_NAMES: [&str; 3] = ["restart", "checkpoint", "wrfrst"];
/// What stands in a name between dots, dashes and underscores: of FMS (`ocean.res.nc`), ICON and others.
const WORDS: [&str; 5] = ["res", "rst", "rest", "ckpt", "chkpt"];
/// What stands between dots: of CESM (`case.cam.r.2000-01-01-00000.nc`).
const BETWEEN_DOTS: [&str; 3] = ["r", "rs", "rh0"];
/// Folders of nothing but such files, as FMS's `RESTART/`.
const FOLDERS: [&str; 4] = ["restart", "restarts", "rst", "checkpoints"];
/// What is in their global attribute `title`: WRF's says `RESTART`.
const IN_TITLES: [&str; 1] = ["restart"];

/// Which files a model starts from again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RestartFiles {
    /// Those that look like it, by their names and titles.
    #[default]
    Lookalikes,
    /// Those whose names match one of these globs, and no others.
    Named(Vec<String>),
}

impl RestartFiles {
    /// From globs with commas between them, or `none`.
    ///
    /// # Errors
    /// If one is no glob, or there is none.
    pub fn parse(text: &str) -> Result<Self> {
        if text.trim() == "none" {
            return Ok(Self::Named(Vec::new()));
        }
        let patterns = text.split(',').map(|one| one.trim().to_owned());
        let patterns: Vec<String> = patterns.filter(|one| !one.is_empty()).collect();
        if patterns.is_empty() || text.contains(char::is_control) {
            let cause = "patterns of file names are wanted, with commas between them, or none";
            return Err(Error::new(ErrorCode::InvalidArgument, cause));
        }
        globs(&patterns)?;
        Ok(Self::Named(patterns))
    }

    /// Why a file is one of them, as the end of a sentence; `None`: it is not. `title` is its global
    /// attribute of that name.
    #[must_use]
    pub fn why(&self, path: &Path, title: Option<&str>) -> Option<WhyRestart> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match self {
            Self::Lookalikes => looks_like_one(path, &name, title),
            Self::Named(patterns) => {
                // They were understood when they were stated.
                let globs = globs(patterns).ok()?;
                globs
                    .iter()
                    .any(|glob| glob.is_match(&*name))
                    .then_some(WhyRestart::Named)
            }
        }
    }
}

/// By what a file is known that a model starts from again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyRestart {
    /// Its name.
    Name,
    /// The name of its folder.
    Folder,
    /// Its global attribute `title`.
    Title,
    /// The user has named it.
    Named,
}

impl fmt::Display for WhyRestart {
    /// The end of a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "its name is that of a restart file",
            Self::Folder => "its folder is one of restart files",
            Self::Title => "its title is that of a restart file",
            Self::Named => "restart_files names it",
        })
    }
}

fn looks_like_one(path: &Path, name: &str, title: Option<&str>) -> Option<WhyRestart> {
    let contains = |text: &str, parts: &[&str]| parts.iter().any(|part| text.contains(part));
    let name = name.to_lowercase();
    let mut words = name.split(['.', '_', '-']);
    let mut between_dots = name.split('.').skip(1);
    if contains(&name, &IN_NAMES)
        || words.any(|word| WORDS.contains(&word))
        || between_dots.any(|part| BETWEEN_DOTS.contains(&part))
    {
        return Some(WhyRestart::Name);
    }
    let path = std::path::absolute(path).ok();
    let folder = path
        .as_deref()
        .and_then(Path::parent)
        .and_then(Path::file_name);
    let folder = folder.unwrap_or_default().to_string_lossy().to_lowercase();
    if FOLDERS.contains(&folder.as_str()) {
        return Some(WhyRestart::Folder);
    }
    let title = title.unwrap_or_default().to_lowercase();
    contains(&title, &IN_TITLES).then_some(WhyRestart::Title)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(path: &str, title: Option<&str>) -> Option<WhyRestart> {
        RestartFiles::default().why(Path::new(path), title)
    }

    #[test]
    fn files_that_models_start_from_again_are_known() {
        for name in [
            "wrfrst_d01_2005-08-28_12:00:00",
            "ocean.res.nc",
            "iceh_restart_0001.nc",
            "case.cam.r.2000-01-01-00000.nc",
            "case.clm2.rh0.2000-01-01.nc",
            "run_rst_3.nc",
            "checkpoint0007.nc",
            "out/CHKPT-5.h5",
        ] {
            assert_eq!(why(name, None), Some(WhyRestart::Name), "{name}");
        }
        assert_eq!(why("RESTART/coupler.nc", None), Some(WhyRestart::Folder));
        let title = Some(" RESTART OUTPUT FROM WRF");
        assert_eq!(why("a.nc", title), Some(WhyRestart::Title));
    }

    #[test]
    fn output_is_not_taken_for_them() {
        for name in [
            "wrfout_d01_2005-08-28_12:00:00",
            "case.cam.h0.2000-01.nc",
            "forest.nc",
            "results.nc",
            "r.nc",
            "interest_rates.nc",
        ] {
            assert_eq!(why(name, Some("history")), None, "{name}");
        }
    }

    #[test]
    fn the_user_names_them() {
        let named = RestartFiles::parse("dump*, *.s.nc").unwrap();
        assert_eq!(
            named.why(Path::new("x/dump7.nc"), None),
            Some(WhyRestart::Named)
        );
        assert_eq!(named.why(Path::new("restart.nc"), None), None);
        let none = RestartFiles::parse("none").unwrap();
        assert_eq!(none.why(Path::new("restart.nc"), Some("restart")), None);
        for wrong in ["[", "", " , ", "a\nb"] {
            assert!(RestartFiles::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
