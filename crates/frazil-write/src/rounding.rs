//! Precision of a variable that is being written: decided before its first value, stated in the
//! file.

use frazil_container::classic::{AttributeValue, NcType};
use frazil_plan::{PrecisionChoice, choose_precision, rounds};
use frazil_types::{ElementType, PrecisionRequest, QuantizePlan, Rounding};

use super::change::Change;
use super::checks::refuse_analysis;
use super::errors::refused;
use super::settings::{PrecisionStatement, VariableSettings};
use super::writer::Writer;
use frazil_container::schema::{
    AttributeOwner, DimensionId, Fill, Schema, SchemaAttribute, SchemaValue, ValueType, VariableId,
};
use frazil_file::attributes::Attributes;
use frazil_file::error::{Error, Result};
use frazil_precision::refusals::Named;
use frazil_precision::roundable::element_obstacle;
use frazil_precision::stated::StatedPrecision;
use frazil_precision::{metadata, names, protected, stated};

/// How a variable's values are rounded; `None`: not at all. `named` are the variables that attributes
/// of others name.
///
/// # Errors
/// For requests that need all values before the first is written, and where an attribute is in the way of
/// what must be said of the rounding.
pub(super) fn plan(
    (schema, named): (&Schema, &Named),
    id: VariableId,
    request: Option<&PrecisionRequest>,
    statement: PrecisionStatement,
) -> Result<Option<QuantizePlan>> {
    let Some(request) = request else {
        return Ok(None);
    };
    refuse_analysis(request)?;
    let is_cf = statement == PrecisionStatement::Cf;
    let Some((element, attributes)) =
        roundable((schema, named), id, request.force == Some(true), is_cf)
    else {
        return Ok(None);
    };
    let fill = default_fill(schema, id);
    let protected = protected::protected_by(&attributes, fill, Some(request));
    match choose_precision(request, element, &protected, None) {
        Ok(PrecisionChoice::Exact(_)) => Ok(None),
        Ok(PrecisionChoice::Round(plan)) => {
            let taken = stated::taken_in(&attributes, &metadata::names_written(&plan, false));
            match taken.filter(|_| is_cf) {
                Some(name) => Err(in_the_way(name)),
                None => Ok(Some(plan)),
            }
        }
        Err(error) => Err(Error::new(error.code(), error.to_string())),
    }
}

/// The precision of a plan for a variable that may be another one than the plan was made for; `None`: it
/// stays exact. What `pack` makes integers of is rounded to the same bound.
pub(super) fn replayed(
    (schema, named): (&Schema, &Named),
    id: VariableId,
    plan: Option<&QuantizePlan>,
    statement: PrecisionStatement,
) -> Option<QuantizePlan> {
    let is_cf = statement == PrecisionStatement::Cf;
    let plan = plan?;
    let (element, attributes) = roundable((schema, named), id, plan.forced, is_cf)?;
    let protected = protected::protected_by(&attributes, default_fill(schema, id), None);
    let mut plan = protected::replayed(plan, protected);
    if matches!(plan.rounding, Rounding::PackedIntegers { .. }) {
        plan.rounding = Rounding::BoundedBitRound {
            least_significant_bits: 0,
        };
    }
    let taken = stated::taken_in(&attributes, &metadata::names_written(&plan, false));
    let is_possible = rounds(&plan.rounding, element) && (!is_cf || taken.is_none());
    is_possible.then_some(plan)
}

/// Elements and attributes of a variable that may be rounded.
fn roundable(
    (schema, named): (&Schema, &Named),
    id: VariableId,
    is_forced: bool,
    is_cf: bool,
) -> Option<(ElementType, Attributes)> {
    let variable = &schema.variables[id.0];
    let element = variable.element()?;
    if element_obstacle(element).is_some() {
        return None;
    }
    let attributes = Attributes::of_schema(&variable.attributes);
    if is_cf && !is_forced {
        let dimension = |id: &DimensionId| schema.dimensions[id.0].name.clone();
        let dimensions: Vec<String> = variable.dimensions.iter().map(dimension).collect();
        let refusal = named.refusal(&variable.name, &dimensions, &attributes);
        if refusal.is_some() {
            return None;
        }
    }
    Some((element, attributes))
}

/// netCDF's fill value, of a variable that has none of its own: that is among the attributes.
fn default_fill(schema: &Schema, id: VariableId) -> Option<f64> {
    let fill = &schema.variables[id.0].fill;
    (!matches!(fill, Fill::Value(_) | Fill::Element(_))).then_some(protected::NETCDF_FILL)
}

