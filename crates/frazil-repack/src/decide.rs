//! The decision for every variable of a file: plan, the first room of the way in.

use frazil_container::hdf5::{DatasetInfo, DatasetStorage};
use frazil_pipeline::{ArraySource, MemoryBudget};
use frazil_plan::{ChunkChoice, FilterChoice, Whole, has_precision, rounds};
use frazil_types::{FilterConstraints, QuantizePlan, VariablePlan};

use crate::compared_plans::ComparedPlans;
use crate::filter_trial::{Trial, Tried};
use crate::finer_chunks::FinerChunks;
use crate::idle;
use crate::input_filters::checksum_only;
use crate::planning::{Depth, Planning};
use crate::routes::{Chosen, Decisions};
use crate::shape_trial::are_tried;
use crate::shapes;
use crate::shapes_tried::ShapesTried;
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::progress::Progress;
use frazil_file::resources::threads;
use frazil_file::sources::{Access, AccessPath, Stored};
use frazil_file::wording::enumerate;
use frazil_file::{left_behind, sources};
use frazil_options::filter_options::demands;
use frazil_options::options::{ChunkPolicy, PackOptions, UnpackOptions};
use frazil_precision::protected::{protected_values, replayed};
use frazil_precision::refusals::{Refusal, refusals};
use frazil_precision::roundable::type_obstacle;
use frazil_precision::rules::{Matcher, VariableRule, pattern_of};
use frazil_precision::{
    PrecisionDecisions, ReachableValues, decide_precision, no_place, stored_form,
};

/// Decides everything about one file; `compared`: what plans of it found that it is compared with.
pub(crate) fn decide(
    input: &Input,
    options: &PackOptions,
    budget: &MemoryBudget,
    (depth, compared): (Depth, Option<&ComparedPlans>),
    progress: &mut dyn Progress,
) -> Result<Decisions> {
    let mut planning = Planning::default();
    let started = Planning::start();
    let demands = demands(input, options)?;
    let mut shapes = shapes::choose_shapes(input, options)?;
    planning.add(started);
    let mut decisions = Decisions::new();
    // Where chunks lie must be known to whoever packs: that is no planning.
    let reaches = resolve_access(input, &shapes, &mut decisions)?;
    let started = Planning::start();
    let known = (&reaches[..], &decisions.sources[..]);
    let (precision, mut spared) = ComparedPlans::precision(compared, || {
        decide_all_precision(input, options, known, budget, progress)
    })?;
    refine_shapes(
        input,
        options,
        budget,
        (&mut shapes, &reaches, &precision.plans),
        &mut decisions,
    )?;
    let trial = Trial {
        input,
        shapes: &shapes,
        reaches: &reaches,
        sources: &decisions.sources,
        precision: &precision.plans,
        demands: &demands,
        options,
        depth,
        known: compared.map(|compared| &compared.sizes),
        among: None,
    };
    let (choices, tried, won) = try_shapes_and_filters(&trial, compared, budget, &mut spared)?;
    reshape(input, won, (&mut shapes, &reaches), &mut decisions)?;
    decisions.shapes_tried = tried.into_iter().map(|one| one.shapes).collect();
    decisions.filters_tried = vec![Vec::new(); reaches.len()];
    let chosen = reaches.into_iter().zip(choices).zip(precision.plans);
    for (i, ((reach, tried), quantize)) in chosen.enumerate() {
        let variable = &input.variables()[i];
        let stored = stored_form(variable, quantize.as_ref());
        let bytes = written_bytes(variable, &reach, &decisions.sources);
        decisions.written_bytes = decisions.written_bytes.saturating_add(bytes);
        let chosen = tried.map(|mut tried| {
            decisions.filters_tried[i] = std::mem::take(&mut tried.compared);
            decisions.predicted_seconds += tried.seconds_per_byte * bytes as f64;
            Chosen {
                filters: tried.choice,
                quantize,
            }
        });
        decisions
            .add(&stored, &shapes[i], reach, chosen)
            .map_err(|error| error.in_file(input.path()).at_variable(&variable.path))?;
    }
    decisions.netcdf_attribute = options.precision.netcdf_attribute;
    decisions.tell_command(input, options.history.as_deref())?;
    decisions.find_additions(input)?;
    decisions.precision_rules = precision.rules;
    add_demands(input, options, &demands, &mut decisions.precision_rules)?;
    decisions.notices.extend(left_behind::form(input));
    decisions.notices.extend(precision.notices);
    let idle = idle::notices(input, options, &demands);
    decisions.notices.extend(idle);
    add_caches(input, options, &mut decisions.plans)?;
    planning.add(started);
    decisions.planning = planning;
    decisions.spared = spared;
    Ok(decisions)
}

