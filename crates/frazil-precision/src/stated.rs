//! What a file says about how one of its variables was rounded.
//!
//! Read are the quantization metadata of the CF conventions (1.12, section 8.4), frazil's own bound
//! attributes, netCDF-C's `_Quantize...` and fv3atm's `nbits`. Where no bound is written, it follows
//! from the algorithm:
//!
//! | algorithm | largest relative error |
//! | --- | --- |
//! | BitRound, K bits | 2^-(K+1) |
//! | Granular BitRound, N digits | 5 · 10^-N |
//! | BitGroom, N digits | 2^-K, K = ⌈N log2 10⌉ + 1 |

use frazil_container::hdf5::DatasetInfo;
use frazil_types::{ErrorBound, QuantizeAlgorithm};
use serde::Serialize;

use super::names;
use frazil_file::attributes::Attributes;
use frazil_file::error::Result;
use frazil_file::input::Input;

/// Mantissa bits of the widest type that can be rounded.
const MAX_BITS: f64 = 52.0;
/// Decimal digits that tell all its values apart.
const MAX_DIGITS: f64 = 17.0;
/// Bits of the finest linear grid.
const MAX_LINEAR_BITS: f64 = 31.0;

/// What a file says about how a variable was rounded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatedPrecision {
    /// The algorithm, where the file names one that frazil knows.
    pub algorithm: Option<QuantizeAlgorithm>,
    /// Mantissa bits kept (the smallest number of any chunk).
    pub significant_bits: Option<u32>,
    /// Decimal digits kept.
    pub significant_digits: Option<u32>,
    /// What is promised of every value.
    pub bound: ErrorBound,
    /// Share of information promised.
    pub keep_information: Option<f64>,
}

/// What a file says about one variable.
#[derive(Debug, Clone)]
pub struct Statement {
    /// What it promises; `None` if all of it is malformed.
    pub precision: Option<StatedPrecision>,
    /// The number of its quantization container in [`Input::variables`].
    pub container: Option<usize>,
    /// What fv3atm's attributes say of a linear grid: bits and the largest error. They say it beside the
    /// conventions' attributes, which come first.
    pub linear: Option<(u32, f64)>,
    /// The attributes that say so. Others of such names have a meaning of their own: files have, say,
    /// a `quantization` of their instrument.
    pub attributes: Vec<&'static str>,
    /// Attributes that make no sense and are taken as absent, one line each.
    pub malformed: Vec<String>,
}

/// What a file says about how variable `i` was rounded; `None` if it says nothing.
///
/// # Errors
/// If attributes cannot be read.
pub fn stated_precision(input: &Input, i: usize) -> Result<Option<StatedPrecision>> {
    Ok(statement(input, i)?.and_then(|statement| statement.precision))
}

/// As [`stated_precision`], with the container and what is malformed.
///
/// # Errors
/// If attributes cannot be read.
pub fn statement(input: &Input, i: usize) -> Result<Option<Statement>> {
    let attributes = input.attributes(Some(i))?;
    let variables = input.variables();
    let path = variables[i].path.as_str();
    let name = attributes.text(names::CONTAINER);
    let position = name.and_then(|name| find(variables, path, name));
    let described = match position {
        Some(number) => Some(input.attributes(Some(number))?),
        None => None,
    };
    let described = described.filter(|container| container.has(names::ALGORITHM));
    let container = position.filter(|_| described.is_some());
    let algorithm = described.as_ref().and_then(algorithm_of);
    let mut found = read(&attributes, (algorithm, container), path);
    if let (Some(statement), Some(name), None) = (&mut found, name, container)
        && statement.attributes.contains(&names::CONTAINER)
    {
        statement.malformed.push(format!(
            "{path}: there is no variable `{name}`, which attribute `{}` names",
            names::CONTAINER
        ));
    }
    Ok(found)
}

