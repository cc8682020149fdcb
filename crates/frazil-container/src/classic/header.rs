//! The header's grammar: bytes into a [`ClassicModel`] and each variable's offset.
//!
//! Source: "The NetCDF Classic Format Specification" (netCDF-C documentation, appendix B).
//!
//! Nothing is reserved on a claimed count: a list grows by what has really been read, and a count
//! that the rest of the file cannot hold is refused before its first item. Two fields are read but
//! not believed: `vsize`, which the specification calls redundant and which old files clip, and the
//! contents of padding, which netCDF-C ignores too.

use std::io::{self, BufReader, Read};

use super::error::ClassicError;
use super::format::{ClassicFormat, padded};
use super::model::{ClassicAttribute, ClassicDimension, ClassicModel, ClassicVariable};
use super::value::{AttributeValue, NcType};

/// Longest header that is read, in bytes: it is held in memory as a whole.
pub const MAX_HEADER_BYTES: u64 = 64 << 20;

const BUFFER_BYTES: usize = 64 << 10;
pub(super) const NC_DIMENSION: u32 = 10;
pub(super) const NC_VARIABLE: u32 = 11;
pub(super) const NC_ATTRIBUTE: u32 = 12;

/// What a header says, before its numbers are checked against each other and the file's length.
/// The record dimension's length is still 0.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) format: ClassicFormat,
    /// Number of records; `None` if the header says "streaming".
    pub(super) records: Option<u64>,
    pub(super) model: ClassicModel,
    /// Offset of each variable's data.
    pub(super) begins: Vec<u64>,
    /// First address past the header.
    pub(super) end: u64,
}

/// Why parsing stopped: the caller knows the file's name, this module does not.
pub(super) enum Stop {
    Read(io::Error),
    Fault(ClassicError),
}

impl From<ClassicError> for Stop {
    fn from(error: ClassicError) -> Self {
        Self::Fault(error)
    }
}

type Parsed<T> = Result<T, Stop>;

/// Parses the header at the start of a file of `file_bytes` bytes.
pub(super) fn parse(source: impl Read, file_bytes: u64) -> Parsed<Header> {
    let mut input = Input {
        source: BufReader::with_capacity(BUFFER_BYTES, source),
        at: 0,
        file_bytes,
        format: ClassicFormat::Cdf1,
    };
    input.format = input.magic()?;
    let records = input.record_count()?;
    let dimensions = input.dimensions()?;
    let attributes = input.attributes()?;
    let (variables, begins) = input.variables()?.into_iter().unzip();
    Ok(Header {
        format: input.format,
        records,
        model: ClassicModel {
            dimensions,
            attributes,
            variables,
        },
        begins,
        end: input.at,
    })
}

struct Input<R> {
    source: BufReader<R>,
    at: u64,
    file_bytes: u64,
    format: ClassicFormat,
}

impl<R: Read> Input<R> {
    fn magic(&mut self) -> Parsed<ClassicFormat> {
        let length = self.file_bytes.min(4);
        let magic = self.bytes(length, "the magic number")?;
        ClassicFormat::from_magic(&magic).ok_or(Stop::Fault(ClassicError::NotClassic { magic }))
    }

    fn record_count(&mut self) -> Parsed<Option<u64>> {
        let streaming = match self.format {
            ClassicFormat::Cdf1 | ClassicFormat::Cdf2 => u64::from(u32::MAX),
            ClassicFormat::Cdf5 => u64::MAX,
        };
        let records = self.count("the number of records")?;
        Ok((records != streaming).then_some(records))
    }

    fn dimensions(&mut self) -> Parsed<Vec<ClassicDimension>> {
        let smallest = 4 + 2 * self.format.count_bytes();
        let count = self.list_head(NC_DIMENSION, smallest, "the dimension list")?;
        let mut dimensions = Vec::new();
        for _ in 0..count {
            let name = self.name("a dimension's name")?;
            let length = self.count("a dimension's length")?;
            dimensions.push(ClassicDimension {
                name,
                length,
                is_record: length == 0,
            });
        }
        Ok(dimensions)
    }

    fn attributes(&mut self) -> Parsed<Vec<ClassicAttribute>> {
        let smallest = 8 + 2 * self.format.count_bytes();
        let count = self.list_head(NC_ATTRIBUTE, smallest, "an attribute list")?;
        let mut attributes = Vec::new();
        for _ in 0..count {
            let name = self.name("an attribute's name")?;
            let nc_type = self.nc_type("an attribute's type")?;
            let value = self.values(nc_type)?;
            attributes.push(ClassicAttribute { name, value });
        }
        Ok(attributes)
    }

    fn values(&mut self, nc_type: NcType) -> Parsed<AttributeValue> {
        const DOING: &str = "an attribute's values";
        let at = self.at;
        let elements = self.count("an attribute's length")?;
        let size = u64::try_from(nc_type.size_bytes()).unwrap_or(u64::MAX);
        let bytes = elements
            .checked_mul(size)
            .ok_or_else(|| fault(at, "an attribute's length overflows"))?;
        let stored = self.padded_bytes(bytes, DOING)?;
        Ok(AttributeValue::from_be_bytes(nc_type, &stored))
    }

