//! What plans of files take, judged by a table: trials on samples, in heats, tolerances and all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use frazil::{Error, ErrorCode, PackOptions, Progress, Resources, Result, SelectionCriteria};
use frazil_plan::{CandidateFilters, FilterTree, Goal, candidates};
use frazil_types::{
    ByteOrder, ElementClass, ElementType, FilterPipeline, ReaderLevel, StorageLayout, VariablePlan,
    filter_id,
};

use crate::evaluate::{Quality, Strategy};
use crate::grow::{every_goal, train};
use crate::regret::Costs;
use crate::table::{Row, Table};

/// What plans take for one reader level and goal.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Who must be able to read the file.
    pub readers: ReaderLevel,
    /// What filters are chosen for.
    pub goal: Goal,
    /// Regrets of the variables that get filters of a plan.
    pub quality: Quality,
    /// Variables that keep the filters of their file.
    pub kept: usize,
}

/// Plans the files of a table, each with a tree that was grown without its dataset, for all reader levels and
/// goals, and says how much more than the best of the table the filters cost that are taken. `folders`: those that
/// the table was measured from.
///
/// # Errors
/// If a file of the table is in none of the folders, cannot be read, or lacks a variable of the table.
pub fn judge_plans(
    table: &Table,
    folders: &[PathBuf],
    resources: &Resources,
    progress: &mut dyn Progress,
) -> Result<Vec<Judgement>> {
    let rows: Vec<&Row> = table.rows.iter().collect();
    let mut found: Vec<Judgement> = every_goal()
        .map(|(readers, goal)| Judgement::new(readers, goal))
        .collect();
    let costs: Vec<Costs> = every_goal()
        .map(|(readers, goal)| Costs::new(&rows, readers, goal))
        .collect();
    // What is missing is told before trees are grown.
    for row in &rows {
        place_of(&row.file, folders)?;
    }
    progress.stage("judge", table.rows.len() as u64);
    for dataset in table.datasets() {
        let of_others = rows.iter().filter(|row| row.dataset != dataset);
        let others = Table {
            rows: of_others.map(|&row| row.clone()).collect(),
        };
        let tree = Arc::new(train(&others)?);
        for (file, of_file) in files_of(&rows, dataset) {
            let path = place_of(file, folders)?;
            for (judgement, costs) in found.iter_mut().zip(&costs) {
                let taken = judgement.plan(&path, &tree, resources)?;
                for &i in &of_file {
                    judgement.add(costs, i, rows[i], &taken)?;
                }
            }
            progress.advance(of_file.len() as u64);
        }
    }
    Ok(found)
}

/// The files of a dataset, each with the positions of its rows.
fn files_of<'a>(rows: &[&'a Row], dataset: &str) -> BTreeMap<&'a str, Vec<usize>> {
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, row) in rows.iter().enumerate() {
        if row.dataset == dataset {
            found.entry(&row.file).or_default().push(i);
        }
    }
    found
}

/// Where a file of a table is: its name is relative to where its folder lies.
fn place_of(file: &str, folders: &[PathBuf]) -> Result<PathBuf> {
    let bases: BTreeSet<&Path> = folders
        .iter()
        .filter_map(|folder| folder.parent())
        .collect();
    let mut places = bases.into_iter().map(|base| base.join(file));
    places.find(|place| place.exists()).ok_or_else(|| {
        Error::new(
            ErrorCode::InvalidArgument,
            format!("the folders have no {file}, which the table has"),
        )
        .with_cure("name the folders that the table was measured from")
    })
}

impl Judgement {
    fn new(readers: ReaderLevel, goal: Goal) -> Self {
        let quality = Quality {
            strategy: Strategy::TreeAndTrial,
            regrets: Vec::new(),
        };
        Self {
            readers,
            goal,
            quality,
            kept: 0,
        }
    }

    fn plan(
        &self,
        path: &Path,
        tree: &Arc<FilterTree>,
        resources: &Resources,
    ) -> Result<Vec<VariablePlan>> {
        let options = PackOptions {
            goal: self.goal,
            readable_by: Some(self.readers),
            weighing: SelectionCriteria {
                tree: Some(Arc::clone(tree)),
                ..SelectionCriteria::default()
            },
            resources: resources.clone(),
            ..PackOptions::default()
        };
        Ok(frazil::plan(path, &options, &mut frazil::Silent)?.variables)
    }

    /// Adds the regret of the variable in row `i`.
    fn add(&mut self, costs: &Costs, i: usize, row: &Row, plans: &[VariablePlan]) -> Result<()> {
        let plan = plans.iter().find(|plan| plan.path == row.variable);
        let plan = plan.ok_or_else(|| {
            Error::new(
                ErrorCode::InvalidArgument,
                "the table has this variable, but the file does not: the file has changed",
            )
            .in_file(Path::new(&row.file))
            .at_variable(&row.variable)
            .with_cure("measure again: frazil train FOLDER --write-table FILE.csv")
        })?;
        match taken(plan, element_of(row)) {
            Some(chosen) => self.quality.regrets.push(costs.regret(i, chosen)),
            None => self.kept += 1,
        }
        Ok(())
    }
}

/// The position of the candidate that a plan takes (`Some(None)`: no filters); `None` if it is none of them.
fn taken(plan: &VariablePlan, element: ElementType) -> Option<Option<usize>> {
    let without_checksum = plan
        .pipeline
        .0
        .iter()
        .filter(|one| one.id != filter_id::FLETCHER32);
    let pipeline = FilterPipeline(without_checksum.cloned().collect());
    let StorageLayout::Chunked { chunk } = &plan.layout else {
        return Some(None);
    };
    if pipeline.is_empty() {
        return Some(None);
    }
    let is_it = |one: &CandidateFilters| {
        let resolved = |order| one.chain().resolve(ElementType { order, ..element }, chunk);
        // The table does not know the byte order.
        let orders = [ByteOrder::Little, ByteOrder::Big];
        one.encoder() == plan.deflate_encoder && orders.map(resolved).contains(&pipeline)
    };
    candidates().iter().position(is_it).map(Some)
}

/// The element of a row's variable, as far as chains depend on it.
fn element_of(row: &Row) -> ElementType {
    let class = match row.element.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "float" => ElementClass::Float,
        "int" => ElementClass::SignedInteger,
        "uint" => ElementClass::UnsignedInteger,
        _ => ElementClass::Opaque,
    };
    let size = row.features.get("element_bytes").unwrap_or(1.0);
    ElementType {
        class,
        size_bytes: size as usize,
        order: ByteOrder::Little,
    }
}

/// Judgements as a table in Markdown: median and 90th percentile, in per cent.
#[must_use]
pub fn render_judgements(judgements: &[Judgement]) -> String {
    let mut text =
        "| readers | goal | as planned | variables | keep theirs |\n|---|---|---|---|---|\n"
            .to_owned();
    for one in judgements {
        let per_cent = |share| 100.0 * one.quality.quantile(share);
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} / {:.1} | {} | {} |",
            one.readers.name(),
            one.goal,
            per_cent(0.5),
            per_cent(0.9),
            one.quality.regrets.len(),
            one.kept
        );
    }
    text
}
