//! Reads a file of delimited text record by record, in bounded memory, and says where faults lie.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use csv::{ByteRecord, Reader, ReaderBuilder, Trim};
use frazil_types::ErrorCode;

use frazil_file::error::{Error, Result};

/// No sane line is longer; a file with an unclosed quote is.
const MOST_RECORD_BYTES: u64 = 64 << 20;

/// Lines that begin with this are comments.
const COMMENT: u8 = b'#';

/// A file of delimited text being read.
pub(super) struct Records {
    path: PathBuf,
    reader: Reader<Guarded>,
    record: ByteRecord,
    since_record: Rc<Cell<u64>>,
    /// Fields of the first record; the others must have as many.
    width: Option<usize>,
}

/// One record.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    record: &'a ByteRecord,
    path: &'a Path,
}

/// A file that refuses records without end.
struct Guarded {
    file: File,
    since_record: Rc<Cell<u64>>,
}

impl Read for Guarded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let since = self.since_record.get().saturating_add(count as u64);
        self.since_record.set(since);
        if since > MOST_RECORD_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a line (or a quoted text) of more than 64 MiB; is a closing quote missing?",
            ));
        }
        Ok(count)
    }
}

impl Records {
    /// Opens a file and stands before its first record.
    pub(super) fn open(path: &Path, delimiter: u8) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io(&error, "open", path))?;
        let metadata = file
            .metadata()
            .map_err(|error| Error::io(&error, "inspect", path))?;
        if !metadata.is_file() {
            return Err(Error::new(ErrorCode::InvalidArgument, "not a regular file")
                .in_file(path)
                .with_cure("the file is read twice: write the data to a file first"));
        }
        let since_record = Rc::new(Cell::new(0));
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(Trim::All)
            .delimiter(delimiter)
            .comment(Some(COMMENT))
            .from_reader(Guarded {
                file,
                since_record: Rc::clone(&since_record),
            });
        Ok(Self {
            path: path.to_owned(),
            reader,
            record: ByteRecord::new(),
            since_record,
            width: None,
        })
    }

    /// The next record; `None` after the last one.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_>>> {
        let found = self.reader.read_byte_record(&mut self.record);
        if !found.map_err(|error| self.explain(&error))? {
            return Ok(None);
        }
        self.since_record.set(0);
        let row = Row {
            record: &self.record,
            path: &self.path,
        };
        let expected = *self.width.get_or_insert(row.width());
        if row.width() != expected {
            return Err(Error::new(
                ErrorCode::Corrupt,
                format!(
                    "line {}: {} where {expected} are expected",
                    row.line(),
                    cells(row.width())
                ),
            )
            .in_file(&self.path)
            .with_cure(
                "every line needs the same number of cells; if the cells are not separated by \
                 commas, say so with --delimiter",
            ));
        }
        Ok(Some(row))
    }

    /// Bytes read so far.
    pub(super) fn position_bytes(&self) -> u64 {
        self.reader.position().byte()
    }

    fn explain(&self, error: &csv::Error) -> Error {
        match error.kind() {
            csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
                let line = self.reader.position().line();
                Error::new(ErrorCode::Corrupt, format!("line {line}: {error}")).in_file(&self.path)
            }
            csv::ErrorKind::Io(error) => Error::io(error, "read", &self.path),
            _ => Error::new(ErrorCode::Corrupt, error.to_string()).in_file(&self.path),
        }
    }
}

impl<'a> Row<'a> {
    /// Number of cells.
    pub(super) fn width(self) -> usize {
        self.record.len()
    }

    /// Line number of its begin, from 1. Reads the file up to there: for errors only.
    ///
    /// (The reader's own numbers stand before blank lines and comments that it skips.)
    pub(super) fn line(self) -> u64 {
        let byte = self.record.position().map_or(0, csv::Position::byte);
        File::open(self.path).map_or(0, |file| line_at(BufReader::new(file), byte))
    }

    /// The text of a cell without surrounding blanks.
    pub(super) fn cell(self, column: usize) -> Result<&'a str> {
        let bytes = self.record.get(column).unwrap_or_default();
        let text = std::str::from_utf8(bytes)
            .ok()
            .filter(|t| !t.contains('\0'));
        text.ok_or_else(|| {
            Error::new(
                ErrorCode::Corrupt,
                format!(
                    "line {}, column {}: the text is not UTF-8",
                    self.line(),
                    column + 1
                ),
            )
            .in_file(self.path)
            .with_cure("convert the file to UTF-8 first, for example with iconv")
        })
    }
}

/// The line of the first text at or after a byte, blank lines and comments passed over.
fn line_at(text: impl BufRead, byte: u64) -> u64 {
    let (mut line, mut last) = (1, 0);
    let mut in_comment = false;
    for (position, next) in (0..).zip(text.bytes().map_while(io::Result::ok)) {
        let ends_line = next == b'\n' || next == b'\r';
        // A line ends with \n, \r or both.
        if (last == b'\n' && position > 0) || (last == b'\r' && next != b'\n') {
            line += 1;
            in_comment = false;
        }
        let begins_line = position == 0 || last == b'\n' || last == b'\r';
        in_comment |= begins_line && next == COMMENT;
        if position >= byte && !in_comment && !ends_line {
            return line;
        }
        last = next;
    }
    line
}

fn cells(count: usize) -> String {
    match count {
        1 => "1 cell".to_owned(),
        count => format!("{count} cells"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_editors_count_them() {
        let text = b"a,b\r\n\r\n# note\r\n1,2\n\n3";
        let place = |byte| line_at(&text[..], byte);
        assert_eq!(place(0), 1);
        // From anywhere between the two records.
        for byte in 4..=15 {
            assert_eq!(place(byte), 4, "byte {byte}");
        }
        assert_eq!(place(18), 6);
        assert_eq!(line_at(&b"a\rb\rc"[..], 4), 3);
    }
}
