//! The precision of every variable of a file: what rules state, what is refused, what is decided.

use std::collections::BTreeMap;

use frazil_codec::implied_absolute_bound;
use frazil_container::hdf5::DatasetInfo;
use frazil_plan::information::mantissa_bits;
use frazil_plan::{PrecisionChoice, choose_precision, has_precision};
use frazil_types::{ErrorCode, PrecisionRequest, ProtectedValues, QuantizePlan, Rounding};

use super::earlier::uses_up;
use super::field_range::{Field, Place, field_ranges};
use super::metadata::names_written;
use super::named::{check_names, paths_of};
use super::protected::{protected_values, text_notices};
use super::reachable::ReachableValues;
use super::refusals::refusals;
use super::roundable::type_obstacle;
use super::rules::{Matcher, PrecisionOptions, VariableRule, pattern_of};
use super::slices::RoundedVariable;
use super::stated::{stated_precision, taken};
use super::{erased, likeness};

use crate::information;
use crate::information::{VariableInformation, Wanted};
use crate::stated::StatedPrecision;
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::progress::Progress;
use frazil_file::sources::AccessPath;
use frazil_file::wording::enumerate;

/// The precision decided for a whole file.
#[derive(Debug, Clone, Default)]
pub struct PrecisionDecisions {
    /// By variable: how it is rounded; `None`: not at all.
    pub plans: Vec<Option<QuantizePlan>>,
    /// The decisions as rules that can be reviewed, edited and replayed.
    pub rules: Vec<VariableRule>,
    /// What was refused and why, one line each.
    pub notices: Vec<String>,
}

/// Decides the precision of all variables, in file order, but for what depends on their ranges.
///
/// # Errors
/// If rules contradict themselves, or values that must be looked at cannot be read.
pub fn decide_precision(
    input: &Input,
    options: &PrecisionOptions,
    values: ReachableValues<'_>,
    progress: &mut dyn Progress,
) -> Result<PrecisionDecisions> {
    let mut decisions = PrecisionDecisions {
        plans: vec![None; input.variables().len()],
        ..PrecisionDecisions::default()
    };
    if options.is_empty() {
        return Ok(decisions);
    }
    let candidates = candidates(input, options, values.reaches, &mut decisions.notices)?;
    let information = information(input, &candidates, values, progress)?;
    let mut exact = KeptExact::default();
    for (candidate, information) in candidates.iter().zip(&information) {
        let found = decisions.add(
            input,
            candidate,
            information.as_ref(),
            options.netcdf_attribute,
        )?;
        if let Some(reason) = found {
            exact.add(reason, &input.variables()[candidate.variable].path);
        }
    }
    decisions.notices.extend(exact.lines());
    Ok(decisions)
}

/// A variable that may be rounded.
struct Candidate {
    variable: usize,
    request: PrecisionRequest,
    protected: ProtectedValues,
    /// What the input says about an earlier rounding.
    before: Option<StatedPrecision>,
}

/// Variables that are requested to be rounded and may be; the others are named in `notices`.
fn candidates(
    input: &Input,
    options: &PrecisionOptions,
    reaches: &[AccessPath],
    notices: &mut Vec<String>,
) -> Result<Vec<Candidate>> {
    let matcher = Matcher::new(&options.rules)?;
    let paths = paths_of(input);
    if !options.names_are_checked {
        check_names(&options.rules, &paths).map_err(|error| error.in_file(input.path()))?;
    }
    for pattern in matcher.idle_patterns(&paths) {
        notices.push(format!("precision: no variable is named `{pattern}`"));
    }
    let refusals = refusals(input)?;
    let mut exact = KeptExact::default();
    let mut candidates = Vec::new();
    for (i, variable) in input.variables().iter().enumerate() {
        let request = matcher.request(&variable.path);
        if !has_precision(&request) || request.lossless == Some(true) || variable.is_dimension_only
        {
            continue;
        }
        if let Some(obstacle) = type_obstacle(input, variable)? {
            if matcher.names(&variable.path) {
                return Err(cannot_be_rounded(&obstacle.reason, input, variable));
            }
            if obstacle.has_numbers {
                exact.add(obstacle.reason, &variable.path);
            }
            continue;
        }
        let refusal = refusals[i].filter(|_| request.force != Some(true));
        match (refusal, &reaches[i]) {
            (Some(refusal), _) => exact.add(refusal.describe(), &variable.path),
            (None, AccessPath::Parallel(..)) => {
                notices.extend(text_notices(&variable.path, &input.attributes(Some(i))?));
                candidates.push(Candidate {
                    variable: i,
                    protected: protected_values(input, i, Some(&request))?,
                    before: stated_precision(input, i)?,
                    request,
                });
            }
            (None, AccessPath::Nothing) => {}
            (None, _) => exact.add("stored so that only libhdf5 can read them", &variable.path),
        }
    }
    notices.extend(exact.lines());
    Ok(candidates)
}

