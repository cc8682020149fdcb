//! A [`ClassicModel`] into the header's bytes, and where its variables lie.
//!
//! Source: "The NetCDF Classic Format Specification" (netCDF-C documentation, appendix B).

use super::error::ClassicError;
use super::format::{ClassicFormat, header_bytes, padded};
use super::header::{NC_ATTRIBUTE, NC_DIMENSION, NC_VARIABLE};
use super::model::{ClassicAttribute, ClassicModel, ModelFault};

/// Where everything lies behind the header.
pub(super) struct Layout {
    /// Address of each variable's first element.
    pub(super) begins: Vec<u64>,
    /// Bytes from one record to the next.
    pub(super) record_bytes: u64,
    /// First address past all data.
    pub(super) end: u64,
}

impl Layout {
    /// Fixed variables behind the header, then record by record; all padded to whole words, but for
    /// the records of a lone record variable.
    pub(super) fn of(format: ClassicFormat, model: &ClassicModel) -> Result<Self, ClassicError> {
        let layout = Self::place(format, model);
        layout.ok_or_else(|| {
            ClassicError::NotRepresentable(ModelFault::TooLarge {
                what: "the file".to_owned(),
                format: format.name(),
            })
        })
    }

    fn place(format: ClassicFormat, model: &ClassicModel) -> Option<Self> {
        let mut end = header_bytes(format, model)?;
        let mut begins = vec![0; model.variables.len()];
        let mut record_bytes = 0;
        for wants_records in [false, true] {
            let first = end;
            let variables = model.variables.iter().enumerate();
            let part = variables.filter(|(_, one)| model.is_record_variable(one) == wants_records);
            let mut lone = Vec::new();
            for (number, variable) in part {
                begins[number] = end;
                let bytes = model.stored_bytes(variable)?;
                lone.push(bytes);
                end = end.checked_add(padded(bytes)?)?;
            }
            if wants_records {
                record_bytes = match lone.as_slice() {
                    &[bytes] => bytes,
                    _ => end - first,
                };
                let records = model
                    .record_dimension()
                    .map(|at| model.dimensions[at].length);
                end = first.checked_add(record_bytes.checked_mul(records.unwrap_or(0))?)?;
            }
        }
        Some(Self {
            begins,
            record_bytes,
            end,
        })
    }
}

/// The header's bytes.
pub(super) fn header(format: ClassicFormat, model: &ClassicModel, layout: &Layout) -> Vec<u8> {
    let mut header = Header {
        format,
        bytes: Vec::new(),
    };
    let version = match format {
        ClassicFormat::Cdf1 => 1,
        ClassicFormat::Cdf2 => 2,
        ClassicFormat::Cdf5 => 5,
    };
    header.bytes.extend([b'C', b'D', b'F', version]);
    let records = model
        .record_dimension()
        .map(|at| model.dimensions[at].length);
    header.count(records.unwrap_or(0));
    header.list(NC_DIMENSION, model.dimensions.len());
    for dimension in &model.dimensions {
        header.name(&dimension.name);
        header.count(if dimension.is_record {
            0
        } else {
            dimension.length
        });
    }
    header.attributes(&model.attributes);
    header.list(NC_VARIABLE, model.variables.len());
    for (variable, &begin) in model.variables.iter().zip(&layout.begins) {
        header.name(&variable.name);
        header.count(variable.dimensions.len() as u64);
        for &id in &variable.dimensions {
            header.count(id as u64);
        }
        header.attributes(&variable.attributes);
        header.word(variable.nc_type.number());
        // Redundant, and too narrow for the longest variables: readers go by the shape.
        let bytes = model.stored_bytes(variable).and_then(padded);
        header.count(bytes.unwrap_or(u64::MAX));
        header.offset(begin);
    }
    header.bytes
}

struct Header {
    format: ClassicFormat,
    bytes: Vec<u8>,
}

impl Header {
    fn word(&mut self, number: u32) {
        self.bytes.extend(number.to_be_bytes());
    }

    /// A count or length; the largest one that there is room for where it is larger.
    fn count(&mut self, number: u64) {
        match self.format {
            ClassicFormat::Cdf5 => self.bytes.extend(number.to_be_bytes()),
            _ => self.word(u32::try_from(number).unwrap_or(u32::MAX)),
        }
    }

    fn offset(&mut self, address: u64) {
        match self.format {
            ClassicFormat::Cdf1 => self.word(u32::try_from(address).unwrap_or(u32::MAX)),
            _ => self.bytes.extend(address.to_be_bytes()),
        }
    }

    /// The head of a list; an empty one has no tag.
    fn list(&mut self, tag: u32, length: usize) {
        self.word(if length == 0 { 0 } else { tag });
        self.count(length as u64);
    }

    fn name(&mut self, name: &str) {
        self.count(name.len() as u64);
        self.padded(name.as_bytes());
    }

    fn attributes(&mut self, attributes: &[ClassicAttribute]) {
        self.list(NC_ATTRIBUTE, attributes.len());
        for attribute in attributes {
            self.name(&attribute.name);
            self.word(attribute.value.nc_type().number());
            self.count(attribute.value.len() as u64);
            self.padded(&attribute.value.to_be_bytes());
        }
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let whole = self.bytes.len().next_multiple_of(4);
        self.bytes.resize(whole, 0);
    }
}
