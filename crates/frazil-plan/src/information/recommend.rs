//! How many bits to keep, and what that preserves.

use frazil_types::DataOrigin;

use super::counts::VariableCounts;
use super::measure::{bits_to_keep, decisive_information, real_information, share_kept};
use super::origin::mantissa_bits;

/// A variable with fewer pairs is left alone: noise would look like signal.
pub const LEAST_PAIRS: u64 = 1 << 10;
/// A group with fewer pairs has no vote.
pub const LEAST_GROUP_PAIRS: u64 = 1 << 12;

/// The outcome for one variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// Significant information by bit position of the whole variable, the sign first.
    pub information: Vec<f64>,
    /// What counts for the decision: the same without artificial information and tail, of the whole
    /// variable and of each group that has a vote.
    pub votes: Vec<Vec<f64>>,
    /// Mantissa bits to keep; `None`: all.
    pub significant_bits: Option<u32>,
    /// The share of information that these bits preserve.
    pub preserved_information: Option<f64>,
    /// Why, in one line.
    pub reason: String,
}

/// Decides from the counts of a variable of `element_bytes` of 4 or 8.
///
/// The bits are the fewest (at least 1) with which the whole variable and every group that has a
/// vote keep more than the share `keep` of their information.
#[must_use]
pub fn recommend(
    counts: &VariableCounts,
    element_bytes: usize,
    origin: DataOrigin,
    keep: f64,
) -> Recommendation {
    let mantissa = mantissa_bits(element_bytes);
    let used = match origin {
        DataOrigin::Rounded { significant_bits } | DataOrigin::Groomed { significant_bits } => {
            significant_bits
        }
        _ => mantissa,
    };
    let information = real_information(&counts.whole, mantissa, used);
    let mut votes = vec![decisive_information(&counts.whole, mantissa, used)];
    for group in counts.groups().filter(|g| g.pairs >= LEAST_GROUP_PAIRS) {
        let vote = decisive_information(group, mantissa, used);
        if vote.iter().any(|&bits| bits > 0.0) {
            votes.push(vote);
        }
    }
    let wanted = |vote: &Vec<f64>| bits_to_keep(vote, mantissa, keep).map(|bits| bits.max(1));
    let most = votes.iter().filter_map(wanted).max();
    let (significant_bits, reason) = match (refusal(origin), most) {
        (Some(reason), _) => (None, reason),
        (None, None) => (None, "no information stands out from noise".to_owned()),
        (None, Some(bits)) if bits >= used => (None, kept_reason(origin, bits, mantissa)),
        (None, Some(bits)) => (Some(bits), reason(origin, bits, wanted(&votes[0]), keep)),
    };
    let preserved_information =
        significant_bits.and_then(|bits| preserved_information(&votes, mantissa, bits));
    Recommendation {
        information,
        votes,
        significant_bits,
        preserved_information,
        reason,
    }
}

/// The smallest share of information that any vote keeps with its first `significant_bits` mantissa
/// bits; `None` if none of them holds any information.
#[must_use]
pub fn preserved_information(
    votes: &[Vec<f64>],
    mantissa_bits: u32,
    significant_bits: u32,
) -> Option<f64> {
    votes
        .iter()
        .filter_map(|vote| share_kept(vote, mantissa_bits, significant_bits))
        .reduce(f64::min)
}

/// Why data of this origin are left alone, if they are.
fn refusal(origin: DataOrigin) -> Option<String> {
    match origin {
        DataOrigin::UnpackedIntegers { step } => Some(format!(
            "integers unpacked in steps of {step:.4e}; their trailing bits only look real"
        )),
        DataOrigin::Repeating { distinct } => Some(format!(
            "{distinct} values over and over, which pack well as they are"
        )),
        DataOrigin::Constant => Some("one value only, or none".to_owned()),
        DataOrigin::TooFew => Some(format!(
            "fewer than {LEAST_PAIRS} pairs do not tell noise from signal"
        )),
        DataOrigin::Continuous | DataOrigin::Rounded { .. } | DataOrigin::Groomed { .. } => None,
    }
}

fn kept_reason(origin: DataOrigin, bits: u32, mantissa: u32) -> String {
    match origin {
        DataOrigin::Rounded { significant_bits } => {
            format!("already rounded to {significant_bits} bits")
        }
        DataOrigin::Groomed { significant_bits } => {
            format!("already groomed to {significant_bits} bits")
        }
        _ => format!("{bits} of {mantissa} mantissa bits hold information"),
    }
}

fn reason(origin: DataOrigin, bits: u32, whole: Option<u32>, keep: f64) -> String {
    let percent = keep * 100.0;
    let before = match origin {
        DataOrigin::Rounded { significant_bits } => {
            format!(" (already rounded to {significant_bits})")
        }
        DataOrigin::Groomed { significant_bits } => {
            format!(" (already groomed to {significant_bits})")
        }
        _ => String::new(),
    };
    match whole {
        Some(whole) if whole < bits => format!(
            "{} {percent} % of the information on every level and sample, {whole} on the \
             whole{before}",
            hold(bits)
        ),
        _ => format!("{} {percent} % of the information{before}", hold(bits)),
    }
}

fn hold(bits: u32) -> String {
    if bits == 1 {
        "1 mantissa bit holds".to_owned()
    } else {
        format!("{bits} mantissa bits hold")
    }
}
