//! The chunk shape of every variable: rule, profile, existing shapes and the user's own words.

use frazil_container::hdf5::{DatasetInfo, DatasetStorage};
use frazil_plan::{
    ChunkChoice, ExistingShape, ShapeInput, ShapePolicy, apply_override, choose, cmip7_data_shape,
    whole_shape,
};
use frazil_types::{ErrorCode, filter_id};

use crate::error::{Error, Result};
use crate::input::Input;
use crate::options::{ChunkOverride, ChunkPolicy, LayoutProfile, PackOptions};

/// The reason given for a chunk shape that the user stated.
pub(crate) const AS_ASKED: &str = "chunk shape as asked";

/// What `check_cmip7_packing` asks of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The time coordinate or its bounds: one chunk.
    Time,
    /// The variable that the file is about: chunks of at least 4 MiB.
    Data,
    /// Anything else.
    Other,
}

/// Chooses the chunk shapes of all variables, in file order.
pub(crate) fn choose_shapes(input: &Input, options: &PackOptions) -> Result<Vec<ChunkChoice>> {
    let roles = roles(input, options.layout)?;
    check_overrides(input, &options.chunk_overrides)?;
    let mut choices = Vec::with_capacity(input.variables().len());
    for (variable, role) in input.variables().iter().zip(roles) {
        let choice = choose_one(variable, role, options)
            .map_err(|error| error.in_file(input.path()).at_variable(&variable.path))?;
        choices.push(choice);
    }
    Ok(choices)
}

fn choose_one(variable: &DatasetInfo, role: Role, options: &PackOptions) -> Result<ChunkChoice> {
    let shape = shape_input(variable);
    let existing = match (options.chunks, role) {
        (ChunkPolicy::Keep, _) => ExistingShape::KeepAlways,
        (ChunkPolicy::Auto, _) => ExistingShape::KeepIfGood,
    };
    let mut choice = match role {
        Role::Time if !variable.shape.is_empty() => ChunkChoice {
            chunk: Some(whole_shape(&shape).map_err(plan_error)?),
            reason: "cmip7: time in one chunk".to_owned(),
        },
        Role::Data if !variable.shape.is_empty() => ChunkChoice {
            chunk: Some(cmip7_data_shape(&shape).map_err(plan_error)?),
            reason: "cmip7: data chunks of at least 4 MiB".to_owned(),
        },
        _ => choose(
            &shape,
            &ShapePolicy {
                existing,
                ..ShapePolicy::default()
            },
        ),
    };
    if let (ChunkPolicy::Keep, Some(current), None) = (options.chunks, shape.current, &choice.chunk)
        && !has_chunks_in_bounds(current, variable.element.size_bytes)
    {
        // Kept all the same: the container says why such chunks are refused.
        choice.chunk = Some(current.to_vec());
    }
    for wish in options
        .chunk_overrides
        .iter()
        .filter(|wish| concerns(wish, variable))
    {
        let base = match choice.chunk.take() {
            Some(chunk) => chunk,
            None => whole_shape(&shape).map_err(plan_error)?,
        };
        let extents = extents_for(wish, variable);
        choice.chunk = Some(apply_override(&base, &shape, &extents).map_err(plan_error)?);
        choice.reason = AS_ASKED.to_owned();
    }
    Ok(choice)
}

/// Whether chunks are smaller than 4 GiB.
fn has_chunks_in_bounds(chunk: &[u64], element_bytes: usize) -> bool {
    let bytes = chunk
        .iter()
        .try_fold(element_bytes as u64, |n, &c| n.checked_mul(c));
    bytes.is_some_and(|bytes| bytes <= u64::from(u32::MAX))
}

fn shape_input(variable: &DatasetInfo) -> ShapeInput<'_> {
    let (current, checked) = match &variable.storage {
        DatasetStorage::Chunked {
            chunk, pipeline, ..
        } => (
            Some(chunk.as_slice()),
            pipeline.contains(filter_id::FLETCHER32),
        ),
        _ => (None, false),
    };
    ShapeInput {
        shape: &variable.shape,
        unlimited: &variable.unlimited,
        element_bytes: variable.element.size_bytes,
        current,
        dimension_names: &variable.dimension_names,
        must_chunk: checked,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
fn plan_error(error: frazil_plan::PlanError) -> Error {
    Error::new(error.code(), error.to_string())
}

/// The name a user would give a variable.
fn bare_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn names(wish: &ChunkOverride, variable: &DatasetInfo) -> bool {
    wish.variable == variable.path
        || wish.variable == bare_name(&variable.path)
        || wish.variable == variable.path.trim_start_matches('/')
}

/// Whether a wish concerns a variable: by name, or `*` and it has one of the dimensions.
fn concerns(wish: &ChunkOverride, variable: &DatasetInfo) -> bool {
    if variable.shape.is_empty() || variable.is_dimension_only {
        return false;
    }
    names(wish, variable) || (wish.variable == "*" && !extents_for(wish, variable).is_empty())
}

/// The extents of a wish that a variable can take: all of them if it is named.
fn extents_for(wish: &ChunkOverride, variable: &DatasetInfo) -> Vec<(String, u64)> {
    if wish.variable != "*" {
        return wish.extents.clone();
    }
    let has = |name: &str| {
        variable.dimension_names.iter().any(|known| known == name)
            || name
                .parse::<usize>()
                .is_ok_and(|axis| axis < variable.shape.len())
    };
    wish.extents
        .iter()
        .filter(|(name, _)| has(name))
        .cloned()
        .collect()
}

/// A wish that concerns nothing is a mistake.
fn check_overrides(input: &Input, wishes: &[ChunkOverride]) -> Result<()> {
    for wish in wishes {
        if !input
            .variables()
            .iter()
            .any(|variable| concerns(wish, variable))
        {
            let what = if wish.variable == "*" {
                "no variable has a dimension that --chunks names".to_owned()
            } else {
                format!(
                    "--chunks names {:?}, which is no array in this file",
                    wish.variable
                )
            };
            return Err(Error::new(ErrorCode::InvalidArgument, what)
                .in_file(input.path())
                .with_cure("`frazil info` lists variables and dimensions"));
        }
    }
    Ok(())
}

fn roles(input: &Input, layout: LayoutProfile) -> Result<Vec<Role>> {
    let mut roles = vec![Role::Other; input.variables().len()];
    if layout == LayoutProfile::Standard {
        return Ok(roles);
    }
    let position = |name: &str| {
        let path = format!("/{name}");
        input
            .variables()
            .iter()
            .position(|variable| variable.path == path)
    };
    if let Some(time) = position("time") {
        roles[time] = Role::Time;
        let bounds = input.text_attribute(Some(time), "bounds")?;
        if let Some(bounds) = bounds.and_then(|name| position(name.trim())) {
            roles[bounds] = Role::Time;
        }
    }
    let data = input.text_attribute(None, "variable_id")?;
    if let Some(data) = data.and_then(|name| position(name.trim())) {
        roles[data] = Role::Data;
    }
    Ok(roles)
}
