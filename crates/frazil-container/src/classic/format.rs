//! The three classic formats and what each can hold.
//!
//! Source: "The NetCDF Classic Format Specification" (netCDF-C documentation, appendix B), notes on
//! `vsize` and on large files; netCDF-C's own checks on leaving define mode follow the same rules.

use super::error::ClassicError;
use super::model::{ClassicAttribute, ClassicModel, ClassicVariable, ModelFault};
use super::value::NcType;

/// Variant of the classic format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClassicFormat {
    /// 32-bit offsets and counts: netCDF classic.
    Cdf1,
    /// 64-bit offsets, 32-bit counts: "64-bit offset".
    Cdf2,
    /// 64-bit offsets and counts, unsigned and 64-bit types: "64-bit data".
    Cdf5,
}

/// Longest external length of a dimension, variable or attribute: the formats keep 3 bytes free for
/// rounding up to whole words.
const WORD_SLACK: u64 = 3;

// Smallest first.
frazil_types::words!(pub ClassicFormat: Cdf1 "CDF-1", Cdf2 "CDF-2", Cdf5 "CDF-5");

impl ClassicFormat {
    /// The format of a file that begins with these bytes (4 are enough), if it is a classic one.
    #[must_use]
    pub fn from_magic(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [b'C', b'D', b'F', 1, ..] => Some(Self::Cdf1),
            [b'C', b'D', b'F', 2, ..] => Some(Self::Cdf2),
            [b'C', b'D', b'F', 5, ..] => Some(Self::Cdf5),
            _ => None,
        }
    }

    /// The name that `ncdump -k` prints.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Cdf1 => "classic",
            Self::Cdf2 => "64-bit offset",
            Self::Cdf5 => "cdf5",
        }
    }

    /// Whether the format has a type.
    #[must_use]
    pub fn holds(self, nc_type: NcType) -> bool {
        self == Self::Cdf5 || nc_type.number() <= NcType::Double.number()
    }

    /// Bytes of a count or length in the header.
    pub(crate) fn count_bytes(self) -> u64 {
        if self == Self::Cdf5 { 8 } else { 4 }
    }

    /// Bytes of a file offset in the header.
    pub(crate) fn offset_bytes(self) -> u64 {
        if self == Self::Cdf1 { 4 } else { 8 }
    }

    /// The smallest format that can hold a model. The record dimension's length counts as the
    /// number of records.
    ///
    /// # Errors
    /// [`ClassicError::NotRepresentable`] names what no classic format can hold.
    pub fn smallest_for(model: &ClassicModel) -> Result<Self, ClassicError> {
        model.check().map_err(ClassicError::NotRepresentable)?;
        let fits = |format: &Self| format.check_limits(model).is_ok();
        match [Self::Cdf1, Self::Cdf2].iter().find(|format| fits(format)) {
            Some(format) => Ok(*format),
            None => Self::Cdf5.check(model).map(|()| Self::Cdf5),
        }
    }

    /// Checks that this format can hold a model.
    ///
    /// # Errors
    /// [`ClassicError::NotRepresentable`] names what does not fit.
    pub fn check(self, model: &ClassicModel) -> Result<(), ClassicError> {
        model
            .check()
            .and_then(|()| self.check_limits(model))
            .map_err(ClassicError::NotRepresentable)
    }

    fn check_limits(self, model: &ClassicModel) -> Result<(), ModelFault> {
        check_name_lengths(model)?;
        self.check_attributes(&model.attributes, "")?;
        for dimension in &model.dimensions {
            let limit = if dimension.is_record {
                self.most_records()
            } else {
                self.longest_dimension()
            };
            if dimension.length > limit {
                return Err(self.too_large(format!("dimension `{}`", dimension.name)));
            }
        }
        for variable in &model.variables {
            self.check_type(variable.nc_type, || format!("variable `{}`", variable.name))?;
            self.check_attributes(&variable.attributes, &variable.name)?;
        }
        self.check_places(model)
    }

    fn check_attributes(
        self,
        attributes: &[ClassicAttribute],
        owner: &str,
    ) -> Result<(), ModelFault> {
        for attribute in attributes {
            let what = || format!("attribute `{owner}:{}`", attribute.name);
            self.check_type(attribute.value.nc_type(), what)?;
            let length = u64::try_from(attribute.value.len()).unwrap_or(u64::MAX);
            if self != Self::Cdf5 && length > i32::MAX.cast_unsigned().into() {
                return Err(self.too_large(what()));
            }
        }
        Ok(())
    }

    fn check_type(self, nc_type: NcType, what: impl Fn() -> String) -> Result<(), ModelFault> {
        if self.holds(nc_type) {
            return Ok(());
        }
        Err(ModelFault::UnknownType {
            what: what(),
            nc_type: nc_type.name(),
            format: self.name(),
        })
    }

    /// Fixed variables come first, then one record's worth of each record variable. In either part
    /// only the last variable may be longer than a length field can say, and a fixed one only if no
    /// records follow.
    fn check_places(self, model: &ClassicModel) -> Result<(), ModelFault> {
        let (records, fixed): (Vec<&ClassicVariable>, Vec<_>) = model
            .variables
            .iter()
            .partition(|variable| model.is_record_variable(variable));
        let mut begin = header_bytes(self, model);
        for (part, long_end) in [(fixed, records.is_empty()), (records, true)] {
            for (position, variable) in part.iter().enumerate() {
                let may_be_long = long_end && position + 1 == part.len() && self != Self::Cdf5;
                let bytes = model.stored_bytes(variable);
                let fits = bytes.is_some_and(|bytes| may_be_long || bytes <= self.longest_data());
                begin = begin.filter(|&begin| fits && begin <= self.last_offset());
                if begin.is_none() {
                    return Err(self.too_large(format!("variable `{}`", variable.name)));
                }
                begin = begin
                    .zip(bytes)
                    .and_then(|(begin, bytes)| begin.checked_add(padded(bytes)?));
            }
        }
        Ok(())
    }

    fn too_large(self, what: String) -> ModelFault {
        ModelFault::TooLarge {
            what,
            format: self.name(),
        }
    }

    fn longest_dimension(self) -> u64 {
        self.longest_data()
    }

    /// `0xFFFF_FFFF` and its 64-bit twin mean "streaming".
    fn most_records(self) -> u64 {
        match self {
            Self::Cdf1 | Self::Cdf2 => u64::from(u32::MAX) - 1,
            Self::Cdf5 => i64::MAX.cast_unsigned(),
        }
    }

    fn longest_data(self) -> u64 {
        match self {
            Self::Cdf1 => u64::from(i32::MAX.cast_unsigned()) - WORD_SLACK,
            Self::Cdf2 => u64::from(u32::MAX) - WORD_SLACK,
            Self::Cdf5 => i64::MAX.cast_unsigned() - WORD_SLACK,
        }
    }

    fn last_offset(self) -> u64 {
        match self {
            Self::Cdf1 => u64::from(i32::MAX.cast_unsigned()),
            Self::Cdf2 | Self::Cdf5 => i64::MAX.cast_unsigned(),
        }
    }
}