/// Whoever names a variable expects that it is rounded.
fn cannot_be_rounded(reason: &str, input: &Input, variable: &DatasetInfo) -> Error {
    let what = format!(
        "precision is stated for it by name, but its values are {reason}, which frazil does not \
         round"
    );
    Error::new(ErrorCode::InvalidArgument, what)
        .with_cure("leave it out of the rules, or state that it stays lossless")
        .in_file(input.path())
        .at_variable(&variable.path)
}

/// Variables that stay exact, by reason.
#[derive(Default)]
struct KeptExact<'a>(BTreeMap<String, Vec<&'a str>>);

impl<'a> KeptExact<'a> {
    fn add(&mut self, reason: impl Into<String>, path: &'a str) {
        self.0.entry(reason.into()).or_default().push(path);
    }

    /// One line for each reason.
    fn lines(&self) -> impl Iterator<Item = String> {
        let all = self.0.iter();
        all.map(|(reason, paths)| format!("kept exact: {reason}: {}", enumerate(paths)))
    }
}

/// Analyses the variables whose request is a share of information.
fn information(
    input: &Input,
    candidates: &[Candidate],
    values: ReachableValues<'_>,
    progress: &mut dyn Progress,
) -> Result<Vec<Option<VariableInformation>>> {
    let mut numbers = Vec::new();
    let mut wanted = Vec::new();
    for (number, one) in candidates.iter().enumerate() {
        if let Some(keep_information) = one.request.keep_information {
            numbers.push(number);
            wanted.push(Wanted {
                variable: one.variable,
                keep_information,
                protected: one.protected.clone(),
            });
        }
    }
    let mut found: Vec<Option<VariableInformation>> = candidates.iter().map(|_| None).collect();
    if wanted.is_empty() {
        return Ok(found);
    }
    let analysed = information::variable_information(
        input,
        &wanted,
        values.resources,
        values.budget,
        progress,
    )?;
    for (number, information) in numbers.into_iter().zip(analysed) {
        found[number] = Some(information);
    }
    Ok(found)
}

impl PrecisionDecisions {
    /// Decides about one candidate; the reason if it is kept exact.
    fn add(
        &mut self,
        input: &Input,
        candidate: &Candidate,
        information: Option<&VariableInformation>,
        netcdf_attribute: bool,
    ) -> Result<Option<String>> {
        let variable = &input.variables()[candidate.variable];
        let wrap = |error: Error| error.in_file(input.path()).at_variable(&variable.path);
        let answer =
            information.map(|found| found.significant_bits.ok_or_else(|| found.reason.clone()));
        let choice = choose_precision(
            &candidate.request,
            variable.element,
            &candidate.protected,
            answer.as_ref(),
        )
        .map_err(|error| wrap(Error::new(error.code(), error.to_string())))?;
        let plan = match choice {
            PrecisionChoice::Exact(reason) => return Ok(Some(reason).filter(|r| !r.is_empty())),
            PrecisionChoice::Round(plan) => plan,
        };
        if let Some(reason) = no_place(input, candidate.variable, &plan, netcdf_attribute)? {
            return Ok(Some(reason));
        }
        if let Some(before) = &candidate.before {
            if is_as_coarse(before, &plan) {
                return Ok(Some("rounded at least as coarsely before".to_owned()));
            }
            let line = "was rounded before; the errors of both roundings add up, and so do their \
                        bounds in the file";
            self.notices.push(format!("{}: {line}", variable.path));
        }
        let reason = information.map(|found| found.reason.clone());
        self.rules.push(VariableRule {
            variables: vec![pattern_of(&variable.path)],
            request: replayable(&candidate.request, &plan),
            reason,
            ..VariableRule::default()
        });
        self.plans[candidate.variable] = Some(plan);
        Ok(None)
    }

