//! Rounding of one variable's chunks, each proved before it goes on.

use std::borrow::Cow;

use frazil_codec::{BoxPlace, ErrorCheck, ErrorStats, IntegerPacker, Quantizer};
use frazil_container::hdf5::{DatasetInfo, FillStatus};
use frazil_types::{ElementType, QuantizePlan, Rounding, Selection};

use frazil_file::error::{Error, Result};

/// A rounding in a few words, `bitround(7)`.
pub fn rounding_text(plan: &QuantizePlan) -> String {
    match &plan.rounding {
        Rounding::BitRound { significant_bits } => format!("bitround({significant_bits})"),
        Rounding::BoundedBitRound { .. } => match plan.bound.is_relative() {
            true => "bitround(by chunk)".to_owned(),
            false => "bitround(by value)".to_owned(),
        },
        Rounding::GranularBitRound { significant_digits } => {
            format!("granular_bitround({significant_digits})")
        }
        Rounding::BitGroom { significant_digits } => format!("bitgroom({significant_digits})"),
        Rounding::Linear { nbits, .. } => format!("linear({nbits})"),
        Rounding::PackedIntegers { packing } => match packing {
            Some(packing) => format!("int{} x {}", packing.bits, packing.scale),
            None => "packed integers".to_owned(),
        },
    }
}

/// A variable as it will be stored: what is packed into integers has another type.
pub fn stored_form<'v>(
    variable: &'v DatasetInfo,
    plan: Option<&QuantizePlan>,
) -> Cow<'v, DatasetInfo> {
    let Some(packing) = plan.and_then(QuantizePlan::packing) else {
        return Cow::Borrowed(variable);
    };
    let mut stored = variable.clone();
    stored.element = packing.element();
    stored.fill = packing.bytes_of(packing.fill_code());
    stored.fill_status = FillStatus::User;
    Cow::Owned(stored)
}

/// A precision plan bound to a variable.
pub struct VariableRounding {
    work: Work,
    shape: Vec<u64>,
}

/// What is done with values.
enum Work {
    Round(Box<(Quantizer, ErrorCheck)>),
    Pack(IntegerPacker),
}

/// What rounding did to some chunks of a variable.
#[derive(Debug, Clone, Copy, Default)]
pub struct RoundingStats {
    /// The smallest number of bits (or digits) kept in any chunk; `None`: no ordinary values.
    pub least_kept: Option<u32>,
    /// How far values moved.
    pub errors: ErrorStats,
}

impl RoundingStats {
    /// Adds what rounding did to other chunks.
    pub fn merge(&mut self, other: &Self) {
        self.least_kept = match (self.least_kept, other.least_kept) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.errors.merge(&other.errors);
    }
}

impl VariableRounding {
    /// # Errors
    /// If the plan does not fit the variable's type.
    pub fn bind(plan: &QuantizePlan, element: ElementType, shape: &[u64]) -> Result<Self> {
        let bind = || {
            if matches!(plan.rounding, Rounding::PackedIntegers { .. }) {
                return IntegerPacker::bind(plan, element).map(Work::Pack);
            }
            let quantizer = Quantizer::bind(plan, element)?;
            let check = ErrorCheck::bind(plan, element)?;
            Ok(Work::Round(Box::new((quantizer, check))))
        };
        Ok(Self {
            work: bind().map_err(|error| from_codec(&error))?,
            shape: shape.to_vec(),
        })
    }

    /// Rounds the values of a box or makes integers of them, and proves that every value keeps what the
    /// plan promises.
    ///
    /// # Errors
    /// [`ErrorCode::BoundExceeded`](frazil_types::ErrorCode::BoundExceeded) if one does not.
    pub fn round(&self, values: &[u8], part: &Selection) -> Result<(Vec<u8>, RoundingStats)> {
        let place = BoxPlace {
            shape: &self.shape,
            start: &part.start,
            count: &part.count,
        };
        let mut rounded = Vec::with_capacity(values.len());
        let (quantizer, check) = match &self.work {
            Work::Round(both) => (&both.0, &both.1),
            Work::Pack(packer) => {
                let errors = packer.pack(values, &place, &mut rounded);
                let errors = errors.map_err(|error| from_codec(&error).with_cure(NO_CODE))?;
                let least_kept = None;
                return Ok((rounded, RoundingStats { least_kept, errors }));
            }
        };
        let kept = quantizer
            .quantize(values, &place, &mut rounded)
            .map_err(|error| from_codec(&error))?;
        let errors = prove(check, values, &rounded)?;
        let least_kept = kept.significant_bits;
        Ok((rounded, RoundingStats { least_kept, errors }))
    }
}

/// Of values that the integers have no code for: the file changed since they were chosen, or a plan was
/// made for other values.
const NO_CODE: &str = "pack the file as it is now, without the plan that was made for other values";

/// Of values that do not keep the promise.
const BROKEN: &str = "if the rounding or the bound of a plan was edited, make them agree; else please report it; the \
                      input is untouched";

/// Checks rounded values against the plan's promises.
fn prove(check: &ErrorCheck, original: &[u8], rounded: &[u8]) -> Result<ErrorStats> {
    check
        .check(original, rounded)
        .map_err(|error| from_codec(&error).with_cure(BROKEN))
}

fn from_codec(error: &frazil_codec::CodecError) -> Error {
    Error::new(error.code(), error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_types::{ByteOrder, ElementClass, ErrorBound, ErrorCode, ProtectedValues};

    fn rounding() -> VariableRounding {
        let element = ElementType {
            class: ElementClass::Float,
            size_bytes: 4,
            order: ByteOrder::Little,
        };
        let plan = QuantizePlan {
            rounding: Rounding::BoundedBitRound {
                least_significant_bits: 0,
            },
            bound: ErrorBound {
                absolute: Some(0.01),
                ..ErrorBound::default()
            },
            protected: ProtectedValues {
                values: vec![-999.0],
                ..ProtectedValues::default()
            },
            keep_information: None,
            forced: false,
        };
        VariableRounding::bind(&plan, element, &[4]).unwrap()
    }

    #[test]
    fn a_planted_violation_is_caught_before_anything_is_written() {
        let rounding = rounding();
        let bytes = |values: [f32; 4]| values.map(f32::to_le_bytes).concat();
        let original = [1.003_f32, 2.5, -999.0, 300.123];
        let (rounded, stats) = rounding
            .round(&bytes(original), &Selection::whole(&[4]))
            .unwrap();
        assert!(stats.errors.changed > 0 && stats.errors.max_absolute_error <= 0.01);
        let Work::Round(both) = &rounding.work else {
            unreachable!("a rounding");
        };
        let prove = |rounded: &[u8]| prove(&both.1, &bytes(original), rounded);
        assert!(prove(&rounded).is_ok());
        let mut too_far = original;
        too_far[1] += 0.0101;
        let mut other_fill = original;
        other_fill[2] = -998.0;
        for planted in [too_far, other_fill] {
            let error = prove(&bytes(planted)).unwrap_err();
            assert_eq!(error.code, ErrorCode::BoundExceeded);
        }
    }
}
