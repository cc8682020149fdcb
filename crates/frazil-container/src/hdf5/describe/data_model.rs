//! An HDF5 file as readers of netCDF-4 see it, user-defined types and files of other tools included.
//!
//! Source: netCDF-C's `libhdf5/hdf5open.c`. Within a group, datasets come in file order, then the
//! groups below; dimensions that have no number are counted in that order. Axes without a
//! dimension get one of the group that is as long, else one named `phony_dim_N`; N counts on from
//! the last dimension, groups below before those above. A link stands for what it leads to: a
//! dataset with several names is a variable in each group that names it, each time with phony
//! dimensions of that group.

use std::collections::HashMap;

use super::attributes::{AttributeDescription, ObjectAttributes};
use super::netcdf::{is_internal, is_scale, numbers};
use crate::error::Result;
use crate::hdf5::contents::{Entry, EntryKind};
use crate::hdf5::dataset_info::DatasetInfo;
use crate::hdf5::links::Links;
use crate::hdf5::netcdf_names::{COORDINATES, NON_COORDINATE_PREFIX, NUMBER};
use crate::hdf5::scan::{Hdf5Input, last_part};
use crate::model::{Dimension, FileModel, Group, NamedType, Variable};
use crate::schema::{DimensionId, GroupId};

/// Groups at most where links lead to groups again and again; links behind that are not followed.
const MAX_LINKED_GROUPS: usize = 10_000;

impl Hdf5Input {
    /// The file as readers of netCDF-4 see it.
    ///
    /// # Errors
    /// If an object or attribute cannot be read.
    pub fn data_model(&self) -> Result<FileModel> {
        let mut attributes = Vec::with_capacity(self.datasets().len());
        for dataset in self.datasets() {
            attributes.push(self.describe_attributes(&dataset.object_path)?);
        }
        let mut reader = Reader {
            input: self,
            attributes,
            members: Vec::new(),
            children_first: Vec::new(),
            by_number: HashMap::new(),
            by_address: HashMap::new(),
            next_number: 0,
            named: HashMap::new(),
            variable_count: 0,
            model: FileModel::default(),
        };
        reader.groups()?;
        reader.dimensions();
        reader.find_axes()?;
        reader.invent_axes();
        reader.stretch();
        reader.model.irregular = reader.irregularity();
        reader.variables()?;
        reader.types()?;
        Ok(reader.model)
    }
}

pub(super) struct Reader<'a> {
    pub(super) input: &'a Hdf5Input,
    /// Of each dataset.
    pub(super) attributes: Vec<ObjectAttributes>,
    /// Names of datasets, in netCDF-C's order.
    pub(super) members: Vec<Member<'a>>,
    /// All groups, those below before those above.
    children_first: Vec<GroupId>,
    /// Dimensions by the numbers that the file gives them.
    by_number: HashMap<u64, DimensionId>,
    /// Dimensions by the object address of their scale.
    pub(super) by_address: HashMap<u64, DimensionId>,
    next_number: u64,
    /// Where named types are, by their paths: the group, and how many variables come before.
    named: HashMap<&'a str, (GroupId, usize)>,
    /// How many variables were met.
    variable_count: usize,
    pub(super) model: FileModel,
}

/// A name of a dataset in a group.
pub(super) struct Member<'a> {
    pub(super) group: GroupId,
    pub(super) name: &'a str,
    /// The dataset.
    pub(super) number: usize,
    is_first_name: bool,
    /// As far as known.
    pub(super) axes: Vec<Option<DimensionId>>,
}

/// A group that is to be entered: under what name, and where its entries are.
struct Door<'a> {
    parent: Option<GroupId>,
    path: String,
    inside: &'a str,
}