/// Puts the caches that readers should use into plans where something is stated of reads.
fn add_caches(input: &Input, options: &PackOptions, plans: &mut [VariablePlan]) -> Result<()> {
    if !options.chunk_goal.is_stated() {
        return Ok(());
    }
    let findings = shapes::findings(input, options, plans, &[])?;
    for (plan, found) in plans.iter_mut().zip(findings) {
        plan.cache = found.cache;
    }
    Ok(())
}

/// What trials of each variable would have taken one thread that others had made.
fn spared_seconds(choices: &[Option<Tried>]) -> impl Iterator<Item = f64> {
    choices.iter().flatten().map(|tried| tried.spared_seconds)
}

/// Raw bytes of what was written of a variable.
fn written_bytes(variable: &DatasetInfo, reach: &AccessPath, sources: &[ArraySource]) -> u64 {
    let all = variable.raw_bytes().unwrap_or(0);
    match reach {
        AccessPath::Parallel(source, Stored::Records(records)) => {
            let source = &sources[*source];
            let of_chunk =
                (source.grid.chunk_elements()).saturating_mul(source.element_bytes as u64);
            of_chunk.saturating_mul(records.len() as u64).min(all)
        }
        _ => all,
    }
}

/// Adds what rules demand of filters, and the chunk extents that they state, to the rules that decide so
/// again.
fn add_demands(
    input: &Input,
    options: &PackOptions,
    demands: &[FilterConstraints],
    rules: &mut Vec<VariableRule>,
) -> Result<()> {
    let stated = Matcher::new(&options.precision.rules)?;
    for (variable, demand) in input.variables().iter().zip(demands) {
        let chunks = stated.chunks(&variable.path, &variable.dimension_names);
        if (demand.is_empty() && chunks.is_empty()) || variable.is_dimension_only {
            continue;
        }
        let variables = vec![pattern_of(&variable.path)];
        let place = rules.iter().position(|rule| rule.variables == variables);
        let place = place.unwrap_or(rules.len());
        if place == rules.len() {
            rules.push(VariableRule {
                variables,
                ..VariableRule::default()
            });
        }
        rules[place].demand = demand.clone();
        // Later ones override earlier ones.
        rules[place].chunks = chunks.into_iter().collect();
    }
    Ok(())
}

/// Replaces chunk shapes by finer ones where these pack as well, and reads along them.
fn refine_shapes(
    input: &Input,
    options: &PackOptions,
    budget: &MemoryBudget,
    (shapes, reaches, precision): (&mut [ChunkChoice], &[AccessPath], &[Option<QuantizePlan>]),
    decisions: &mut Decisions,
) -> Result<()> {
    let finer = FinerChunks {
        input,
        options,
        reaches,
        sources: &decisions.sources,
        precision,
    };
    let replaced = finer.refine(shapes, budget)?;
    reread(input, replaced, (shapes, reaches), decisions)
}

/// Gives variables other chunk shapes, and reads along them.
fn reshape(
    input: &Input,
    won: Vec<(usize, ChunkChoice)>,
    (shapes, reaches): (&mut [ChunkChoice], &[AccessPath]),
    decisions: &mut Decisions,
) -> Result<()> {
    let mut replaced = Vec::with_capacity(won.len());
    for (i, shape) in won {
        shapes[i] = shape;
        replaced.push(i);
    }
    reread(input, replaced, (shapes, reaches), decisions)
}

