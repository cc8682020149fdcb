//! The chunk shape of every variable: rule, profile, existing shapes and the user's own words.

use frazil_container::hdf5::{DatasetInfo, DatasetStorage};
use frazil_plan::{
    AxisRole, ChunkChoice, ExistingShape, Goal, ShapeInput, ShapePolicy, apply_override, choose,
    cmip7_data_shape, share_caches, whole_shape,
};
use frazil_types::{ErrorCode, LayoutProfile, ReaderCache, StorageLayout, VariablePlan, filter_id};

use crate::shapes_tried::TriedShape;
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_options::chunk_goal::{Chooser, Findings, Subject, roles_of_input};
use frazil_options::options::{ChunkOverride, ChunkPolicy, PackOptions};
use frazil_options::plan_text::OTHER_PLAN;
use frazil_options::stated_names::check_dimensions;
use frazil_precision::named::no_variable;
use frazil_precision::rules::{Matcher, narrowness};

/// The reason given for a chunk shape that the user stated.
pub(crate) const AS_ASKED: &str = "chunk shape as asked";

/// The reason given for a chunk shape that a plan states.
pub(crate) const AS_PLANNED: &str = "as planned";

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
    let cmip7_roles = roles(input, options.layout_profile())?;
    if !options.precision.names_are_checked {
        check_dimensions(input, options)?;
    }
    check_overrides(input, &options.chunk_overrides)?;
    let axes = match options.chunk_goal.is_stated() {
        true => roles_of_input(input, &options.chunk_goal)?,
        false => vec![Vec::new(); input.variables().len()],
    };
    let chooser = Chooser::new(&options.chunk_goal);
    let rules = Matcher::new(&options.precision.rules)?;
    let mut choices = Vec::with_capacity(input.variables().len());
    for ((variable, role), axes) in input.variables().iter().zip(cmip7_roles).zip(&axes) {
        let choice = choose_one(variable, role, axes, &chooser, options)
            .and_then(|choice| as_stated(choice, variable, &rules, options))
            .map_err(|error| error.in_file(input.path()).at_variable(&variable.path))?;
        choices.push(choice);
    }
    Ok(choices)
}

fn choose_one(
    variable: &DatasetInfo,
    role: Role,
    axes: &[AxisRole],
    chooser: &Chooser<'_>,
    options: &PackOptions,
) -> Result<ChunkChoice> {
    let shape = shape_input(variable);
    let planned = planned(options, variable);
    let mut choice = match (planned, role) {
        (Some(plan), _) => as_planned(plan, variable)?,
        (None, Role::Time) if !variable.shape.is_empty() => ChunkChoice {
            chunk: Some(whole_shape(&shape).map_err(plan_error)?),
            is_stated: false,
            reason: "cmip7: time in one chunk".to_owned(),
        },
        (None, Role::Data) if !variable.shape.is_empty() => ChunkChoice {
            chunk: Some(cmip7_data_shape(&shape).map_err(plan_error)?),
            is_stated: false,
            reason: "cmip7: data chunks of at least 4 MiB".to_owned(),
        },
        (None, _) => ours(variable, axes, chooser, options),
    };
    if let (ChunkPolicy::Keep, Some(current), None) = (options.chunks, shape.current, &choice.chunk)
        && planned.is_none()
        && !has_chunks_in_bounds(current, variable.element.size_bytes)
    {
        // Kept all the same: the container says why such chunks are refused.
        choice.chunk = Some(current.to_vec());
    }
    Ok(choice)
}

/// The choice with the extents that rules state of the variable, and then those of the options.
fn as_stated(
    mut choice: ChunkChoice,
    variable: &DatasetInfo,
    rules: &Matcher<'_>,
    options: &PackOptions,
) -> Result<ChunkChoice> {
    if variable.shape.is_empty() || variable.is_dimension_only {
        return Ok(choice);
    }
    let mut extents = rules.chunks(&variable.path, &variable.dimension_names);
    // What is stated of the variable by its name comes last.
    for narrow in 0..=2 {
        let overrides = options.chunk_overrides.iter();
        let overrides =
            overrides.filter(|one| narrowness(&one.variable) == narrow && concerns(one, variable));
        extents.extend(overrides.flat_map(|request| extents_for(request, variable)));
    }
    if extents.is_empty() {
        return Ok(choice);
    }
    let shape = shape_input(variable);
    let base = match choice.chunk.take() {
        Some(chunk) => chunk,
        None => whole_shape(&shape).map_err(plan_error)?,
    };
    Ok(ChunkChoice {
        chunk: Some(apply_override(&base, &shape, &extents).map_err(plan_error)?),
        is_stated: true,
        reason: AS_ASKED.to_owned(),
    })
}

