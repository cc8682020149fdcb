//! What choices cost, variable by variable.

use frazil_plan::{CandidateFilters, Goal, Score, candidates};
use frazil_types::ReaderLevel;

use crate::table::Row;

/// Costs of all candidates that readers know, for one goal, on the variables of a table.
pub(crate) struct Costs {
    /// Positions in [`frazil_plan::candidates`] of those that may be chosen.
    pub(crate) allowed: Vec<usize>,
    /// By variable, then by candidate: as a trial has it.
    trial: Vec<Vec<f64>>,
    /// As all of the variable has it.
    whole: Vec<Vec<f64>>,
    /// The least of the allowed, by variable; no filters are allowed to everybody.
    best: Vec<f64>,
    none: f64,
}

impl Costs {
    pub(crate) fn new(rows: &[&Row], readers: ReaderLevel, goal: Goal) -> Self {
        let score = Score::of(goal);
        let is_allowed = |one: &CandidateFilters| {
            one.readers <= readers && one.encode_mb_s >= goal.least_encode_mb_s()
        };
        let all = candidates();
        let allowed: Vec<usize> = (0..all.len()).filter(|&i| is_allowed(&all[i])).collect();
        let costs = |share: fn(&frazil::SampleShares) -> f64| -> Vec<Vec<f64>> {
            let of_row = |row: &&Row| {
                let each = all.iter().zip(&row.shares);
                each.map(|(one, shares)| score.cost(one, share(shares)))
                    .collect::<Vec<f64>>()
            };
            rows.iter().map(of_row).collect()
        };
        let whole = costs(|shares| shares.whole);
        let none = score.cost_of_none();
        let best = whole
            .iter()
            .map(|row| allowed.iter().fold(none, |least, &i| least.min(row[i])));
        Self {
            best: best.collect(),
            trial: costs(|shares| shares.trial),
            whole,
            allowed,
            none,
        }
    }

    /// Those of some candidates that may be chosen, each once.
    pub(crate) fn allowed_of<'a>(&self, some: impl Iterator<Item = &'a usize>) -> Vec<usize> {
        let mut found = Vec::new();
        for one in some {
            if self.allowed.contains(one) && !found.contains(one) {
                found.push(*one);
            }
        }
        found
    }

    pub(crate) fn variables(&self) -> usize {
        self.best.len()
    }

    /// Of `set`, the candidate that a trial takes for a variable; of equals the first.
    pub(crate) fn by_trial(&self, variable: usize, set: &[usize]) -> Option<usize> {
        let cost = |i: usize| self.trial[variable][i];
        set.iter()
            .copied()
            .min_by(|&a, &b| cost(a).total_cmp(&cost(b)))
    }

    /// How much more a candidate (`None`: no filters) costs than the best: 0.03 for 3 %.
    pub(crate) fn regret(&self, variable: usize, chosen: Option<usize>) -> f64 {
        let cost = chosen.map_or(self.none, |i| self.whole[variable][i]);
        cost / self.best[variable] - 1.0
    }

    /// How much more what a trial takes of `set` costs than the best.
    pub(crate) fn regret_of_set(&self, variable: usize, set: &[usize]) -> f64 {
        self.regret(variable, self.by_trial(variable, set))
    }

    /// Of `set` the best for a variable, whatever trials say.
    pub(crate) fn best_of(&self, variable: usize, set: &[usize]) -> Option<usize> {
        let cost = |i: usize| self.whole[variable][i];
        set.iter()
            .copied()
            .min_by(|&a, &b| cost(a).total_cmp(&cost(b)))
    }
}
