//! The writer's definitions: dimensions, groups, variables, attributes, their names.

use std::borrow::Cow;

use frazil_container::hdf5::{NON_COORDINATE_PREFIX, TypeDescription, is_hidden_attribute};
use frazil_types::ErrorCode;

use super::change::Change;
use super::checks::{check_dimensions, check_length, check_size, check_texts, dimensions_of};
use super::errors::refused;
use super::layout::record_bytes;
use super::pack::Step;
use super::settings::VariableSettings;
use super::writer::{Details, Writer};
use frazil_container::schema::{
    AttributeOwner, DimensionId, Fill, GroupId, SchemaAttribute, SchemaDimension, SchemaGroup,
    SchemaType, SchemaValue, SchemaVariable, TypeId, ValueType, VariableId,
};
use frazil_file::attributes::Attributes;
use frazil_file::error::{Error, Result};
use frazil_options::names::checked_name;

/// The attribute that says what elements hold that were never written.
pub(super) const FILL_VALUE: &str = "_FillValue";

/// How long a new dimension is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DimensionLength {
    /// For ever this long.
    Fixed(u64),
    /// Grows as it is written.
    Unlimited {
        /// The length expected, if known; it serves to choose chunk shapes and nothing else.
        expected: Option<u64>,
    },
}

impl Writer {
    /// Adds a group to a group.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] for a name that no group can have, or that is in use.
    pub fn add_group(&mut self, parent: GroupId, name: &str) -> Result<GroupId> {
        self.begin()?;
        self.check_group(parent)?;
        let name = self.check_free(parent, name, false)?;
        if self.options.classic_model {
            return Err(self.not_classic("groups"));
        }
        let group = SchemaGroup {
            name: name.into_owned(),
            parent: Some(parent),
            attributes: Vec::new(),
        };
        self.change(Change::AddGroup(group));
        Ok(GroupId(self.schema.groups.len() - 1))
    }

    /// Adds a type to a group, at any time; its description says all that it is, nested types included.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] for a name that no type can have, or that is in use.
    pub fn add_type(
        &mut self,
        group: GroupId,
        name: &str,
        datatype: TypeDescription,
    ) -> Result<TypeId> {
        self.begin()?;
        self.check_group(group)?;
        let name = self.check_free(group, name, false)?.into_owned();
        if self.options.classic_model {
            return Err(self.not_classic("types of its own"));
        }
        self.change(Change::AddType(Box::new(SchemaType {
            name,
            group,
            datatype,
        })));
        Ok(TypeId(self.schema.types.len() - 1))
    }

    /// Adds a dimension to a group.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] for a name that no dimension can have, or that is in use, or
    /// a fixed length of 0.
    pub fn add_dimension(
        &mut self,
        group: GroupId,
        name: &str,
        length: DimensionLength,
    ) -> Result<DimensionId> {
        self.begin()?;
        self.check_group(group)?;
        let name = &*self.check_free_dimension(group, name)?;
        let stated = match length {
            DimensionLength::Fixed(length) => length,
            DimensionLength::Unlimited { expected } => expected.unwrap_or(0),
        };
        check_length(name, stated).map_err(|error| error.in_file(&self.path))?;
        let (length, expected) = match length {
            DimensionLength::Fixed(0) => {
                let cause = format!("dimension `{name}` has the fixed length 0");
                return Err(refused(cause).in_file(&self.path));
            }
            DimensionLength::Fixed(length) => (Some(length), None),
            DimensionLength::Unlimited { expected } => (None, expected),
        };
        let mut others = self.schema.dimensions.iter();
        if self.options.classic_model
            && length.is_none()
            && others.any(|dimension| dimension.is_unlimited)
        {
            return Err(self.not_classic("a second unlimited dimension"));
        }
        self.expected.push(expected);
        self.change(Change::AddDimension(SchemaDimension {
            name: name.to_owned(),
            group,
            length: length.unwrap_or(0),
            is_unlimited: length.is_none(),
        }));
        Ok(DimensionId(self.schema.dimensions.len() - 1))
    }

    /// From now on, variables may have dimensions of any group, as in netCDF-C. The data model of netCDF knows
    /// only those of their own group and of the groups above it, and so do other readers.
    pub fn allow_dimensions_of_any_group(&mut self) {
        self.allows_any_dimension = true;
    }