/// Which of `wanted` is taken at variable `i`: an attribute that is there and says nothing of rounding.
///
/// # Errors
/// If attributes cannot be read.
pub fn taken<'n>(input: &Input, i: usize, wanted: &[&'n str]) -> Result<Option<&'n str>> {
    let attributes = input.attributes(Some(i))?;
    Ok(first_taken(&attributes, statement(input, i)?, wanted))
}

/// As [`taken`], of a variable that is being written: containers are not looked at.
pub fn taken_in<'n>(attributes: &Attributes, wanted: &[&'n str]) -> Option<&'n str> {
    first_taken(attributes, stated_in(attributes), wanted)
}

/// What the attributes of a variable that is being written say about an earlier rounding: containers are
/// not looked at.
pub fn stated_in(attributes: &Attributes) -> Option<Statement> {
    read(attributes, (None, None), "")
}

fn first_taken<'n>(
    attributes: &Attributes,
    statement: Option<Statement>,
    wanted: &[&'n str],
) -> Option<&'n str> {
    let stated = statement.map_or_else(Vec::new, |statement| statement.attributes);
    let is_taken = |name: &&&str| attributes.has(name) && !stated.contains(*name);
    wanted.iter().find(is_taken).copied()
}

/// The variable that `name` means at `path`: in the same group, else in the nearest group above;
/// an absolute path means itself (CF conventions 1.12, section 2.7).
fn find(variables: &[DatasetInfo], path: &str, name: &str) -> Option<usize> {
    let position = |wanted: &str| variables.iter().position(|v| v.path == wanted);
    if name.starts_with('/') {
        return position(name);
    }
    let mut group = path;
    while let Some((above, _)) = group.rsplit_once('/') {
        if let Some(number) = position(&format!("{above}/{name}")) {
            return Some(number);
        }
        group = above;
    }
    None
}

fn algorithm_of(container: &Attributes) -> Option<QuantizeAlgorithm> {
    let name = container.text(names::ALGORITHM)?.trim();
    [
        QuantizeAlgorithm::BitRound,
        QuantizeAlgorithm::GranularBitRound,
        QuantizeAlgorithm::BitGroom,
    ]
    .into_iter()
    .find(|algorithm| {
        algorithm
            .cf_name()
            .is_some_and(|known| known.eq_ignore_ascii_case(name))
    })
}

/// Reads what the attributes say, for the algorithm that the container names.
fn read(
    attributes: &Attributes,
    (algorithm, container): (Option<QuantizeAlgorithm>, Option<usize>),
    path: &str,
) -> Option<Statement> {
    let mut reader = Reader {
        attributes,
        path,
        found: Vec::new(),
        malformed: Vec::new(),
    };
    let mut precision = StatedPrecision {
        algorithm,
        significant_bits: reader.count(names::SIGNIFICANT_BITS, MAX_BITS),
        significant_digits: reader.count(names::SIGNIFICANT_DIGITS, MAX_DIGITS),
        bound: ErrorBound {
            absolute: reader.bound(names::ABSOLUTE_BOUND),
            relative: reader.bound(names::RELATIVE_BOUND),
            finest_absolute: reader.bound(names::FINEST_ABSOLUTE).unwrap_or(0.0),
        },
        keep_information: reader.share(names::KEEP_INFORMATION),
    };
    // A container may have been left behind when the variable was copied.
    let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    let names_one = attributes.text(names::CONTAINER).is_some_and(is_name);
    if container.is_some() || (names_one && !reader.found.is_empty()) {
        reader.found.push(names::CONTAINER);
    }
    reader.netcdf(&mut precision);
    let linear = reader.linear(&mut precision);
    derive_bound(&mut precision);
    let says_something = !reader.found.is_empty();
    (says_something || !reader.malformed.is_empty()).then_some(Statement {
        precision: says_something.then_some(precision),
        container,
        linear,
        attributes: reader.found,
        malformed: reader.malformed,
    })
}

