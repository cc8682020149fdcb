//! Where each variable's values lie in the file.

use frazil_types::{ElementType, FileAddress};

use super::error::ClassicError;
use super::format::padded;
use super::header::Header;
use super::model::{ClassicModel, ClassicVariable};

/// A variable's place in the file: its values follow each other in C order, record by record.
///
/// A located variable lies inside the file as a whole, but for padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableLocation {
    pub(super) name: String,
    pub(super) shape: Vec<u64>,
    pub(super) element: ElementType,
    pub(super) begin: FileAddress,
    /// Distance between two records; `None` for a fixed variable.
    pub(super) record_stride: Option<u64>,
}

impl VariableLocation {
    /// Extents along each axis in elements; the first one of a record variable is the number of
    /// records.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The elements as stored.
    #[must_use]
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// Address of the first value.
    #[must_use]
    pub fn begin(&self) -> FileAddress {
        self.begin
    }

    /// Bytes from one record to the next, for a record variable.
    #[must_use]
    pub fn record_stride_bytes(&self) -> Option<u64> {
        self.record_stride
    }

    /// Whether the first axis is the record dimension.
    #[must_use]
    pub fn is_record(&self) -> bool {
        self.record_stride.is_some()
    }

    /// Bytes of all values, without padding; `None` on overflow.
    #[must_use]
    pub fn data_bytes(&self) -> Option<u64> {
        product(&self.shape, self.element_bytes())
    }

    pub(super) fn element_bytes(&self) -> u64 {
        u64::try_from(self.element.size_bytes).unwrap_or(u64::MAX)
    }

    /// First address past the last value; `None` on overflow.
    fn end(&self) -> Option<FileAddress> {
        match (self.record_stride, self.shape.split_first()) {
            (Some(stride), Some((&records, inner))) => match records.checked_sub(1) {
                None => Some(self.begin),
                Some(last) => last
                    .checked_mul(stride)?
                    .checked_add(self.begin)?
                    .checked_add(product(inner, self.element_bytes())?),
            },
            _ => self.begin.checked_add(self.data_bytes()?),
        }
    }
}

/// `unit` times all extents; `None` on overflow.
pub(super) fn product(extents: &[u64], unit: u64) -> Option<u64> {
    extents
        .iter()
        .try_fold(unit, |total, &extent| total.checked_mul(extent))
}

/// The record part of a file: all record variables, one record after the other.
struct Records {
    begin: FileAddress,
    stride_bytes: u64,
}

/// Places every variable of a checked model, fills in the record dimension's length, and makes sure
/// that variables follow each other in the order of their definition, without overlap, up to the
/// file's end (which netCDF-C checks too, and which bounds all data by the file's length).
pub(super) fn locate(
    header: &mut Header,
    file_bytes: u64,
) -> Result<Vec<VariableLocation>, ClassicError> {
    let stored = stored_bytes(&header.model)?;
    let records = record_part(header, &stored)?;
    check_order(header, &stored, records.as_ref())?;
    if let Some(position) = header.model.record_dimension() {
        let count = match header.records {
            Some(claimed) => claimed,
            None => whole_records(header, &stored, records.as_ref(), file_bytes),
        };
        header.model.dimensions[position].length = count;
    }
    let model = &header.model;
    let stride = |variable: &ClassicVariable| {
        let records = records
            .as_ref()
            .filter(|_| model.is_record_variable(variable));
        records.map(|records| records.stride_bytes)
    };
    let place = |(variable, &begin): (&ClassicVariable, &u64)| VariableLocation {
        name: variable.name.clone(),
        shape: model.shape(variable),
        element: variable.nc_type.element(),
        begin,
        record_stride: stride(variable),
    };
    let places: Vec<_> = model
        .variables
        .iter()
        .zip(&header.begins)
        .map(place)
        .collect();
    for place in &places {
        check_end(place, file_bytes)?;
    }
    Ok(places)
}

