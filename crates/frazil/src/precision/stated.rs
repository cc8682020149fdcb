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

use super::names;
use crate::attributes::Attributes;
use crate::error::Result;
use crate::input::Input;
use crate::report::StatedPrecision;

/// Mantissa bits of the widest type that can be rounded.
const MAX_BITS: f64 = 52.0;
/// Decimal digits that tell all its values apart.
const MAX_DIGITS: f64 = 17.0;
/// Bits of the finest linear grid.
const MAX_LINEAR_BITS: f64 = 31.0;

/// What a file says about one variable.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    /// What it promises; `None` if all of it is malformed.
    pub(crate) precision: Option<StatedPrecision>,
    /// The number of its quantization container in [`Input::variables`].
    pub(crate) container: Option<usize>,
    /// Attributes that make no sense and are taken as absent, one line each.
    pub(crate) malformed: Vec<String>,
}

/// What a file says about how variable `i` was rounded; `None` if it says nothing.
///
/// # Errors
/// If attributes cannot be read.
pub(crate) fn stated_precision(input: &Input, i: usize) -> Result<Option<StatedPrecision>> {
    Ok(statement(input, i)?.and_then(|statement| statement.precision))
}

/// As [`stated_precision`], with the container and what is malformed.
///
/// # Errors
/// If attributes cannot be read.
pub(crate) fn statement(input: &Input, i: usize) -> Result<Option<Statement>> {
    let attributes = input.attributes(Some(i))?;
    let variables = input.variables();
    let path = variables[i].path.as_str();
    let name = attributes.text(names::CONTAINER);
    let container = name.and_then(|name| find(variables, path, name));
    let algorithm = match container {
        Some(number) => algorithm_of(&input.attributes(Some(number))?),
        None => None,
    };
    let mut found = read(&attributes, algorithm, path);
    if let (Some(statement), Some(name), None) = (&mut found, name, container) {
        statement.malformed.push(format!(
            "{path}: there is no variable `{name}`, which attribute `{}` names",
            names::CONTAINER
        ));
    }
    Ok(found.map(|statement| Statement {
        container,
        ..statement
    }))
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
    algorithm: Option<QuantizeAlgorithm>,
    path: &str,
) -> Option<Statement> {
    let mut reader = Reader {
        attributes,
        path,
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
    reader.netcdf(&mut precision);
    let linear = reader.linear(&mut precision);
    derive_bound(&mut precision);
    let says_something = attributes.has(names::CONTAINER)
        || linear
        || precision.significant_bits.is_some()
        || precision.significant_digits.is_some()
        || precision.keep_information.is_some()
        || !precision.bound.is_none();
    (says_something || !reader.malformed.is_empty()).then_some(Statement {
        precision: says_something.then_some(precision),
        container: None,
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
        Some(QuantizeAlgorithm::Linear) | None => None,
    };
}

/// Reads numbers of attributes, and remembers those that make no sense.
struct Reader<'a> {
    attributes: &'a Attributes,
    path: &'a str,
    malformed: Vec<String>,
}

impl Reader<'_> {
    /// The one number of an attribute that `is_fine`; anything else counts as absent.
    fn number(&mut self, name: &str, is_fine: impl Fn(f64) -> bool) -> Option<f64> {
        if !self.attributes.has(name) {
            return None;
        }
        let number = self
            .attributes
            .number(name)
            .filter(|&number| is_fine(number));
        if number.is_none() {
            self.malformed.push(format!(
                "{}: attribute `{name}` makes no sense and is taken as absent",
                self.path
            ));
        }
        number
    }

    fn count(&mut self, name: &str, most: f64) -> Option<u32> {
        let is_fine = |n: f64| n >= 0.0 && n <= most && n.fract() == 0.0;
        self.number(name, is_fine).map(|n| n as u32)
    }

    fn bound(&mut self, name: &str) -> Option<f64> {
        self.number(name, |bound| bound >= 0.0 && bound.is_finite())
    }

    fn share(&mut self, name: &str) -> Option<f64> {
        self.number(name, |share| share > 0.0 && share <= 1.0)
    }

    /// What netCDF-C writes; counts where the conventions' metadata say nothing.
    fn netcdf(&mut self, precision: &mut StatedPrecision) {
        if let Some(bits) = self.count(names::NETCDF_BITROUND, MAX_BITS) {
            precision.significant_bits.get_or_insert(bits);
            precision
                .algorithm
                .get_or_insert(QuantizeAlgorithm::BitRound);
        }
        for (name, algorithm) in [
            (names::NETCDF_GRANULAR, QuantizeAlgorithm::GranularBitRound),
            (names::NETCDF_BITGROOM, QuantizeAlgorithm::BitGroom),
        ] {
            if let Some(digits) = self.count(name, MAX_DIGITS) {
                precision.significant_digits.get_or_insert(digits);
                precision.algorithm.get_or_insert(algorithm);
            }
        }
    }

    /// What fv3atm writes: both attributes together, since `nbits` alone may mean anything.
    fn linear(&mut self, precision: &mut StatedPrecision) -> bool {
        let both = [names::LINEAR_BITS, names::LINEAR_ERROR];
        if !both.iter().all(|name| self.attributes.has(name)) {
            return false;
        }
        let bits = self.count(names::LINEAR_BITS, MAX_LINEAR_BITS);
        let error = self.bound(names::LINEAR_ERROR);
        let (Some(_), Some(error)) = (bits, error) else {
            return false;
        };
        precision.algorithm.get_or_insert(QuantizeAlgorithm::Linear);
        if precision.bound.is_none() {
            precision.bound.absolute = Some(error);
        }
        true
    }
}
