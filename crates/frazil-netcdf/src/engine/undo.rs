//! What `nc_abort` goes back to.

use frazil_container::schema::{AttributeOwner, GroupId, Schema, SchemaValue, VariableId};
use frazil_write::{DimensionLength, VariableSettings, Writer, WriterOptions, WriterReport};

use super::Engine;
use crate::names::FILL_VALUE;
use crate::status::Answer;

/// What `nc_abort` does to a file that is in define mode.
#[derive(Debug, Default)]
pub(super) enum Undo {
    /// It goes back to its last commit, a new one is gone: nothing was made since.
    #[default]
    ToCommit,
    /// It goes back to these definitions, of a new file without values.
    ToDefinitions(Box<Definitions>),
    /// It is closed: what was defined since cannot be told from the values put before.
    Close,
}

/// Definitions of a file, to be made once more.
#[derive(Debug)]
pub(super) struct Definitions {
    schema: Schema,
    settings: Vec<VariableSettings>,
}

impl Engine {
    /// Before definitions are made in a file that has left define mode.
    pub(super) fn remember(&mut self) {
        self.undo = match (self.is_changed, self.is_put || !self.is_new) {
            (false, _) => Undo::ToCommit,
            (true, false) => Undo::ToDefinitions(Box::new(Definitions::of(&self.writer))),
            (true, true) => Undo::Close,
        };
    }

    /// As `nc_abort`: in data mode the file is closed, in define mode its last definitions go. The report
    /// is that of a file which is closed.
    pub(crate) fn abort(self) -> Answer<Option<WriterReport>> {
        if !self.in_define_mode {
            return self.close().map(Some);
        }
        match self.undo {
            Undo::ToCommit => {
                self.writer.abandon();
                Ok(None)
            }
            Undo::Close => self.close().map(Some),
            Undo::ToDefinitions(definitions) => {
                let path = self.writer.path().to_owned();
                self.writer.abandon();
                let options = WriterOptions {
                    overwrite: true,
                    ..self.options
                };
                let mut writer = Writer::create(&path, &options)?;
                definitions.define(&mut writer)?;
                Ok(Some(writer.close()?))
            }
        }
    }
}

impl Definitions {
    fn of(writer: &Writer) -> Self {
        let schema = writer.schema().clone();
        let ids = (0..schema.variables.len()).map(VariableId);
        let settings = ids.map(|id| writer.settings(id).clone()).collect();
        Self { schema, settings }
    }

    fn define(&self, writer: &mut Writer) -> Answer<()> {
        writer.allow_dimensions_of_any_group();
        for group in self.schema.groups.iter().skip(1) {
            writer.add_group(group.parent.unwrap_or(Schema::ROOT), &group.name)?;
        }
        for one in &self.schema.types {
            writer.add_type(one.group, &one.name, one.datatype.clone())?;
        }
        for dimension in &self.schema.dimensions {
            let length = match dimension.is_unlimited {
                true => DimensionLength::Unlimited { expected: None },
                false => DimensionLength::Fixed(dimension.length),
            };
            writer.add_dimension(dimension.group, &dimension.name, length)?;
        }
        for (variable, settings) in self.schema.variables.iter().zip(&self.settings) {
            writer.add_variable(
                variable.group,
                &variable.name,
                variable.value_type,
                &variable.dimensions,
                settings.clone(),
            )?;
        }
        let groups = (0..self.schema.groups.len()).map(|id| AttributeOwner::Group(GroupId(id)));
        let ids = (0..self.schema.variables.len()).map(VariableId);
        for owner in groups.chain(ids.map(AttributeOwner::Variable)) {
            let is_of_variable = matches!(owner, AttributeOwner::Variable(_));
            for attribute in self.schema.attributes(owner) {
                // It comes of the settings, but for strings.
                let is_number = !matches!(attribute.value, SchemaValue::Strings(_));
                if !(is_of_variable && is_number && attribute.name == FILL_VALUE) {
                    writer.put_attribute(owner, &attribute.name, attribute.value.clone())?;
                }
            }
        }
        Ok(())
    }
}