    /// Looks at the values of variables that are rounded over their range.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn find_ranges(&mut self, input: &Input, values: ReachableValues<'_>) -> Result<()> {
        let fields: Vec<Field<'_>> = self
            .plans
            .iter()
            .enumerate()
            .filter_map(|(variable, plan)| {
                let plan = plan.as_ref()?;
                let (Rounding::Linear { .. }, AccessPath::Parallel(source, _)) =
                    (plan.rounding, &values.reaches[variable])
                else {
                    return None;
                };
                Some(Field {
                    place: Place {
                        variable,
                        source: *source,
                    },
                    protected: &plan.protected,
                })
            })
            .collect();
        if fields.is_empty() {
            return Ok(());
        }
        let found = field_ranges(
            input,
            &fields,
            values.sources,
            values.resources,
            values.budget,
        )?;
        let numbers: Vec<usize> = fields.iter().map(|one| one.place.variable).collect();
        for (variable, range) in numbers.into_iter().zip(found) {
            self.set_range(variable, range, input)?;
        }
        Ok(())
    }

    /// Looks at samples of variables that are rounded, and says where that is coarse. Ranges and packings
    /// are known.
    ///
    /// # Errors
    /// If values cannot be read or decoded.
    pub fn warn_of_coarse_rounding(
        &mut self,
        input: &Input,
        values: ReachableValues<'_>,
    ) -> Result<()> {
        let plans = self.plans.iter().enumerate();
        let rounded = plans.filter_map(|(variable, plan)| {
            let plan = plan.as_ref()?;
            match values.reaches[variable] {
                AccessPath::Parallel(source, _) => Some(RoundedVariable {
                    variable,
                    source,
                    plan,
                }),
                _ => None,
            }
        });
        // A share of information says nothing of errors, so that more is said of them.
        let (informed, bounded): (Vec<_>, Vec<_>) =
            rounded.partition(|one| one.plan.keep_information.is_some());
        let lines = likeness::warnings(input, &informed, values)?;
        let line = erased::warning(input, &bounded, values)?;
        self.notices.extend(lines.into_iter().chain(line));
        Ok(())
    }

    fn set_range(&mut self, variable: usize, found: Option<[f64; 2]>, input: &Input) -> Result<()> {
        let info = &input.variables()[variable];
        let mantissa_bits = mantissa_bits(info.element.size_bytes);
        let is_usable = |[low, high]: &[f64; 2]| (high - low).is_finite();
        if found.as_ref().is_some_and(|range| !is_usable(range)) {
            let line = "kept exact: its range is too wide for a linear grid";
            self.notices.push(format!("{}: {line}", info.path));
        }
        let found = found.filter(is_usable);
        let Some(plan) = &mut self.plans[variable] else {
            return Err(Error::new(ErrorCode::Internal, "a range without a plan"));
        };
        let (Rounding::Linear { range, .. }, Some(found)) = (&mut plan.rounding, found) else {
            self.plans[variable] = None;
            self.rules
                .retain(|rule| rule.variables != [pattern_of(&info.path)]);
            return Ok(());
        };
        *range = Some(found);
        plan.bound.absolute = implied_absolute_bound(&plan.rounding, mantissa_bits);
        Ok(())
    }
}

/// Why the file has no place for what must be said of a rounding; `None`: it has.
///
/// # Errors
/// If attributes cannot be read.
pub fn no_place(
    input: &Input,
    variable: usize,
    plan: &QuantizePlan,
    netcdf_attribute: bool,
) -> Result<Option<String>> {
    let taken = taken(input, variable, &names_written(plan, netcdf_attribute))?;
    Ok(taken.map(|name| format!("attribute `{name}` has another meaning there")))
}

/// Whether values that were rounded so before cannot change by this rounding.
fn is_as_coarse(before: &StatedPrecision, plan: &QuantizePlan) -> bool {
    if before.algorithm != Some(plan.rounding.algorithm()) {
        return false;
    }
    match plan.rounding {
        Rounding::BitRound { significant_bits } => before
            .significant_bits
            .is_some_and(|bits| bits <= significant_bits),
        Rounding::GranularBitRound { significant_digits }
        | Rounding::BitGroom { significant_digits } => before
            .significant_digits
            .is_some_and(|digits| digits <= significant_digits),
        Rounding::BoundedBitRound { .. } => uses_up(&before.bound, &plan.bound),
        Rounding::Linear { .. } | Rounding::PackedIntegers { .. } => false,
    }
}

/// The request that gives this plan again, without another analysis.
fn replayable(request: &PrecisionRequest, plan: &QuantizePlan) -> PrecisionRequest {
    let mut again = request.clone();
    again.algorithm = Some(plan.rounding.algorithm());
    if request.keep_information.is_some() {
        again.keep_information = None;
        again.significant_digits = None;
        again.significant_bits = match plan.rounding {
            Rounding::BitRound { significant_bits } => Some(significant_bits),
            Rounding::BoundedBitRound {
                least_significant_bits,
            } => Some(least_significant_bits),
            _ => None,
        };
    }
    again
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn information_is_replayed_as_bits() {
        let request = PrecisionRequest {
            keep_information: Some(0.99),
            special_values: vec![-1.0],
            ..PrecisionRequest::default()
        };
        let plan = QuantizePlan {
            rounding: Rounding::BitRound {
                significant_bits: 7,
            },
            bound: frazil_types::ErrorBound::default(),
            protected: ProtectedValues::default(),
            keep_information: Some(0.99),
            forced: false,
        };
        let again = replayable(&request, &plan);
        assert_eq!(
            (
                again.significant_bits,
                again.keep_information,
                again.special_values
            ),
            (Some(7), None, vec![-1.0])
        );
    }
}
