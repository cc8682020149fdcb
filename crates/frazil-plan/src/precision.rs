//! From what a user states about a variable's precision to how its values are rounded.

use frazil_types::{
    ElementClass, ElementType, ErrorBound, PrecisionRequest, ProtectedValues, QuantizeAlgorithm,
    QuantizePlan, Rounding, share_of_percent,
};

use crate::error::PlanError;

/// How packed integers are asked for.
const PACKED: &str =
    "packed integers are asked for by pack_integers = true and an absolute_tolerance";
/// Bits per decimal digit.
const BITS_PER_DIGIT: f64 = std::f64::consts::LOG2_10;

/// The precision decided for one variable.
#[derive(Debug, Clone, PartialEq)]
pub enum PrecisionChoice {
    /// Every bit is kept, for this reason (empty: nothing was stated).
    Exact(String),
    /// Values are rounded.
    Round(QuantizePlan),
}

/// Decides how a variable's values are rounded, so that all that is stated holds.
///
/// `information_bits` answers `keep_information`: the explicit mantissa bits that keep the wanted
/// share, or `Err` with the reason why all must stay.
///
/// One request alone has the algorithm that is named after it: bits BitRound, digits Granular
/// BitRound, nbits linear rounding. Error bounds, and requests together, have BitRound with as many
/// bits as the finest of them needs.
///
/// # Errors
/// [`PlanError::Precision`] if a number is out of range or requests exclude each other.
pub fn choose_precision(
    request: &PrecisionRequest,
    element: ElementType,
    protected: &ProtectedValues,
    information_bits: Option<&Result<u32, String>>,
) -> Result<PrecisionChoice, PlanError> {
    check(request)?;
    if request.lossless == Some(true) {
        return Ok(PrecisionChoice::Exact("as asked".to_owned()));
    }
    if !has_precision(request) || element.class != ElementClass::Float {
        return Ok(PrecisionChoice::Exact(String::new()));
    }
    let Some(limits) = Limits::of(element) else {
        let bits = element.size_bytes * 8;
        let reason = format!("floating point of {bits} bits");
        return Ok(PrecisionChoice::Exact(reason));
    };
    let rounding = match choose_rounding(request, limits, information_bits)? {
        Ok(rounding) => rounding,
        Err(reason) => return Ok(PrecisionChoice::Exact(reason)),
    };
    Ok(PrecisionChoice::Round(QuantizePlan {
        rounding,
        bound: bound(request, &rounding),
        protected: protected.clone(),
        keep_information: request.keep_information,
        forced: request.force == Some(true),
    }))
}

/// Refuses what is requested of one variable, whose elements are these, and its type cannot have: more digits
/// or bits than there are, and what [`choose_precision`] refuses.
///
/// # Errors
/// [`PlanError::Precision`] names the key and what it may be.
pub fn check_precision(request: &PrecisionRequest, element: ElementType) -> Result<(), PlanError> {
    check(request)?;
    let Some(limits) = Limits::of(element) else {
        return Ok(());
    };
    let counts = [
        (
            "significant_digits",
            request.significant_digits,
            limits.digits,
        ),
        ("significant_bits", request.significant_bits, limits.bits),
    ];
    for (name, value, most) in counts {
        if value.is_some_and(|value| value > most) {
            return refuse(name, &format!("1 to {most} for {}", element.name()));
        }
    }
    if has_precision(request) {
        choose_rounding(request, limits, None)?.ok();
    }
    Ok(())
}

/// Whether a rounding keeps less than all that a type has.
#[must_use]
pub fn rounds(rounding: &Rounding, element: ElementType) -> bool {
    let Some(limits) = Limits::of(element) else {
        return false;
    };
    match *rounding {
        Rounding::BitRound { significant_bits } => significant_bits < limits.bits,
        Rounding::BoundedBitRound {
            least_significant_bits,
        } => least_significant_bits < limits.bits,
        Rounding::GranularBitRound { significant_digits }
        | Rounding::BitGroom { significant_digits } => significant_digits <= limits.digits,
        Rounding::Linear { .. } | Rounding::PackedIntegers { .. } => true,
    }
}

/// Whether a request asks for any rounding.
#[must_use]
pub fn has_precision(request: &PrecisionRequest) -> bool {
    request.significant_bits.is_some()
        || request.significant_digits.is_some()
        || request.nbits.is_some()
        || request.keep_information.is_some()
        || request.pack_integers == Some(true)
        || has_bound(request)
}

fn has_bound(request: &PrecisionRequest) -> bool {
    request.absolute_tolerance.is_some() || request.relative_tolerance_percent.is_some()
}

/// Explicit mantissa bits and decimal digits of a type.
///
/// Source: `NC_QUANTIZE_MAX_FLOAT_NSD`... of netCDF-C 4.10 (`netcdf.h`).
#[derive(Debug, Clone, Copy)]
struct Limits {
    bits: u32,
    digits: u32,
}

