//! Objects of a schema by their names: files of many objects are not searched from end to end for
//! each name.

use std::collections::HashMap;

use frazil_types::sync::Mutex;

use super::{AttributeOwner, Schema};

/// So many objects are searched as fast as they are looked up.
const FEW: usize = 32;

/// Where objects are, as far as they were looked for. Says nothing that the schema does not say.
#[derive(Default)]
pub(crate) struct Names(Mutex<Indexes>);

#[derive(Default)]
struct Indexes {
    groups: Index,
    dimensions: Index,
    variables: Index,
    attributes: HashMap<AttributeOwner, Index>,
}

/// Places of objects in a list to which objects are only ever added.
#[derive(Default)]
struct Index {
    known: usize,
    /// By the group that they are in.
    by_name: HashMap<usize, HashMap<String, usize>>,
}

impl Index {
    /// The first object of a list that is in `group` and has this name; `name_of` says both.
    fn find<'a, T>(
        &mut self,
        all: &'a [T],
        (group, name): (usize, &str),
        name_of: impl Fn(&'a T) -> (usize, &'a str),
    ) -> Option<usize> {
        if all.len() <= FEW {
            return all.iter().position(|one| name_of(one) == (group, name));
        }
        for (place, one) in all.iter().enumerate().skip(self.known) {
            let (group, name) = name_of(one);
            let names = self.by_name.entry(group).or_default();
            names.entry(name.to_owned()).or_insert(place);
        }
        self.known = all.len();
        self.by_name.get(&group)?.get(name).copied()
    }
}

/// What no group has for its parent.
const NONE: usize = usize::MAX;

impl Names {
    pub(super) fn group(&self, schema: &Schema, wanted: (usize, &str)) -> Option<usize> {
        let name_of = |group: &'_ super::SchemaGroup| group.parent.map_or(NONE, |parent| parent.0);
        let mut indexes = self.0.lock();
        let index = &mut indexes.groups;
        index.find(&schema.groups, wanted, |group| {
            (name_of(group), group.name.as_str())
        })
    }

    pub(super) fn dimension(&self, schema: &Schema, wanted: (usize, &str)) -> Option<usize> {
        let mut indexes = self.0.lock();
        let index = &mut indexes.dimensions;
        index.find(&schema.dimensions, wanted, |dimension| {
            (dimension.group.0, dimension.name.as_str())
        })
    }

    pub(super) fn variable(&self, schema: &Schema, wanted: (usize, &str)) -> Option<usize> {
        let mut indexes = self.0.lock();
        let index = &mut indexes.variables;
        index.find(&schema.variables, wanted, |variable| {
            (variable.group.0, variable.name.as_str())
        })
    }

    pub(super) fn attribute(
        &self,
        schema: &Schema,
        owner: AttributeOwner,
        name: &str,
    ) -> Option<usize> {
        let all = schema.attributes(owner);
        if all.len() <= FEW {
            return all.iter().position(|attribute| attribute.name == name);
        }
        let mut indexes = self.0.lock();
        let index = indexes.attributes.entry(owner).or_default();
        index.find(all, (0, name), |attribute| (0, attribute.name.as_str()))
    }

    /// Forgets where groups, dimensions and variables are: one has another name.
    pub(super) fn forget_objects(&mut self) {
        let indexes = self.0.get_mut();
        indexes.groups = Index::default();
        indexes.dimensions = Index::default();
        indexes.variables = Index::default();
    }

    /// Forgets where the attributes of an object are: they may become others.
    pub(super) fn forget_attributes(&mut self, owner: AttributeOwner) {
        self.0.get_mut().attributes.remove(&owner);
    }
}

impl Clone for Names {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Names {
    /// What was looked for makes no difference.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Names")
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;

    fn attribute(name: &str) -> SchemaAttribute {
        let value = SchemaValue::Strings(vec![name.into()]);
        SchemaAttribute {
            name: name.to_owned(),
            value,
        }
    }

    fn variable(name: &str) -> SchemaVariable {
        SchemaVariable {
            name: name.to_owned(),
            group: Schema::ROOT,
            value_type: ValueType::String,
            is_big_endian: false,
            dimensions: Vec::new(),
            fill: Fill::Default,
            attributes: Vec::new(),
        }
    }

    #[test]
    fn what_was_added_or_renamed_since_is_found() {
        let mut schema = Schema::default();
        for number in 0..200 {
            let name = format!("v{number}");
            assert_eq!(schema.variable_in(Schema::ROOT, &name), None);
            schema.variables.push(variable(&name));
            let found = schema.variable_in(Schema::ROOT, &name);
            assert_eq!(found, Some(VariableId(number)));
        }
        schema.rename_variable(VariableId(7), "seven");
        assert_eq!(schema.variable_in(Schema::ROOT, "v7"), None);
        let found = schema.variable_in(Schema::ROOT, "seven");
        assert_eq!(found, Some(VariableId(7)));
        assert_eq!(schema.variable_in(GroupId(1), "seven"), None);
        assert_eq!(schema.clone().variable_in(Schema::ROOT, "seven"), found);
    }

    #[test]
    fn attributes_are_found_whatever_became_of_them() {
        let owner = AttributeOwner::Group(Schema::ROOT);
        let mut schema = Schema::default();
        for number in 0..100 {
            schema.put_attribute(owner, attribute(&format!("a{number}")));
        }
        schema.put_attribute(owner, attribute("a50"));
        assert_eq!(schema.attributes(owner).len(), 100);
        schema.attributes_mut(owner).retain(|a| a.name != "a3");
        assert_eq!(schema.attribute(owner, "a3"), None);
        let found = schema.attribute(owner, "a99");
        assert_eq!(found.map(|it| it.name.as_str()), Some("a99"));
    }
}
