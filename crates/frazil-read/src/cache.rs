//! How many bytes of decoded chunks a reader keeps of each variable, whatever else is read.

use frazil_container::hdf5::DatasetStorage;
use frazil_container::model::FileModel;
use frazil_container::schema::VariableId;
use frazil_plan::{ExistingShape, ShapeInput};
use frazil_types::{ErrorCode, WritePlan};

use frazil_file::attributes::Attributes;
use frazil_file::error::{Error, Result};
use frazil_options::chunk_goal::{AccessPattern, Chooser, Subject, roles_of_model};
use frazil_options::plan_text::{PLAN_ATTRIBUTE, parse_plan};
use frazil_options::stated_names::check_goal;

/// Which decoded chunks of a file are kept whatever else is read, within the budget of the process
/// ([`set_read_budget`](frazil_pipeline::set_read_budget)).
///
/// A variable's share is for chunks that are wanted in part. They are kept from the first time on,
/// and leave when the variable itself wants others; reads of other variables and files do not drive
/// them out. Shares take three quarters of the budget at most: where more is requested of all
/// variables that are being read, all of them are cut alike. Whatever nobody has a share in is kept
/// as long as there is room.
///
/// By plan and by reads, a variable gets room for the chunks that one read touches; readers of
/// several threads twice that, since they decode ahead what the next read will touch.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum ChunkCachePolicy {
    /// As the plan says that the file itself keeps (its attribute `frazil_plan`), if any.
    #[default]
    OfFile,
    /// As a plan says.
    Plan(WritePlan),
    /// What these reads want of the chunks that the file has.
    Reads(Box<AccessPattern>),
    /// Bytes by path of the variable, `/group/name` or `name`.
    Bytes(Vec<(String, u64)>),
}

/// By variable: the bytes of its share; 0: none.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] for bytes of a variable, or reads along a dimension, that is not there.
pub(super) fn shares(
    model: &FileModel,
    policy: &ChunkCachePolicy,
    threads: usize,
) -> Result<Vec<u64>> {
    // One part that is read, one that is decoded ahead.
    let parts = if threads > 1 { 2 } else { 1 };
    let of_plan = |plan: &WritePlan| -> Vec<u64> {
        let mut shares = planned(model, plan);
        shares.iter_mut().for_each(|n| *n = n.saturating_mul(parts));
        shares
    };
    Ok(match policy {
        ChunkCachePolicy::OfFile => {
            plan_of_file(model).map_or_else(|| none(model), |plan| of_plan(&plan))
        }
        ChunkCachePolicy::Plan(plan) => of_plan(plan),
        ChunkCachePolicy::Reads(goal) => {
            let known = model.dimensions.iter().map(|one| one.name.as_str());
            check_goal(goal, &known.collect::<Vec<_>>())?;
            let chooser = Chooser::new(goal);
            let all = (0..model.variables.len()).map(VariableId);
            all.map(|id| for_reads(model, id, goal, &chooser).saturating_mul(parts))
                .collect()
        }
        ChunkCachePolicy::Bytes(stated) => {
            let mut shares = none(model);
            for (path, bytes) in stated {
                let id = model.variable(path).ok_or_else(|| unknown(path))?;
                shares[id.0] = *bytes;
            }
            shares
        }
    })
}

fn none(model: &FileModel) -> Vec<u64> {
    vec![0; model.variables.len()]
}

fn unknown(path: &str) -> Error {
    let cause = format!("bytes are stated for `{path}`, which is not in the file");
    Error::new(ErrorCode::InvalidArgument, cause)
        .with_cure("frazil info lists the variables; those in groups are named /group/name")
}

/// What a plan says; a plan may know other variables than the file has.
fn planned(model: &FileModel, plan: &WritePlan) -> Vec<u64> {
    let mut shares = none(model);
    for one in &plan.variables {
        if let (Some(id), Some(cache)) = (model.variable(&one.path), one.cache) {
            shares[id.0] = cache.bytes;
        }
    }
    shares
}

/// The plan that a file keeps; none if what has that name is something else.
fn plan_of_file(model: &FileModel) -> Option<WritePlan> {
    let attributes = &model.groups.first()?.attributes;
    let found = attributes.iter().find(|one| one.name == PLAN_ATTRIBUTE)?;
    let attributes = Attributes::of_descriptions(std::slice::from_ref(found));
    parse_plan(attributes.text(PLAN_ATTRIBUTE)?).ok()
}

/// What a read touches at once of one variable.
fn for_reads(
    model: &FileModel,
    id: VariableId,
    goal: &AccessPattern,
    chooser: &Chooser<'_>,
) -> u64 {
    let variable = &model.variables[id.0];
    let dataset = &variable.dataset;
    let DatasetStorage::Chunked {
        chunk, pipeline, ..
    } = &dataset.storage
    else {
        return 0;
    };
    let names: Vec<String> = variable
        .dimensions
        .iter()
        .map(|id| {
            let dimension = model.dimensions.get(id.0);
            dimension.map_or_else(String::new, |dimension| dimension.name.clone())
        })
        .collect();
    // The length that there is: nobody reads what is still to come.
    let shape = model.shape(id);
    let expected: Vec<Option<u64>> = shape.iter().copied().map(Some).collect();
    let subject = Subject {
        shape: ShapeInput {
            shape: &shape,
            unlimited: &dataset.unlimited,
            element_bytes: dataset.element.size_bytes,
            current: Some(chunk),
            dimension_names: &names,
            must_chunk: false,
        },
        roles: &roles_of_model(model, id, goal),
        expected: &expected,
        is_filtered: !pipeline.is_empty(),
        most_bytes: u64::MAX,
        most_records: u64::MAX,
        existing: ExistingShape::KeepAlways,
    };
    chooser.kept_bytes(&subject, chunk)
}
