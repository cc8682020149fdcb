//! The netCDF-4 data model of a file being written: groups, dimensions, variables, attributes.
//!
//! Plain data. Objects are numbered over the whole file in the order of their definition, which is
//! the order of netCDF's dimension identifiers; a number stays what it is when the object is
//! renamed. Objects are never deleted. Names are changed by [`Schema::rename_variable`] and its like,
//! and not by hand: they are looked up.

mod names;

use std::collections::BTreeMap;

use frazil_hdf5::TypeDescription;
use frazil_types::{ByteOrder, ElementClass, ElementType};

use crate::classic::{AttributeValue, NcType};
use crate::elements::Elements;
use names::Names;

/// Number of a [`SchemaGroup`]; the root group is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub usize);

/// Number of a [`SchemaDimension`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DimensionId(pub usize);

/// Number of a [`SchemaVariable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub usize);

/// Number of a [`SchemaType`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub usize);

/// Whose attribute it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttributeOwner {
    /// An attribute of a group; of the root group: a global one.
    Group(GroupId),
    /// An attribute of a variable.
    Variable(VariableId),
}

/// All objects of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// The root group first, parents before their children.
    pub groups: Vec<SchemaGroup>,
    /// In the order of their definition.
    pub dimensions: Vec<SchemaDimension>,
    /// In the order of their definition.
    pub variables: Vec<SchemaVariable>,
    /// Types that the program has defined, in the order of their definition.
    pub types: Vec<SchemaType>,
    pub(crate) names: Names,
}

/// A group.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaGroup {
    /// Its name; of the root group: `/`.
    pub name: String,
    /// The group that it is in; `None`: it is the root group.
    pub parent: Option<GroupId>,
    /// In file order.
    pub attributes: Vec<SchemaAttribute>,
}

/// A dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaDimension {
    /// Its name.
    pub name: String,
    /// The group that it is in; variables there and below can have it.
    pub group: GroupId,
    /// Length as of the last put; of a fixed one, for ever.
    pub length: u64,
    /// Whether it grows as it is written.
    pub is_unlimited: bool,
}

/// A type that the program has defined, with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaType {
    /// Its name.
    pub name: String,
    /// The group that it is in.
    pub group: GroupId,
    /// What elements are.
    pub datatype: TypeDescription,
}

/// A type that the program has defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DefinedType {
    /// Which one.
    pub id: TypeId,
    /// Bytes of an element in memory.
    pub size_bytes: usize,
    /// The integers that elements are, if they have names.
    pub base: Option<NcType>,
    /// Whether elements point to texts or sequences of any length.
    pub is_indirect: bool,
}

/// The type of a variable's elements or an attribute's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// A number or a text byte.
    Atomic(NcType),
    /// Text of any length (`NC_STRING`).
    String,
    /// Of a type that the program has defined.
    Defined(DefinedType),
}

impl ValueType {
    /// Bytes of an element; `None`: what points elsewhere has no fixed size.
    #[must_use]
    pub fn size_bytes(self) -> Option<usize> {
        match self {
            Self::Atomic(nc_type) => Some(nc_type.size_bytes()),
            Self::Defined(defined) => (!defined.is_indirect).then_some(defined.size_bytes),
            Self::String => None,
        }
    }

    /// Whether elements are texts, or point to such or to sequences: libhdf5 alone writes these.
    #[must_use]
    pub fn is_indirect(self) -> bool {
        match self {
            Self::Atomic(_) => false,
            Self::Defined(defined) => defined.is_indirect,
            Self::String => true,
        }
    }

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Atomic(nc_type) => nc_type.name(),
            Self::String => "string",
            Self::Defined(_) => "that a program defines",
        }
    }
}

/// A variable.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaVariable {
    /// Its name.
    pub name: String,
    /// The group that it is in.
    pub group: GroupId,
    /// Type of its elements.
    pub value_type: ValueType,
    /// Whether its elements are stored big-endian; single bytes and strings are not.
    pub is_big_endian: bool,
    /// Its dimensions, slowest axis first; none for a scalar.
    pub dimensions: Vec<DimensionId>,
    /// What elements hold that were never written.
    pub fill: Fill,
    /// In file order; `_FillValue` is among them if [`Self::fill`] is a value of the user's.
    pub attributes: Vec<SchemaAttribute>,
}

/// What elements hold that were never written.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Fill {
    /// The type's own fill value in netCDF.
    #[default]
    Default,
    /// One element of the variable's type.
    Value(AttributeValue),
    /// One element of a type that the program has defined, with what it points to.
    Element(Elements),
    /// Nothing in particular: `NC_NOFILL`.
    Nothing,
}

/// An attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaAttribute {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: SchemaValue,
}

/// A text of a file's. netCDF-4 means UTF-8; some programs write others, and netCDF-C looks at none.
pub type Text = bstr::BString;

