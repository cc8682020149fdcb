//! The files that arguments name, and where the result of each belongs.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use frazil::{Error, ErrorCode, Result, without_secrets};
use globset::{Glob, GlobSet, GlobSetBuilder};

use super::other_names::OtherNames;
use crate::args::SelectionArgs;
use crate::printer::Printer;

/// What data files are called, where a directory is given and nobody says which of its files are meant.
const DATA_FILES: [&str; 8] = [
    "*.nc", "*.nc3", "*.nc4", "*.cdf", "*.h5", "*.hdf5", "*.he5", "*.netcdf",
];
/// No list of names is longer.
const MOST_LIST_BYTES: u64 = 256 << 20;

/// A file to work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// The file.
    pub(crate) path: PathBuf,
    /// The folder of its result, below that of all results; empty for files that are named.
    pub(crate) folder: PathBuf,
    /// It is a directory whose files cannot be listed: why.
    pub(crate) unlisted: Option<Error>,
}

impl Chosen {
    /// A file that is named.
    pub(crate) fn named(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            folder: PathBuf::new(),
            unlisted: None,
        }
    }

    /// The result's path in a folder for all results.
    pub(crate) fn target(&self, out_dir: &Path) -> PathBuf {
        let text = self.path.to_str().map(without_secrets);
        let path = text.as_deref().map_or(self.path.as_path(), Path::new);
        let name = path.file_name().unwrap_or_default();
        out_dir.join(&self.folder).join(name)
    }
}

/// The files that arguments name: in order, each once. Results in `out_dir` are none of them. Says which files of
/// directories hold data all the same.
///
/// # Errors
/// If a directory or a list cannot be read, there are no files, or two results would have one name.
pub(crate) fn choose(
    named: &[PathBuf],
    selection: &SelectionArgs,
    out_dir: Option<&Path>,
    printer: Printer,
) -> Result<Vec<Chosen>> {
    let mut others = OtherNames::default();
    let chosen = files(named, selection, out_dir, &mut others);
    if let Some(line) = others.notice() {
        printer.note(&line);
    }
    chosen
}

/// [`choose`] for a folder of results, of which nothing is said.
pub(crate) fn results(folder: &Path, selection: &SelectionArgs) -> Result<Vec<Chosen>> {
    let mut others = OtherNames::default();
    files(&[folder.to_owned()], selection, None, &mut others)
}

fn files(
    named: &[PathBuf],
    selection: &SelectionArgs,
    out_dir: Option<&Path>,
    others: &mut OtherNames,
) -> Result<Vec<Chosen>> {
    let filter = Filter::new(selection)?;
    let mut all = Vec::new();
    for named in named {
        frazil::check_input_name(named)?;
        match named.is_dir() {
            true => {
                Walk::new(named, selection.recursive, &filter, out_dir).add_to(&mut all, others);
            }
            false => all.push(Chosen::named(named)),
        }
    }
    if let Some(list) = &selection.files_from {
        for path in names_of(list)? {
            if filter.takes(&path, true) {
                let folder = folder_of(&path, out_dir.is_some())?;
                all.push(Chosen {
                    path,
                    folder,
                    unlisted: None,
                });
            }
        }
    }
    if all.is_empty() {
        return Err(no_files(named, selection));
    }
    let mut seen = HashSet::new();
    all.retain(|one| seen.insert((place_of(&one.path), one.folder.clone())));
    check_targets(&all, out_dir)?;
    Ok(all)
}

/// Where a name leads: `./a.nc` and `a.nc` are one. A link is another file, since its result has another name.
fn place_of(path: &Path) -> PathBuf {
    let name = path.file_name();
    let folder = path
        .parent()
        .map(|folder| match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        });
    match (folder.and_then(|folder| folder.canonicalize().ok()), name) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Which files of directories and lists are meant.
struct Filter {
    include: Option<GlobSet>,
    data: GlobSet,
    exclude: GlobSet,
}