/// By the standard rule, or for the reads that are stated.
fn ours(
    variable: &DatasetInfo,
    axes: &[AxisRole],
    chooser: &Chooser<'_>,
    options: &PackOptions,
) -> ChunkChoice {
    if !options.chunk_goal.is_stated() {
        let policy = ShapePolicy {
            existing: existing(options),
            only_bytes_count: matches!(options.goal, Goal::Size | Goal::Archive),
            ..ShapePolicy::default()
        };
        return choose(&shape_input(variable), &policy);
    }
    let expected = expected(variable, options);
    chooser
        .choose(&subject(variable, axes, &expected, options))
        .choice
}

fn existing(options: &PackOptions) -> ExistingShape {
    match options.chunks {
        ChunkPolicy::Keep => ExistingShape::KeepAlways,
        ChunkPolicy::Auto => ExistingShape::KeepIfGood,
    }
}

/// By axis: the length that the user expects.
pub(crate) fn expected(variable: &DatasetInfo, options: &PackOptions) -> Vec<Option<u64>> {
    let names = variable.dimension_names.iter();
    names
        .map(|name| options.chunk_goal.expected_length(name))
        .collect()
}

pub(crate) fn subject<'a>(
    variable: &'a DatasetInfo,
    roles: &'a [AxisRole],
    expected: &'a [Option<u64>],
    options: &PackOptions,
) -> Subject<'a> {
    Subject {
        shape: shape_input(variable),
        roles,
        expected,
        is_filtered: options.level != Some(0),
        most_bytes: u64::MAX,
        most_records: u64::MAX,
        existing: existing(options),
    }
}

/// Puts the caches that readers should use into plans; they share one total.
pub(crate) fn plan_caches(
    input: &Input,
    options: &PackOptions,
    plans: &mut [VariablePlan],
) -> Result<()> {
    let axes = roles_of_input(input, &options.chunk_goal)?;
    let chooser = Chooser::new(&options.chunk_goal);
    let rows = input.variables().iter().zip(&*plans).zip(&axes);
    let mut caches: Vec<Option<ReaderCache>> = rows
        .map(|((variable, plan), axes)| match &plan.layout {
            StorageLayout::Chunked { chunk } => {
                let expected = expected(variable, options);
                chooser.cache(&subject(variable, axes, &expected, options), chunk)
            }
            StorageLayout::Contiguous => None,
        })
        .collect();
    share_caches(&mut caches, frazil_plan::TOTAL_CACHE_BYTES);
    for (plan, cache) in plans.iter_mut().zip(caches) {
        plan.cache = cache;
    }
    Ok(())
}

/// The plans of variables: one may have the name of a dimension that is no variable.
pub(crate) fn without_placeholders(input: &Input, plans: Vec<VariablePlan>) -> Vec<VariablePlan> {
    let rows = plans.into_iter().zip(input.variables());
    let real = rows.filter(|(_, variable)| !variable.is_dimension_only);
    real.map(|(plan, _)| plan).collect()
}

/// What reads cost under the chunk shapes that were decided, beside others, and the caches that
/// readers should use, which share one total; `tried`: by variable, shapes that are compared, too.
pub(crate) fn findings(
    input: &Input,
    options: &PackOptions,
    plans: &[VariablePlan],
    tried: &[Vec<TriedShape>],
) -> Result<Vec<Findings>> {
    let axes = roles_of_input(input, &options.chunk_goal)?;
    let chooser = Chooser::new(&options.chunk_goal);
    let rows = input.variables().iter().zip(plans).zip(&axes).enumerate();
    let mut found: Vec<Findings> = rows
        .map(|(i, ((variable, plan), axes))| match &plan.layout {
            StorageLayout::Chunked { chunk } => {
                let expected = expected(variable, options);
                let mut subject = subject(variable, axes, &expected, options);
                subject.is_filtered = !plan.pipeline.is_empty();
                let found = chooser.compare(&subject, chunk);
                with_tried(found, tried.get(i).map_or(&[], Vec::as_slice), |chunk| {
                    chooser.compare(&subject, chunk)
                })
            }
            StorageLayout::Contiguous => Findings::default(),
        })
        .collect();
    let mut caches: Vec<Option<ReaderCache>> = found.iter().map(|one| one.cache).collect();
    share_caches(&mut caches, frazil_plan::TOTAL_CACHE_BYTES);
    for (one, cache) in found.iter_mut().zip(caches) {
        one.cache = cache;
    }
    Ok(found)
}

/// What was compared, with the shapes that were tried for their size; `costs` compares one with others.
fn with_tried(
    mut found: Findings,
    tried: &[TriedShape],
    costs: impl Fn(&[u64]) -> Findings,
) -> Findings {
    if found.candidates.is_empty() {
        return found;
    }
    for shape in tried {
        let is_known = (found.candidates.iter()).any(|known| known.chunk == shape.chunk);
        let own = costs(&shape.chunk).candidates.into_iter().next();
        if let (false, Some(mut own)) = (is_known, own) {
            shape.name.clone_into(&mut own.name);
            found.candidates.push(own);
        }
    }
    found
}

