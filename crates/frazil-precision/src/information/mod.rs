//! The information in the bits of variables, and how many bits to keep.
//!
//! Two parallel passes: the first looks at a few boxes of every variable to find the axis with the
//! most information, the second counts all pairs along it, tile by tile in bounded memory.

mod axis;
mod prepare;
mod tiles;
mod vertical;
mod whole;

use frazil_pipeline::MemoryBudget;
use frazil_plan::information;
use frazil_types::{DataOrigin, ProtectedValues};
use serde::Serialize;

use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::progress::Progress;
use frazil_file::resources::Resources;
use prepare::Prepared;

/// The information in the bits of one variable (Klöwer et al. 2021, doi:10.1038/s43588-021-00156-2).
#[derive(Debug, Clone, Serialize)]
pub struct VariableInformation {
    /// Absolute path in the file.
    pub path: String,
    /// Element type name, `float32`.
    pub element: String,
    /// Shape in elements.
    pub shape: Vec<u64>,
    /// The axis along which neighbours were compared (the one with the most correlation), and its
    /// dimension name (empty where it has none).
    pub axis: Option<(usize, String)>,
    /// Pairs of neighbours compared.
    pub pairs: u64,
    /// Values left out: fill, missing, not finite.
    pub masked: u64,
    /// Bitwise real information by bit position, most significant (the sign) first.
    pub information: Vec<f64>,
    /// Where the values seem to come from.
    pub origin: DataOrigin,
    /// Share of information asked for.
    pub keep_information: f64,
    /// Explicit mantissa bits that keep it, on every level and sample; `None`: keep all (see
    /// `reason`).
    pub significant_bits: Option<u32>,
    /// Share of information that these bits keep: the smallest of the whole variable's and of every
    /// level's and sample's that has enough pairs.
    pub preserved_information: Option<f64>,
    /// The relative error bound that these bits mean: 2^-(bits + 1).
    pub relative_bound: Option<f64>,
    /// Why, in one line.
    pub reason: String,
    /// What the bits were decided on: the information by bit position that counts, of the whole
    /// variable and of every level and sample that has a vote.
    #[serde(skip)]
    pub votes: Vec<Vec<f64>>,
}

/// A variable to analyse.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Its number in [`Input::variables`].
    pub variable: usize,
    /// The share of information to keep.
    pub keep_information: f64,
    /// Values that take no part.
    pub protected: ProtectedValues,
}

/// The information in some variables, in their order. One that cannot be analysed says why in its
/// `reason`, and has no bits to recommend.
///
/// # Errors
/// If values cannot be read or decoded or need more memory than is allowed, and on interruption.
pub fn variable_information(
    input: &Input,
    wanted: &[Wanted],
    resources: &Resources,
    budget: &MemoryBudget,
    progress: &mut dyn Progress,
) -> Result<Vec<VariableInformation>> {
    let found = analyze_all(input, wanted, resources, budget, progress)?;
    let complete = |(one, outcome): (&Wanted, std::result::Result<_, String>)| {
        outcome.unwrap_or_else(|obstacle| VariableInformation {
            origin: DataOrigin::TooFew,
            reason: obstacle,
            ..whole::blank(input, one)
        })
    };
    Ok(wanted.iter().zip(found).map(complete).collect())
}

/// The share of a variable's information that stays if only its first `significant_bits` mantissa
/// bits do: the smallest of the whole variable's and of every level's and sample's that has a vote.
/// 1 where there is no information to lose.
pub fn preserved_information(original: &VariableInformation, significant_bits: u32) -> f64 {
    let mantissa = information::mantissa_bits(original.information.len() / 8);
    information::preserved_information(&original.votes, mantissa, significant_bits).unwrap_or(1.0)
}

/// Analyses variables; those that cannot be give the obstacle in words.
///
/// # Errors
/// As [`variable_information`].
pub(crate) fn analyze_all(
    input: &Input,
    wanted: &[Wanted],
    resources: &Resources,
    budget: &MemoryBudget,
    progress: &mut dyn Progress,
) -> Result<Vec<std::result::Result<VariableInformation, String>>> {
    let mut outcomes: Vec<_> = wanted.iter().map(|_| Err(String::new())).collect();
    let (mut ready, mut numbers) = (Vec::new(), Vec::new());
    let (mut sources, mut stored) = (Vec::new(), Vec::new());
    for (number, one) in wanted.iter().enumerate() {
        frazil_file::run::check_cancel(resources)?;
        match prepare::prepare(input, one)? {
            Prepared::Ready(values) => {
                let mut one = one.clone();
                one.protected.values.extend(values.unwritten());
                ready.push(one);
                sources.push(values.source);
                stored.push(values.stored);
                numbers.push(number);
            }
            Prepared::Obstacle(words) => outcomes[number] = Err(words),
        }
    }
    let work = prepare::Work {
        input,
        wanted: &ready,
        resources,
        budget,
    };
    let bytes = |sum: u64, one: &Wanted| {
        sum.saturating_add(input.variables()[one.variable].raw_bytes().unwrap_or(0))
    };
    progress.stage("analyze", ready.iter().fold(0, bytes));
    let looks = axis::look(&work, &sources)?;
    let found = whole::count(&work, (sources, &stored), &looks, progress)?;
    for (number, information) in numbers.into_iter().zip(found) {
        outcomes[number] = Ok(information);
    }
    Ok(outcomes)
}