    /// Adds a variable to a group, over dimensions of that group and of those above it; at any
    /// time, also after puts and commits.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] for a name that no variable can have, or that is in use,
    /// dimensions that are not there, settings that do not fit the type.
    pub fn add_variable(
        &mut self,
        group: GroupId,
        name: &str,
        value_type: ValueType,
        dimensions: &[DimensionId],
        settings: VariableSettings,
    ) -> Result<VariableId> {
        self.begin()?;
        self.check_group(group)?;
        let name = &*self.check_free(group, name, true)?;
        let mut variable = SchemaVariable {
            name: name.to_owned(),
            group,
            value_type,
            is_big_endian: false,
            dimensions: dimensions.to_vec(),
            fill: Fill::Default,
            attributes: Vec::new(),
        };
        let wrap = |error: Error| error.in_file(&self.path).at_variable(name);
        check_dimensions(&self.schema, &variable, self.allows_any_dimension).map_err(wrap)?;
        let axes = dimensions_of(&self.schema, &variable);
        check_size(&axes, value_type).map_err(wrap)?;
        self.check_classic_type(value_type).map_err(wrap)?;
        let path = child_path(&self.schema.group_path(group), name);
        self.check_settings(&variable, &path, &settings)
            .map_err(wrap)?;
        take_over(&mut variable, &settings);
        self.details.push(Details::new(settings));
        self.submission.add_variable();
        self.change(Change::AddVariable(Box::new(variable)));
        let id = VariableId(self.schema.variables.len() - 1);
        self.unchecked.push(id);
        Ok(id)
    }

    /// The settings of a variable.
    ///
    /// # Panics
    /// If there is no such variable.
    #[must_use]
    pub fn settings(&self, variable: VariableId) -> &VariableSettings {
        &self.details[variable.0].settings
    }

    /// Whether the settings of a variable can still be changed: none of its values were put, and
    /// no commit has brought it into the file.
    #[must_use]
    pub fn is_changeable(&self, variable: VariableId) -> bool {
        self.details
            .get(variable.0)
            .is_some_and(|details| details.active.is_none() && !details.is_in_file)
    }

    /// Takes back the variable that was added last.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] if there is none, or it is too late for that.
    pub fn take_back_variable(&mut self) -> Result<()> {
        self.begin()?;
        let last = self.schema.variables.len().checked_sub(1).map(VariableId);
        let Some(id) = last.filter(|&id| self.is_changeable(id) && !self.is_parallel()) else {
            let cause = "no variable can be taken back: the last one is being written";
            return Err(refused(cause).in_file(&self.path));
        };
        let bytes = record_bytes(&self.schema, &self.expected, id);
        self.records_bytes = self.records_bytes.saturating_sub(bytes);
        self.unchecked.retain(|&unchecked| unchecked != id);
        self.details.pop();
        self.submission.take_back_variable();
        self.change(Change::TakeBackVariable);
        Ok(())
    }

    /// Changes the settings of a variable.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] if it is too late for that, or they do not fit.
    pub fn set_settings(&mut self, id: VariableId, settings: VariableSettings) -> Result<()> {
        self.begin()?;
        self.check_variable(id)?;
        let path = self.schema.variable_path(id);
        let wrap = |error: Error| error.in_file(&self.path).at_variable(&path);
        if !self.is_changeable(id) {
            return Err(wrap(refused(
                "its values are being written: it is too late to change how",
            )));
        }
        let mut variable = self.schema.variables[id.0].clone();
        self.check_settings(&variable, &path, &settings)
            .map_err(wrap)?;
        take_over(&mut variable, &settings);
        self.details[id.0].settings = settings;
        self.unchecked.push(id);
        self.change(Change::SetVariable(id, Box::new(variable)));
        Ok(())
    }