/// Fills in the bound that the algorithm means, where none is written.
fn derive_bound(precision: &mut StatedPrecision) {
    if !precision.bound.is_none() {
        return;
    }
    let bits = precision.significant_bits.map(f64::from);
    let digits = precision.significant_digits.map(f64::from);
    precision.bound.relative = match precision.algorithm {
        Some(QuantizeAlgorithm::BitRound) => bits.map(|bits| (-(bits + 1.0)).exp2()),
        Some(QuantizeAlgorithm::GranularBitRound) => digits.map(|digits| 5.0 / 10_f64.powf(digits)),
        Some(QuantizeAlgorithm::BitGroom) => {
            let bits = |digits: f64| (digits * 10_f64.log2()).ceil() + 1.0;
            digits.map(|digits| (-bits(digits)).exp2())
        }
        Some(QuantizeAlgorithm::Linear | QuantizeAlgorithm::PackedIntegers) | None => None,
    };
}

/// Reads numbers of attributes, and remembers which make sense and which do not.
struct Reader<'a> {
    attributes: &'a Attributes,
    path: &'a str,
    found: Vec<&'static str>,
    malformed: Vec<String>,
}

impl Reader<'_> {
    /// The one number of an attribute that `is_fine`; anything else counts as absent.
    fn number(&mut self, name: &'static str, is_fine: impl Fn(f64) -> bool) -> Option<f64> {
        if !self.attributes.has(name) {
            return None;
        }
        let number = self
            .attributes
            .number(name)
            .filter(|&number| is_fine(number));
        match number {
            Some(_) => self.found.push(name),
            None => self.malformed.push(format!(
                "{}: attribute `{name}` makes no sense and is taken as absent",
                self.path
            )),
        }
        number
    }

    fn count(&mut self, name: &'static str, most: f64) -> Option<u32> {
        let is_fine = |n: f64| n >= 0.0 && n <= most && n.fract() == 0.0;
        self.number(name, is_fine).map(|n| n as u32)
    }

    fn bound(&mut self, name: &'static str) -> Option<f64> {
        self.number(name, |bound| bound >= 0.0 && bound.is_finite())
    }

    fn share(&mut self, name: &'static str) -> Option<f64> {
        self.number(name, |share| share > 0.0 && share <= 1.0)
    }

    /// What netCDF-C writes; counts where the conventions' metadata say nothing.
    fn netcdf(&mut self, precision: &mut StatedPrecision) {
        let is_stated = !self.found.is_empty();
        let bits = self.count(names::NETCDF_BITROUND, MAX_BITS);
        let granular = self.count(names::NETCDF_GRANULAR, MAX_DIGITS);
        let bitgroom = self.count(names::NETCDF_BITGROOM, MAX_DIGITS);
        if is_stated {
            return;
        }
        precision.significant_bits = bits;
        precision.significant_digits = granular.or(bitgroom);
        let algorithms = [
            (bits, QuantizeAlgorithm::BitRound),
            (granular, QuantizeAlgorithm::GranularBitRound),
            (bitgroom, QuantizeAlgorithm::BitGroom),
        ];
        let mut stated = algorithms.iter().filter(|(number, _)| number.is_some());
        precision.algorithm = stated.next().map(|(_, algorithm)| *algorithm);
    }

    /// What fv3atm writes: both attributes together, since `nbits` alone may mean anything.
    fn linear(&mut self, precision: &mut StatedPrecision) -> Option<(u32, f64)> {
        if !names::OF_LINEAR
            .iter()
            .all(|name| self.attributes.has(name))
        {
            return None;
        }
        let (found, malformed) = (self.found.len(), self.malformed.len());
        let bits = self.count(names::LINEAR_BITS, MAX_LINEAR_BITS);
        let error = self.bound(names::LINEAR_ERROR);
        let (Some(bits), Some(error)) = (bits, error) else {
            self.found.truncate(found);
            self.malformed.truncate(malformed);
            return None;
        };
        precision.algorithm.get_or_insert(QuantizeAlgorithm::Linear);
        if precision.bound.is_none() {
            precision.bound.absolute = Some(error);
        }
        Some((bits, error))
    }
}
