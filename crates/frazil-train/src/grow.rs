//! Growing trees: smartcore finds the questions, what a leaf names is what serves its variables best.

use std::collections::BTreeSet;

use frazil::{Error, ErrorCode, Result};
use frazil_plan::{
    FEATURE_NAMES, FilterTree, Goal, MOST_CHAINS, Node, TreeOf, Weights, candidates,
};
use frazil_types::ReaderLevel;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::tree::decision_tree_classifier::{
    DecisionTreeClassifier, DecisionTreeClassifierParameters,
};

use crate::cover::{cover, loss, loss_of_one};
use crate::regret::Costs;
use crate::table::{Row, Table};

/// What trees are for: each reader level with each goal.
pub fn every_goal() -> impl Iterator<Item = (ReaderLevel, Goal)> {
    let of = |readers| Goal::ALL.into_iter().map(move |goal| (readers, goal));
    ReaderLevel::ALL.into_iter().flat_map(of)
}

/// Most questions on a path.
const DEEPEST: u16 = 3;
/// Each dataset counts as so many variables, whatever it has.
const OF_DATASET: f64 = 6.0;
/// Least of these in a leaf: two datasets and a half.
const LEAST_IN_LEAF: usize = 15;
/// Kinds of variables that questions tell apart: those whose best of so many candidates differs.
const KINDS: usize = 5;
/// How much all variables count in a leaf beside its own.
const OTHERS: f64 = 0.1;
/// A question stays if it saves that much mean regret.
const WORTH_ASKING: f64 = 0.001;
/// Where size does not count, costs hardly depend on the data, and any questions must lower regret to this part of it
/// on datasets that they were not found on.
const MUST_SAVE: f64 = 0.9;
/// Each time one in so many datasets is left out for that.
const FOLDS: usize = 10;

/// Grows a tree for every reader level and goal. The same table gives the same trees.
///
/// # Errors
/// If the table has no rows.
pub fn train(table: &Table) -> Result<FilterTree> {
    let rows: Vec<&Row> = table.rows.iter().collect();
    let datasets = table.datasets().len();
    let about = format!(
        "Filters worth trying, by reader level and goal: grown by `frazil train` from {} variables of \
         {datasets} datasets. A question is whether a feature of sampled chunks is above a number; \
         docs/filters.md says what the features are.",
        rows.len()
    );
    let mut trees = Vec::new();
    for (readers, goal) in every_goal() {
        let tree = node(grow(&rows, readers, goal)?);
        trees.push(TreeOf {
            readable_by: readers,
            goal,
            tree,
        });
    }
    FilterTree::new(about, trees).map_err(|error| Error::new(error.code(), error.to_string()))
}

/// A tree of positions in [`FEATURE_NAMES`] and in [`candidates`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Grown {
    Leaf(Vec<usize>),
    Split {
        feature: usize,
        above: f64,
        yes: Box<Grown>,
        no: Box<Grown>,
    },
}

impl Grown {
    /// What it names for a variable.
    pub(crate) fn ask(&self, row: &Row) -> &[usize] {
        match self {
            Self::Leaf(named) => named,
            Self::Split {
                feature,
                above,
                yes,
                no,
            } => match row.features.values()[*feature] > *above {
                true => yes.ask(row),
                false => no.ask(row),
            },
        }
    }
}

fn node(grown: Grown) -> Node {
    match grown {
        Grown::Leaf(named) => Node::Leaf {
            r#try: named
                .iter()
                .map(|&i| candidates()[i].name().to_owned())
                .collect(),
        },
        Grown::Split {
            feature,
            above,
            yes,
            no,
        } => Node::Split {
            feature: FEATURE_NAMES[feature].to_owned(),
            above,
            yes: Box::new(node(*yes)),
            no: Box::new(node(*no)),
        },
    }
}

