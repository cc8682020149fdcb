//! What is requested of each variable's filters: by rules, and by the options for all variables.

use frazil_container::hdf5::DatasetInfo;
use frazil_plan::{FilterOptions, Goal, SelectionCriteria, ShuffleRequest, SpeedFloor};
use frazil_types::{
    Calibration, FilterChain, FilterConstraints, ReaderLevel, SpeedDemand, Transfer,
    share_of_percent,
};
use serde::{Deserialize, Serialize};

use crate::options::{PackOptions, ShufflePolicy, check_readers};
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_precision::rules::Matcher;

/// Where a demand comes from, for reasons.
pub const FROM_RULES: &str = "from rules";

/// Where filters come from that a caller states, for reasons.
pub const AS_ASKED: &str = "as asked";

/// What filters of a variable are chosen by while it is being written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChoiceOptions {
    /// Who must be able to read them.
    pub readers: ReaderLevel,
    /// What they are chosen for.
    pub goal: Goal,
    /// What is stated beside the goal.
    pub weighing: SelectionCriteria,
    /// Who wants filters that are stated, as a reason says it.
    pub origin: String,
}

/// What rules demand of the filters of all variables, in file order.
///
/// # Errors
/// If a pattern is no glob, or a variable is to have filters that not everybody can read who must be
/// able to.
pub fn demands(input: &Input, options: &PackOptions) -> Result<Vec<FilterConstraints>> {
    let matcher = Matcher::new(&options.precision.rules)?;
    let variables = input.variables().iter();
    variables
        .map(|variable| {
            let demand = matcher.demand(&variable.path);
            // What the options state goes before, and was looked at.
            if options.filters.is_none() && options.level.is_none() {
                check_demand(&demand, &matcher, &variable.path, options.readers())
                    .map_err(|error| error.in_file(input.path()).at_variable(&variable.path))?;
            }
            Ok(demand)
        })
        .collect()
}

/// Refuses filters demanded of the variable at `path` that not everybody can read who must be able to;
/// the rule that demands them is named, if it is one of `rules`.
///
/// # Errors
/// If some of those readers lack a filter.
pub fn check_demand(
    demand: &FilterConstraints,
    rules: &Matcher<'_>,
    path: &str,
    readers: ReaderLevel,
) -> Result<()> {
    check_readers(demand.filters.as_ref(), readers).map_err(|error| {
        let place = match rules.rule_of_filters(path, demand.filters.as_ref()) {
            Some((number, patterns)) => format!("rule {number} ({patterns}) of the options"),
            None => "its options".to_owned(),
        };
        let cure = error
            .cure
            .as_deref()
            .unwrap_or("let more readers be needed");
        let cure = format!("{cure}, or state other filters for it in {place}");
        error.with_cure(cure)
    })
}

/// The filters that are stated for a variable, if any are, and who wants them: the options, for all
/// variables, or else what rules demand of one.
pub fn stated_chain<'a>(
    stated: Option<&'a FilterChain>,
    demand: &'a FilterConstraints,
) -> (Option<&'a FilterChain>, &'static str) {
    match (stated, &demand.filters) {
        (None, Some(demanded)) => (Some(demanded), FROM_RULES),
        (stated, _) => (stated, AS_ASKED),
    }
}

/// What is stated of a choice: by the options for all variables, and where these say nothing by what
/// rules demand of one.
pub fn weighing(
    stated: &SelectionCriteria,
    demand: &FilterConstraints,
    calibration: &Calibration,
) -> SelectionCriteria {
    let floor = |speed: &Option<SpeedDemand>, transfer| {
        let speed = speed.as_ref()?;
        Some(SpeedFloor::of(speed, transfer, calibration, FROM_RULES))
    };
    let tolerance = demand.ratio_tolerance_percent.map(share_of_percent);
    SelectionCriteria {
        encode_floor: stated
            .encode_floor
            .clone()
            .or_else(|| floor(&demand.min_write_speed, Transfer::Writing)),
        decode_floor: stated
            .decode_floor
            .clone()
            .or_else(|| floor(&demand.min_read_speed, Transfer::Reading)),
        ratio_tolerance: stated.ratio_tolerance.or(tolerance),
        ..stated.clone()
    }
}

/// All that is requested of the filters of a variable whose chunks will have this shape.
pub fn requests(
    options: &PackOptions,
    demand: &FilterConstraints,
    variable: &DatasetInfo,
    chunk: Option<&[u64]>,
) -> FilterOptions {
    let chunk_bytes = chunk.map(|chunk| {
        chunk
            .iter()
            .fold(variable.element.size_bytes as u64, |n, &c| {
                n.saturating_mul(c)
            })
    });
    let (chain, chain_origin) = match options.level {
        None => stated_chain(options.filters.as_ref(), demand),
        Some(_) => (options.filters.as_ref(), AS_ASKED),
    };
    FilterOptions {
        // Contiguous means no filters: the shape rule found the variable too small to chunk.
        level: if chunk.is_none() {
            Some(0)
        } else {
            options.level
        },
        shuffle: match options.shuffle {
            _ if chunk.is_none() => ShuffleRequest::Auto,
            ShufflePolicy::Auto => ShuffleRequest::Auto,
            ShufflePolicy::On => ShuffleRequest::On,
            ShufflePolicy::Off => ShuffleRequest::Off,
        },
        reader_level: options.readers(),
        goal: options.goal,
        weighing: weighing(&options.weighing, demand, &options.precision.calibration),
        chain: chain.cloned(),
        chain_origin,
        only: None,
        chunk: chunk.map(<[u64]>::to_vec).unwrap_or_default(),
        checksum: options.checksum && chunk.is_some(),
        chunk_bytes,
        ..FilterOptions::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_options_state_goes_before_rules() {
        let calibration = Calibration::default();
        let demand = FilterConstraints {
            min_write_speed: "network".parse().ok(),
            min_read_speed: "2GB/s".parse().ok(),
            ratio_tolerance_percent: Some(3.0),
            ..FilterConstraints::default()
        };
        let asked = SpeedFloor {
            mb_s: 100.0,
            origin: "as asked".to_owned(),
        };
        let stated = SelectionCriteria {
            encode_floor: Some(asked.clone()),
            ..SelectionCriteria::default()
        };
        let both = weighing(&stated, &demand, &calibration);
        assert_eq!(both.encode_floor, Some(asked));
        let floor = both.decode_floor.unwrap();
        assert_eq!((floor.mb_s, floor.origin.as_str()), (2000.0, FROM_RULES));
        assert_eq!(both.ratio_tolerance, Some(0.03));
        let alone = weighing(&SelectionCriteria::default(), &demand, &calibration);
        let floor = alone.encode_floor.unwrap();
        assert_eq!(floor.mb_s, 1250.0);
        assert_eq!(floor.origin, "(network) from rules");
        let nothing = weighing(
            &SelectionCriteria::default(),
            &FilterConstraints::default(),
            &calibration,
        );
        assert_eq!(nothing, SelectionCriteria::default());
    }
}