/// Bytes of each variable's data or of one of its records, recomputed from its dimensions.
fn stored_bytes(model: &ClassicModel) -> Result<Vec<u64>, ClassicError> {
    let one = |variable: &ClassicVariable| {
        let bytes = model.stored_bytes(variable);
        bytes.ok_or_else(|| layout(variable, "its size overflows 64 bits"))
    };
    model.variables.iter().map(one).collect()
}

/// A record is the padded sum of its variables' parts; where there is only one record variable, it
/// is not padded.
fn record_part(header: &Header, stored: &[u64]) -> Result<Option<Records>, ClassicError> {
    let mut part: Option<Records> = None;
    let mut only = true;
    for ((variable, &bytes), &begin) in header
        .model
        .variables
        .iter()
        .zip(stored)
        .zip(&header.begins)
    {
        if !header.model.is_record_variable(variable) {
            continue;
        }
        part = Some(match part {
            None => Records {
                begin,
                stride_bytes: bytes,
            },
            Some(part) => {
                let before = if only {
                    padded(part.stride_bytes)
                } else {
                    Some(part.stride_bytes)
                };
                only = false;
                let sum = before
                    .zip(padded(bytes))
                    .and_then(|(a, b)| a.checked_add(b));
                Records {
                    begin: part.begin,
                    stride_bytes: sum
                        .ok_or_else(|| layout(variable, "the record size overflows 64 bits"))?,
                }
            }
        });
    }
    Ok(part)
}

/// Fixed variables lie behind the header, records behind these, each in order of definition.
fn check_order(
    header: &Header,
    stored: &[u64],
    records: Option<&Records>,
) -> Result<(), ClassicError> {
    let mut end = header.end;
    for wants_records in [false, true] {
        let variables = header
            .model
            .variables
            .iter()
            .zip(stored)
            .zip(&header.begins);
        for ((variable, &bytes), &begin) in variables {
            if header.model.is_record_variable(variable) != wants_records {
                continue;
            }
            if begin < end {
                let what =
                    format!("its data begin at byte {begin}, inside what ends at byte {end}");
                return Err(layout(variable, &what));
            }
            end = begin
                .checked_add(bytes)
                .ok_or_else(|| layout(variable, "its end overflows 64 bits"))?;
            let limit = records
                .filter(|_| wants_records)
                .map(|part| part.begin.saturating_add(part.stride_bytes));
            if limit.is_some_and(|limit| end > limit) {
                return Err(layout(variable, "its first record reaches into the second"));
            }
        }
    }
    Ok(())
}

/// How many records a file of unknown record count ("streaming") holds as a whole.
fn whole_records(
    header: &Header,
    stored: &[u64],
    records: Option<&Records>,
    file_bytes: u64,
) -> u64 {
    let Some(part) = records else { return 0 };
    let variables = header
        .model
        .variables
        .iter()
        .zip(stored)
        .zip(&header.begins);
    variables
        .filter(|((variable, _), _)| header.model.is_record_variable(variable))
        .map(|((_, &bytes), &begin)| {
            let behind_first = file_bytes
                .checked_sub(begin)
                .and_then(|left| left.checked_sub(bytes));
            match behind_first.and_then(|left| left.checked_div(part.stride_bytes)) {
                Some(more) => more.saturating_add(1),
                None => 0,
            }
        })
        .min()
        .unwrap_or(0)
}

fn check_end(place: &VariableLocation, file_bytes: u64) -> Result<(), ClassicError> {
    let end = place.end().unwrap_or(u64::MAX);
    // Without records there is nothing to read, wherever the first one would begin.
    if end <= file_bytes || place.shape.contains(&0) {
        return Ok(());
    }
    Err(ClassicError::Truncated {
        variable: place.name.clone(),
        missing_bytes: end - file_bytes,
        end,
        file_bytes,
    })
}

fn layout(variable: &ClassicVariable, what: &str) -> ClassicError {
    ClassicError::Layout {
        variable: variable.name.clone(),
        what: what.to_owned(),
    }
}