/// What a plan that is replayed says of a variable.
pub(crate) fn planned<'a>(
    options: &'a PackOptions,
    variable: &DatasetInfo,
) -> Option<&'a VariablePlan> {
    let plan = options.plan.as_ref()?;
    let found = plan.variables.iter().find(|one| one.path == variable.path);
    found.filter(|_| !variable.is_dimension_only && !variable.is_null)
}

/// The layout of a plan, if the variable can have it.
fn as_planned(plan: &VariablePlan, variable: &DatasetInfo) -> Result<ChunkChoice> {
    let refuse = |why: String| {
        Error::new(ErrorCode::InvalidArgument, format!("the plan {why}")).with_cure(OTHER_PLAN)
    };
    let chunk = match &plan.layout {
        StorageLayout::Contiguous if variable.may_grow => {
            return Err(refuse(
                "wants it contiguous; a variable that may grow needs chunks".into(),
            ));
        }
        StorageLayout::Contiguous if !plan.pipeline.is_empty() => {
            return Err(refuse("wants filters without chunks".into()));
        }
        StorageLayout::Contiguous => None,
        StorageLayout::Chunked { .. } if variable.shape.is_empty() => {
            return Err(refuse(
                "wants chunks of a variable that has no dimensions".into(),
            ));
        }
        StorageLayout::Chunked { chunk } => {
            let extents = chunk.iter().enumerate();
            let numbered: Vec<(String, u64)> = extents
                .map(|(axis, &extent)| (axis.to_string(), extent))
                .collect();
            // Axis numbers name axes only where dimensions have no such names.
            let unnamed = ShapeInput {
                dimension_names: &[],
                ..shape_input(variable)
            };
            let fitted = apply_override(chunk, &unnamed, &numbered);
            Some(fitted.map_err(|error| refuse(format!("cannot be followed: {error}")))?)
        }
    };
    Ok(ChunkChoice {
        chunk,
        is_stated: true,
        reason: AS_PLANNED.to_owned(),
    })
}

/// Whether chunks are smaller than 4 GiB.
fn has_chunks_in_bounds(chunk: &[u64], element_bytes: usize) -> bool {
    let bytes = chunk
        .iter()
        .try_fold(element_bytes as u64, |n, &c| n.checked_mul(c));
    bytes.is_some_and(|bytes| bytes <= u64::from(u32::MAX))
}

pub(crate) fn shape_input(variable: &DatasetInfo) -> ShapeInput<'_> {
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
        must_chunk: checked || variable.may_grow,
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

fn names(request: &ChunkOverride, variable: &DatasetInfo) -> bool {
    request.variable == variable.path
        || request.variable == bare_name(&variable.path)
        || request.variable == variable.path.trim_start_matches('/')
}

/// Whether a request concerns a variable: by name, or `*` and it has one of the dimensions.
fn concerns(request: &ChunkOverride, variable: &DatasetInfo) -> bool {
    if variable.shape.is_empty() || variable.is_dimension_only {
        return false;
    }
    names(request, variable)
        || (request.variable == "*" && !extents_for(request, variable).is_empty())
}

/// The extents of a request that a variable can take: all of them if it is named.
fn extents_for(request: &ChunkOverride, variable: &DatasetInfo) -> Vec<(String, u64)> {
    if request.variable != "*" {
        return request.extents.clone();
    }
    let has = |name: &str| {
        variable.dimension_names.iter().any(|known| known == name)
            || name
                .parse::<usize>()
                .is_ok_and(|axis| axis < variable.shape.len())
    };
    request
        .extents
        .iter()
        .filter(|(name, _)| has(name))
        .cloned()
        .collect()
}

/// A request that concerns nothing is a mistake.
fn check_overrides(input: &Input, requests: &[ChunkOverride]) -> Result<()> {
    for request in requests {
        if !input
            .variables()
            .iter()
            .any(|variable| concerns(request, variable))
        {
            return Err(idle_override(input, request).in_file(input.path()));
        }
    }
    Ok(())
}

/// Why extents of chunks concern nothing in an input.
fn idle_override(input: &Input, request: &ChunkOverride) -> Error {
    let arrays = input.variables().iter();
    let arrays = arrays.filter(|one| !one.shape.is_empty() && !one.is_dimension_only);
    if request.variable != "*" {
        let paths: Vec<&str> = arrays.map(|one| one.path.as_str()).collect();
        let scalar = |one: &DatasetInfo| one.shape.is_empty() && names(request, one);
        if input.variables().iter().any(scalar) {
            let cause = format!(
                "chunks are stated for `{}`, which has no dimensions",
                request.variable
            );
            return Error::new(ErrorCode::InvalidArgument, cause);
        }
        return no_variable("chunks are stated", &request.variable, &paths, "");
    }
    let stated: Vec<&str> = request
        .extents
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let cause = format!(
        "chunks are stated for {}, which no variable has",
        stated.join(", ")
    );
    Error::new(ErrorCode::InvalidArgument, cause)
        .with_cure("`frazil info` lists variables and dimensions")
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