/// What is said of a rounding never takes the place of what the program says.
fn in_the_way(name: &str) -> Error {
    let what = format!(
        "its attribute `{name}` has the name of an attribute that describes \
                        rounding, but another meaning"
    );
    refused(what).with_cure("give it another name, or let the variable be lossless")
}

impl Writer {
    /// Puts into the file what it is to say about a variable's rounding.
    pub(super) fn state_rounding(&mut self, id: VariableId, plan: &QuantizePlan) -> Result<()> {
        let path = self.schema.variable_path(id);
        let before = self.take_earlier_statement(id);
        let statement = match self.details[id.0].settings.statement {
            PrecisionStatement::Cf => {
                let container = self.rounding_container(plan)?;
                metadata::statement_since(plan, before.as_ref(), &path, container.as_deref())
            }
            PrecisionStatement::NetCdf => {
                let own = metadata::netcdf_statement(&plan.rounding);
                let bounds = before.map(|before| metadata::bounds_since(plan, &before));
                own.into_iter()
                    .chain(bounds.into_iter().flatten())
                    .collect()
            }
        };
        let is_first = self.details[id.0].settings.statement == PrecisionStatement::NetCdf;
        for attribute in statement {
            let SchemaAttribute { name, value } = attribute.to_schema();
            self.put_attribute(AttributeOwner::Variable(id), &name, value)?;
            if is_first {
                self.move_to_front(id, &name);
            }
        }
        Ok(())
    }

    /// What the program's attributes say of an earlier rounding, which goes: values that were read from a
    /// rounded file came with it. Of netCDF-C's words, only frazil's bounds go.
    fn take_earlier_statement(&mut self, id: VariableId) -> Option<StatedPrecision> {
        let details = &mut self.details[id.0];
        if std::mem::replace(&mut details.has_looked_earlier, true) {
            return details.earlier.clone();
        }
        let is_cf = details.settings.statement == PrecisionStatement::Cf;
        let attributes = Attributes::of_schema(&self.schema.variables[id.0].attributes);
        let statement = stated::stated_in(&attributes)?;
        let goes = |name: &&str| is_cf || names::OF_BOUNDS.contains(name);
        let going: Vec<&str> = statement.attributes.into_iter().filter(goes).collect();
        for name in &going {
            let owner = AttributeOwner::Variable(id);
            self.change(Change::DeleteAttribute(owner, (*name).to_owned()));
        }
        let earlier = statement.precision.filter(|_| !going.is_empty());
        self.details[id.0].earlier.clone_from(&earlier);
        earlier
    }

    /// Puts an attribute of a variable that is not in the file yet before the others, as netCDF-C writes it.
    fn move_to_front(&mut self, id: VariableId, name: &str) {
        let mut variable = self.schema.variables[id.0].clone();
        if let Some(place) = variable.attributes.iter().position(|it| it.name == name) {
            variable.attributes[..=place].rotate_right(1);
            self.change(Change::SetVariable(id, Box::new(variable)));
        }
    }

    /// The container variable of the root group that describes an algorithm; made if there is
    /// none. `None`: CF has no name for the algorithm.
    fn rounding_container(&mut self, plan: &QuantizePlan) -> Result<Option<String>> {
        let Some(algorithm) = plan.rounding.algorithm().cf_name() else {
            return Ok(None);
        };
        let is_ours = |attributes: &Attributes| {
            attributes.text(names::ALGORITHM) == Some(algorithm)
                && attributes.text(names::IMPLEMENTATION) == Some(metadata::SELF)
        };
        for variable in self
            .schema
            .variables
            .iter()
            .filter(|v| v.group == Schema::ROOT)
        {
            if is_ours(&Attributes::of_schema(&variable.attributes)) {
                return Ok(Some(variable.name.clone()));
            }
        }
        let base = names::CONTAINER_VARIABLE.to_owned();
        let numbered = (2..).map(|n: u32| format!("{base}_{n}"));
        let is_free = |name: &String| {
            self.schema.variable_in(Schema::ROOT, name).is_none()
                && self.schema.group_in(Schema::ROOT, name).is_none()
                && self.schema.dimension_in(Schema::ROOT, name).is_none()
        };
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let name = names.find(is_free).unwrap_or_default();
        let text = ValueType::Atomic(NcType::Char);
        let settings = VariableSettings::default();
        let container = self.add_variable(Schema::ROOT, &name, text, &[], settings)?;
        let owner = AttributeOwner::Variable(container);
        for (key, value) in [
            (names::ALGORITHM, algorithm),
            (names::IMPLEMENTATION, metadata::SELF),
        ] {
            let value = AttributeValue::Char(value.as_bytes().to_vec());
            self.put_attribute(owner, key, SchemaValue::Atomic(value))?;
        }
        Ok(Some(name))
    }
}