impl Limits {
    fn of(element: ElementType) -> Option<Self> {
        match element.size_bytes {
            4 => Some(Self {
                bits: 23,
                digits: 6,
            }),
            8 => Some(Self {
                bits: 52,
                digits: 15,
            }),
            _ => None,
        }
    }
}

/// The rounding, or why there is none.
fn choose_rounding(
    request: &PrecisionRequest,
    limits: Limits,
    information_bits: Option<&Result<u32, String>>,
) -> Result<Result<Rounding, String>, PlanError> {
    if request.pack_integers == Some(true) {
        return packed_integers(request).map(Ok);
    }
    if let Some(nbits) = request.nbits {
        return linear(request, nbits).map(Ok);
    }
    let information = match (request.keep_information, information_bits) {
        (None, _) => None,
        (Some(_), Some(Ok(bits))) => Some(*bits),
        (Some(_), Some(Err(reason))) => return Ok(Err(reason.clone())),
        (Some(_), None) => {
            return Err(PlanError::Precision(
                "keep_information needs an analysis of the data".to_owned(),
            ));
        }
    };
    if let Some(digits) = request.significant_digits
        && digits > limits.digits
    {
        let reason = format!("{digits} digits are all that the type has");
        return Ok(Err(reason));
    }
    let is_alone =
        !has_bound(request) && request.significant_bits.is_none() && information.is_none();
    if let (Some(digits), true) = (request.significant_digits, is_alone)
        && request.algorithm != Some(QuantizeAlgorithm::BitRound)
    {
        return Ok(Ok(digits_rounding(request, digits)?));
    }
    refuse_algorithm(request)?;
    let digit_bits = request.significant_digits.map(bits_for_digits);
    let stated = [request.significant_bits, digit_bits, information];
    let least = stated.into_iter().flatten().max();
    if let Some(bits) = least.filter(|&bits| bits >= limits.bits) {
        let reason = format!("{bits} bits are all that the type has");
        return Ok(Err(reason));
    }
    Ok(Ok(match (has_bound(request), least) {
        (false, Some(significant_bits)) => Rounding::BitRound { significant_bits },
        (_, least) => Rounding::BoundedBitRound {
            least_significant_bits: least.unwrap_or(0),
        },
    }))
}

/// Mantissa bits that hold `digits` decimal digits: the error is at most half a unit of the last.
fn bits_for_digits(digits: u32) -> u32 {
    (f64::from(digits) * BITS_PER_DIGIT).ceil() as u32
}

fn digits_rounding(
    request: &PrecisionRequest,
    significant_digits: u32,
) -> Result<Rounding, PlanError> {
    match request.algorithm {
        None | Some(QuantizeAlgorithm::GranularBitRound) => {
            Ok(Rounding::GranularBitRound { significant_digits })
        }
        Some(QuantizeAlgorithm::BitGroom) => Ok(Rounding::BitGroom { significant_digits }),
        Some(QuantizeAlgorithm::PackedIntegers) => Err(PlanError::Precision(PACKED.to_owned())),
        Some(QuantizeAlgorithm::BitRound | QuantizeAlgorithm::Linear) => Err(PlanError::Precision(
            "the linear algorithm takes nbits, not digits".to_owned(),
        )),
    }
}

/// Integers with a scale and an offset, which keep an absolute bound and nothing else.
fn packed_integers(request: &PrecisionRequest) -> Result<Rounding, PlanError> {
    let others = PrecisionRequest {
        pack_integers: None,
        absolute_tolerance: None,
        ..request.clone()
    };
    let is_other = |algorithm| algorithm != QuantizeAlgorithm::PackedIntegers;
    if request.absolute_tolerance.is_none()
        || has_precision(&others)
        || request.algorithm.is_some_and(is_other)
    {
        return Err(PlanError::Precision(
            "pack_integers takes an absolute error (absolute_tolerance) and no other precision"
                .to_owned(),
        ));
    }
    let stays_exact = request.fill_value.is_some()
        || !request.special_values.is_empty()
        || !request.lossless_data_ranges.is_empty()
        || request.lossless_data_range_up_to.is_some()
        || request.lossless_data_range_from.is_some();
    if stays_exact {
        return Err(PlanError::Precision(
            "integers have codes for _FillValue and missing_value only: state special values as \
             these attributes, or leave out pack_integers"
                .to_owned(),
        ));
    }
    Ok(Rounding::PackedIntegers { packing: None })
}

