//! The values of the words: `9`, `tas:0.1%`, `tas:0..5`, `-9999,1e20`.

use frazil::{PrecisionRequest, QuantizeAlgorithm, spelling};

use super::Statement;
use crate::text;

type Result<T> = std::result::Result<T, String>;

/// Algorithms that can be asked for.
const ALGORITHMS: [(&str, QuantizeAlgorithm); 4] = [
    ("bitround", QuantizeAlgorithm::BitRound),
    ("granular-bitround", QuantizeAlgorithm::GranularBitRound),
    ("bitgroom", QuantizeAlgorithm::BitGroom),
    ("linear", QuantizeAlgorithm::Linear),
];

pub(super) fn bits(text: &str) -> Result<Vec<Statement>> {
    stated(text, |value| {
        Ok(PrecisionRequest {
            significant_bits: Some(whole(value, "mantissa bits", 52)?),
            ..PrecisionRequest::default()
        })
    })
}

pub(super) fn digits(text: &str) -> Result<Vec<Statement>> {
    stated(text, |value| {
        Ok(PrecisionRequest {
            significant_digits: Some(whole(value, "decimal digits", 15)?),
            ..PrecisionRequest::default()
        })
    })
}

pub(super) fn nbits(text: &str) -> Result<Vec<Statement>> {
    stated(text, |value| {
        Ok(PrecisionRequest {
            nbits: Some(whole(value, "bits of a linear grid", 31)?),
            ..PrecisionRequest::default()
        })
    })
}

pub(super) fn abs_error(text: &str) -> Result<Vec<Statement>> {
    stated(text, |value| {
        Ok(PrecisionRequest {
            absolute_tolerance: Some(positive(value)?),
            ..PrecisionRequest::default()
        })
    })
}

pub(super) fn pack_integers(text: &str) -> Result<Vec<Statement>> {
    stated(text, |value| {
        Ok(PrecisionRequest {
            absolute_tolerance: Some(positive(value)?),
            pack_integers: Some(true),
            ..PrecisionRequest::default()
        })
    })
}

pub(super) fn finest_abs_error(text: &str) -> Result<Vec<Statement>> {
    stated(text, |value| {
        Ok(PrecisionRequest {
            relative_err_finest_abs_tolerance: Some(positive(value)?),
            ..PrecisionRequest::default()
        })
    })
}

pub(super) fn rel_error(text: &str) -> Result<Vec<Statement>> {
    stated(text, |value| {
        let percent = percent(value)?;
        match percent > 0.0 && percent < 100.0 {
            true => Ok(PrecisionRequest {
                relative_tolerance_percent: Some(percent),
                ..PrecisionRequest::default()
            }),
            false => Err(format!(
                "`{value}` is not a share between 0 and 1, for example 1e-3 or 0.1%"
            )),
        }
    })
}

pub(super) fn keep_information(text: &str) -> Result<Vec<Statement>> {
    stated(text, |value| {
        Ok(PrecisionRequest {
            keep_information: Some(share_of_information(value)?),
            ..PrecisionRequest::default()
        })
    })
}

/// A share above 0 and at most 1: `0.99`, `99%`.
pub(crate) fn share_of_information(text: &str) -> Result<f64> {
    let share = match text.strip_suffix('%') {
        Some(percent) => number_moved(percent, -2),
        None => number_moved(text, 0),
    };
    match share.filter(|share| *share > 0.0 && *share <= 1.0) {
        Some(share) => Ok(share),
        None => Err(format!(
            "`{text}` is not a share above 0 and at most 1, for example 0.99 or 99%"
        )),
    }
}

pub(super) fn quantizer(text: &str) -> Result<Vec<Statement>> {
    stated(text, |value| {
        let words = ALGORITHMS.map(|(word, _)| word);
        let found = ALGORITHMS.iter().find(|(word, _)| *word == value);
        let (_, algorithm) = found.ok_or_else(|| {
            let meant = spelling::question(value, words);
            format!("`{value}` is none of {}{meant}", words.join(", "))
        })?;
        Ok(PrecisionRequest {
            algorithm: Some(*algorithm),
            ..PrecisionRequest::default()
        })
    })
}

