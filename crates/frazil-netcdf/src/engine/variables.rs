//! Variables: what they are.

use frazil_container::classic::NcType;
use frazil_types::MAX_RANK;

use super::user_types::number_of_defined;
use super::{Engine, NOFILL, Remembered, count};
use crate::names::{MAX_NAME, check_name, check_sought};
use crate::status::{Answer, Refusal, Status};
use crate::types::{GroupNumber, STRING, VariableInquiry};
use frazil_container::schema::{
    AttributeOwner, DimensionId, Fill, SchemaDimension, ValueType, VariableId,
};
use frazil_options::names::sought;
use frazil_write::VariableSettings;
use frazil_write::check_size;

impl Engine {
    pub(crate) fn def_var(
        &mut self,
        group: GroupNumber,
        name: &str,
        nc_type: i32,
        dimids: &[i32],
    ) -> Answer<i32> {
        let id = self.group(group)?;
        if dimids.len() > MAX_RANK {
            return Err(Status::EMAXDIMS.into());
        }
        self.enter_define_mode()?;
        let name = &*check_name(name)?;
        if nc_type == 0 {
            return Err(Status::EBADTYPE.into());
        }
        self.check_strict(nc_type)?;
        self.check_free(id, name)?;
        let dimensions = dimids.iter().map(|&dimid| self.dimension(group, dimid));
        let dimensions: Vec<DimensionId> = dimensions.collect::<Answer<_>>()?;
        if nc_type < 0 {
            return Err(Status::EINVAL.into());
        }
        let value_type = match nc_type > STRING {
            true => self.defined_type(nc_type)?,
            false => self.value_type(nc_type)?,
        };
        let axes: Vec<&SchemaDimension> = dimensions
            .iter()
            .map(|id| &self.schema().dimensions[id.0])
            .collect();
        check_size(&axes, value_type)
            .map_err(|error| Refusal::of(Status::EVARSIZE, error.at_variable(name)))?;
        let mut settings = VariableSettings::default();
        // netCDF-C looks at the mode for its own types of numbers alone.
        let is_unfilled_by_mode =
            self.fill_mode == NOFILL && matches!(value_type, ValueType::Atomic(_));
        if is_unfilled_by_mode {
            settings.fill = Fill::Nothing;
        }
        let varid = count(self.variables[id.0].len())?;
        let variable = self
            .writer
            .add_variable(id, name, value_type, &dimensions, settings)?;
        self.variables[id.0].push(variable);
        let needed = self.remembered.len().max(variable.0 + 1);
        self.remembered.resize(needed, Remembered::default());
        self.remembered[variable.0].is_unfilled_by_mode = is_unfilled_by_mode;
        Ok(varid)
    }

    /// How many of a group's variables cannot be stored otherwise any more: those behind them can.
    pub(crate) fn settled_variables(&self, group: GroupNumber) -> Answer<i32> {
        let group = self.group(group)?;
        let settled = self.variables[group.0].iter();
        count(settled.take_while(|&&id| !self.is_changeable(id)).count())
    }

    /// Takes back the variables that could be stored otherwise: another library defines them.
    pub(crate) fn take_back_variables(&mut self) -> Answer<()> {
        while let Some(last) = self.schema().variables.len().checked_sub(1)
            && self.is_changeable(VariableId(last))
        {
            let group = self.schema().variables[last].group;
            self.writer.take_back_variable()?;
            self.variables[group.0].pop();
            self.remembered.truncate(last);
        }
        Ok(())
    }

    pub(crate) fn inq_var(&mut self, group: GroupNumber, varid: i32) -> Answer<VariableInquiry> {
        let id = self.variable(group, varid)?;
        let variable = self.described(id);
        let visible = self.visible(AttributeOwner::Variable(id));
        let dimensions = variable.dimensions.iter().map(|id| count(id.0));
        Ok(VariableInquiry {
            name: variable.name.clone(),
            nc_type: number_of(variable.value_type),
            dimensions: dimensions.collect::<Answer<_>>()?,
            attributes: count(visible.count())?,
        })
    }

    pub(crate) fn inq_varndims(&mut self, group: GroupNumber, varid: i32) -> Answer<usize> {
        let id = self.variable(group, varid)?;
        Ok(self.described(id).dimensions.len())
    }

    pub(crate) fn inq_vartype(&mut self, group: GroupNumber, varid: i32) -> Answer<i32> {
        let id = self.variable(group, varid)?;
        Ok(number_of(self.described(id).value_type))
    }

    pub(crate) fn inq_varid(&mut self, group: GroupNumber, name: &str) -> Answer<i32> {
        let group = self.group(group)?;
        check_sought(name)?;
        let found = sought(name, |name| self.schema().variable_in(group, name));
        // They are in the order of their numbers.
        let place = found.and_then(|id| self.variables[group.0].binary_search(&id).ok());
        place.map_or_else(|| Err(Status::ENOTVAR.into()), count)
    }

    pub(crate) fn inq_varids(&mut self, group: GroupNumber) -> Answer<Vec<i32>> {
        let group = self.group(group)?;
        Ok((0..count(self.variables[group.0].len())?).collect())
    }

    pub(crate) fn rename_var(&mut self, group: GroupNumber, varid: i32, name: &str) -> Answer<()> {
        let at = self.group(group)?;
        if name.len() > MAX_NAME {
            return Err(Status::EMAXNAME.into());
        }
        // netCDF-C leaves it as it is; all other names are normalised.
        check_name(name)?;
        let id = self.variable(group, varid)?;
        self.check_free(at, name)?;
        let is_longer = name.len() > self.described(id).name.len();
        if self.classic_model && !self.in_define_mode && is_longer {
            return Err(Status::ENOTINDEFINE.into());
        }
        self.is_changed = true;
        Ok(self.writer.rename_variable(id, name)?)
    }

    /// The type with a number, as far as the file may hold it.
    pub(super) fn value_type(&self, nc_type: i32) -> Answer<ValueType> {
        self.check_strict(nc_type)?;
        if nc_type == STRING {
            return Ok(ValueType::String);
        }
        let number = u32::try_from(nc_type).ok();
        let atomic = number.and_then(NcType::from_number).map(ValueType::Atomic);
        atomic.ok_or_else(|| Status::EBADTYPE.into())
    }

    /// Refuses a type that the classic model has not.
    fn check_strict(&self, nc_type: i32) -> Answer<()> {
        if self.classic_model && nc_type > NcType::Double.number().cast_signed() {
            return Err(Status::ESTRICTNC3.into());
        }
        Ok(())
    }
}

/// netCDF's number of a type.
pub(super) fn number_of(value_type: ValueType) -> i32 {
    match value_type {
        ValueType::Atomic(nc_type) => nc_type.number().cast_signed(),
        ValueType::String => STRING,
        ValueType::Defined(defined) => number_of_defined(defined),
    }
}
