//! What chunk shapes are to serve.

use clap::Args;
use frazil::{AccessPattern, AxisRole, Storage, WantedRead};

use super::declared::{number, word};

// One occurrence of an option is one list; clap must not take these for lists of its own.
type Reads = Vec<WantedRead>;
type Roles = Vec<(String, AxisRole)>;
type Lengths = Vec<(String, u64)>;

/// What chunk shapes are to serve.
#[derive(Debug, Args)]
pub(crate) struct GoalArgs {
    #[arg(long, value_name = "READ[=WEIGHT],...", value_parser = reads)]
    reads: Vec<Reads>,
    #[arg(long, value_name = "WHERE", value_parser = word::<Storage>("storage"))]
    storage: Option<Storage>,
    #[arg(long, value_name = "DIM=ROLE,...", value_parser = axes)]
    axes: Vec<Roles>,
    #[arg(long, value_name = "DIM=N,...", value_parser = expected)]
    expected: Vec<Lengths>,
    #[arg(long, value_name = "N", value_parser = number("most_chunks", 1..=u64::MAX))]
    most_chunks: Option<u64>,
    #[arg(long, value_name = "default|FILE.json")]
    pub(crate) calibration: Option<String>,
}

/// The words of an error are its cause.
fn cause(error: frazil::Error) -> String {
    error.cause
}

fn reads(text: &str) -> Result<Reads, String> {
    frazil::parse_reads(text).map_err(cause)
}

fn axes(text: &str) -> Result<Roles, String> {
    frazil::parse_axes(text).map_err(cause)
}

fn expected(text: &str) -> Result<Lengths, String> {
    frazil::parse_expected(text).map_err(cause)
}

impl GoalArgs {
    /// The facade's options.
    pub(super) fn goal(&self) -> AccessPattern {
        AccessPattern {
            reads: self.reads.concat(),
            storage: self.storage,
            axes: self.axes.concat(),
            expected: self.expected.concat(),
            most_chunks: self.most_chunks,
            ..AccessPattern::default()
        }
    }
}