impl<'a> Reader<'a> {
    /// Enters all groups, each before those below it, and lists their datasets.
    fn groups(&mut self) -> Result<()> {
        let mut entries: HashMap<&'a str, Vec<&'a Entry>> = HashMap::new();
        for entry in self.input.entries() {
            entries.entry(&entry.parent).or_default().push(entry);
        }
        let mut links = Links::new(self.input.contents());
        let mut stack = vec![Step::Enter(Door {
            parent: None,
            path: "/".to_owned(),
            inside: "/",
        })];
        // Where the groups are that the walk is in: a link to one of them would lead round in circles.
        let mut within: Vec<&'a str> = Vec::new();
        while let Some(step) = stack.pop() {
            let door = match step {
                Step::Enter(door) => door,
                Step::Leave(group) => {
                    self.children_first.push(group);
                    within.pop();
                    continue;
                }
            };
            let group = self.enter_group(&door)?;
            stack.push(Step::Leave(group));
            within.push(door.inside);
            let mut below = Vec::new();
            for &entry in entries.get(door.inside).map_or(&[][..], Vec::as_slice) {
                let Some(meant) = links.follow(entry) else {
                    continue;
                };
                let is_first_name = meant.path == entry.path;
                match meant.kind {
                    EntryKind::NamedDatatype { .. } if is_first_name => {
                        self.named.insert(&entry.path, (group, self.variable_count));
                    }
                    EntryKind::Dataset(number) => {
                        let is_variable = !self.dataset(number).is_dimension_only;
                        self.variable_count += usize::from(is_variable);
                        self.members.push(Member {
                            group,
                            name: &entry.name,
                            number,
                            is_first_name,
                            axes: Vec::new(),
                        });
                    }
                    EntryKind::Group { .. } if is_first_name || self.may_enter(meant, &within) => {
                        below.push(Step::Enter(Door {
                            parent: Some(group),
                            path: format!("{}/{}", door.path.trim_end_matches('/'), entry.name),
                            inside: &meant.path,
                        }));
                    }
                    _ => {}
                }
            }
            // The first one on top.
            stack.extend(below.into_iter().rev());
        }
        Ok(())
    }

    /// Whether to follow a link to a group.
    fn may_enter(&self, group: &Entry, within: &[&str]) -> bool {
        self.model.groups.len() < MAX_LINKED_GROUPS && !within.contains(&group.path.as_str())
    }

    fn enter_group(&mut self, door: &Door<'_>) -> Result<GroupId> {
        let all = self.input.describe_attributes(door.inside)?;
        let path = door.path.as_str();
        let name = if path == "/" { path } else { last_part(path) };
        self.model.groups.push(Group {
            name: name.to_owned(),
            path: path.to_owned(),
            parent: door.parent,
            attributes: seen(all),
        });
        Ok(GroupId(self.model.groups.len() - 1))
    }

    fn types(&mut self) -> Result<()> {
        for entry in self.input.entries() {
            if !matches!(entry.kind, EntryKind::NamedDatatype { .. }) {
                continue;
            }
            let place = self.named.get(entry.path.as_str());
            self.model.types.push(NamedType {
                name: entry.name.clone(),
                group: place.map(|&(group, _)| group),
                variables_before: place.map_or(0, |&(_, before)| before),
                datatype: self.input.describe_named_datatype(&entry.path)?,
                stored: self.input.stored_named_datatype(&entry.path)?,
            });
        }
        Ok(())
    }

