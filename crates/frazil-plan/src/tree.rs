//! The decision tree that names filters worth trying.

use std::fmt;

use frazil_types::ReaderLevel;
use frazil_types::sync::Lazy;
use serde::{Deserialize, Serialize};

use crate::candidates::candidate;
use crate::error::PlanError;
use crate::features::FEATURE_NAMES;
use crate::goal::Goal;

/// Version of the file that this code reads.
const VERSION: u32 = 1;
/// Most chains that a leaf names: each costs a trial.
pub const MOST_CHAINS: usize = 3;
/// Deeper trees are no help to anybody, and a file of them could exhaust the stack.
const DEEPEST: usize = 32;

/// The shipped tree.
const SHIPPED: &str = include_str!("../data/filter_tree.json");

/// Decision trees, one for each reader level and goal, that name the filters worth trying.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterTree {
    /// Version of this format: 1.
    version: u32,
    /// What the file is, for people.
    about: String,
    trees: Vec<TreeOf>,
}

/// The tree of one reader level and goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeOf {
    /// Who must be able to read the file.
    pub readable_by: ReaderLevel,
    /// What filters are chosen for.
    pub goal: Goal,
    /// Its root.
    pub tree: Node,
}

/// A node of a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Node {
    /// A question.
    Split {
        /// Name of a feature.
        feature: String,
        /// Whether it is above this.
        above: f64,
        /// What follows if it is.
        yes: Box<Node>,
        /// What follows if it is not.
        no: Box<Node>,
    },
    /// An answer: names of candidates, the likeliest first.
    Leaf {
        /// One to three names, as [`crate::CandidateFilters::name`] has them.
        r#try: Vec<String>,
    },
}

/// What a tree says of a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice<'a> {
    /// Names of the candidates to try, the likeliest first.
    pub chains: &'a [String],
    /// The questions on the way with their answers: feature, value, whether it is above, threshold.
    pub path: Vec<(&'a str, f64, bool, f64)>,
}

impl fmt::Display for Advice<'_> {
    /// `zero fraction 0.83 > 0.5, element bytes 4 <= 6 -> shuffle+zstd(3) or lz4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (feature, value, is_above, threshold)) in self.path.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let relation = if *is_above { ">" } else { "<=" };
            let feature = feature.replace('_', " ");
            let (value, threshold) = (Short(*value), Short(*threshold));
            write!(f, "{comma}{feature} {value} {relation} {threshold}")?;
        }
        let arrow = if self.path.is_empty() { "" } else { " -> " };
        write!(f, "{arrow}{}", self.chains.join(" or "))
    }
}

/// A number in three digits behind the point, without zeros at its end.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.3}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl FilterTree {
    /// The tree that frazil comes with, grown by `frazil train` from `data/filters/measurements.csv`.
    #[must_use]
    pub fn shipped() -> &'static Self {
        static TREE: Lazy<FilterTree> = Lazy::new(|| {
            let nothing = FilterTree {
                version: VERSION,
                about: String::new(),
                trees: Vec::new(),
            };
            // A test holds that it can be read; without it the standard candidates would be tried.
            FilterTree::parse(SHIPPED).unwrap_or(nothing)
        });
        &TREE
    }

    /// The text of the tree that frazil comes with.
    #[must_use]
    pub fn shipped_text() -> &'static str {
        SHIPPED
    }

    /// A tree of these parts.
    ///
    /// # Errors
    /// [`PlanError::Tree`] for trees that cannot be asked.
    pub fn new(about: String, trees: Vec<TreeOf>) -> Result<Self, PlanError> {
        let tree = Self {
            version: VERSION,
            about,
            trees,
        };
        tree.check()?;
        Ok(tree)
    }

    /// Reads a tree from JSON.
    ///
    /// # Errors
    /// [`PlanError::Tree`] says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let tree: Self = serde_json::from_str(text)
            .map_err(|error| PlanError::Tree(format!("this is not a tree of filters: {error}")))?;
        tree.check()?;
        Ok(tree)
    }

    /// The tree as JSON, as it is shipped.
    ///
    /// # Errors
    /// [`PlanError::Tree`]: there is no tree that cannot be written.
    pub fn render(&self) -> Result<String, PlanError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| PlanError::Tree(format!("the tree cannot be written: {error}")))?;
        Ok(text + "\n")
    }

    /// What to try for a variable of which `feature` says the features of that name ([`FEATURE_NAMES`]); `None`
    /// where no tree is for these readers and this goal.
    #[must_use]
    pub fn advise(
        &self,
        feature: impl Fn(&str) -> Option<f64>,
        readers: ReaderLevel,
        goal: Goal,
    ) -> Option<Advice<'_>> {
        let is_for = |tree: &&TreeOf| tree.readable_by == readers && tree.goal == goal;
        let mut node = &self.trees.iter().find(is_for)?.tree;
        let mut path = Vec::new();
        loop {
            match node {
                Node::Leaf { r#try } => {
                    return Some(Advice {
                        chains: r#try,
                        path,
                    });
                }
                Node::Split {
                    feature: name,
                    above,
                    yes,
                    no,
                } => {
                    let value = feature(name)?;
                    let is_above = value > *above;
                    path.push((name.as_str(), value, is_above, *above));
                    node = if is_above { yes } else { no };
                }
            }
        }
    }

    fn check(&self) -> Result<(), PlanError> {
        if self.version != VERSION {
            let found = self.version;
            let cause = format!("the tree has version {found}; this frazil reads {VERSION}");
            return Err(PlanError::Tree(cause));
        }
        for (i, tree) in self.trees.iter().enumerate() {
            let same =
                |other: &TreeOf| (other.readable_by, other.goal) == (tree.readable_by, tree.goal);
            let (readers, goal) = (tree.readable_by.name(), tree.goal);
            if self.trees[..i].iter().any(same) {
                let cause = format!("there are two trees for {readers} and {goal}");
                return Err(PlanError::Tree(cause));
            }
            check_node(&tree.tree, tree.readable_by, 0).map_err(|cause| {
                PlanError::Tree(format!("the tree for {readers} and {goal}: {cause}"))
            })?;
        }
        Ok(())
    }
}