/// An attribute's value.
#[derive(Debug, Clone, PartialEq)]
pub enum SchemaValue {
    /// Numbers, or text bytes.
    Atomic(AttributeValue),
    /// Texts of any length.
    Strings(Vec<Text>),
    /// Elements of a type that the program has defined.
    Defined(DefinedType, Elements),
}

impl Default for Schema {
    /// The root group and nothing else.
    fn default() -> Self {
        Self {
            groups: vec![SchemaGroup {
                name: "/".to_owned(),
                parent: None,
                attributes: Vec::new(),
            }],
            dimensions: Vec::new(),
            variables: Vec::new(),
            types: Vec::new(),
            names: Names::default(),
        }
    }
}

impl DefinedType {
    /// What elements hold that were never written, in netCDF: zeros, or what the integers do.
    #[must_use]
    pub fn default_fill(self) -> Vec<u8> {
        let fill = self.base.map(NcType::default_fill);
        match fill.map(|fill| fill.to_native_bytes()) {
            Some(bytes) if bytes.len() == self.size_bytes => bytes,
            _ => vec![0; self.size_bytes],
        }
    }
}

impl Schema {
    /// The root group.
    pub const ROOT: GroupId = GroupId(0);

    /// Absolute path of a group, `/` or `/model/ocean`.
    #[must_use]
    pub fn group_path(&self, group: GroupId) -> String {
        let mut names = Vec::new();
        let mut at = group;
        while let Some(parent) = self.groups[at.0].parent {
            names.push(self.groups[at.0].name.as_str());
            at = parent;
        }
        names.reverse();
        format!("/{}", names.join("/"))
    }

    /// Absolute path of a variable.
    #[must_use]
    pub fn variable_path(&self, variable: VariableId) -> String {
        let variable = &self.variables[variable.0];
        match self.group_path(variable.group).as_str() {
            "/" => format!("/{}", variable.name),
            group => format!("{group}/{}", variable.name),
        }
    }

    /// Shape of a variable as of the last put.
    #[must_use]
    pub fn shape(&self, variable: VariableId) -> Vec<u64> {
        let dimensions = self.variables[variable.0].dimensions.iter();
        dimensions.map(|id| self.dimensions[id.0].length).collect()
    }

    /// Shape that a variable's dataset begins with. One of strings has no record before it is put, as in
    /// netCDF-C: libhdf5 reads no chunk of strings that is missing from a file that it may not write.
    #[must_use]
    pub fn first_shape(&self, variable: VariableId) -> Vec<u64> {
        match self.variables[variable.0].value_type.is_indirect() {
            true => self.shape_up_to(variable, |_| 0),
            false => self.shape(variable),
        }
    }

    /// Shape of a variable whose unlimited axes end there.
    #[must_use]
    pub fn shape_up_to(&self, variable: VariableId, end: impl Fn(usize) -> u64) -> Vec<u64> {
        let limits = self.limits(variable);
        let axes = limits.iter().enumerate();
        axes.map(|(axis, limit)| limit.unwrap_or_else(|| end(axis)))
            .collect()
    }

    /// Lengths of a variable's axes; `None`: unlimited.
    #[must_use]
    pub fn limits(&self, variable: VariableId) -> Vec<Option<u64>> {
        let dimensions = self.variables[variable.0].dimensions.iter();
        dimensions
            .map(|id| &self.dimensions[id.0])
            .map(|dimension| (!dimension.is_unlimited).then_some(dimension.length))
            .collect()
    }

    /// The dimension whose coordinate variable this is: its first one, of its own group and name.
    #[must_use]
    pub fn coordinate_of(&self, variable: VariableId) -> Option<DimensionId> {
        let variable = &self.variables[variable.0];
        let first = variable.dimensions.first().copied()?;
        let dimension = &self.dimensions[first.0];
        (dimension.name == variable.name && dimension.group == variable.group).then_some(first)
    }

    /// The coordinate variable of a dimension.
    #[must_use]
    pub fn coordinate_variable(&self, dimension: DimensionId) -> Option<VariableId> {
        let mut all = (0..self.variables.len()).map(VariableId);
        all.find(|&variable| self.coordinate_of(variable) == Some(dimension))
    }

    /// All dimensions that have a coordinate variable, with it.
    #[must_use]
    pub fn coordinates(&self) -> BTreeMap<DimensionId, VariableId> {
        let all = (0..self.variables.len()).map(VariableId);
        all.filter_map(|variable| Some((self.coordinate_of(variable)?, variable)))
            .collect()
    }

    /// The attributes of a group or variable.
    #[must_use]
    pub fn attributes(&self, owner: AttributeOwner) -> &[SchemaAttribute] {
        match owner {
            AttributeOwner::Group(group) => &self.groups[group.0].attributes,
            AttributeOwner::Variable(variable) => &self.variables[variable.0].attributes,
        }
    }