/// Reads variables along their chunks, which were replaced.
fn reread(
    input: &Input,
    replaced: Vec<usize>,
    (shapes, reaches): (&[ChunkChoice], &[AccessPath]),
    decisions: &mut Decisions,
) -> Result<()> {
    for i in replaced {
        if matches!(input.variables()[i].storage, DatasetStorage::Chunked { .. }) {
            // It is read by its own chunks, whose places are known.
            continue;
        }
        let access = sources::access(input, i, leading_extent(&shapes[i]))?;
        if let (Access::Parallel(found, _), AccessPath::Parallel(source, _)) = (access, &reaches[i])
        {
            decisions.sources[*source] = found;
        }
    }
    Ok(())
}

/// Elements of a chunk along the first axis.
fn leading_extent(shape: &ChunkChoice) -> Option<u64> {
    let chunk = shape.chunk.as_ref();
    chunk.and_then(|chunk| chunk.first().copied())
}

/// How each variable can be reached, and its source.
pub(crate) fn resolve_access(
    input: &Input,
    choices: &[ChunkChoice],
    decisions: &mut Decisions,
) -> Result<Vec<AccessPath>> {
    let mut found = Vec::with_capacity(choices.len());
    for (i, shape) in choices.iter().enumerate() {
        found.push(sources::access(input, i, leading_extent(shape))?);
    }
    let mut reaches = Vec::with_capacity(found.len());
    for (i, access) in found.into_iter().enumerate() {
        let reach = decisions.reach(access);
        if let AccessPath::Undecodable(_, _, missing) = &reach
            && choices[i].reason == shapes::AS_ASKED
        {
            return Err(sources::missing_filter_error(missing)
                .in_file(input.path())
                .at_variable(&input.variables()[i].path));
        }
        reaches.push(reach);
    }
    Ok(reaches)
}

/// Precision by rules and by a plan; integers that are packed by all values.
fn decide_all_precision(
    input: &Input,
    options: &PackOptions,
    (reaches, sources): (&[AccessPath], &[ArraySource]),
    budget: &MemoryBudget,
    progress: &mut dyn Progress,
) -> Result<PrecisionDecisions> {
    let values = ReachableValues {
        reaches,
        sources,
        resources: &options.resources,
        budget,
    };
    let mut precision = decide_precision(input, &options.precision, values, progress)?;
    replay_precision(input, options, &mut precision)?;
    precision.find_ranges(input, values)?;
    precision.find_packings(input, &options.precision, values)?;
    precision.warn_of_coarse_rounding(input, values)?;
    Ok(precision)
}

/// Rounding as a plan has it, of variables whose precision no rule states. What rules protect stays exact.
fn replay_precision(
    input: &Input,
    options: &PackOptions,
    precision: &mut PrecisionDecisions,
) -> Result<()> {
    let plans = options.plan.iter().flat_map(|plan| &plan.variables);
    if plans
        .filter_map(|plan| plan.quantize.as_ref())
        .next()
        .is_none()
    {
        return Ok(());
    }
    let netcdf_attribute = options.precision.netcdf_attribute;
    let refusals = refusals(input)?;
    let matcher = Matcher::new(&options.precision.rules)?;
    for (i, variable) in input.variables().iter().enumerate() {
        let planned = shapes::planned(options, variable).and_then(|plan| plan.quantize.as_ref());
        let request = matcher.request(&variable.path);
        // Rules may have decided that it stays exact.
        let is_stated = has_precision(&request) || request.lossless == Some(true);
        let (false, Some(plan)) = (is_stated, planned) else {
            continue;
        };
        let plan = replayed(plan, protected_values(input, i, Some(&request))?);
        let refused = kept_exact(input, i, &plan, &refusals)?;
        let reason = match refused {
            Some(reason) => Some(reason),
            None => no_place(input, i, &plan, netcdf_attribute)?,
        };
        match reason {
            None => precision.plans[i] = Some(plan),
            Some(reason) => {
                let line = format!("kept exact: {reason}: {}", enumerate(&[&variable.path]));
                precision.notices.push(line);
            }
        }
    }
    Ok(())
}