impl Filter {
    fn new(selection: &SelectionArgs) -> Result<Self> {
        let set = |globs: &[Glob]| {
            let mut builder = GlobSetBuilder::new();
            globs.iter().for_each(|glob| {
                builder.add(glob.clone());
            });
            let built = builder.build();
            built.map_err(|error| Error::new(ErrorCode::InvalidArgument, error.to_string()))
        };
        let data: Vec<Glob> = DATA_FILES
            .iter()
            .filter_map(|text| Glob::new(text).ok())
            .collect();
        Ok(Self {
            include: match selection.include.is_empty() {
                true => None,
                false => Some(set(&selection.include)?),
            },
            data: set(&data)?,
            exclude: set(&selection.exclude)?,
        })
    }

    /// Whether a file is meant, by its path below the directory; one of a list need not be named as a data
    /// file.
    fn takes(&self, path: &Path, is_listed: bool) -> bool {
        let name = Path::new(path.file_name().unwrap_or_default());
        let is_in = |set: &GlobSet| set.is_match(name) || set.is_match(path);
        let is_included = match &self.include {
            Some(include) => is_in(include),
            None => is_listed || self.data.is_match(name.to_string_lossy().to_lowercase()),
        };
        is_included && !is_in(&self.exclude)
    }

    /// Whether a file of a directory is left out for its name alone.
    fn knows_not(&self, path: &Path) -> bool {
        self.include.is_none() && !self.takes(path, false) && self.takes(path, true)
    }
}

/// A directory that is gone through.
struct Walk<'a> {
    root: &'a Path,
    is_recursive: bool,
    filter: &'a Filter,
    out_dir: Option<PathBuf>,
}

impl<'a> Walk<'a> {
    fn new(root: &'a Path, is_recursive: bool, filter: &'a Filter, out_dir: Option<&Path>) -> Self {
        Self {
            root,
            is_recursive,
            filter,
            out_dir: out_dir.and_then(|folder| folder.canonicalize().ok()),
        }
    }

    /// Adds the directory's files, by name; links to directories are not followed, and what is hidden, as
    /// files are that are being written, is left alone.
    fn add_to(&self, all: &mut Vec<Chosen>, others: &mut OtherNames) {
        let mut left = vec![PathBuf::new()];
        while let Some(below) = left.pop() {
            let folder = self.root.join(&below);
            let (mut files, mut nested) = match self.list(&below) {
                Ok(found) => found,
                // As a file that cannot be read: it does not stop the others.
                Err(error) => {
                    all.push(Chosen {
                        unlisted: Some(Error::io(&error, "list", &folder)),
                        path: folder,
                        folder: below,
                    });
                    continue;
                }
            };
            files.sort_unstable();
            let unknown = files.iter().filter(|file| self.filter.knows_not(file));
            unknown.for_each(|file| others.look_at(&self.root.join(file)));
            let meant = files
                .into_iter()
                .filter(|file| self.filter.takes(file, false));
            all.extend(meant.map(|file| Chosen {
                path: self.root.join(file),
                folder: below.clone(),
                unlisted: None,
            }));
            nested.sort_unstable_by(|a, b| b.cmp(a));
            let is_nested = |folder: &PathBuf| self.is_recursive && !self.has_results(folder);
            left.extend(nested.into_iter().filter(is_nested));
        }
    }

    /// Files and directories of a directory, by their paths below the root.
    fn list(&self, below: &Path) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
        let (mut files, mut nested) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(self.root.join(below))? {
            let entry = entry?;
            let name = entry.file_name();
            if name.as_bytes().starts_with(b".") {
                continue;
            }
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            match is_directory {
                true => nested.push(below.join(name)),
                false if entry.path().is_dir() => {}
                false => files.push(below.join(name)),
            }
        }
        Ok((files, nested))
    }

    fn has_results(&self, below: &Path) -> bool {
        let folder = self.root.join(below).canonicalize().ok();
        self.out_dir.is_some() && folder == self.out_dir
    }
}