/// Grows one tree; without questions where these do not help.
pub(crate) fn grow(rows: &[&Row], readers: ReaderLevel, goal: Goal) -> Result<Grown> {
    if rows.is_empty() {
        let cause = "there are no variables to learn from";
        return Err(Error::new(ErrorCode::InvalidArgument, cause)
            .with_cure("name folders with netCDF or HDF5 files of numbers"));
    }
    let counts_size = Weights::of(goal).size > 0.0;
    match counts_size || questions_help(rows, readers, goal)? {
        true => grow_with_questions(rows, readers, goal),
        false => Ok(Grown::Leaf(same_for_all(rows, readers, goal))),
    }
}

/// What serves all variables best, whatever they are, when a trial chooses among it.
pub(crate) fn same_for_all(rows: &[&Row], readers: ReaderLevel, goal: Goal) -> Vec<usize> {
    let costs = Costs::new(rows, readers, goal);
    cover(&costs, &vec![1.0; rows.len()], MOST_CHAINS)
}

/// Whether trees name better filters than what is the same for all, each grown without some of the datasets and
/// asked about these.
fn questions_help(rows: &[&Row], readers: ReaderLevel, goal: Goal) -> Result<bool> {
    let datasets: BTreeSet<&str> = rows.iter().map(|row| &*row.dataset).collect();
    let (mut with, mut without) = (0.0, 0.0);
    for fold in 0..FOLDS {
        let left_out: Vec<&str> = datasets.iter().copied().skip(fold).step_by(FOLDS).collect();
        let (judged, others): (Vec<&Row>, Vec<&Row>) = rows
            .iter()
            .partition(|row| left_out.contains(&&*row.dataset));
        if judged.is_empty() || others.is_empty() {
            continue;
        }
        let tree = grow_with_questions(&others, readers, goal)?;
        let same = same_for_all(&others, readers, goal);
        let costs = Costs::new(&judged, readers, goal);
        for (variable, row) in judged.iter().enumerate() {
            with += loss_of_one(&costs, variable, tree.ask(row));
            without += loss_of_one(&costs, variable, &same);
        }
    }
    Ok(with < MUST_SAVE * without)
}

fn grow_with_questions(rows: &[&Row], readers: ReaderLevel, goal: Goal) -> Result<Grown> {
    let costs = Costs::new(rows, readers, goal);
    let weights = weights(rows);
    let kinds = cover(&costs, &weights, KINDS);
    let kind_of = |variable| {
        let best = costs.best_of(variable, &kinds);
        kinds.iter().position(|&one| Some(one) == best).unwrap_or(0) as u32
    };
    let kinds: Vec<u32> = (0..costs.variables()).map(kind_of).collect();
    let questions = questions(rows, &kinds, &weights)?;
    let members: Vec<usize> = (0..rows.len()).collect();
    let grower = Grower {
        rows,
        costs: &costs,
        weights: &weights,
        questions: &questions,
    };
    Ok(grower.node(0, &members))
}

/// Datasets count alike.
fn weights(rows: &[&Row]) -> Vec<f64> {
    let count = |row: &Row| rows.iter().filter(|one| one.dataset == row.dataset).count();
    rows.iter()
        .map(|row| OF_DATASET / count(row) as f64)
        .collect()
}

/// A node of smartcore's tree.
struct Question {
    feature: usize,
    above: f64,
    /// Nodes for "not above" and "above".
    children: Option<(usize, usize)>,
}

