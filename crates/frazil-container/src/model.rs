//! What a file of any kind holds, in the words of netCDF's data model: groups, dimensions,
//! variables, attributes. Plain data.

pub use crate::hdf5::{
    AttributeDescription, BitRange, DatasetInfo, DatasetStorage, Expanded, Extent, FillStatus,
    FillTime, FloatForm, MemberDescription, TextPadding, TypeClass, TypeDescription,
};
use crate::schema::{DimensionId, GroupId, VariableId};

/// All objects of a file that is read.
#[derive(Debug, Clone, Default)]
pub struct FileModel {
    /// The root group first, parents before their children.
    pub groups: Vec<Group>,
    /// By their numbers in the file where it has some, else in file order; those that only we give
    /// to axes without one come last.
    pub dimensions: Vec<Dimension>,
    /// Group by group, each in file order.
    pub variables: Vec<Variable>,
    /// Types that the file has names for, in file order.
    pub types: Vec<NamedType>,
    /// The first thing in the file, in words, for which netCDF-C may refuse it or see other objects
    /// than these; `None`: it numbers and names them just so.
    pub irregular: Option<String>,
}

/// A group.
#[derive(Debug, Clone)]
pub struct Group {
    /// Its name; of the root group: `/`.
    pub name: String,
    /// Absolute path, `/` or `/model/ocean`.
    pub path: String,
    /// The group that it is in; `None`: it is the root group.
    pub parent: Option<GroupId>,
    /// Those that readers of netCDF see, in file order.
    pub attributes: Vec<AttributeDescription>,
}

/// A dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// Its name.
    pub name: String,
    /// The group that it is in.
    pub group: GroupId,
    /// Its number in netCDF.
    pub number: u64,
    /// Its place among the dimensions of the file in file order.
    pub place: usize,
    /// Length in elements; of an unlimited one, that of the longest variable along it.
    pub length: u64,
    /// Whether it may grow.
    pub is_unlimited: bool,
    /// Whether the file has no dimension there: named `phony_dim_N` as netCDF-C names it.
    pub is_phony: bool,
}

/// A type that the file has a name for.
#[derive(Debug, Clone)]
pub struct NamedType {
    /// Its name.
    pub name: String,
    /// The group that it is in; `None`: one that the model does not enter.
    pub group: Option<GroupId>,
    /// How many of the model's variables come before it in the file.
    pub variables_before: usize,
    /// As values of it are handed out.
    pub datatype: TypeDescription,
    /// As it lies in the file, members of compounds in their order.
    pub stored: TypeDescription,
}

/// A variable.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its name in netCDF.
    pub name: String,
    /// The group that it is in.
    pub group: GroupId,
    /// Its dimensions, slowest axis first; none for a scalar.
    pub dimensions: Vec<DimensionId>,
    /// The dataset behind it. Its `shape` may be shorter than unlimited dimensions: readers see
    /// fill values beyond it.
    pub dataset: DatasetInfo,
    /// Type of one element as stored.
    pub datatype: TypeDescription,
    /// Those that readers of netCDF see, in file order.
    pub attributes: Vec<AttributeDescription>,
}

impl FileModel {
    /// The root group.
    pub const ROOT: GroupId = GroupId(0);

    /// A variable's shape: the lengths of its dimensions.
    #[must_use]
    pub fn shape(&self, variable: VariableId) -> Vec<u64> {
        let Some(variable) = self.variables.get(variable.0) else {
            return Vec::new();
        };
        let length = |id: &DimensionId| self.dimensions.get(id.0).map_or(0, |d| d.length);
        variable.dimensions.iter().map(length).collect()
    }

    /// The variable behind an absolute path (`/group/name`; the first slash may be left out).
    #[must_use]
    pub fn variable(&self, path: &str) -> Option<VariableId> {
        let (group, name) = match path.rsplit_once('/') {
            Some((group, name)) => (self.group(group)?, name),
            None => (Self::ROOT, path),
        };
        let here = |v: &Variable| v.group == group && v.name == name;
        self.variables.iter().position(here).map(VariableId)
    }

    /// The group behind an absolute path (`/model/ocean`; slashes at the ends may be left out).
    #[must_use]
    pub fn group(&self, path: &str) -> Option<GroupId> {
        let path = format!("/{}", path.trim_matches('/'));
        let found = self.groups.iter().position(|group| group.path == path);
        found.map(GroupId)
    }

    /// Absolute path of a variable.
    #[must_use]
    pub fn variable_path(&self, id: VariableId) -> String {
        let Some(variable) = self.variables.get(id.0) else {
            return String::new();
        };
        match self.groups.get(variable.group.0).map(|g| g.path.as_str()) {
            Some(path) if path != "/" => format!("{path}/{}", variable.name),
            _ => format!("/{}", variable.name),
        }
    }
}

impl Variable {
    /// The attribute of this name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&AttributeDescription> {
        self.attributes.iter().find(|a| a.name == name)
    }
}