/// netCDF's readers have room for 256 bytes.
fn check_name_lengths(model: &ClassicModel) -> Result<(), ModelFault> {
    const MOST_BYTES: usize = 256;
    let dimensions = model.dimensions.iter().map(|item| &item.name);
    let variables = model.variables.iter().map(|item| &item.name);
    let lists = model.variables.iter().map(|variable| &variable.attributes);
    let lists = lists.chain([&model.attributes]);
    let attributes = lists.flatten().map(|item| &item.name);
    let mut names = dimensions.chain(variables).chain(attributes);
    match names.find(|name| name.len() > MOST_BYTES) {
        Some(name) => Err(ModelFault::LongName { name: name.clone() }),
        None => Ok(()),
    }
}

impl ClassicModel {
    /// Bytes of a variable's data, of one record for a record variable, without padding; `None` on
    /// overflow.
    pub(crate) fn stored_bytes(&self, variable: &ClassicVariable) -> Option<u64> {
        let size = u64::try_from(variable.nc_type.size_bytes()).ok()?;
        let skip = usize::from(self.is_record_variable(variable));
        self.shape(variable)
            .iter()
            .skip(skip)
            .try_fold(size, |bytes, &extent| bytes.checked_mul(extent))
    }
}

/// Rounded up to whole 4-byte words; `None` on overflow.
pub(crate) fn padded(bytes: u64) -> Option<u64> {
    bytes.checked_next_multiple_of(4)
}

