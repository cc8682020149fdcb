//! What is stated and has no effect on a file; its user is told.

use frazil_file::input::Input;
use frazil_file::wording::enumerate;
use frazil_options::options::{ChunkPolicy, PackOptions, ShufflePolicy, planned_readers_notice};
use frazil_plan::Goal;
use frazil_types::FilterConstraints;

use crate::shapes;

/// How many variables of a file a plan decides, and how many others there are.
#[derive(Debug, Clone, Copy)]
struct Planned {
    /// Whose chunk shapes are the plan's.
    shapes: usize,
    /// Whose filters are the plan's, too: no rule demands others.
    filters: usize,
    all: usize,
}

impl Planned {
    fn of(input: &Input, options: &PackOptions, demands: &[FilterConstraints]) -> Self {
        let rows = input.variables().iter().zip(demands);
        let real = rows.filter(|(variable, _)| !variable.is_dimension_only && !variable.is_null);
        let mut found = Self {
            shapes: 0,
            filters: 0,
            all: 0,
        };
        for (variable, demand) in real {
            found.all += 1;
            if shapes::planned(options, variable).is_some() {
                found.shapes += 1;
                found.filters += usize::from(demand.is_empty());
            }
        }
        found
    }
}

/// One line for each thing that has no effect; `demands` are those of rules on the filters of each variable.
pub(crate) fn notices(
    input: &Input,
    options: &PackOptions,
    demands: &[FilterConstraints],
) -> Vec<String> {
    let mut notices = idle_plans(input, options);
    notices.extend(planned_readers_notice(options));
    notices.extend(beside_plan(options, Planned::of(input, options, demands)));
    notices.extend(idle_expectations(input, options));
    notices
}

/// Options that would choose what the plan has chosen.
fn beside_plan(options: &PackOptions, planned: Planned) -> Vec<String> {
    let line = |names: Vec<&str>, count: usize, what: &str| {
        let variables = match count {
            0 => return None,
            all if all == planned.all => "all variables".to_owned(),
            some => format!("{some} of {} variables", planned.all),
        };
        let (names, verb) = match names.as_slice() {
            [] => return None,
            [one] => ((*one).to_owned(), "has"),
            [others @ .., last] => (format!("{} and {last}", others.join(", ")), "have"),
        };
        let plan = format!("the plan decides the {what} of {variables}");
        Some(format!("{names} {verb} no effect: {plan}"))
    };
    let shapes = line(stated_for_shapes(options), planned.shapes, "chunk shapes");
    let filters = line(stated_for_filters(options), planned.filters, "filters");
    shapes.into_iter().chain(filters).collect()
}

/// Options that are stated and choose chunk shapes. Extents are none of them: they override a plan.
fn stated_for_shapes(options: &PackOptions) -> Vec<&'static str> {
    let goal = &options.chunk_goal;
    stated([
        (options.chunks == ChunkPolicy::Keep, "--keep-chunks"),
        (!goal.reads.is_empty(), "--reads"),
        (goal.storage.is_some(), "--storage"),
        (goal.most_chunks.is_some(), "--most-chunks"),
    ])
}

/// Options that are stated and choose filters.
fn stated_for_filters(options: &PackOptions) -> Vec<&'static str> {
    let weighing = &options.weighing;
    stated([
        (options.goal != Goal::default(), "--goal"),
        (options.level.is_some(), "--level"),
        (options.filters.is_some(), "--filters"),
        (options.shuffle != ShufflePolicy::Auto, "--shuffle"),
        (options.checksum, "--checksum"),
        (weighing.weights.is_some(), "--weights"),
        (weighing.encode_floor.is_some(), "--min-write-speed"),
        (weighing.decode_floor.is_some(), "--min-read-speed"),
        (weighing.ratio_tolerance.is_some(), "--ratio-tolerance"),
        (weighing.tree.is_some(), "--tree"),
    ])
}

fn stated<const N: usize>(options: [(bool, &'static str); N]) -> Vec<&'static str> {
    let stated = options.into_iter().filter(|(is_stated, _)| *is_stated);
    stated.map(|(_, name)| name).collect()
}

/// What a plan says of variables that the file does not have.
fn idle_plans(input: &Input, options: &PackOptions) -> Vec<String> {
    let plans = options.plan.iter().flat_map(|plan| &plan.variables);
    let is_known = |path: &str| input.variables().iter().any(|known| known.path == path);
    let idle: Vec<&str> = plans
        .map(|plan| plan.path.as_str())
        .filter(|path| !is_known(path))
        .collect();
    match idle.as_slice() {
        [] => Vec::new(),
        paths => vec![format!(
            "the plan has variables that the file lacks: {}",
            enumerate(paths)
        )],
    }
}

/// One line for each expected length that its dimension cannot reach any more, or never: chunk shapes do not follow it.
fn idle_expectations(input: &Input, options: &PackOptions) -> Vec<String> {
    let axes_of = |name: &str| -> Vec<(u64, bool)> {
        let variables = input.variables().iter();
        let axes = variables.flat_map(|one| {
            let sizes = one.shape.iter().zip(&one.unlimited);
            one.dimension_names.iter().zip(sizes)
        });
        let axes = axes.filter(|(dimension, _)| *dimension == name);
        axes.map(|(_, (length, is_unlimited))| (*length, *is_unlimited))
            .collect()
    };
    let line = |(name, expected): &(String, u64)| {
        let axes = axes_of(name);
        let (longest, _) = axes.iter().max_by_key(|(length, _)| length)?;
        match axes.iter().any(|(_, is_unlimited)| *is_unlimited) {
            false => Some(format!(
                "expected={name}={expected} changes nothing: `{name}` has a fixed length of {longest}"
            )),
            true if longest > expected => Some(format!(
                "expected={name}={expected} is less than `{name}` has already: {longest}"
            )),
            true => None,
        }
    };
    options
        .chunk_goal
        .expected
        .iter()
        .filter_map(line)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(change: impl FnOnce(&mut PackOptions), planned: Planned) -> Vec<String> {
        let mut options = PackOptions::default();
        change(&mut options);
        beside_plan(&options, planned)
    }

    #[test]
    fn options_that_a_plan_overrides_are_named() {
        let all = Planned {
            shapes: 3,
            filters: 3,
            all: 3,
        };
        assert!(said(|_| {}, all).is_empty());
        let stated = |options: &mut PackOptions| {
            options.goal = Goal::Size;
            options.level = Some(4);
            options.chunks = ChunkPolicy::Keep;
        };
        assert_eq!(
            said(stated, all),
            [
                "--keep-chunks has no effect: the plan decides the chunk shapes of all \
                 variables",
                "--goal and --level have no effect: the plan decides the filters of all \
                 variables",
            ]
        );
        let some = Planned {
            filters: 1,
            all: 5,
            ..all
        };
        assert_eq!(
            said(stated, some),
            [
                "--keep-chunks has no effect: the plan decides the chunk shapes of 3 of 5 \
                 variables",
                "--goal and --level have no effect: the plan decides the filters of 1 of 5 \
                 variables",
            ]
        );
        let none = Planned {
            shapes: 0,
            filters: 0,
            all: 3,
        };
        assert!(said(stated, none).is_empty());
    }
}