/// Why a variable stays exact, whatever a plan says.
fn kept_exact(
    input: &Input,
    i: usize,
    plan: &QuantizePlan,
    refusals: &[Option<Refusal>],
) -> Result<Option<String>> {
    let variable = &input.variables()[i];
    if let Some(obstacle) = type_obstacle(input, variable)? {
        return Ok(Some(obstacle.reason));
    }
    if !rounds(&plan.rounding, variable.element) {
        return Ok(Some("the plan keeps all that its type has".to_owned()));
    }
    let refusal = refusals[i].as_ref().filter(|_| !plan.forced);
    Ok(refusal.map(|refusal| refusal.describe().to_owned()))
}

/// The filters of all variables, the chunk shapes tried, and those that won; adds to `spared` as [`try_filters`] does.
#[expect(
    clippy::type_complexity,
    reason = "one value for each thing that is decided"
)]
fn try_shapes_and_filters(
    trial: &Trial<'_>,
    compared: Option<&ComparedPlans>,
    budget: &MemoryBudget,
    spared: &mut Planning,
) -> Result<(
    Vec<Option<Tried>>,
    Vec<ShapesTried>,
    Vec<(usize, ChunkChoice)>,
)> {
    let mut choices = try_filters(trial, budget, spared)?;
    if !are_tried(trial.options) {
        return Ok((choices, Vec::new(), Vec::new()));
    }
    let (tried, spared_shapes) = ComparedPlans::shapes(compared, || trial.try_shapes(budget))?;
    spared.add_times(1.0, spared_shapes);
    let won = trial.meet_rivals(&tried, &mut choices, budget)?;
    Ok((choices, tried, won))
}

/// The filters of all variables; adds to `spared` what trying them would have taken more, had nothing been compared.
fn try_filters(
    trial: &Trial<'_>,
    budget: &MemoryBudget,
    spared: &mut Planning,
) -> Result<Vec<Option<Tried>>> {
    let started = Planning::start();
    let choices = trial.try_filters(budget)?;
    let mut trials = Planning::default();
    trials.add_work(spared_seconds(&choices), threads(&trial.options.resources));
    spared.add_times(1.0, trials);
    trials.add(started);
    spared.add_times(trial.times_not_sampled(), trials);
    Ok(choices)
}

/// Decides everything about undoing a pack: no filters but those that nobody here can undo, chunks
/// only where an axis may grow.
pub(crate) fn decide_unpacked(input: &Input, asked: &UnpackOptions) -> Result<Decisions> {
    let options = PackOptions {
        chunks: ChunkPolicy::Keep,
        resources: asked.resources.clone(),
        ..PackOptions::default()
    };
    let mut shapes = shapes::choose_shapes(input, &options)?;
    let mut decisions = Decisions::new();
    for (i, shape) in shapes.iter_mut().enumerate() {
        // Only what needs chunks keeps them.
        shape.is_stated = false;
        let variable = &input.variables()[i];
        let reach = decisions.reach(sources::access(input, i, leading_extent(shape))?);
        let bytes = written_bytes(variable, &reach, &decisions.sources);
        decisions.written_bytes = decisions.written_bytes.saturating_add(bytes);
        decisions
            .add(variable, shape, reach, Some(unfiltered(variable)))
            .map_err(|error| error.in_file(input.path()).at_variable(&variable.path))?;
    }
    decisions.strip_filters(input.variables());
    decisions.tell_command(input, asked.history.as_deref())?;
    decisions.find_additions(input)?;
    decisions.notices.extend(left_behind::form(input));
    Ok(decisions)
}

/// The choice of no filters but an existing checksum.
fn unfiltered(variable: &DatasetInfo) -> Chosen {
    Chosen {
        filters: FilterChoice {
            pipeline: checksum_only(variable),
            deflate_encoder: None,
            predicted_ratio: 1.0,
            uncertainty: 0.0,
            least_ratio: 1.0,
            sampled: None,
            whole: Whole::default(),
            keepable: None,
            finalists: Vec::new(),
            ratio_tolerance: 0.0,
            keep_current: false,
            may_stay: false,
            reason: "unpacked".to_owned(),
            tried: Vec::new(),
        },
        quantize: None,
    }
}
