//! Filters as a user names them, `delta+shuffle+zstd(3)`, before any variable is known.
//!
//! A chain is a list of filters ([`stage`]), each with its words ([`words`]); for a variable they
//! become what is stored in a file ([`client_data`]).

mod client_data;
mod stage;
#[cfg(test)]
mod tests;
mod words;

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::element::ElementType;
use crate::filter_spec::{FilterPipeline, FilterSpec, ReaderLevel};
use stage::{Inside, Stage};

/// A chain of filters for every variable that it can be applied to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FilterChain(Vec<Stage>);

/// Why a text names no chain of filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterChainError(String);

impl Display for FilterChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FilterChainError {}

impl FromStr for FilterChain {
    type Err = FilterChainError;

    /// Reads `shuffle+deflate(4)`: filters in the order in which they are applied, with a `+`
    /// between them; `none` for none.
    fn from_str(text: &str) -> Result<Self, FilterChainError> {
        let text = text.trim();
        if text == "none" {
            return Ok(Self(Vec::new()));
        }
        let mut stages: Vec<Stage> = Vec::new();
        for word in text.split('+') {
            let stage: Stage = word.trim().parse()?;
            // As the registered filter has it: one filter with a compressor inside.
            match (stages.last_mut(), stage) {
                (Some(last @ Stage::Bitshuffle(Inside::Nothing)), Stage::Lz4) => {
                    *last = Stage::Bitshuffle(Inside::Lz4);
                }
                (Some(last @ Stage::Bitshuffle(Inside::Nothing)), Stage::Zstd { level }) => {
                    *last = Stage::Bitshuffle(Inside::Zstd(level));
                }
                _ => stages.push(stage),
            }
        }
        for (i, stage) in stages.iter().enumerate() {
            if stages[..i].iter().any(|other| other.id() == stage.id()) {
                let again = format!("{text:?} names {stage} twice");
                return Err(FilterChainError(again));
            }
        }
        Ok(Self(stages))
    }
}

impl TryFrom<String> for FilterChain {
    type Error = FilterChainError;

    fn try_from(text: String) -> Result<Self, FilterChainError> {
        text.parse()
    }
}

impl From<FilterChain> for String {
    fn from(chain: FilterChain) -> Self {
        chain.to_string()
    }
}

impl Display for FilterChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (i, stage) in self.0.iter().enumerate() {
            let plus = if i == 0 { "" } else { "+" };
            write!(f, "{plus}{stage}")?;
        }
        Ok(())
    }
}

impl FilterChain {
    /// Whether nothing is filtered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Who can read what this chain writes.
    #[must_use]
    pub fn reader_level(&self) -> ReaderLevel {
        let specs = self
            .0
            .iter()
            .map(|stage| FilterSpec::new(stage.id(), vec![]));
        FilterPipeline(specs.collect()).reader_level()
    }

    /// The filters of a variable, with their client data values as libhdf5 would have set them.
    ///
    /// `chunk` is the chunk's shape in elements, slowest axis first. Filters that mean nothing for
    /// the element are left out: shuffles of single bytes; szip, pcodec and differences of anything
    /// but numbers of 1, 2, 4 or 8 bytes.
    #[must_use]
    pub fn resolve(&self, element: ElementType, chunk: &[u64]) -> FilterPipeline {
        let resolve = |stage: &Stage| stage.resolve(element, chunk);
        FilterPipeline(self.0.iter().filter_map(resolve).collect())
    }
}