    /// Sets an attribute, in place of one of the same name if there is one. The fill value is no
    /// attribute in this sense: it is among the settings; but for strings, which it is nothing but an
    /// attribute of. Strings that were never written are what it says, or empty.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] for a name that no attribute can have, or no such owner.
    pub fn put_attribute(
        &mut self,
        owner: AttributeOwner,
        name: &str,
        value: SchemaValue,
    ) -> Result<()> {
        self.begin()?;
        self.check_owner(owner)?;
        let name = match self.is_fill_of_strings(owner, name, &value) {
            true => Cow::Borrowed(name),
            false => {
                check_attribute_name(owner, name).map_err(|error| error.in_file(&self.path))?
            }
        };
        let value_type = match &value {
            SchemaValue::Atomic(value) => ValueType::Atomic(value.nc_type()),
            SchemaValue::Strings(texts) => {
                let wrap = |error: Error| error.in_file(&self.path).at_variable(&name);
                check_texts(texts).map_err(wrap)?;
                ValueType::String
            }
            SchemaValue::Defined(defined, _) => ValueType::Defined(*defined),
        };
        self.check_classic_type(value_type)
            .map_err(|error| error.in_file(&self.path).at_variable(&name))?;
        let name = name.into_owned();
        let attribute = SchemaAttribute { name, value };
        if matches!(owner, AttributeOwner::Variable(_)) {
            let alone = std::slice::from_ref(&attribute);
            self.named.add(&Attributes::of_schema(alone));
        }
        self.change(Change::PutAttribute(owner, attribute));
        Ok(())
    }

    /// Deletes an attribute. A fill value stays what it is, without the attribute that tells of it.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if there is none of this name.
    pub fn delete_attribute(&mut self, owner: AttributeOwner, name: &str) -> Result<()> {
        self.begin()?;
        self.check_attribute(owner, name)?;
        if name != FILL_VALUE {
            refuse_format_attribute(owner, name).map_err(|error| error.in_file(&self.path))?;
        }
        self.change(Change::DeleteAttribute(owner, name.to_owned()));
        Ok(())
    }

    /// Gives an attribute another name.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if there is none of the old name, [`ErrorCode::InvalidArgument`]
    /// for a new one that cannot be or is in use.
    pub fn rename_attribute(&mut self, owner: AttributeOwner, old: &str, new: &str) -> Result<()> {
        self.begin()?;
        self.check_attribute(owner, old)?;
        let wrap = |error: Error| error.in_file(&self.path);
        self.refuse_setting(owner, old)?;
        let new = &*check_attribute_name(owner, new).map_err(wrap)?;
        if self.has_attribute(owner, new) {
            return Err(in_use("attribute", new).in_file(&self.path));
        }
        let (old, new) = (old.to_owned(), new.to_owned());
        self.change(Change::RenameAttribute(owner, old, new));
        Ok(())
    }

    /// Gives an attribute of a variable the name `_FillValue` after its values have begun to be written. As in
    /// netCDF-C that renames an attribute, and elements that nobody puts keep the fill value that they had.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] if there is none of the old name, [`ErrorCode::InvalidArgument`] if the variable
    /// has a fill value among its attributes.
    pub fn rename_to_fill_value(&mut self, variable: VariableId, old: &str) -> Result<()> {
        self.begin()?;
        let owner = AttributeOwner::Variable(variable);
        self.check_attribute(owner, old)?;
        if self.has_attribute(owner, FILL_VALUE) {
            return Err(in_use("attribute", FILL_VALUE).in_file(&self.path));
        }
        let (old, new) = (old.to_owned(), FILL_VALUE.to_owned());
        self.change(Change::RenameAttribute(owner, old, new));
        Ok(())
    }

    /// Gives a group another name.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] for the root group, or a name that cannot be or is in use.
    pub fn rename_group(&mut self, group: GroupId, name: &str) -> Result<()> {
        self.begin()?;
        self.check_group(group)?;
        let Some(parent) = self.schema.groups[group.0].parent else {
            return Err(refused("the root group has no other name").in_file(&self.path));
        };
        let name = self.check_free(parent, name, false)?.into_owned();
        self.change(Change::RenameGroup(group, name));
        Ok(())
    }

    /// Gives a dimension another name.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] for a name that cannot be or is in use.
    pub fn rename_dimension(&mut self, dimension: DimensionId, name: &str) -> Result<()> {
        self.begin()?;
        let Some(known) = self.schema.dimensions.get(dimension.0) else {
            return Err(refused("no such dimension").in_file(&self.path));
        };
        let name = self.check_free_dimension(known.group, name)?.into_owned();
        self.change(Change::RenameDimension(dimension, name));
        Ok(())
    }

