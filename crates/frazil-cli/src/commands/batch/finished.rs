//! The index of finished inputs, by which `--skip-existing` knows a result that was changed since.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use frazil::{Error, Reader, ReaderOptions, Result};

use super::Chosen;

/// Its name in the folder of all results.
const NAME: &str = ".frazil-finished";

/// Size, and time of the last change in seconds and nanoseconds: what a file is known by.
type State = (u64, i64, i64);

fn state(found: &Metadata) -> State {
    (found.len(), found.mtime(), found.mtime_nsec())
}

/// Results that runs have finished, by their names, each with the states of the input and of itself.
#[derive(Debug)]
pub(crate) struct Finished {
    folder: PathBuf,
    known: HashMap<Vec<u8>, (State, State)>,
}

impl Finished {
    /// The index of a folder; of one that has none, an empty one.
    ///
    /// # Errors
    /// If there is one that cannot be read.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::io(&error, "read", &path)),
        };
        let lines = text.split(|&byte| byte == b'\n');
        Ok(Self {
            folder: folder.to_owned(),
            // A later line says more of a result than an earlier one; one that was cut off says nothing.
            known: lines.filter_map(entry).collect(),
        })
    }

    /// Whether the result of an input is there, and is as it was when it was finished. Of one that the index does
    /// not know: whether it is not older than the input, and opens, which one that was cut off does not.
    pub(crate) fn has(&self, chosen: &Chosen) -> bool {
        let target = chosen.target(&self.folder);
        let (Ok(input), Ok(output)) = (chosen.path.metadata(), target.metadata()) else {
            return false;
        };
        let below = chosen.target(Path::new(""));
        let (input, output) = (state(&input), state(&output));
        match self.known.get(below.as_os_str().as_bytes()) {
            Some(known) => *known == (input, output),
            None => (output.1, output.2) >= (input.1, input.2) && opens(&target),
        }
    }

    /// As [`Self::has`], of a result that was not there when this run came to its input: another run has made it
    /// since, and the index of then does not tell of it.
    pub(crate) fn has_new(&self, chosen: &Chosen) -> bool {
        let nothing_known = Self {
            folder: self.folder.clone(),
            known: HashMap::new(),
        };
        nothing_known.has(chosen)
    }

    /// Whether there is a result of an input, in whatever state.
    pub(crate) fn has_any(&self, chosen: &Chosen) -> bool {
        chosen.target(&self.folder).symlink_metadata().is_ok()
    }

    /// Adds a result.
    ///
    /// # Errors
    /// If the index cannot be written.
    pub(super) fn add(&self, input: &Path, below: &Path) -> Result<()> {
        let target = self.folder.join(below);
        // Those of other machines have no state.
        let (Ok(input), Ok(output)) = (input.metadata(), target.metadata()) else {
            return Ok(());
        };
        let states = (state(&input), state(&output));
        if self.known.get(below.as_os_str().as_bytes()) == Some(&states) {
            return Ok(());
        }
        let path = self.folder.join(NAME);
        let line = line(states.0, states.1, below);
        let added = File::options()
            .create(true)
            .append(true)
            .open(&path)
            // In one piece, so that lines of several runs do not mix.
            .and_then(|mut file| file.write_all(&line));
        added.map_err(|error| Error::io(&error, "write", &path))
    }
}

fn opens(path: &Path) -> bool {
    Reader::open(path, &ReaderOptions::default()).is_ok()
}

/// A line: six numbers and the name, with spaces between.
fn line(input: State, output: State, below: &Path) -> Vec<u8> {
    let numbers = format!(
        "{} {}.{:09} {} {}.{:09} ",
        input.0, input.1, input.2, output.0, output.1, output.2
    );
    let name = below.as_os_str().as_bytes();
    // A name with a line break has no line: it is known by its time alone.
    match name.contains(&b'\n') {
        true => Vec::new(),
        false => [numbers.as_bytes(), name, b"\n"].concat(),
    }
}

fn entry(line: &[u8]) -> Option<(Vec<u8>, (State, State))> {
    let mut parts = line.splitn(5, |&byte| byte == b' ');
    let mut state = || -> Option<State> {
        let mut text = || std::str::from_utf8(parts.next()?).ok();
        let bytes = text()?.parse().ok()?;
        let (seconds, nanoseconds) = text()?.split_once('.')?;
        Some((bytes, seconds.parse().ok()?, nanoseconds.parse().ok()?))
    };
    let (input, output) = (state()?, state()?);
    Some((parts.next()?.to_vec(), (input, output)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written_and_a_cut_one_is_not() {
        let (input, output) = ((12, -5, 7), (9, 1_700_000_000, 999_999_999));
        let written = line(input, output, Path::new("a b/c.nc"));
        let (text, end) = written.split_at(written.len() - 1);
        assert_eq!(end, b"\n");
        assert_eq!(entry(text), Some((b"a b/c.nc".to_vec(), (input, output))));
        assert_eq!(entry(&text[..20]), None);
        assert_eq!(line(input, output, Path::new("a\nb")), b"");
    }
}