/// The questions that tell kinds of variables apart; node 0 is the root.
fn questions(rows: &[&Row], kinds: &[u32], weights: &[f64]) -> Result<Vec<Question>> {
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    for ((row, &kind), weight) in rows.iter().zip(kinds).zip(weights) {
        // smartcore knows no weights; rows may stand there more than once.
        for _ in 0..(weight.round() as usize).max(1) {
            features.push(row.features.values().to_vec());
            labels.push(kind);
        }
    }
    let failed = |what: &str| Error::new(ErrorCode::Internal, format!("growing a tree: {what}"));
    let is_one_kind = labels.iter().all(|kind| *kind == labels[0]);
    if is_one_kind || labels.len() < 2 * LEAST_IN_LEAF {
        return Ok(vec![Question {
            feature: 0,
            above: 0.0,
            children: None,
        }]);
    }
    let matrix = DenseMatrix::from_2d_vec(&features).map_err(|error| failed(&error.to_string()))?;
    let parameters = DecisionTreeClassifierParameters {
        max_depth: Some(DEEPEST),
        min_samples_leaf: LEAST_IN_LEAF,
        min_samples_split: 2 * LEAST_IN_LEAF,
        seed: Some(0),
        ..DecisionTreeClassifierParameters::default()
    };
    let tree = DecisionTreeClassifier::fit(&matrix, &labels, parameters)
        .map_err(|error| failed(&error.to_string()))?;
    let tree = serde_json::to_value(&tree).map_err(|error| failed(&error.to_string()))?;
    let nodes = tree["nodes"].as_array();
    let nodes = nodes.ok_or_else(|| failed("smartcore's tree has no nodes"))?;
    let index = |value: &serde_json::Value| value.as_u64().map(|value| value as usize);
    nodes
        .iter()
        .map(|node| {
            let children = index(&node["true_child"]).zip(index(&node["false_child"]));
            let feature = index(&node["split_feature"]).filter(|&i| i < FEATURE_NAMES.len());
            let above = node["split_value"].as_f64();
            match (children, feature, above) {
                (Some(_), Some(feature), Some(above)) => Ok(Question {
                    feature,
                    above: readable(above),
                    children,
                }),
                (Some(_), ..) => Err(failed("a node of smartcore's tree has no question")),
                (None, ..) => Ok(Question {
                    feature: 0,
                    above: 0.0,
                    children: None,
                }),
            }
        })
        .collect()
}

/// Three digits: more would say that they matter.
fn readable(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

struct Grower<'a> {
    rows: &'a [&'a Row],
    costs: &'a Costs,
    weights: &'a [f64],
    questions: &'a [Question],
}

impl Grower<'_> {
    /// The node for some variables; a question that does not help them is not asked.
    fn node(&self, at: usize, members: &[usize]) -> Grown {
        let (leaf, alone) = self.leaf(members);
        let Some(question) = self.questions.get(at) else {
            return leaf;
        };
        let Some((below, above)) = question.children else {
            return leaf;
        };
        let is_above = |i: usize| self.rows[i].features.values()[question.feature] > question.above;
        let (yes, no): (Vec<usize>, Vec<usize>) =
            members.iter().copied().partition(|&i| is_above(i));
        if yes.is_empty() || no.is_empty() {
            return leaf;
        }
        let split = Grown::Split {
            feature: question.feature,
            above: question.above,
            yes: Box::new(self.node(above, &yes)),
            no: Box::new(self.node(below, &no)),
        };
        match self.loss_of(&split, members) < alone - WORTH_ASKING {
            true => split,
            false => leaf,
        }
    }

    /// What serves some variables best, and its loss.
    fn leaf(&self, members: &[usize]) -> (Grown, f64) {
        let mut weights: Vec<f64> = self.weights.iter().map(|weight| weight * OTHERS).collect();
        for &i in members {
            weights[i] = self.weights[i];
        }
        let set = cover(self.costs, &weights, MOST_CHAINS);
        let loss = loss(self.costs, &self.only(members), &set);
        (Grown::Leaf(set), loss)
    }

    fn only(&self, members: &[usize]) -> Vec<f64> {
        let mut weights = vec![0.0; self.weights.len()];
        for &i in members {
            weights[i] = self.weights[i];
        }
        weights
    }

    /// Mean regret by weight.
    fn loss_of(&self, grown: &Grown, members: &[usize]) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for &i in members {
            sum += self.weights[i] * loss_of_one(self.costs, i, grown.ask(self.rows[i]));
            total += self.weights[i];
        }
        sum / total
    }
}
