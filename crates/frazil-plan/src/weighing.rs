//! What is stated of a choice beside its goal.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::filters::FilterWishes;
use crate::goal::Goal;
use crate::score::{Score, Weights};
use crate::tree::FilterTree;

/// What is stated of a choice of filters beside its goal.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weighing {
    /// The goal was stated, if it is `balanced`, too: without any wish filters are chosen by a
    /// shorter rule.
    pub is_stated: bool,
    /// How much size, time and energy count, in place of what the goal stands for.
    pub weights: Option<Weights>,
    /// Raw MB/s that one core must at least encode, by the constants of [`crate::candidates`].
    pub least_encode_mb_s: Option<f64>,
    /// The tree that names what is tried; `None`: the shipped one.
    pub tree: Option<Arc<FilterTree>>,
}

impl Weighing {
    /// Whether a tree and trials decide for this goal.
    #[must_use]
    pub fn decides(&self, goal: Goal) -> bool {
        goal != Goal::Balanced || self != &Self::default()
    }

    pub(crate) fn tree(&self) -> &FilterTree {
        self.tree
            .as_deref()
            .unwrap_or_else(|| FilterTree::shipped())
    }
}

impl FilterWishes {
    /// What filters are judged by.
    pub(crate) fn score(&self) -> Score {
        match self.weighing.weights {
            Some(weights) => Score::weighted(weights),
            None => Score::of(self.goal),
        }
    }

    /// Raw MB/s that one core must at least encode.
    pub(crate) fn least_encode_mb_s(&self) -> f64 {
        let of_goal = match self.weighing.weights {
            Some(_) => 0.0,
            None => self.goal.least_encode_mb_s(),
        };
        self.weighing.least_encode_mb_s.unwrap_or(0.0).max(of_goal)
    }
}
