//! Where incomplete chunks go that must leave memory: a file beside the output, without a name.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use frazil_file::error::{Error, Result};

/// A file that is made when it is first needed, and gone when this process is.
pub(super) struct ScratchFile {
    /// The output it lies beside.
    output: PathBuf,
    file: Option<File>,
    end: u64,
    /// Places that were given back, by their bytes.
    free: HashMap<usize, Vec<u64>>,
    written_bytes: u64,
}

impl ScratchFile {
    pub(super) fn beside(output: &Path) -> Self {
        Self {
            output: output.to_owned(),
            file: None,
            end: 0,
            free: HashMap::new(),
            written_bytes: 0,
        }
    }

    /// Bytes ever written.
    pub(super) fn written_bytes(&self) -> u64 {
        self.written_bytes
    }

    /// Writes two runs of bytes one behind the other; the first address.
    pub(super) fn write(&mut self, first: &[u8], second: &[u8]) -> Result<u64> {
        let bytes = first.len() + second.len();
        let free = self.free.get_mut(&bytes).and_then(Vec::pop);
        let address = free.unwrap_or(self.end);
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(create(&self.output)?),
        };
        file.write_all_at(first, address)
            .and_then(|()| file.write_all_at(second, address + first.len() as u64))
            .map_err(|error| Error::io(&error, "write the scratch file beside", &self.output))?;
        self.end = self.end.max(address + bytes as u64);
        self.written_bytes += bytes as u64;
        Ok(address)
    }

    /// Reads what was written at an address.
    pub(super) fn read(&self, address: u64, bytes: usize) -> Result<Vec<u8>> {
        let mut buffer = vec![0; bytes];
        let outcome = match &self.file {
            Some(file) => file.read_exact_at(&mut buffer, address),
            None => Err(std::io::ErrorKind::UnexpectedEof.into()),
        };
        outcome.map_err(|error| Error::io(&error, "read the scratch file beside", &self.output))?;
        Ok(buffer)
    }

    /// Gives the place of what was written back.
    pub(super) fn free(&mut self, address: u64, bytes: usize) {
        self.free.entry(bytes).or_default().push(address);
    }
}

/// Makes a file without a name that anybody else could have: all ranks make theirs beside the same
/// output, and at the same time.
fn create(output: &Path) -> Result<File> {
    let folder = output.parent().filter(|path| !path.as_os_str().is_empty());
    let made = tempfile::tempfile_in(folder.unwrap_or(Path::new(".")));
    made.map_err(|error| Error::io(&error, "make the scratch file beside", output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_serve_again_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut scratch = ScratchFile::beside(&folder.path().join("out.nc"));
        let a = scratch.write(b"abc", b"d").unwrap();
        let b = scratch.write(b"efgh", b"").unwrap();
        assert_eq!(scratch.read(a, 4).unwrap(), b"abcd");
        assert_eq!(scratch.read(b, 4).unwrap(), b"efgh");
        scratch.free(a, 4);
        assert_eq!(scratch.write(b"", b"wxyz").unwrap(), a);
        assert_eq!(scratch.read(b, 4).unwrap(), b"efgh");
        assert_eq!((scratch.written_bytes(), scratch.end), (12, 8));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn ranks_that_make_theirs_at_once_do_not_meet() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out.nc");
        std::thread::scope(|scope| {
            for rank in 0..8_u8 {
                let output = &output;
                scope.spawn(move || {
                    for _ in 0..200 {
                        let mut scratch = ScratchFile::beside(output);
                        let at = scratch.write(&[rank; 100], &[rank; 100]).unwrap();
                        assert_eq!(scratch.read(at, 200).unwrap(), [rank; 200]);
                    }
                });
            }
        });
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