/// Length of the header that describes a model; `None` on overflow.
pub(crate) fn header_bytes(format: ClassicFormat, model: &ClassicModel) -> Option<u64> {
    let count = format.count_bytes();
    let name_bytes = |name: &str| count.checked_add(padded(u64::try_from(name.len()).ok()?)?);
    let list_head = 4 + count;
    let attributes_bytes = |attributes: &[ClassicAttribute]| {
        attributes.iter().try_fold(list_head, |total, attribute| {
            let size = u64::try_from(attribute.value.nc_type().size_bytes()).ok()?;
            let values = size.checked_mul(u64::try_from(attribute.value.len()).ok()?)?;
            total
                .checked_add(name_bytes(&attribute.name)?)?
                .checked_add(4 + count)?
                .checked_add(padded(values)?)
        })
    };
    // Magic and number of records, then the heads of the dimension and variable lists.
    let mut total =
        (4 + count + 2 * list_head).checked_add(attributes_bytes(&model.attributes)?)?;
    for dimension in &model.dimensions {
        total = total.checked_add(name_bytes(&dimension.name)?.checked_add(count)?)?;
    }
    for variable in &model.variables {
        let rank = u64::try_from(variable.dimensions.len()).ok()?;
        total = total
            .checked_add(name_bytes(&variable.name)?)?
            .checked_add(count.checked_mul(rank.checked_add(2)?)?)?
            .checked_add(attributes_bytes(&variable.attributes)?)?
            .checked_add(4 + format.offset_bytes())?;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::super::{AttributeValue, ClassicDimension, ClassicFile, ClassicWriter};
    use super::*;
    use crate::netcdf::{LibraryFile, LibraryStatus};

    /// Types and extents of variables, and the smallest format for them.
    type Case<'a> = (&'a [(NcType, &'a [u64])], Option<ClassicFormat>);

    const KIB: u64 = 1 << 10;
    const GIB: u64 = 1 << 30;

    /// A model with one variable per entry: its type and extents, 0 for the record dimension.
    fn model(variables: &[(NcType, &[u64])]) -> ClassicModel {
        let mut model = ClassicModel {
            attributes: vec![ClassicAttribute {
                name: "title".to_owned(),
                value: AttributeValue::Char(b"large variables".to_vec()),
            }],
            ..ClassicModel::default()
        };
        for (position, (nc_type, extents)) in variables.iter().enumerate() {
            let ids = extents.iter().map(|&extent| dimension(&mut model, extent));
            let dimensions = ids.collect();
            model.variables.push(ClassicVariable {
                name: format!("v{position}"),
                dimensions,
                attributes: vec![ClassicAttribute {
                    name: "valid_range".to_owned(),
                    value: AttributeValue::Short(vec![1, 2, 3]),
                }],
                nc_type: *nc_type,
            });
        }
        model
    }

    fn dimension(model: &mut ClassicModel, length: u64) -> usize {
        let known = model
            .dimensions
            .iter()
            .position(|item| item.length == length);
        known.unwrap_or_else(|| {
            model.dimensions.push(ClassicDimension {
                name: format!("d{length}"),
                length,
                is_record: length == 0,
            });
            model.dimensions.len() - 1
        })
    }

    fn examples() -> Vec<(ClassicModel, Option<ClassicFormat>)> {
        use ClassicFormat::{Cdf1, Cdf2, Cdf5};
        use NcType::{Byte, Char, Double, Int, UInt64};
        let cases: [Case<'_>; 15] = [
            (
                &[(Int, &[7, 5]), (Double, &[0, 5]), (Char, &[])],
                Some(Cdf1),
            ),
            (&[(UInt64, &[3])], Some(Cdf5)),
            // Two variables, of which the second begins past 2 GiB.
            (
                &[(Byte, &[2 * GIB - 8]), (Byte, &[5]), (Byte, &[5])],
                Some(Cdf2),
            ),
            (&[(Byte, &[2 * GIB - KIB]), (Byte, &[5])], Some(Cdf1)),
            // One long last variable is fine, before records or not at the end it is not.
            (&[(Byte, &[5]), (Double, &[KIB * KIB, 512])], Some(Cdf1)),
            (&[(Double, &[KIB * KIB, 512]), (Byte, &[5])], Some(Cdf5)),
            (&[(Double, &[KIB * KIB, 300]), (Byte, &[5])], Some(Cdf2)),
            (&[(Double, &[KIB * KIB, 300]), (Byte, &[0])], Some(Cdf2)),
            (&[(Double, &[KIB * KIB, 512]), (Byte, &[0])], Some(Cdf5)),
            (&[(Byte, &[0]), (Double, &[0, KIB * KIB, 512])], Some(Cdf1)),
            (&[(Double, &[0, KIB * KIB, 512]), (Byte, &[0])], Some(Cdf5)),
            (&[(Double, &[0, KIB * KIB, 300]), (Byte, &[0])], Some(Cdf2)),
            // Long dimensions.
            (&[(Byte, &[2 * GIB - 4])], Some(Cdf1)),
            (&[(Byte, &[4 * GIB - 4])], Some(Cdf2)),
            (&[(Byte, &[4 * GIB])], Some(Cdf5)),
        ];
        let mut examples: Vec<_> = cases
            .iter()
            .map(|(variables, format)| (model(variables), *format))
            .collect();
        let overflow = [(Double, &[GIB, GIB, 16][..]), (Byte, &[5][..])];
        examples.push((model(&overflow), None));
        examples
    }

    /// Has netCDF-C lay out a model. Dropped before anything is written, the file is given up.
    fn lay_out(
        path: &std::path::Path,
        format: ClassicFormat,
        model: &ClassicModel,
    ) -> Result<(), LibraryStatus> {
        let mode = netcdf_sys::NC_CLOBBER
            | match format {
                ClassicFormat::Cdf1 => 0,
                ClassicFormat::Cdf2 => netcdf_sys::NC_64BIT_OFFSET,
                ClassicFormat::Cdf5 => netcdf_sys::NC_64BIT_DATA,
            };
        let file = LibraryFile::create(path, mode)?;
        file.set_fill(netcdf_sys::NC_NOFILL)?;
        let put = |varid: i32, attributes: &[ClassicAttribute]| {
            attributes.iter().try_for_each(|item| {
                let (memory, bytes) = (item.value.nc_type(), item.value.to_native_bytes());
                let nc_type = memory.number().cast_signed();
                file.put_att((0, varid), &item.name, nc_type, memory, &bytes)
            })
        };
        put(netcdf_sys::NC_GLOBAL, &model.attributes)?;
        let mut ids = Vec::new();
        for item in &model.dimensions {
            ids.push(file.def_dim(0, &item.name, if item.is_record { 0 } else { item.length })?);
        }
        for variable in &model.variables {
            let ids: Vec<i32> = variable.dimensions.iter().map(|&id| ids[id]).collect();
            let nc_type = variable.nc_type.number().cast_signed();
            let varid = file.def_var(0, &variable.name, nc_type, &ids)?;
            put(varid, &variable.attributes)?;
        }
        file.enddef()
    }

    #[test]
    fn limits_are_those_of_netcdf_c() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.nc");
        for (model, smallest) in examples() {
            let variables = &model.variables;
            assert_eq!(
                ClassicFormat::smallest_for(&model).ok(),
                smallest,
                "{variables:?}"
            );
            for format in ClassicFormat::ALL {
                let accepted = lay_out(&path, format, &model).is_ok();
                let fits = format.check(&model).is_ok();
                assert_eq!(fits, accepted, "{} {variables:?}", format.name());
            }
        }
    }

    #[test]
    fn the_header_is_as_long_as_computed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.nc");
        let variables = [
            (NcType::Int, &[7, 5][..]),
            (NcType::Double, &[0, 5][..]),
            (NcType::Char, &[][..]),
        ];
        let model = model(&variables);
        for format in ClassicFormat::ALL {
            let writer = ClassicWriter::create(&path, format, &model).unwrap();
            writer.finish().unwrap();
            let file = ClassicFile::open(&path).unwrap();
            assert_eq!(Some(file.header_bytes()), header_bytes(format, &model));
            assert_eq!(file.format(), format);
        }
    }

    #[test]
    fn what_no_classic_file_can_hold_is_named() {
        let mut two = model(&[(NcType::Int, &[0, 5])]);
        two.dimensions[1].is_record = true;
        let error = ClassicFormat::smallest_for(&two).unwrap_err();
        assert!(error.to_string().contains("`d0` and `d5`"), "{error}");
        let empty = ClassicModel {
            dimensions: vec![ClassicDimension {
                name: "none".to_owned(),
                length: 0,
                is_record: false,
            }],
            ..ClassicModel::default()
        };
        let error = ClassicFormat::smallest_for(&empty).unwrap_err();
        assert!(error.to_string().contains("`none`"), "{error}");
        let error = ClassicFormat::Cdf2
            .check(&model(&[(NcType::UInt64, &[])]))
            .unwrap_err();
        assert!(error.to_string().contains("uint64"), "{error}");
    }
}
