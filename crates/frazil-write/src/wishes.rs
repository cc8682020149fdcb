//! What is wished of a variable that is being written: by rules, and by its own settings.

use frazil_plan::SelectionCriteria;
use frazil_types::{Calibration, FilterChain, FilterConstraints, PrecisionWish};

use super::checks::refuse_analysis;
use super::settings::{FilterWish, VariableSettings};
use super::writer::Writer;
use frazil_container::schema::VariableId;
use frazil_file::error::Result;
use frazil_options::filter_wishes::{AS_ASKED, ChoiceWishes, check_demand, stated_chain, weighing};
use frazil_precision::named::check_names;
use frazil_precision::rules::{Matcher, wishes_for};

/// What holds for one variable.
#[derive(Debug, Clone)]
pub(super) struct Wished {
    /// Its own statement, or else that of the rules.
    pub(super) precision: Option<PrecisionWish>,
    /// What is demanded of a choice of filters; empty where its own settings state them.
    pub(super) demand: FilterConstraints,
    /// Filters that are stated for all variables, or wished for this one.
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
    pub fn wishes(&self, path: &str) -> Result<(PrecisionWish, FilterConstraints)> {
        wishes_for(&self.options.rules, path).map_err(|error| error.in_file(&self.path))
    }

    /// What holds for the variable at `path` that has these settings.
    pub(super) fn wished(&self, path: &str, settings: &VariableSettings) -> Result<Wished> {
        let (stated, mut demanded) = self.wishes(path)?;
        let is_stated = stated != PrecisionWish::default();
        let precision = settings.precision.clone().or(is_stated.then_some(stated));
        let own = &settings.demand;
        let (demand, for_all) = match settings.filters {
            FilterWish::Exactly(_) => (FilterConstraints::default(), None),
            FilterWish::Ours if own.is_empty() => (demanded, self.options.filters.as_ref()),
            FilterWish::Ours => {
                // A choice of its own goes before filters that others want.
                demanded.filters = None;
                (demanded.and_later(own), None)
            }
        };
        let (chain, origin) = match settings.filters {
            FilterWish::Exactly(_) => (None, AS_ASKED),
            FilterWish::Ours => stated_chain(for_all, &demand),
        };
        Ok(Wished {
            precision,
            chain: chain.cloned(),
            origin,
            demand,
        })
    }

    /// Refuses rules about precision that name a variable which is not there when the first value comes:
    /// what was to stay exact, or was to be rounded, would be written otherwise.
    pub(super) fn check_names(&mut self) -> Result<()> {
        if self.names_are_checked {
            return Ok(());
        }
        let count = self.schema.variables.len();
        let paths = (0..count).map(|number| self.schema.variable_path(VariableId(number)));
        let paths: Vec<String> = paths.collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        check_names(&self.options.rules, &paths).map_err(|error| {
            let cure = error.cure.clone().unwrap_or_default();
            let cure = format!("{cure}; define all variables before the first value");
            error.in_file(&self.path).with_cure(cure)
        })?;
        self.names_are_checked = true;
        Ok(())
    }

    /// What filters of a variable are chosen by.
    pub(super) fn choice_wishes(&self, wished: &Wished) -> ChoiceWishes {
        let constants = Calibration::default();
        ChoiceWishes {
            readers: self.options.readable_by,
            goal: self.options.goal,
            weighing: weighing(&SelectionCriteria::default(), &wished.demand, &constants),
            origin: wished.origin.to_owned(),
        }
    }

    /// Refuses wishes for the variable at `path` that cannot be honoured.
    pub(super) fn check_wishes(&self, path: &str, settings: &VariableSettings) -> Result<()> {
        let wished = self.wished(path, settings)?;
        if let Some(wish) = &wished.precision {
            refuse_analysis(wish)?;
        }
        // Those for all variables were looked at when the writer began.
        if wished.chain != wished.demand.filters {
            return Ok(());
        }
        let rules = Matcher::new(&self.options.rules)?;
        check_demand(&wished.demand, &rules, path, self.options.readable_by)
    }
}
