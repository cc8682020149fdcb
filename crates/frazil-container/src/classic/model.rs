//! What a classic file says about itself, as plain data: dimensions, attributes, variables.

use std::collections::HashSet;

use super::value::{AttributeValue, NcType};

/// A named extent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassicDimension {
    /// UTF-8 name.
    pub name: String,
    /// Length in elements; for the record dimension the number of records.
    pub length: u64,
    /// Whether this is the record (unlimited) dimension.
    pub is_record: bool,
}

/// A named list of values of one type.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassicAttribute {
    /// UTF-8 name.
    pub name: String,
    /// The values.
    pub value: AttributeValue,
}

/// A named array.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassicVariable {
    /// UTF-8 name.
    pub name: String,
    /// Positions in [`ClassicModel::dimensions`], slowest axis first; empty for a scalar.
    pub dimensions: Vec<usize>,
    /// Attributes in file order.
    pub attributes: Vec<ClassicAttribute>,
    /// Type of the elements.
    pub nc_type: NcType,
}

impl ClassicVariable {
    /// The attribute of this name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&ClassicAttribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    /// The value of elements never written, one element: `_FillValue` if it is one element of the
    /// variable's own type, else the type's default.
    #[must_use]
    pub fn fill_value(&self) -> AttributeValue {
        self.attribute("_FillValue")
            .map(|attribute| &attribute.value)
            .filter(|value| value.nc_type() == self.nc_type && value.len() == 1)
            .cloned()
            .unwrap_or_else(|| self.nc_type.default_fill())
    }
}

/// Everything in a classic file but the data.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClassicModel {
    /// Dimensions in file order; at most one of them is the record dimension.
    pub dimensions: Vec<ClassicDimension>,
    /// Global attributes in file order.
    pub attributes: Vec<ClassicAttribute>,
    /// Variables in file order.
    pub variables: Vec<ClassicVariable>,
}

/// What no classic file can be, or what one format cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFault {
    /// A name that is empty or holds a NUL or a slash.
    #[error("{kind} name {name:?} is empty or holds a NUL or a slash")]
    BadName {
        /// `dimension`, `attribute` or `variable`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A name that netCDF's readers have no room for.
    #[error("the name `{name}` is longer than the 256 bytes that netCDF allows")]
    LongName {
        /// The name.
        name: String,
    },
    /// Two objects of one list share a name.
    #[error("two {kind}s are named `{name}`")]
    DuplicateName {
        /// `dimension`, `attribute` or `variable`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// More than one unlimited dimension.
    #[error("dimensions `{first}` and `{second}` are both unlimited; only one may be")]
    SeveralRecordDimensions {
        /// The first unlimited dimension.
        first: String,
        /// The second unlimited dimension.
        second: String,
    },
    /// A fixed dimension of length 0, which the formats reserve for the record dimension.
    #[error("dimension `{name}` has the fixed length 0, which means unlimited in classic files")]
    EmptyDimension {
        /// The dimension.
        name: String,
    },
    /// A variable refers to a dimension that is not defined.
    #[error("variable `{variable}` uses dimension number {dimension}, but there are {count}")]
    UnknownDimension {
        /// The variable.
        variable: String,
        /// The dimension's number.
        dimension: usize,
        /// Number of dimensions.
        count: usize,
    },
    /// The record dimension is not a variable's slowest axis.
    #[error("variable `{variable}` has the unlimited dimension `{dimension}` after its first axis")]
    RecordDimensionNotFirst {
        /// The variable.
        variable: String,
        /// The record dimension.
        dimension: String,
    },
    /// A type that the format lacks.
    #[error("{what} has type {nc_type}, which {format} lacks")]
    UnknownType {
        /// The variable or attribute.
        what: String,
        /// CDL name of the type.
        nc_type: &'static str,
        /// `CDF-1`, `CDF-2` or `CDF-5`.
        format: &'static str,
    },
    /// A length, size or offset past the format's limit.
    #[error("{what} is too large for {format}")]
    TooLarge {
        /// The dimension, attribute or variable.
        what: String,
        /// `CDF-1`, `CDF-2` or `CDF-5`.
        format: &'static str,
    },
}

impl ClassicModel {
    /// The record dimension's position, if there is one.
    #[must_use]
    pub fn record_dimension(&self) -> Option<usize> {
        self.dimensions
            .iter()
            .position(|dimension| dimension.is_record)
    }

    /// The position of a variable.
    #[must_use]
    pub fn variable_position(&self, name: &str) -> Option<usize> {
        self.variables
            .iter()
            .position(|variable| variable.name == name)
    }

    /// Extents of a variable along each axis; unknown dimensions are left out.
    #[must_use]
    pub fn shape(&self, variable: &ClassicVariable) -> Vec<u64> {
        variable
            .dimensions
            .iter()
            .filter_map(|&id| self.dimensions.get(id))
            .map(|dimension| dimension.length)
            .collect()
    }

    /// Whether a variable grows along the record dimension.
    #[must_use]
    pub fn is_record_variable(&self, variable: &ClassicVariable) -> bool {
        let first = variable.dimensions.first();
        first
            .and_then(|&id| self.dimensions.get(id))
            .is_some_and(|dimension| dimension.is_record)
    }

    /// Checks what all three formats demand: good, unique names, known dimensions, at most one
    /// record dimension and that always slowest, no fixed dimension of length 0.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check(&self) -> Result<(), ModelFault> {
        check_names("dimension", self.dimensions.iter().map(|item| &item.name))?;
        check_names("attribute", self.attributes.iter().map(|item| &item.name))?;
        check_names("variable", self.variables.iter().map(|item| &item.name))?;
        self.check_dimensions()?;
        for variable in &self.variables {
            check_names(
                "attribute",
                variable.attributes.iter().map(|item| &item.name),
            )?;
            self.check_axes(variable)?;
        }
        Ok(())
    }

    fn check_dimensions(&self) -> Result<(), ModelFault> {
        let mut records = self.dimensions.iter().filter(|item| item.is_record);
        if let (Some(first), Some(second)) = (records.next(), records.next()) {
            return Err(ModelFault::SeveralRecordDimensions {
                first: first.name.clone(),
                second: second.name.clone(),
            });
        }
        let empty = |dimension: &&ClassicDimension| !dimension.is_record && dimension.length == 0;
        match self.dimensions.iter().find(empty) {
            Some(dimension) => Err(ModelFault::EmptyDimension {
                name: dimension.name.clone(),
            }),
            None => Ok(()),
        }
    }

    fn check_axes(&self, variable: &ClassicVariable) -> Result<(), ModelFault> {
        for (axis, &id) in variable.dimensions.iter().enumerate() {
            let dimension =
                self.dimensions
                    .get(id)
                    .ok_or_else(|| ModelFault::UnknownDimension {
                        variable: variable.name.clone(),
                        dimension: id,
                        count: self.dimensions.len(),
                    })?;
            if dimension.is_record && axis > 0 {
                return Err(ModelFault::RecordDimensionNotFirst {
                    variable: variable.name.clone(),
                    dimension: dimension.name.clone(),
                });
            }
        }
        Ok(())
    }
}

fn check_names<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), ModelFault> {
    let mut seen = HashSet::new();
    for name in names {
        if name.is_empty() || name.contains(['\0', '/']) {
            return Err(ModelFault::BadName {
                kind,
                name: name.clone(),
            });
        }
        if !seen.insert(name) {
            return Err(ModelFault::DuplicateName {
                kind,
                name: name.clone(),
            });
        }
    }
    Ok(())
}
