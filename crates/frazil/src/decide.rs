//! The decision for every variable of a file: plan, the first room of the way in.

use frazil_container::hdf5::DatasetInfo;
use frazil_pipeline::MemoryBudget;
use frazil_plan::FilterChoice;

use crate::error::Result;
use crate::filter_trial::Trial;
use crate::input::Input;
use crate::options::{ChunkPolicy, PackOptions, Resources};
use crate::precision::decide_precision;
use crate::report::Progress;
use crate::routes::{Chosen, Decisions, Reach, checksum_only};
use crate::{precision, shapes, sources};

/// Decides everything about one file.
pub(crate) fn decide(
    input: &Input,
    options: &PackOptions,
    budget: &MemoryBudget,
    progress: &mut dyn Progress,
) -> Result<Decisions> {
    let shapes = shapes::choose_shapes(input, options)?;
    let mut found = Vec::with_capacity(shapes.len());
    for (i, shape) in shapes.iter().enumerate() {
        let leading = shape
            .chunk
            .as_ref()
            .and_then(|chunk| chunk.first().copied());
        found.push(sources::access(input, i, leading)?);
    }
    let mut decisions = Decisions::new();
    let mut reaches = Vec::with_capacity(found.len());
    for (i, access) in found.into_iter().enumerate() {
        let reach = decisions.reach(access);
        if let Reach::Undecodable(_, _, missing) = &reach
            && shapes[i].reason == shapes::AS_ASKED
        {
            return Err(sources::missing_filter_error(missing)
                .in_file(input.path())
                .at_variable(&input.variables()[i].path));
        }
        reaches.push(reach);
    }
    let precision = decide_precision(
        input,
        options,
        &reaches,
        &decisions.sources,
        budget,
        progress,
    )?;
    let trial = Trial {
        input,
        shapes: &shapes,
        reaches: &reaches,
        sources: &decisions.sources,
        precision: &precision.plans,
        options,
    };
    let choices = trial.try_filters(budget)?;
    let chosen = reaches.into_iter().zip(choices).zip(precision.plans);
    for (i, ((reach, tried), quantize)) in chosen.enumerate() {
        let variable = &input.variables()[i];
        let chosen = tried.map(|tried| {
            let raw_bytes = variable.raw_bytes().unwrap_or(0) as f64;
            decisions.predicted_seconds += tried.seconds_per_byte * raw_bytes;
            Chosen {
                filters: tried.choice,
                quantize,
            }
        });
        decisions
            .add(variable, &shapes[i], reach, chosen)
            .map_err(|error| error.in_file(input.path()).at_variable(&variable.path))?;
    }
    decisions.additions =
        precision::additions(input, &decisions.plans, options.precision.netcdf_attribute)?;
    decisions.precision_rules = precision.rules;
    decisions.notices.extend(precision.notices);
    Ok(decisions)
}

/// Decides everything about undoing a pack: no filters, chunks only where an axis is unlimited.
pub(crate) fn decide_unpacked(input: &Input, resources: &Resources) -> Result<Decisions> {
    let options = PackOptions {
        chunks: ChunkPolicy::Keep,
        resources: resources.clone(),
        ..PackOptions::default()
    };
    let shapes = shapes::choose_shapes(input, &options)?;
    let mut decisions = Decisions::new();
    for (i, shape) in shapes.iter().enumerate() {
        let variable = &input.variables()[i];
        let leading = shape
            .chunk
            .as_ref()
            .and_then(|chunk| chunk.first().copied());
        let reach = decisions.reach(sources::access(input, i, leading)?);
        if let Reach::Undecodable(_, _, missing) = &reach {
            return Err(sources::missing_filter_error(missing)
                .in_file(input.path())
                .at_variable(&variable.path));
        }
        decisions
            .add(variable, shape, reach, Some(unfiltered(variable)))
            .map_err(|error| error.in_file(input.path()).at_variable(&variable.path))?;
    }
    decisions.strip_filters(input.variables());
    Ok(decisions)
}

/// The choice of no filters but an existing checksum.
fn unfiltered(variable: &DatasetInfo) -> Chosen {
    Chosen {
        filters: FilterChoice {
            pipeline: checksum_only(variable),
            deflate_encoder: None,
            predicted_ratio: 1.0,
            keep_current: false,
            reason: "unpacked".to_owned(),
        },
        quantize: None,
    }
}

/// Resources of a run, kept beside the decisions that used them.
pub(crate) fn budget(resources: &Resources) -> MemoryBudget {
    MemoryBudget::new(resources.memory_bytes)
}