fn linear(request: &PrecisionRequest, nbits: u32) -> Result<Rounding, PlanError> {
    let others = PrecisionRequest {
        nbits: None,
        ..request.clone()
    };
    if has_precision(&others) {
        return Err(PlanError::Precision(
            "nbits (linear rounding) cannot be combined with other precisions".to_owned(),
        ));
    }
    if request
        .algorithm
        .is_some_and(|a| a != QuantizeAlgorithm::Linear)
    {
        return Err(PlanError::Precision(
            "nbits belongs to the linear algorithm only".to_owned(),
        ));
    }
    Ok(Rounding::Linear { nbits, range: None })
}

/// What is not digits alone is rounded by BitRound.
fn refuse_algorithm(request: &PrecisionRequest) -> Result<(), PlanError> {
    match request.algorithm {
        None | Some(QuantizeAlgorithm::BitRound) => Ok(()),
        Some(QuantizeAlgorithm::Linear) => Err(PlanError::Precision(
            "the linear algorithm takes nbits only".to_owned(),
        )),
        Some(QuantizeAlgorithm::PackedIntegers) => Err(PlanError::Precision(PACKED.to_owned())),
        Some(other) => Err(PlanError::Precision(format!(
            "{} takes only digits; state bitround for bits, error bounds or information",
            other.cf_name().unwrap_or_default()
        ))),
    }
}

/// What is promised: the stated bounds, or else what the algorithm itself keeps.
fn bound(request: &PrecisionRequest, rounding: &Rounding) -> ErrorBound {
    let relative = request.relative_tolerance_percent.map(share_of_percent);
    let stated = ErrorBound {
        absolute: request.absolute_tolerance,
        relative,
        finest_absolute: request.relative_err_finest_abs_tolerance.unwrap_or(0.0),
    };
    if !stated.is_none() {
        return stated;
    }
    ErrorBound {
        relative: frazil_codec::implied_relative_bound(rounding),
        ..ErrorBound::default()
    }
}

fn check(request: &PrecisionRequest) -> Result<(), PlanError> {
    let positive = [
        ("absolute_tolerance", request.absolute_tolerance),
        (
            "relative_tolerance_percent",
            request.relative_tolerance_percent,
        ),
        (
            "relative_err_finest_abs_tolerance",
            request.relative_err_finest_abs_tolerance,
        ),
    ];
    for (name, value) in positive {
        if value.is_some_and(|value| !(value > 0.0 && value.is_finite())) {
            return refuse(name, "a positive number");
        }
    }
    if request
        .keep_information
        .is_some_and(|share| !(share > 0.0 && share <= 1.0))
    {
        return refuse("keep_information", "above 0 and at most 1");
    }
    let counts = [
        ("significant_bits", request.significant_bits, 52),
        ("significant_digits", request.significant_digits, 17),
        ("nbits", request.nbits, 31),
    ];
    for (name, value, most) in counts {
        if value.is_some_and(|value| value == 0 || value > most) {
            return refuse(name, &format!("1 to {most}"));
        }
    }
    if request.relative_err_finest_abs_tolerance.is_some()
        && request.relative_tolerance_percent.is_none()
    {
        return Err(PlanError::Precision(
            "relative_err_finest_abs_tolerance relaxes relative_tolerance_percent; state both"
                .to_owned(),
        ));
    }
    let is_empty = |range: &[f64; 2]| range[0].is_nan() || range[1].is_nan() || range[0] > range[1];
    if request.lossless_data_ranges.iter().any(is_empty) {
        return refuse(
            "lossless_data_ranges",
            "[low, high] with low not above high",
        );
    }
    Ok(())
}