    /// Gives a variable another name, which stays as it is written, as by netCDF-C.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] for a name that cannot be or is in use.
    pub fn rename_variable(&mut self, variable: VariableId, name: &str) -> Result<()> {
        self.begin()?;
        self.check_variable(variable)?;
        let group = self.schema.variables[variable.0].group;
        check_object_name(name).map_err(|error| error.in_file(&self.path))?;
        self.check_unused(group, name, true)?;
        self.change(Change::RenameVariable(variable, name.to_owned()));
        Ok(())
    }

    /// Makes a change here, and in the file in its turn.
    pub(super) fn change(&mut self, change: Change) {
        change.apply(&mut self.schema);
        if matches!(change, Change::AddVariable(_)) {
            let last = VariableId(self.schema.variables.len() - 1);
            self.count_record(last);
        }
        self.submission.pass_on(Step::Change(change));
    }

    // --- checks ---

    fn check_group(&self, group: GroupId) -> Result<()> {
        match self.schema.groups.get(group.0) {
            Some(_) => Ok(()),
            None => Err(refused("no such group").in_file(&self.path)),
        }
    }

    pub(super) fn check_variable(&self, variable: VariableId) -> Result<()> {
        match self.schema.variables.get(variable.0) {
            Some(_) => Ok(()),
            None => Err(refused("no such variable").in_file(&self.path)),
        }
    }

    fn check_owner(&self, owner: AttributeOwner) -> Result<()> {
        match owner {
            AttributeOwner::Group(group) => self.check_group(group),
            AttributeOwner::Variable(variable) => self.check_variable(variable),
        }
    }

    /// Whether an attribute is the fill value of a variable of strings: one text.
    fn is_fill_of_strings(&self, owner: AttributeOwner, name: &str, value: &SchemaValue) -> bool {
        let AttributeOwner::Variable(id) = owner else {
            return false;
        };
        name == FILL_VALUE
            && self.schema.variables[id.0].value_type == ValueType::String
            && matches!(value, SchemaValue::Strings(texts) if texts.len() == 1)
    }

    /// Refuses attributes that are not the user's to remove.
    fn refuse_setting(&self, owner: AttributeOwner, name: &str) -> Result<()> {
        let known = self.schema.attribute(owner, name);
        if known.is_some_and(|known| self.is_fill_of_strings(owner, name, &known.value)) {
            return Ok(());
        }
        refuse_format_attribute(owner, name).map_err(|error| error.in_file(&self.path))
    }

    fn has_attribute(&self, owner: AttributeOwner, name: &str) -> bool {
        self.schema.attribute(owner, name).is_some()
    }

    fn check_attribute(&self, owner: AttributeOwner, name: &str) -> Result<()> {
        self.check_owner(owner)?;
        if self.has_attribute(owner, name) {
            return Ok(());
        }
        let cause = format!("there is no attribute `{name}`");
        Err(Error::new(ErrorCode::NotFound, cause).in_file(&self.path))
    }