/// The names in a list: one a line, or each with a NUL behind it, as `find -print0` prints them.
fn names_of(list: &Path) -> Result<Vec<PathBuf>> {
    let mut bytes = Vec::new();
    let read = match list == Path::new("-") {
        true => io::stdin()
            .lock()
            .take(MOST_LIST_BYTES + 1)
            .read_to_end(&mut bytes),
        false => fs::File::open(list)
            .and_then(|file| file.take(MOST_LIST_BYTES + 1).read_to_end(&mut bytes)),
    };
    read.map_err(|error| Error::io(&error, "read", list))?;
    let refuse = |cause: &str| {
        let error = Error::new(ErrorCode::InvalidArgument, cause).in_file(list);
        Err(error.with_cure("give a text with one name a line, as `find DIR -name '*.nc'` prints"))
    };
    if bytes.len() as u64 > MOST_LIST_BYTES {
        return refuse("the list is longer than 256 MiB");
    }
    if bytes.contains(&0) {
        let names = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
        let names: Vec<&[u8]> = names.split(|&byte| byte == 0).collect();
        // Files of data have many zeros in a row.
        if names.contains(&[].as_slice()) {
            return refuse("this is not a list of names: two NULs follow each other");
        }
        let names = names.into_iter();
        return Ok(names.map(|name| OsStr::from_bytes(name).into()).collect());
    }
    // Some editors begin a text with a byte order mark.
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let lines = text.split(|&byte| byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let names = lines.filter(|line| !line.is_empty());
    Ok(names.map(|name| OsStr::from_bytes(name).into()).collect())
}

/// The folder of the result of a listed file: its own, a beginning slash left out.
fn folder_of(path: &Path, is_needed: bool) -> Result<PathBuf> {
    let mut folder = PathBuf::new();
    for part in path.parent().into_iter().flat_map(Path::components) {
        match part {
            Component::Normal(name) => folder.push(name),
            Component::ParentDir if is_needed => {
                let cause = "its name contains `..`, so its result would be outside of --out-dir";
                return Err(Error::new(ErrorCode::InvalidArgument, cause)
                    .in_file(path)
                    .with_cure("write names without `..` into the list"));
            }
            _ => {}
        }
    }
    Ok(folder)
}

fn no_files(named: &[PathBuf], selection: &SelectionArgs) -> Error {
    if let (Some(list), true, true) = (
        &selection.files_from,
        named.is_empty(),
        selection.include.is_empty() && selection.exclude.is_empty(),
    ) {
        let cause = "there are no files to work on: the list names none";
        return Error::new(ErrorCode::NotFound, cause).in_file(list);
    }
    let cause = match (selection.include.is_empty(), selection.exclude.is_empty()) {
        (true, true) => {
            "there are no files to work on: no name is that of a data file, such as *.nc or *.h5"
        }
        (true, false) => {
            "there are no files to work on: apart from those of --exclude, no name is that of a \
             data file, such as *.nc or *.h5"
        }
        (false, true) => "there are no files to work on: none matches --include",
        (false, false) => "there are no files to work on: none matches --include but not --exclude",
    };
    let cure = match selection.recursive {
        true => "name others with --include GLOB",
        false => {
            "name others with --include GLOB, or look into nested directories with --recursive"
        }
    };
    let error = Error::new(ErrorCode::NotFound, cause).with_cure(cure);
    match named.first() {
        Some(first) => error.in_file(first),
        None => error,
    }
}

fn check_targets(all: &[Chosen], out_dir: Option<&Path>) -> Result<()> {
    let Some(out_dir) = out_dir else {
        return Ok(());
    };
    // Missing folders are made, below one that is there.
    let there = out_dir.ancestors().find(|one| one.exists());
    if let Some(there) = there.filter(|one| !one.is_dir()) {
        let cause = "it must be a directory, because the results go into it";
        return Err(Error::new(ErrorCode::AlreadyExists, cause)
            .in_file(there)
            .with_cure("state --out-dir with a directory, or with a name that does not exist"));
    }
    let mut targets = HashSet::new();
    let twice = all.iter().find(|one| !targets.insert(one.target(out_dir)));
    twice.map_or(Ok(()), |one| {
        let target = one.target(out_dir);
        let cause = format!(
            "two inputs would be written to the same file, `{}`",
            target.display()
        );
        Err(Error::new(ErrorCode::InvalidArgument, cause)
            .in_file(&one.path)
            .with_cure("pack them into different directories"))
    })
}
