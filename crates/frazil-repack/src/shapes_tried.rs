//! What trials of chunk shapes found.

use frazil_plan::ChunkChoice;

/// A chunk shape that was tried.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TriedShape {
    /// `by rule`, `standard`, `records`.
    pub(crate) name: &'static str,
    /// Extents in elements.
    pub(crate) chunk: Vec<u64>,
    /// Stored bytes by raw bytes of what was encoded, the chunks' index included.
    pub(crate) share: f64,
}

/// The shapes that were tried of one variable, and the one that came out smaller than what the rule chose.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ShapesTried {
    /// The rule's choice first; empty: none were tried.
    pub(crate) shapes: Vec<TriedShape>,
    /// What to compare the rule's choice with.
    pub(crate) rival: Option<ChunkChoice>,
}

impl ShapesTried {
    /// What the rival takes by what the rule's choice takes, under the quick encoder.
    pub(crate) fn factor(&self) -> f64 {
        let chunk = self.rival.as_ref().and_then(|rival| rival.chunk.as_ref());
        let rival = (self.shapes.iter()).find(|one| Some(&one.chunk) == chunk);
        match (self.shapes.first(), rival) {
            (Some(by_rule), Some(rival)) => rival.share / by_rule.share,
            _ => 1.0,
        }
    }
}