pub(super) fn lossless_range(text: &str) -> Result<Vec<Statement>> {
    stated(text, |value| {
        let (low, high) = value
            .split_once("..")
            .ok_or_else(|| format!("`{value}` is not a range LO..HI, for example 0..5"))?;
        let end = |text: &str| match text.trim() {
            "" => Ok(None),
            text => finite(text).map(Some),
        };
        match (end(low)?, end(high)?) {
            (Some(low), Some(high)) if low <= high => Ok(PrecisionRequest {
                lossless_data_ranges: vec![[low, high]],
                ..PrecisionRequest::default()
            }),
            (Some(low), Some(high)) => Err(format!("{low} is above {high}")),
            (low, high) if low.or(high).is_some() => Ok(PrecisionRequest {
                lossless_data_range_from: low,
                lossless_data_range_up_to: high,
                ..PrecisionRequest::default()
            }),
            _ => Err("a range without ends holds everything: use --lossless".into()),
        }
    })
}

pub(super) fn special(text: &str) -> Result<Vec<Statement>> {
    stated(text, |value| {
        Ok(PrecisionRequest {
            special_values: value.split(',').map(finite).collect::<Result<_>>()?,
            ..PrecisionRequest::default()
        })
    })
}

/// A list of variables: one statement for each.
pub(super) fn lossless(text: &str) -> Result<Vec<Statement>> {
    let statement = |name: &str| match name.trim() {
        "" => Err("a name is missing".to_owned()),
        name => Ok(Statement {
            variables: name.into(),
            request: PrecisionRequest {
                lossless: Some(true),
                ..PrecisionRequest::default()
            },
        }),
    };
    text.split(',').map(statement).collect()
}

/// Splits at the last colon, since names may hold colons themselves; without a variable, `*`.
fn stated(
    given: &str,
    request: impl Fn(&str) -> Result<PrecisionRequest>,
) -> Result<Vec<Statement>> {
    let (variables, value) = match given.rsplit_once(':') {
        // As of "$VAR:3" with an empty VAR, which does not mean all variables.
        Some((variables, _)) if variables.trim().is_empty() => return Err(text::nameless(given)),
        Some((variables, value)) => (variables, value),
        None => ("*", given),
    };
    let found = request(value.trim()).map_err(|cause| match joined_otherwise(given, &request) {
        Some(meant) => format!("{cause}; is `{meant}` meant?"),
        None => cause,
    })?;
    Ok(vec![Statement {
        variables: variables.into(),
        request: found,
    }])
}

/// A name and its value as they are joined here: others write `tas=3`, or the value first.
fn joined_otherwise(
    text: &str,
    request: impl Fn(&str) -> Result<PrecisionRequest>,
) -> Option<String> {
    let (name, value) = match text.split_once('=') {
        Some(parts) => parts,
        None => text.split_once(':').map(|(value, name)| (name, value))?,
    };
    let is_name = |name: &str| !name.is_empty() && !name.contains(['=', ':']);
    (is_name(name) && request(value.trim()).is_ok()).then(|| format!("{name}:{}", value.trim()))
}

/// A number from 1 to `most`.
fn whole(text: &str, what: &str, most: u32) -> Result<u32> {
    text.parse()
        .ok()
        .filter(|number| (1..=most).contains(number))
        .ok_or_else(|| format!("`{text}` is not a number of {what} from 1 to {most}"))
}

fn finite(text: &str) -> Result<f64> {
    let text = text.trim();
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(format!(
            "`{text}`: NaN and infinities are never touched anyway"
        )),
        Err(_) => Err(format!("`{text}` is not a number")),
    }
}

fn positive(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err(format!("`{text}` is not an error bound, a number above 0")),
    }
}

/// A share in percent.
fn percent(text: &str) -> Result<f64> {
    let found = match text.strip_suffix('%') {
        Some(percent) => number_moved(percent, 0),
        None => number_moved(text, 2),
    };
    found.ok_or_else(|| format!("`{text}` is not a share, for example 1e-3 or 0.1%"))
}

/// A number with its decimal point moved to the right. `0.07`, moved by 2, is 7 exactly: the point
/// is moved in the text, not by a multiplication that rounds.
fn number_moved(text: &str, places: i32) -> Option<f64> {
    let text = text.trim_end();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().ok()?),
        None => (text, 0_i32),
    };
    let moved = format!("{mantissa}e{}", exponent.saturating_add(places));
    moved.parse().ok()
}