    /// A name that a dimension of `group` can get, in the form in which it is written.
    fn check_free_dimension<'a>(&self, group: GroupId, name: &'a str) -> Result<Cow<'a, str>> {
        let name = check_object_name(name).map_err(|error| error.in_file(&self.path))?;
        // It is stored under its name: only a variable can share it.
        let kind = if self.schema.dimension_in(group, &name).is_some() {
            "dimension"
        } else if self.schema.group_in(group, &name).is_some() {
            "group"
        } else if self.schema.type_in(group, &name).is_some() {
            "type"
        } else {
            return Ok(name);
        };
        Err(in_use(kind, &name).in_file(&self.path))
    }

    /// A name that a group or variable of `group` can get, in the form in which it is written.
    fn check_free<'a>(
        &self,
        group: GroupId,
        name: &'a str,
        is_variable: bool,
    ) -> Result<Cow<'a, str>> {
        let name = check_object_name(name).map_err(|error| error.in_file(&self.path))?;
        self.check_unused(group, &name, is_variable)?;
        Ok(name)
    }

    /// Whether a group or variable of `group` can have exactly this name.
    fn check_unused(&self, group: GroupId, name: &str, is_variable: bool) -> Result<()> {
        // A dimension is stored under its name: only a variable can share it.
        let kind = if self.schema.variable_in(group, name).is_some() {
            "variable"
        } else if self.schema.group_in(group, name).is_some() {
            "group"
        } else if self.schema.type_in(group, name).is_some() {
            "type"
        } else if !is_variable && self.schema.dimension_in(group, name).is_some() {
            "dimension"
        } else {
            return Ok(());
        };
        Err(in_use(kind, name).in_file(&self.path))
    }

    /// The error about what a file of the classic model cannot have.
    fn not_classic(&self, what: &str) -> Error {
        refused(format!("a file of the classic model has no {what}"))
            .in_file(&self.path)
            .with_cure("do not ask for the classic model")
    }

    /// Refuses types that a file of the classic model cannot have.
    fn check_classic_type(&self, value_type: ValueType) -> Result<()> {
        use frazil_container::classic::NcType::{Byte, Char, Double, Float, Int, Short};
        let is_classic = matches!(
            value_type,
            ValueType::Atomic(Byte | Char | Short | Int | Float | Double)
        );
        if is_classic || !self.options.classic_model {
            return Ok(());
        }
        Err(self.not_classic(&format!("values of type {}", value_type.name())))
    }
}

/// The path of what has this name in a group.
fn child_path(group: &str, name: &str) -> String {
    format!("{}/{name}", group.trim_end_matches('/'))
}

/// What of the settings the schema tells.
fn take_over(variable: &mut SchemaVariable, settings: &VariableSettings) {
    variable.is_big_endian = settings.is_big_endian;
    // An attribute that was deleted since does not come back.
    if variable.fill == settings.fill {
        return;
    }
    variable.fill = settings.fill.clone();
    if variable.value_type == ValueType::String {
        // An attribute like others.
        return;
    }
    let value = match (&settings.fill, variable.value_type) {
        (Fill::Value(value), _) => SchemaValue::Atomic(value.clone()),
        (Fill::Element(element), ValueType::Defined(defined)) => {
            SchemaValue::Defined(defined, element.clone())
        }
        _ => {
            variable.attributes.retain(|a| a.name != FILL_VALUE);
            return;
        }
    };
    let attribute = SchemaAttribute {
        name: FILL_VALUE.to_owned(),
        value,
    };
    // Attributes lie in the order in which they were first set.
    match variable
        .attributes
        .iter_mut()
        .find(|a| a.name == FILL_VALUE)
    {
        Some(known) => *known = attribute,
        None => variable.attributes.push(attribute),
    }
}

/// A name that an attribute of the user's can get, in the form in which it is written.
fn check_attribute_name(owner: AttributeOwner, name: &str) -> Result<Cow<'_, str>> {
    let written = check_name(name)?;
    refuse_format_attribute(owner, &written)?;
    Ok(written)
}

/// Refuses attributes that belong to the format, or go by the settings.
fn refuse_format_attribute(owner: AttributeOwner, name: &str) -> Result<()> {
    if is_hidden_attribute(name) {
        return Err(refused(format!(
            "the attribute `{name}` belongs to the format: it is written by frazil"
        )));
    }
    if matches!(owner, AttributeOwner::Variable(_)) && name == FILL_VALUE {
        let error = refused("the fill value is not set as an attribute");
        return Err(error.with_cure("set it among the settings of the variable"));
    }
    Ok(())
}

/// A name of a group, a dimension or a variable in the form in which it is written.
fn check_object_name(name: &str) -> Result<Cow<'_, str>> {
    let written = check_name(name)?;
    if written.starts_with(NON_COORDINATE_PREFIX) {
        let cause = format!("the name {written:?} begins as netCDF-4's own names of objects do");
        return Err(refused(cause));
    }
    Ok(written)
}

/// A name in the form in which it is written.
fn check_name(name: &str) -> Result<Cow<'_, str>> {
    checked_name(name).map_err(|fault| refused(fault.sentence(name)))
}

fn in_use(kind: &str, name: &str) -> Error {
    refused(format!("there is a {kind} `{name}` already"))
}
