//! How good trees are beside what is simpler, on datasets that they were not grown from.

use std::fmt::Write as _;

use frazil::{Error, ErrorCode, Result};
use frazil_plan::{CandidateFilters, Goal, candidate, candidates};
use frazil_types::ReaderLevel;

use crate::grow::{grow, same_for_all};
use crate::regret::Costs;
use crate::table::{Row, Table};

/// A way to choose filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// shuffle+deflate(4), or shuffle+zstd(3) where readers know it, for everything.
    Fixed,
    /// The first that the tree names, untried.
    Tree,
    /// The best, by trial, of three candidates that are the same for all data.
    Trial,
    /// The best, by trial, of those that the tree names.
    TreeAndTrial,
    /// The rule of the SCIL paper: LZ4 unless the ratio matters, MAFISC where only that does, else by
    /// whether LZ4 shrinks the data at all.
    Scil,
    /// The best of all candidates.
    Oracle,
}

// In the order of reports.
frazil_types::words!(
    pub Strategy: Fixed "fixed default", Scil "SCIL's rule", Trial "trial alone",
    Tree "tree alone", TreeAndTrial "tree and trial", Oracle "oracle"
);

/// How much more than the oracle's the choices of one way cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// The way.
    pub strategy: Strategy,
    /// Regret of each variable, in the order of the table: 0.03 for 3 %.
    pub regrets: Vec<f64>,
}

impl Quality {
    /// The regret that a share of the variables stays below: of 0.5 the median.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.regrets.clone();
        sorted.sort_by(f64::total_cmp);
        let place = share * (sorted.len().saturating_sub(1)) as f64;
        let (low, high) = (place.floor() as usize, place.ceil() as usize);
        match (sorted.get(low), sorted.get(high)) {
            (Some(low), Some(high)) => low + (high - low) * place.fract(),
            _ => 0.0,
        }
    }
}

/// All ways for one reader level and goal.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Who must be able to read the file.
    pub readers: ReaderLevel,
    /// What filters are chosen for.
    pub goal: Goal,
    /// In the order of [`Strategy::ALL`].
    pub qualities: Vec<Quality>,
}

/// Judges all ways for some reader levels and goals. What learns has not seen the dataset that it is
/// judged on.
///
/// # Errors
/// If the table has fewer than two datasets.
pub fn evaluate(
    table: &Table,
    goals: impl IntoIterator<Item = (ReaderLevel, Goal)>,
) -> Result<Vec<Evaluation>> {
    if table.datasets().len() < 2 {
        let cause = "one dataset is not enough: each is judged by a tree grown from the others";
        return Err(Error::new(ErrorCode::InvalidArgument, cause)
            .with_cure("name more folders, or a folder of folders"));
    }
    let goals = goals.into_iter();
    goals
        .map(|(readers, goal)| one(table, readers, goal))
        .collect()
}

fn one(table: &Table, readers: ReaderLevel, goal: Goal) -> Result<Evaluation> {
    let rows: Vec<&Row> = table.rows.iter().collect();
    let costs = Costs::new(&rows, readers, goal);
    let mut regrets = vec![vec![0.0; rows.len()]; Strategy::ALL.len()];
    for dataset in table.datasets() {
        let others: Vec<&Row> = rows
            .iter()
            .copied()
            .filter(|row| row.dataset != dataset)
            .collect();
        let mut trees = Vec::new();
        for &asked in goal.asked() {
            trees.push(grow(&others, readers, asked)?);
        }
        let same_for_all = same_for_all(&others, readers, goal);
        for (i, row) in rows.iter().enumerate() {
            if row.dataset != dataset {
                continue;
            }
            let named = costs.allowed_of(trees.iter().flat_map(|tree| tree.ask(row)));
            for (strategy, regrets) in Strategy::ALL.into_iter().zip(&mut regrets) {
                regrets[i] = match strategy {
                    Strategy::Fixed => costs.regret(i, fixed(readers)),
                    Strategy::Tree => costs.regret(i, named.first().copied()),
                    Strategy::Trial => costs.regret_of_set(i, &same_for_all),
                    Strategy::TreeAndTrial => costs.regret_of_set(i, &named),
                    Strategy::Scil => costs.regret(i, scil(row, readers, goal)),
                    Strategy::Oracle => 0.0,
                };
            }
        }
    }
    let qualities = Strategy::ALL.into_iter().zip(regrets);
    Ok(Evaluation {
        readers,
        goal,
        qualities: qualities
            .map(|(strategy, regrets)| Quality { strategy, regrets })
            .collect(),
    })
}

fn position(name: &str) -> Option<usize> {
    let wanted: &CandidateFilters = candidate(name)?;
    candidates().iter().position(|one| one == wanted)
}

fn fixed(readers: ReaderLevel) -> Option<usize> {
    position(match readers {
        ReaderLevel::Any => "shuffle+deflate(4)",
        ReaderLevel::Plugins | ReaderLevel::Frazil => "shuffle+zstd(3)",
    })
}

/// What SCIL's rule takes. Its LZ4 stands for the fastest that readers know. Where readers lack MAFISC
/// it is represented by what is nearest to it: bits in planes and the strongest zstd, or deflate.
fn scil(row: &Row, readers: ReaderLevel, goal: Goal) -> Option<usize> {
    /// Where LZ4 keeps more, data count as random.
    const RANDOM: f64 = 0.95;
    let (fast, small) = match readers {
        ReaderLevel::Any => ("deflate(1)", "shuffle+deflate(11)"),
        ReaderLevel::Plugins => ("lz4", "bitshuffle+zstd(22)"),
        ReaderLevel::Frazil => ("lz4", "mafisc(4)"),
    };
    let share_of_lz4 = position("lz4").map_or(1.0, |i| row.shares[i].trial);
    match goal {
        Goal::Archive | Goal::Size => position(small),
        Goal::Speed | Goal::Energy => position(fast),
        Goal::Balanced if share_of_lz4 > RANDOM => None,
        Goal::Balanced => position(fast),
    }
}

/// The evaluations as a table in Markdown: median and 90th percentile, in per cent.
#[must_use]
pub fn render(evaluations: &[Evaluation]) -> String {
    let mut text = "| readers | goal |".to_owned();
    for strategy in Strategy::ALL {
        let _ = write!(text, " {} |", strategy.name());
    }
    text.push_str("\n|---|---|");
    text.push_str(&"---|".repeat(Strategy::ALL.len()));
    text.push('\n');
    for evaluation in evaluations {
        let _ = write!(
            text,
            "| {} | {} |",
            evaluation.readers.name(),
            evaluation.goal
        );
        for quality in &evaluation.qualities {
            let per_cent = |share| 100.0 * quality.quantile(share);
            let _ = write!(text, " {:.1} / {:.1} |", per_cent(0.5), per_cent(0.9));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_regrets() {
        let quality = Quality {
            strategy: Strategy::Tree,
            regrets: vec![0.3, 0.0, 0.1, 0.2],
        };
        assert!((quality.quantile(0.5) - 0.15).abs() < 1e-12);
        assert!((quality.quantile(0.9) - 0.27).abs() < 1e-12);
        assert_eq!(quality.quantile(0.0), 0.0);
        assert_eq!(quality.quantile(1.0), 0.3);
    }
}