    /// An attribute of a group or variable.
    #[must_use]
    pub fn attribute(&self, owner: AttributeOwner, name: &str) -> Option<&SchemaAttribute> {
        let place = self.names.attribute(self, owner, name)?;
        self.attributes(owner).get(place)
    }

    /// Sets an attribute, in the place of one of the same name if there is one.
    pub fn put_attribute(&mut self, owner: AttributeOwner, attribute: SchemaAttribute) {
        let place = self.names.attribute(self, owner, &attribute.name);
        let all = self.attributes_of(owner);
        match place.and_then(|place| all.get_mut(place)) {
            Some(known) => *known = attribute,
            None => all.push(attribute),
        }
    }

    /// As [`Self::attributes`], to change them.
    pub fn attributes_mut(&mut self, owner: AttributeOwner) -> &mut Vec<SchemaAttribute> {
        self.names.forget_attributes(owner);
        self.attributes_of(owner)
    }

    fn attributes_of(&mut self, owner: AttributeOwner) -> &mut Vec<SchemaAttribute> {
        match owner {
            AttributeOwner::Group(group) => &mut self.groups[group.0].attributes,
            AttributeOwner::Variable(variable) => &mut self.variables[variable.0].attributes,
        }
    }

    /// A group's dimension of this name.
    #[must_use]
    pub fn dimension_in(&self, group: GroupId, name: &str) -> Option<DimensionId> {
        let found = self.names.dimension(self, (group.0, name));
        found.map(DimensionId)
    }

    /// A group's variable of this name.
    #[must_use]
    pub fn variable_in(&self, group: GroupId, name: &str) -> Option<VariableId> {
        let found = self.names.variable(self, (group.0, name));
        found.map(VariableId)
    }

    /// A group's type of this name.
    #[must_use]
    pub fn type_in(&self, group: GroupId, name: &str) -> Option<TypeId> {
        let mut all = self.types.iter();
        let found = all.position(|one| one.group == group && one.name == name);
        found.map(TypeId)
    }

    /// A group's group of this name.
    #[must_use]
    pub fn group_in(&self, parent: GroupId, name: &str) -> Option<GroupId> {
        let found = self.names.group(self, (parent.0, name));
        found.map(GroupId)
    }

    /// Gives a group another name.
    pub fn rename_group(&mut self, group: GroupId, name: &str) {
        self.names.forget_objects();
        name.clone_into(&mut self.groups[group.0].name);
    }

    /// Gives a dimension another name.
    pub fn rename_dimension(&mut self, dimension: DimensionId, name: &str) {
        self.names.forget_objects();
        name.clone_into(&mut self.dimensions[dimension.0].name);
    }

    /// Gives a variable another name.
    pub fn rename_variable(&mut self, variable: VariableId, name: &str) {
        self.names.forget_objects();
        name.clone_into(&mut self.variables[variable.0].name);
    }
}

impl SchemaVariable {
    /// The elements as they are stored; `None`: what points elsewhere has no fixed size.
    #[must_use]
    pub fn element(&self) -> Option<ElementType> {
        let nc_type = match self.value_type {
            ValueType::Atomic(nc_type) => nc_type,
            ValueType::Defined(defined) if defined.is_indirect => return None,
            ValueType::Defined(defined) => {
                return Some(ElementType {
                    class: ElementClass::Opaque,
                    size_bytes: defined.size_bytes,
                    order: ByteOrder::None,
                });
            }
            ValueType::String => return None,
        };
        let element = nc_type.element();
        let order = match element.order {
            ByteOrder::Big if !self.is_big_endian => ByteOrder::Little,
            other => other,
        };
        Some(ElementType { order, ..element })
    }

    /// One element of a type that the program has defined that was never written; `None`: of another type.
    #[must_use]
    pub fn fill_element(&self) -> Option<Elements> {
        match (self.value_type, &self.fill) {
            (ValueType::Defined(_), Fill::Element(element)) => Some(element.clone()),
            (ValueType::Defined(defined), _) => {
                Some(Elements::plain(defined.size_bytes, defined.default_fill()))
            }
            _ => None,
        }
    }

    /// One element that was never written, in the stored byte order, with zeros where pointers belong; `None`: a
    /// string.
    #[must_use]
    pub fn fill_bytes(&self) -> Option<Vec<u8>> {
        let nc_type = match (self.value_type, &self.fill) {
            (ValueType::Atomic(nc_type), _) => nc_type,
            (ValueType::Defined(_), _) => {
                return self.fill_element().map(|one| one.elements().to_vec());
            }
            (ValueType::String, _) => return None,
        };
        let mut bytes = match &self.fill {
            Fill::Value(value) => value.to_be_bytes(),
            Fill::Default | Fill::Nothing | Fill::Element(_) => {
                nc_type.default_fill().to_be_bytes()
            }
        };
        if !self.is_big_endian {
            bytes.reverse();
        }
        Some(bytes)
    }
}