fn refuse(name: &str, must_be: &str) -> Result<(), PlanError> {
    Err(PlanError::Precision(format!("{name} must be {must_be}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_types::ByteOrder;

    fn float(size_bytes: usize) -> ElementType {
        ElementType {
            class: ElementClass::Float,
            size_bytes,
            order: ByteOrder::Little,
        }
    }

    fn choose(request: &PrecisionRequest) -> Result<PrecisionChoice, PlanError> {
        choose_precision(request, float(4), &ProtectedValues::default(), None)
    }

    fn rounding(request: &PrecisionRequest) -> Rounding {
        match choose(request).unwrap() {
            PrecisionChoice::Round(plan) => plan.rounding,
            PrecisionChoice::Exact(reason) => panic!("exact: {reason}"),
        }
    }

    #[test]
    fn roundings_of_other_types_may_be_all_that_a_type_has() {
        let bits = |significant_bits| Rounding::BitRound { significant_bits };
        let of = |bits: &Rounding| [4, 8].map(|size| rounds(bits, float(size)));
        assert_eq!(of(&bits(22)), [true, true]);
        assert_eq!(of(&bits(23)), [false, true]);
        assert_eq!(of(&bits(52)), [false, false]);
        let significant_digits = 7;
        assert_eq!(
            of(&Rounding::BitGroom { significant_digits }),
            [false, true]
        );
    }

    #[test]
    fn one_word_has_its_own_algorithm() {
        let digits = PrecisionRequest {
            significant_digits: Some(3),
            ..PrecisionRequest::default()
        };
        let significant_digits = 3;
        assert_eq!(
            rounding(&digits),
            Rounding::GranularBitRound { significant_digits }
        );
        let groomed = PrecisionRequest {
            algorithm: Some(QuantizeAlgorithm::BitGroom),
            ..digits.clone()
        };
        assert_eq!(
            rounding(&groomed),
            Rounding::BitGroom { significant_digits }
        );
        let bits = PrecisionRequest {
            significant_bits: Some(7),
            ..PrecisionRequest::default()
        };
        let significant_bits = 7;
        assert_eq!(rounding(&bits), Rounding::BitRound { significant_bits });
        let nbits = PrecisionRequest {
            nbits: Some(14),
            ..PrecisionRequest::default()
        };
        let (nbits_, range) = (14, None);
        assert_eq!(
            rounding(&nbits),
            Rounding::Linear {
                nbits: nbits_,
                range
            }
        );
    }

    #[test]
    fn words_together_keep_the_finest() {
        let request = PrecisionRequest {
            significant_digits: Some(3),
            significant_bits: Some(7),
            ..PrecisionRequest::default()
        };
        let significant_bits = 10;
        assert_eq!(rounding(&request), Rounding::BitRound { significant_bits });
        let bounded = PrecisionRequest {
            absolute_tolerance: Some(0.1),
            ..request
        };
        let least_significant_bits = 10;
        assert_eq!(
            rounding(&bounded),
            Rounding::BoundedBitRound {
                least_significant_bits
            }
        );
    }

    #[test]
    fn bounds_are_the_users_or_the_algorithms() {
        let of = |request: &PrecisionRequest| match choose(request).unwrap() {
            PrecisionChoice::Round(plan) => plan.bound,
            PrecisionChoice::Exact(reason) => panic!("exact: {reason}"),
        };
        let bits = PrecisionRequest {
            significant_bits: Some(7),
            ..PrecisionRequest::default()
        };
        assert_eq!(of(&bits).relative, Some(1.0 / 256.0));
        let percent = PrecisionRequest {
            relative_tolerance_percent: Some(1.0),
            relative_err_finest_abs_tolerance: Some(1e-6),
            ..PrecisionRequest::default()
        };
        let bound = of(&percent);
        assert_eq!((bound.relative, bound.finest_absolute), (Some(0.01), 1e-6));
    }

    #[test]
    fn what_a_type_lacks_is_kept_exact() {
        for request in [
            PrecisionRequest {
                significant_digits: Some(7),
                ..PrecisionRequest::default()
            },
            PrecisionRequest {
                significant_bits: Some(23),
                ..PrecisionRequest::default()
            },
            PrecisionRequest {
                lossless: Some(true),
                significant_bits: Some(3),
                ..PrecisionRequest::default()
            },
        ] {
            assert!(matches!(choose(&request), Ok(PrecisionChoice::Exact(_))));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let refused = [
            PrecisionRequest {
                absolute_tolerance: Some(0.0),
                ..PrecisionRequest::default()
            },
            PrecisionRequest {
                relative_tolerance_percent: Some(f64::NAN),
                ..PrecisionRequest::default()
            },
            PrecisionRequest {
                keep_information: Some(1.5),
                ..PrecisionRequest::default()
            },
            PrecisionRequest {
                significant_bits: Some(0),
                ..PrecisionRequest::default()
            },
            PrecisionRequest {
                nbits: Some(8),
                significant_digits: Some(3),
                ..PrecisionRequest::default()
            },
            PrecisionRequest {
                relative_err_finest_abs_tolerance: Some(1.0),
                ..PrecisionRequest::default()
            },
            PrecisionRequest {
                algorithm: Some(QuantizeAlgorithm::BitGroom),
                absolute_tolerance: Some(1.0),
                ..PrecisionRequest::default()
            },
        ];
        for request in refused {
            let error = choose(&request).unwrap_err();
            assert_eq!(
                error.code(),
                frazil_types::ErrorCode::InvalidArgument,
                "{request:?}"
            );
        }
    }

    #[test]
    fn information_decides_bits_or_says_why_not() {
        let request = PrecisionRequest {
            keep_information: Some(0.99),
            ..PrecisionRequest::default()
        };
        let protected = ProtectedValues::default();
        let ask = |answer: &Result<u32, String>| {
            choose_precision(&request, float(4), &protected, Some(answer)).unwrap()
        };
        assert!(
            matches!(ask(&Ok(7)), PrecisionChoice::Round(plan) if plan.keep_information == Some(0.99))
        );
        assert_eq!(
            ask(&Err("integers".to_owned())),
            PrecisionChoice::Exact("integers".to_owned())
        );
        assert!(choose(&request).is_err());
    }
}
