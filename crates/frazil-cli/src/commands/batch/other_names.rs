//! Files of directories that hold data, but are not called so: who counts on a whole tree must hear of them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::text;

/// In a directory of more files than that, no more are opened.
const MOST_OPENED: usize = 10_000;
/// How files begin that hold data: HDF5, and the three kinds of classic netCDF.
const SIGNATURES: [&[u8]; 4] = [b"\x89HDF\r\n\x1a\n", b"CDF\x01", b"CDF\x02", b"CDF\x05"];

/// Files that nobody chose, and that hold data.
#[derive(Debug, Default)]
pub(super) struct OtherNames {
    opened: usize,
    found: usize,
    first: Option<PathBuf>,
}

impl OtherNames {
    /// Looks at a file that has not the name of a data file.
    pub(super) fn look_at(&mut self, path: &Path) {
        if self.opened < MOST_OPENED && path.is_file() {
            self.opened += 1;
            if holds_data(path) {
                self.found += 1;
                self.first.get_or_insert_with(|| path.to_owned());
            }
        }
    }

    /// What the user should know of them; `None` if there are none.
    pub(super) fn notice(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        let (files, verb, names) = match self.found {
            1 => (
                "1 file".to_owned(),
                "holds",
                "its name is not that of a data file",
            ),
            many => (
                text::count(many as u64, "file"),
                "hold",
                "their names are not those of data files",
            ),
        };
        let least = match self.opened < MOST_OPENED {
            true => "",
            false => "at least ",
        };
        Some(format!(
            "{least}{files} left out that {verb} netCDF or HDF5, because {names}: {}; choose them with --include GLOB",
            text::path(first)
        ))
    }
}

fn holds_data(path: &Path) -> bool {
    let mut begin = Vec::with_capacity(8);
    let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut begin));
    read.is_ok() && (SIGNATURES.iter()).any(|signature| begin.starts_with(signature))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_known_by_their_first_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let mut others = OtherNames::default();
        for (name, bytes) in [
            ("readme.txt", b"CDF is a format".as_slice()),
            ("empty", b""),
            ("wrfout_d01", b"CDF\x02\0\0\0\x01"),
            ("scan.nxs", b"\x89HDF\r\n\x1a\n\0"),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            others.look_at(&path);
        }
        others.look_at(folder.path());
        let notice = others.notice().unwrap();
        assert!(notice.starts_with("2 files left out that hold"), "{notice}");
        assert!(notice.contains("wrfout_d01"), "{notice}");
        assert!(OtherNames::default().notice().is_none());
    }
}
