//! What is requested of a variable that is being written: by rules, and by its own settings.

use frazil_plan::SelectionCriteria;
use frazil_types::{Calibration, FilterChain, FilterConstraints, PrecisionRequest};

use super::checks::refuse_analysis;
use super::rounding;
use super::settings::{FilterRequest, VariableSettings};
use super::writer::Writer;
use frazil_container::schema::{Schema, VariableId};
use frazil_file::attributes::Attributes;
use frazil_file::error::{Error, Result};
use frazil_options::filter_options::{
    AS_ASKED, ChoiceOptions, check_demand, stated_chain, weighing,
};
use frazil_options::stated_names::check_goal;
use frazil_precision::named::check_names;
use frazil_precision::rules::{Matcher, requests_for};

/// What holds for one variable.
#[derive(Debug, Clone)]
pub(super) struct Requested {
    /// Its own statement, or else that of the rules.
    pub(super) precision: Option<PrecisionRequest>,
    /// What is demanded of a choice of filters; empty where its own settings state them.
    pub(super) demand: FilterConstraints,
    /// Filters that are stated for all variables, or requested this one.
    pub(super) chain: Option<FilterChain>,
    /// Who wants filters that are stated.
    origin: &'static str,
}

impl Writer {
    /// All that the rules of the options state for the variable at `path`: precision, and what is
    /// demanded of its filters.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`](frazil_types::ErrorCode::InvalidArgument) if a pattern is no glob.
    pub fn requests(&self, path: &str) -> Result<(PrecisionRequest, FilterConstraints)> {
        requests_for(&self.options.rules, path).map_err(|error| error.in_file(&self.path))
    }

    /// What holds for the variable at `path` that has these settings.
    pub(super) fn requested(&self, path: &str, settings: &VariableSettings) -> Result<Requested> {
        let (stated, mut demanded) = self.requests(path)?;
        let is_stated =
            stated != PrecisionRequest::default() && !self.is_kept(stated.force == Some(true));
        let precision = settings.precision.clone().or(is_stated.then_some(stated));
        let own = &settings.demand;
        let (demand, for_all) = match settings.filters {
            FilterRequest::Exactly(_) => (FilterConstraints::default(), None),
            FilterRequest::Ours if own.is_empty() => (demanded, self.options.filters.as_ref()),
            FilterRequest::Ours => {
                // A choice of its own goes before filters that others want.
                demanded.filters = None;
                (demanded.and_later(own), None)
            }
        };
        let (chain, origin) = match settings.filters {
            FilterRequest::Exactly(_) => (None, AS_ASKED),
            FilterRequest::Ours => stated_chain(for_all, &demand),
        };
        Ok(Requested {
            precision,
            chain: chain.cloned(),
            origin,
            demand,
        })
    }

    /// Whether rules for several files, and plans, leave this one exact: a model starts from it again. Whoever
    /// forces them wants it otherwise.
    pub(super) fn is_kept(&self, is_forced: bool) -> bool {
        if is_forced || !self.options.rules_are_shared {
            return false;
        }
        let root = &self.schema.groups[Schema::ROOT.0];
        let global = Attributes::of_schema(&root.attributes);
        let files = &self.options.restart_files;
        files.why(&self.path, global.text("title")).is_some()
    }

    /// How many variables stay exact for that which would else be rounded.
    pub(super) fn kept_exact(&self) -> u64 {
        let states_nothing = self.options.rules.is_empty() && self.options.plan.is_none();
        if states_nothing || !self.is_kept(false) {
            return 0;
        }
        let variables = (0..self.schema.variables.len()).map(VariableId);
        variables.filter(|id| self.would_be_rounded(*id)).count() as u64
    }

    /// Whether a variable would be rounded in a file that no model starts from again.
    fn would_be_rounded(&self, id: VariableId) -> bool {
        let path = self.schema.variable_path(id);
        let details = &self.details[id.0];
        // A title may come after the first values.
        let is_rounded = details
            .active
            .as_ref()
            .is_some_and(|one| one.quantize.is_some());
        if is_rounded || details.settings.precision.is_some() || details.existing.is_some() {
            return false;
        }
        let (known, statement) = ((&self.schema, &self.named), details.settings.statement);
        let plan = match self.requests(&path) {
            Ok((stated, _)) if stated != PrecisionRequest::default() => {
                if stated.force == Some(true) {
                    return false;
                }
                rounding::plan(known, id, Some(&stated), statement)
                    .ok()
                    .flatten()
            }
            _ => {
                let replayed = self.replayed(&path, &details.settings);
                let planned = replayed.as_ref().and_then(|plan| plan.quantize.as_ref());
                let planned = planned.filter(|planned| !planned.forced);
                rounding::replayed(known, id, planned, statement)
            }
        };
        plan.is_some()
    }

    /// Refuses rules about precision that name a variable, and reads, axes and lengths that name a dimension,
    /// which is not there when the first value comes: what was to stay exact, or was to be rounded, would be
    /// written otherwise.
    pub(super) fn check_names(&mut self) -> Result<()> {
        if self.names_are_checked {
            return Ok(());
        }
        let count = self.schema.variables.len();
        let paths = (0..count).map(|number| self.schema.variable_path(VariableId(number)));
        let paths: Vec<String> = paths.collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let known = self.schema.dimensions.iter();
        let known: Vec<&str> = known.map(|one| one.name.as_str()).collect();
        let late = |error: Error, what: &str| {
            let cure = error.cure.clone().unwrap_or_default();
            let cure = format!("{cure}; define all {what} before the first value");
            error.in_file(&self.path).with_cure(cure)
        };
        check_names(&self.options.rules, &paths).map_err(|error| late(error, "variables"))?;
        check_goal(&self.options.chunk_goal, &known).map_err(|error| late(error, "dimensions"))?;
        self.names_are_checked = true;
        Ok(())
    }

    /// What filters of a variable are chosen by.
    pub(super) fn choice_options(&self, requested: &Requested) -> ChoiceOptions {
        let constants = Calibration::default();
        ChoiceOptions {
            readers: self.options.readable_by,
            goal: self.options.goal,
            weighing: weighing(&SelectionCriteria::default(), &requested.demand, &constants),
            origin: requested.origin.to_owned(),
        }
    }

    /// Refuses requests for the variable at `path` that cannot be honoured.
    pub(super) fn check_requests(&self, path: &str, settings: &VariableSettings) -> Result<()> {
        let requested = self.requested(path, settings)?;
        if let Some(request) = &requested.precision {
            refuse_analysis(request)?;
        }
        // Those for all variables were looked at when the writer began.
        if requested.chain != requested.demand.filters {
            return Ok(());
        }
        let rules = Matcher::new(&self.options.rules)?;
        check_demand(&requested.demand, &rules, path, self.options.readable_by)
    }
}