    pub(super) fn dataset(&self, number: usize) -> &'a DatasetInfo {
        &self.input.datasets()[number]
    }

    /// Enters the dimension scales, in the order of their numbers.
    fn dimensions(&mut self) {
        let mut scales = Vec::new();
        for member in self.members.iter().filter(|member| member.is_first_name) {
            let (group, number) = (member.group, member.number);
            let attributes = &self.attributes[number];
            let dataset = self.dataset(number);
            if !is_scale(attributes) || dataset.shape.is_empty() {
                continue;
            }
            let own = numbers(attributes, NUMBER).first().copied();
            let own = own.unwrap_or(self.next_number);
            self.next_number = self.next_number.max(own.saturating_add(1));
            scales.push((own, group, number));
        }
        let mut scales: Vec<_> = scales.into_iter().enumerate().collect();
        // Stable: of several with one number, the first stays first and answers to it.
        scales.sort_by_key(|&(_, (own, _, _))| own);
        for (place, (own, group, number)) in scales {
            let dataset = self.dataset(number);
            let id = DimensionId(self.model.dimensions.len());
            self.by_number.entry(own).or_insert(id);
            self.by_address.insert(dataset.object_address, id);
            self.model.dimensions.push(Dimension {
                name: last_part(&dataset.path).to_owned(),
                group,
                number: own,
                place,
                length: dataset.shape.first().copied().unwrap_or(0),
                is_unlimited: dataset.unlimited.first().copied().unwrap_or(false),
                is_phony: false,
            });
        }
    }

    /// The dimensions that files name: by numbers, by being one, by attached scales.
    fn find_axes(&mut self) -> Result<()> {
        for i in 0..self.members.len() {
            let number = self.members[i].number;
            let dataset = self.dataset(number);
            let mut axes = self.named_axes(number)?;
            axes.resize(dataset.shape.len(), None);
            for (axis, found) in axes.iter_mut().enumerate() {
                *found = found.filter(|id| self.fits(dataset, axis, *id));
            }
            self.members[i].axes = axes;
        }
        Ok(())
    }

    fn named_axes(&self, number: usize) -> Result<Vec<Option<DimensionId>>> {
        let dataset = self.dataset(number);
        let rank = dataset.shape.len();
        let stated = numbers(&self.attributes[number], COORDINATES);
        if stated.len() == rank {
            let found: Vec<_> = stated.iter().map(|n| self.by_number.get(n)).collect();
            if found.iter().all(Option::is_some) {
                return Ok(found.into_iter().map(Option::<&_>::copied).collect());
            }
        }
        let own = self.by_address.get(&dataset.object_address).copied();
        if own.is_some() {
            return Ok(vec![own]);
        }
        let scales = self.input.attached_scales(dataset)?;
        let found = scales.iter().map(|address| self.by_address.get(address));
        Ok(found.map(Option::<&_>::copied).collect())
    }

    /// Whether an axis is one of this dimension, and not only says so.
    fn fits(&self, dataset: &DatasetInfo, axis: usize, id: DimensionId) -> bool {
        let dimension = &self.model.dimensions[id.0];
        dimension.is_unlimited || dataset.shape[axis] == dimension.length
    }

    /// Gives a dimension to every axis that has none.
    fn invent_axes(&mut self) {
        let mut by_group: Vec<Vec<usize>> = vec![Vec::new(); self.model.groups.len()];
        for (i, member) in self.members.iter().enumerate() {
            by_group[member.group.0].push(i);
        }
        for group in std::mem::take(&mut self.children_first) {
            for i in std::mem::take(&mut by_group[group.0]) {
                for axis in 0..self.members[i].axes.len() {
                    if self.members[i].axes[axis].is_none() {
                        let dataset = self.dataset(self.members[i].number);
                        let (length, grows) = (dataset.shape[axis], dataset.unlimited[axis]);
                        let used: Vec<_> = self.members[i].axes.iter().flatten().copied().collect();
                        let found = self.phony(group, length, grows, &used);
                        self.members[i].axes[axis] = Some(found);
                    }
                }
            }
        }
    }

    /// A dimension as long as an axis, but none of those `used` by the variable already.
    fn phony(
        &mut self,
        group: GroupId,
        length: u64,
        is_unlimited: bool,
        used: &[DimensionId],
    ) -> DimensionId {
        let is_alike = |&(i, d): &(usize, &Dimension)| {
            let fits = d.group == group && d.length == length && d.is_unlimited == is_unlimited;
            fits && !used.contains(&DimensionId(i))
        };
        let mut all = self.model.dimensions.iter().enumerate();
        if let Some((found, _)) = all.find(is_alike) {
            return DimensionId(found);
        }
        let number = self.next_number;
        self.next_number = number.saturating_add(1);
        self.model.dimensions.push(Dimension {
            name: format!("phony_dim_{number}"),
            group,
            number,
            place: self.model.dimensions.len(),
            length,
            is_unlimited,
            is_phony: true,
        });
        DimensionId(self.model.dimensions.len() - 1)
    }

    /// Unlimited dimensions are as long as the longest variable along them.
    fn stretch(&mut self) {
        for member in &self.members {
            let shape = &self.input.datasets()[member.number].shape;
            for (id, &extent) in member.axes.iter().zip(shape) {
                if let Some(dimension) = id.and_then(|id| self.model.dimensions.get_mut(id.0))
                    && dimension.is_unlimited
                {
                    dimension.length = dimension.length.max(extent);
                }
            }
        }
    }

    fn variables(&mut self) -> Result<()> {
        for member in std::mem::take(&mut self.members) {
            let dataset = self.dataset(member.number);
            if dataset.is_dimension_only {
                continue;
            }
            let name = member.name.strip_prefix(NON_COORDINATE_PREFIX);
            self.model.variables.push(Variable {
                name: name.unwrap_or(member.name).to_owned(),
                group: member.group,
                dimensions: member.axes.into_iter().flatten().collect(),
                dataset: dataset.clone(),
                datatype: self.input.describe_datatype(dataset)?,
                attributes: seen(self.attributes[member.number].clone()),
            });
        }
        Ok(())
    }
}

enum Step<'a> {
    Enter(Door<'a>),
    Leave(GroupId),
}

/// The attributes that a reader of netCDF sees.
fn seen(all: ObjectAttributes) -> Vec<AttributeDescription> {
    let mut list = all.list;
    list.retain(|attribute| !is_internal(&attribute.name));
    list
}