fn check_node(node: &Node, readers: ReaderLevel, depth: usize) -> Result<(), String> {
    match node {
        Node::Split {
            feature,
            above,
            yes,
            no,
        } => {
            if depth >= DEEPEST {
                return Err(format!("it is deeper than {DEEPEST}"));
            }
            if !FEATURE_NAMES.contains(&feature.as_str()) {
                let known = FEATURE_NAMES.join(", ");
                return Err(format!(
                    "no feature is called {feature:?}; there are {known}"
                ));
            }
            if !above.is_finite() {
                return Err(format!("the threshold of {feature} is no number"));
            }
            check_node(yes, readers, depth + 1)?;
            check_node(no, readers, depth + 1)
        }
        Node::Leaf { r#try } => {
            if r#try.is_empty() || r#try.len() > MOST_CHAINS {
                return Err(format!("a leaf names one to {MOST_CHAINS} chains"));
            }
            for name in r#try {
                let found = candidate(name).filter(|found| found.readers <= readers);
                if found.is_none() {
                    return Err(format!("{name:?} is not a candidate for these readers"));
                }
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL_READERS: [ReaderLevel; 3] =
        [ReaderLevel::Any, ReaderLevel::Plugins, ReaderLevel::Frazil];

    fn of_one_question() -> String {
        let leaf = |name: &str| format!("{{\"try\": [\"{name}\"]}}");
        let (yes, no) = (leaf("zstd(3)"), leaf("shuffle+deflate(4)"));
        format!(
            "{{\"version\": 1, \"about\": \"\", \"trees\": [{{\"readable_by\": \"plugins\", \
             \"goal\": \"size\", \"tree\": {{\"feature\": \"zero_fraction\", \"above\": 0.5, \
             \"yes\": {yes}, \"no\": {no}}}}}]}}"
        )
    }

    #[test]
    fn the_shipped_tree_has_an_answer_for_everybody() {
        let tree = FilterTree::parse(FilterTree::shipped_text()).unwrap();
        assert_eq!(&tree, FilterTree::shipped());
        assert_eq!(tree.render().unwrap(), FilterTree::shipped_text());
        for readers in ALL_READERS {
            for goal in Goal::ALL {
                for value in [0.0, 0.3, 0.9, 4.0, 8.0] {
                    assert!(tree.advise(|_| Some(value), readers, goal).is_some());
                }
            }
        }
    }

    #[test]
    fn a_tree_says_what_it_asked() {
        let tree = FilterTree::parse(&of_one_question()).unwrap();
        let feature = |name: &str| (name == "zero_fraction").then_some(0.825);
        let advice = tree.advise(feature, ReaderLevel::Plugins, Goal::Size);
        let text = advice.unwrap().to_string();
        assert_eq!(text, "zero fraction 0.825 > 0.5 -> zstd(3)");
        assert_eq!(tree.advise(feature, ReaderLevel::Any, Goal::Size), None);
    }

    #[test]
    fn trees_that_cannot_be_asked_are_refused() {
        let good = of_one_question();
        for (from, to) in [
            ("\"version\": 1", "\"version\": 2"),
            ("zero_fraction", "colour"),
            ("zstd(3)", "zip"),
            ("[\"zstd(3)\"]", "[]"),
            ("\"plugins\"", "\"any\""),
            ("\"above\"", "\"below\""),
        ] {
            let text = good.replace(from, to);
            assert_ne!(text, good);
            assert!(FilterTree::parse(&text).is_err(), "{to}");
        }
    }
}