    fn variables(&mut self) -> Parsed<Vec<(ClassicVariable, u64)>> {
        let count_bytes = self.format.count_bytes();
        let smallest = 12 + 4 * count_bytes + self.format.offset_bytes();
        let count = self.list_head(NC_VARIABLE, smallest, "the variable list")?;
        let mut variables = Vec::new();
        for _ in 0..count {
            let name = self.name("a variable's name")?;
            let dimensions = self.dimension_ids()?;
            let attributes = self.attributes()?;
            let nc_type = self.nc_type("a variable's type")?;
            self.count("a variable's size")?;
            let begin = self.offset("a variable's offset")?;
            let variable = ClassicVariable {
                name,
                dimensions,
                attributes,
                nc_type,
            };
            variables.push((variable, begin));
        }
        Ok(variables)
    }

    fn dimension_ids(&mut self) -> Parsed<Vec<usize>> {
        const DOING: &str = "a variable's dimensions";
        let rank = self.count(DOING)?;
        self.need_items(rank, self.format.count_bytes(), DOING)?;
        let mut ids = Vec::new();
        for _ in 0..rank {
            let id = self.count(DOING)?;
            // A number past `usize` is past every list too: the check of the model refuses it.
            ids.push(usize::try_from(id).unwrap_or(usize::MAX));
        }
        Ok(ids)
    }

    /// The number of items in a list whose items take at least `item_bytes` each.
    fn list_head(&mut self, tag: u32, item_bytes: u64, doing: &'static str) -> Parsed<u64> {
        let at = self.at;
        let found = self.word(doing)?;
        let count = self.count(doing)?;
        if found != tag && (found, count) != (0, 0) {
            return Err(fault(at, &format!("tag {found} where {tag} marks {doing}")).into());
        }
        self.need_items(count, item_bytes, doing)?;
        Ok(count)
    }

    fn nc_type(&mut self, doing: &'static str) -> Parsed<NcType> {
        let at = self.at;
        let number = self.word(doing)?;
        let format = self.format;
        NcType::from_number(number)
            .filter(|&nc_type| format.holds(nc_type))
            .ok_or_else(|| {
                let what = format!("{doing} is {number}, which {} lacks", format.name());
                Stop::Fault(fault(at, &what))
            })
    }

    /// A name up to its first NUL: netCDF-C renames in place and fills what is left with NULs.
    fn name(&mut self, doing: &'static str) -> Parsed<String> {
        let at = self.at;
        let length = self.count(doing)?;
        let mut bytes = self.padded_bytes(length, doing)?;
        let end = bytes.iter().position(|&byte| byte == 0);
        bytes.truncate(end.unwrap_or(bytes.len()));
        if bytes.is_empty() {
            return Err(fault(at, &format!("{doing} is empty")).into());
        }
        String::from_utf8(bytes).map_err(|error| {
            let shown = error.as_bytes().escape_ascii().to_string();
            Stop::Fault(fault(at, &format!("{doing}, \"{shown}\", is not UTF-8")))
        })
    }

    fn count(&mut self, doing: &'static str) -> Parsed<u64> {
        match self.format {
            ClassicFormat::Cdf1 | ClassicFormat::Cdf2 => self.word(doing).map(u64::from),
            ClassicFormat::Cdf5 => self.array(doing).map(u64::from_be_bytes),
        }
    }

    fn offset(&mut self, doing: &'static str) -> Parsed<u64> {
        match self.format {
            ClassicFormat::Cdf1 => self.word(doing).map(u64::from),
            ClassicFormat::Cdf2 | ClassicFormat::Cdf5 => self.array(doing).map(u64::from_be_bytes),
        }
    }

    fn word(&mut self, doing: &'static str) -> Parsed<u32> {
        self.array(doing).map(u32::from_be_bytes)
    }

    fn array<const N: usize>(&mut self, doing: &'static str) -> Parsed<[u8; N]> {
        let length = u64::try_from(N).unwrap_or(u64::MAX);
        self.need(length, doing)?;
        let mut array = [0; N];
        self.source.read_exact(&mut array).map_err(Stop::Read)?;
        self.at += length;
        Ok(array)
    }

    /// `length` bytes and the padding up to a whole word, which is dropped.
    fn padded_bytes(&mut self, length: u64, doing: &'static str) -> Parsed<Vec<u8>> {
        let stored = padded(length).unwrap_or(u64::MAX);
        let mut bytes = self.bytes(stored, doing)?;
        bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    fn bytes(&mut self, length: u64, doing: &'static str) -> Parsed<Vec<u8>> {
        self.need(length, doing)?;
        let mut bytes = Vec::new();
        let read = self
            .source
            .by_ref()
            .take(length)
            .read_to_end(&mut bytes)
            .map_err(Stop::Read)?;
        if u64::try_from(read) != Ok(length) {
            return Err(Stop::Read(io::ErrorKind::UnexpectedEof.into()));
        }
        self.at += length;
        Ok(bytes)
    }

    fn need_items(&self, count: u64, item_bytes: u64, doing: &'static str) -> Parsed<()> {
        self.need(count.saturating_mul(item_bytes), doing)
    }

    /// Refuses to go on unless this many bytes follow in the file and in the longest header.
    fn need(&self, needed_bytes: u64, doing: &'static str) -> Parsed<()> {
        let left_bytes = self.file_bytes.saturating_sub(self.at);
        if needed_bytes > left_bytes {
            return Err(Stop::Fault(ClassicError::HeaderTruncated {
                doing,
                at: self.at,
                needed_bytes,
                left_bytes,
            }));
        }
        if self.at.saturating_add(needed_bytes) > MAX_HEADER_BYTES {
            return Err(Stop::Fault(ClassicError::HeaderTooLarge {
                limit_bytes: MAX_HEADER_BYTES,
            }));
        }
        Ok(())
    }
}

fn fault(at: u64, what: &str) -> ClassicError {
    ClassicError::Header {
        what: what.to_owned(),
        at,
    }
}
