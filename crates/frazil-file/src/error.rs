//! The one error type of the facade: which file, which variable, what, and what to do about it.

use std::fmt;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use frazil_types::{ErrorCode, SourceError, plain, plain_path};

use crate::folder;

/// Result of every facade operation.
pub type Result<T> = std::result::Result<T, Error>;

/// An error a user can act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Stable code.
    pub code: ErrorCode,
    /// The file concerned.
    pub file: Option<PathBuf>,
    /// The variable, group or attribute concerned.
    pub variable: Option<String>,
    /// What went wrong.
    pub cause: String,
    /// What the user can do.
    pub cure: Option<String>,
}

impl Error {
    /// An error that still lacks its file and variable.
    #[must_use]
    pub fn new(code: ErrorCode, cause: impl Into<String>) -> Self {
        Self {
            code,
            file: None,
            variable: None,
            cause: cause.into(),
            cure: None,
        }
    }

    /// Names the file unless one is named already.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        self.file.get_or_insert_with(|| path.to_owned());
        self
    }

    /// Names the variable unless one is named already.
    #[must_use]
    pub fn at_variable(mut self, path: &str) -> Self {
        self.variable.get_or_insert_with(|| user_path(path));
        self
    }

    /// Says what the user can do.
    #[must_use]
    pub fn with_cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }

    /// The code and the cure of what is behind an error of reading: what a far file's source says, and of virtual data,
    /// what reading their source says.
    #[must_use]
    pub fn behind(error: &std::io::Error) -> Option<(ErrorCode, Option<String>)> {
        if let Some(said) = SourceError::of(error) {
            return Some((said.code, said.cure.clone()));
        }
        let inner = error.get_ref()?.downcast_ref::<Self>()?;
        Some((inner.code, inner.cure.clone()))
    }

    /// An input/output error on a file, with the code its kind deserves.
    #[must_use]
    pub fn io(error: &std::io::Error, doing: &str, path: &Path) -> Self {
        let code = ErrorCode::of_io_error(error);
        let mapped = Self::new(code, format!("{doing}: {error}")).in_file(path);
        let cure = cure_for(error).or_else(|| {
            let is_missing = error.kind() == ErrorKind::NotFound;
            is_missing.then(|| cure_for_missing(path)).flatten()
        });
        match cure {
            Some(cure) => mapped.with_cure(cure),
            None => mapped,
        }
    }
}

/// Catches panics: whatever breaks inside becomes an error.
///
/// # Errors
/// Those of `body`; [`ErrorCode::Internal`] for a panic.
pub fn guarded<T>(input: &Path, body: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(
            Error::new(ErrorCode::Internal, format!("a bug in frazil: {text}"))
                .in_file(input)
                .with_cure("please report it, with the file if you can"),
        )
    })
}

/// What the user can do about a system error.
pub fn cure_for(error: &std::io::Error) -> Option<String> {
    if let Some(said) = SourceError::of(error) {
        return said.cure.clone();
    }
    let cure = match error.kind() {
        ErrorKind::FileTooLarge => {
            "raise the limit on the size of files, `ulimit -f`, or write to another file system"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free some space, or write to another file system"
        }
        ErrorKind::ReadOnlyFilesystem => "write to another file system",
        _ => return None,
    };
    Some(cure.to_owned())
}

/// What the user can do about a name that leads to no file, where the name says it.
fn cure_for_missing(path: &Path) -> Option<String> {
    if let Ok(target) = path.read_link() {
        let target = plain_path(&target);
        return Some(format!(
            "it is a link to {target}, which does not exist: mend or remove the link"
        ));
    }
    let is_pattern = path
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .any(|byte| b"*?[".contains(byte));
    if is_pattern {
        let cure = "only the shell expands patterns of names: write it without quotes, or check that it matches files";
        return Some(cure.to_owned());
    }
    let near = folder::similar_file(path)?;
    Some(format!("do you mean {}?", plain_path(&near)))
}

/// A path without the prefix that netCDF-C gives to the objects of some variables.
pub fn user_path(path: &str) -> String {
    path.replacen("/_nc4_non_coord_", "/", 1)
}

/// In one line that may go to a terminal: what a file chose is [plain] in it.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", plain_path(file))?;
        }
        if let Some(variable) = &self.variable {
            write!(f, "{}: ", plain(variable))?;
        }
        f.write_str(&plain(&self.cause))
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_a_link_or_a_pattern_where_its_name_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link.nc");
        std::os::unix::fs::symlink("gone.nc", &link).unwrap();
        let missing = std::io::Error::from(ErrorKind::NotFound);
        let cure = |path: &Path| Error::io(&missing, "open", path).cure;
        assert!(cure(&link).unwrap().contains("link to gone.nc"));
        assert!(
            cure(Path::new("d*/x.nc"))
                .unwrap()
                .contains("without quotes")
        );
        assert_eq!(cure(Path::new("x.nc")), None);
    }

    #[test]
    fn a_misspelt_name_gets_the_nearest_file() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["sample.nc", "other.nc", ".simple.nc.part"] {
            std::fs::write(folder.path().join(name), b"").unwrap();
        }
        std::fs::create_dir(folder.path().join("smaples.nc")).unwrap();
        let missing = std::io::Error::from(ErrorKind::NotFound);
        let cure = |name: &str| Error::io(&missing, "open", &folder.path().join(name)).cure;
        let near = folder.path().join("sample.nc");
        let expected = format!("do you mean {}?", near.display());
        assert_eq!(cure("smaple.nc"), Some(expected));
        assert_eq!(cure("elsewhere.nc"), None);
        std::fs::write(folder.path().join("k.nc"), b"").unwrap();
        assert_eq!(cure("v2.nc"), None);
        assert_eq!(cure("no_folder/sample.nc"), None);
        // It is there: something else is missing.
        assert_eq!(cure("other.nc"), None);
    }

    #[test]
    fn a_message_cannot_steer_a_terminal() {
        let error = Error::new(ErrorCode::Corrupt, "no \u{202e}name")
            .in_file(Path::new("a\u{1b}]0;b\u{7}.nc"))
            .at_variable("/x\n\u{9b}2J");
        assert_eq!(
            error.to_string(),
            "a\\u{1b}]0;b\\u{7}.nc: /x\\n\\u{9b}2J: no \\u{202e}name"
        );
    }
}
