//! What a new file holds: dimensions, attributes, variables.

use std::collections::HashSet;

use frazil_container::classic::{
    AttributeValue, ClassicAttribute, ClassicDimension, ClassicModel, ClassicVariable, NcType,
};
use frazil_types::ErrorCode;

use crate::error::{Error, Result};

/// A dimension of a [`FileDefinition`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DimensionId(pub(super) usize);

/// A variable of a [`FileDefinition`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VariableId(pub(super) usize);

/// What a new file holds, before anything is written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileDefinition {
    dimensions: Vec<Dimension>,
    attributes: Vec<(String, AttributeValue)>,
    variables: Vec<VariableDefinition>,
}

#[derive(Debug, Clone, PartialEq)]
struct Dimension {
    name: String,
    /// `None`: unlimited.
    length: Option<u64>,
    expected_length: Option<u64>,
}

/// One variable of a new file.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableDefinition {
    /// Name, in the root group.
    pub name: String,
    /// Type of the elements.
    pub nc_type: NcType,
    /// Dimensions, slowest axis first; none for a scalar.
    pub dimensions: Vec<DimensionId>,
    /// Attributes in file order.
    pub attributes: Vec<(String, AttributeValue)>,
    /// Value of elements never written, one element of the variable's type, which becomes
    /// `_FillValue`; `None`: the type's default in netCDF.
    pub fill: Option<AttributeValue>,
    /// Chunk shape in elements; `None`: ours.
    pub chunk: Option<Vec<u64>>,
}

impl VariableDefinition {
    /// A variable without attributes, with the type's own fill value and our chunk shape.
    #[must_use]
    pub fn new(name: impl Into<String>, nc_type: NcType, dimensions: &[DimensionId]) -> Self {
        Self {
            name: name.into(),
            nc_type,
            dimensions: dimensions.to_vec(),
            attributes: Vec::new(),
            fill: None,
            chunk: None,
        }
    }

    /// Adds an attribute.
    #[must_use]
    pub fn with_attribute(mut self, name: impl Into<String>, value: AttributeValue) -> Self {
        self.attributes.push((name.into(), value));
        self
    }

    /// Sets the fill value.
    #[must_use]
    pub fn with_fill(mut self, value: AttributeValue) -> Self {
        self.fill = Some(value);
        self
    }

    /// Sets the chunk shape.
    #[must_use]
    pub fn with_chunk(mut self, chunk: &[u64]) -> Self {
        self.chunk = Some(chunk.to_vec());
        self
    }
}

impl FileDefinition {
    /// Adds a dimension of fixed length.
    pub fn add_dimension(&mut self, name: impl Into<String>, length: u64) -> DimensionId {
        self.add(Dimension {
            name: name.into(),
            length: Some(length),
            expected_length: None,
        })
    }

    /// Adds an unlimited dimension. The length it is expected to get, if known, serves to choose
    /// chunk shapes and nothing else.
    pub fn add_unlimited(
        &mut self,
        name: impl Into<String>,
        expected_length: Option<u64>,
    ) -> DimensionId {
        self.add(Dimension {
            name: name.into(),
            length: None,
            expected_length,
        })
    }

    fn add(&mut self, dimension: Dimension) -> DimensionId {
        self.dimensions.push(dimension);
        DimensionId(self.dimensions.len() - 1)
    }

    /// Adds an attribute of the file.
    pub fn add_attribute(&mut self, name: impl Into<String>, value: AttributeValue) {
        self.attributes.push((name.into(), value));
    }

    /// Adds a variable.
    pub fn add_variable(&mut self, variable: VariableDefinition) -> VariableId {
        self.variables.push(variable);
        VariableId(self.variables.len() - 1)
    }

    pub(super) fn variables(&self) -> &[VariableDefinition] {
        &self.variables
    }

    /// Lengths of a variable's axes; `None`: unlimited.
    pub(super) fn limits(&self, variable: &VariableDefinition) -> Vec<Option<u64>> {
        let axes = variable.dimensions.iter();
        axes.map(|id| self.dimensions[id.0].length).collect()
    }

    /// Lengths that a variable's unlimited axes are expected to get.
    pub(super) fn expected(&self, variable: &VariableDefinition) -> Vec<Option<u64>> {
        let axes = variable.dimensions.iter();
        axes.map(|id| self.dimensions[id.0].expected_length)
            .collect()
    }

    /// Length of each dimension before anything is written.
    pub(super) fn lengths(&self) -> Vec<u64> {
        let lengths = self.dimensions.iter().map(|d| d.length.unwrap_or(0));
        lengths.collect()
    }

    /// The definition in the container's words.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] for a definition that no file can have.
    pub(super) fn model(&self) -> Result<ClassicModel> {
        check_names("dimension", self.dimensions.iter().map(|d| &d.name))?;
        check_names("variable", self.variables.iter().map(|v| &v.name))?;
        if let Some(empty) = self.dimensions.iter().find(|d| d.length == Some(0)) {
            return Err(refused(format!(
                "dimension `{}` has the fixed length 0",
                empty.name
            )));
        }
        let variables = self.variables.iter();
        Ok(ClassicModel {
            dimensions: self
                .dimensions
                .iter()
                .map(|dimension| ClassicDimension {
                    name: dimension.name.clone(),
                    length: dimension.length.unwrap_or(0),
                    is_record: dimension.length.is_none(),
                })
                .collect(),
            attributes: attributes(&self.attributes)?,
            variables: variables
                .map(|variable| {
                    self.variable(variable)
                        .map_err(|error| error.at_variable(&format!("/{}", variable.name)))
                })
                .collect::<Result<_>>()?,
        })
    }

    fn variable(&self, variable: &VariableDefinition) -> Result<ClassicVariable> {
        let known = self.dimensions.len();
        if variable.dimensions.iter().any(|id| id.0 >= known) {
            return Err(refused("has a dimension of another definition"));
        }
        let mut all = variable.attributes.clone();
        if let Some(fill) = &variable.fill {
            all.insert(0, ("_FillValue".to_owned(), fill.clone()));
        }
        for (_, fill) in all.iter().filter(|(name, _)| name == "_FillValue") {
            if fill.nc_type() != variable.nc_type || fill.len() != 1 {
                return Err(refused("the fill value is not one element of its type"));
            }
        }
        Ok(ClassicVariable {
            name: variable.name.clone(),
            dimensions: variable.dimensions.iter().map(|id| id.0).collect(),
            attributes: attributes(&all)?,
            nc_type: variable.nc_type,
        })
    }
}

fn attributes(list: &[(String, AttributeValue)]) -> Result<Vec<ClassicAttribute>> {
    check_names("attribute", list.iter().map(|(name, _)| name))?;
    let pairs = list.iter().cloned();
    Ok(pairs
        .map(|(name, value)| ClassicAttribute { name, value })
        .collect())
}

fn check_names<'a>(kind: &str, names: impl Iterator<Item = &'a String>) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if name.is_empty() || name.contains(['\0', '/']) {
            return Err(refused(format!(
                "{kind} name {name:?} is empty or holds a NUL or a slash"
            )));
        }
        if !seen.insert(name) {
            return Err(refused(format!("two {kind}s are named `{name}`")));
        }
    }
    Ok(())
}

pub(super) fn refused(cause: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidArgument, cause)
}
