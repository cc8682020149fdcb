//! A chunk shape that a trial found to be smaller meets the one that a rule chose: filters are chosen for both, and
//! what takes fewer bytes is taken.

use frazil_pipeline::MemoryBudget;
use frazil_plan::{ChunkChoice, FilterChoice, index_bytes};

use crate::filter_trial::{Trial, Tried};
use crate::planning::Depth;
use crate::shapes_tried::ShapesTried;
use frazil_file::error::Result;

/// What other filters than those of the quick encoder may gain more or less in another shape, by what that gains.
const UNLIKE_QUICK: f64 = 0.25;

impl Trial<'_> {
    /// Chooses filters for the rivals of chunk shapes, too, and takes what is smaller with its filters. Returns the
    /// variables whose rivals won, with their new shapes; `choices` are then those of these shapes.
    ///
    /// # Errors
    /// What trying filters fails with.
    pub(crate) fn meet_rivals(
        &self,
        tried: &[ShapesTried],
        choices: &mut [Option<Tried>],
        budget: &MemoryBudget,
    ) -> Result<Vec<(usize, ChunkChoice)>> {
        let among: Vec<bool> = tried.iter().map(|one| one.rival.is_some()).collect();
        if !among.contains(&true) {
            return Ok(Vec::new());
        }
        let rules = self.shapes.iter().zip(tried);
        let shapes: Vec<ChunkChoice> = rules
            .map(|(by_rule, tried)| tried.rival.as_ref().unwrap_or(by_rule).clone())
            .collect();
        let rivals = Trial {
            shapes: &shapes,
            among: Some(&among),
            ..*self
        };
        let mut won = Vec::new();
        let found = rivals.try_filters(budget)?.into_iter().enumerate();
        for (number, rival) in found {
            let (Some(mut rival), Some(by_rule)) = (rival, &choices[number]) else {
                continue;
            };
            if self.depth == Depth::Foretell {
                foretell(&mut rival.choice, &by_rule.choice, tried[number].factor());
            }
            // Filters within a tolerance of the smallest may be taken: the smaller of both is within it in either shape.
            if rivals.bytes_of(number, &rival) < self.bytes_of(number, by_rule) {
                choices[number] = Some(rival);
                won.push((number, shapes[number].clone()));
            }
        }
        Ok(won)
    }

    /// What a variable takes with its filters, the index of its chunks included.
    fn bytes_of(&self, number: usize, tried: &Tried) -> f64 {
        let variable = self.stored_form(number);
        let raw_bytes = variable.raw_bytes().unwrap_or(0) as f64;
        let choice = &tried.choice;
        match &self.shapes[number].chunk {
            Some(chunk) if !choice.pipeline.is_empty() || choice.keep_current => {
                raw_bytes * choice.predicted_ratio + index_bytes(&variable.shape, chunk) as f64
            }
            _ => raw_bytes,
        }
    }
}

/// Predicts the size of a rival as that in the rule's shape times what the quick encoder saves: samples for predictions
/// are too small to tell what a shape gives.
fn foretell(rival: &mut FilterChoice, by_rule: &FilterChoice, factor: f64) {
    if rival.pipeline.is_empty() || by_rule.pipeline.is_empty() {
        return;
    }
    rival.predicted_ratio = by_rule.predicted_ratio * factor;
    rival.least_ratio = by_rule.least_ratio * factor;
    rival.uncertainty = by_rule.uncertainty + UNLIKE_QUICK * factor.ln().abs();
}
