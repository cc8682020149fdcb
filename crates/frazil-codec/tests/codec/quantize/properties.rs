//! Properties over millions of random bit patterns.

use frazil_codec::{CodecError, implied_relative_bound};
use frazil_types::{ErrorCode, ProtectedValues, QuantizePlan, Rounding};
use proptest::prelude::*;

use super::plans::{DOUBLE, SINGLE, absolute, all_fixed, bits, bounded, groom, plain, relative};
use super::random::{any_patterns, corner_patterns};
use super::rounding::{Pattern, check, quantize};

const COUNT: usize = 100_000;

fn protected() -> ProtectedValues {
    ProtectedValues {
        values: vec![-9999.0, 1e20, 9.969_209_968_386_869e36, 0.0, f64::NAN, 1.5],
        ranges: vec![[2.0, 4.0], [-1e-3, -1e-6]],
        valid: Some([-1e30, 2e37]),
    }
}

/// Written anew, with nothing but the words of the plan.
fn is_protected<P: Pattern>(value: P, protected: &ProtectedValues) -> bool {
    let number = value.number();
    let in_type = |value: &f64| P::from_number(*value).number();
    !value.is_normal()
        || protected
            .values
            .iter()
            .any(|value| in_type(value) == number)
        || protected
            .ranges
            .iter()
            .any(|[low, high]| (*low..=*high).contains(&number))
        || protected
            .valid
            .is_some_and(|[low, high]| !(low..=high).contains(&number))
}

fn plans(element: frazil_types::ElementType) -> Vec<QuantizePlan> {
    let fixed = all_fixed(element).into_iter().map(plain);
    let bounds = [relative(1e-3), relative(0.2), absolute(1e-3), absolute(1e5)].map(bounded);
    let protecting = fixed.clone().step_by(3).map(|plan| QuantizePlan {
        protected: protected(),
        ..plan
    });
    let linear = Rounding::Linear {
        nbits: 10,
        range: Some([-5e3, 7e5]),
    };
    let linear = QuantizePlan {
        protected: protected(),
        ..plain(linear)
    };
    fixed
        .chain(bounds)
        .chain(protecting)
        .chain([linear])
        .collect()
}

fn specials_stay_and_bounds_hold<P: Pattern>(plan: &QuantizePlan, values: &[P]) {
    let rounded = quantize(plan, values);
    for (x, y) in values.iter().zip(&rounded) {
        if is_protected(*x, &plan.protected) {
            assert_eq!(x, y, "{plan:?}");
        } else if x != y {
            // Grids, linear ones and those of steps, may reach zero where it is no protected value.
            let zero = y.number() == 0.0;
            let is_grid = match plan.rounding {
                Rounding::Linear { .. } => true,
                Rounding::BoundedBitRound { .. } => !plan.bound.is_relative(),
                _ => false,
            };
            let missing = plan.protected.values.contains(&0.0);
            assert!(
                !is_protected(*y, &plan.protected) || (is_grid && zero && !missing),
                "{x:?} became {y:?}: {plan:?}"
            );
        }
        let (x, y) = (x.number(), y.number());
        if x.is_finite() {
            let error = (x - y).abs();
            let implied = implied_relative_bound(&plan.rounding);
            let implied = implied.map_or(f64::INFINITY, |share| share * x.abs());
            assert!(error <= implied, "{x:e} became {y:e}: {plan:?}");
            assert!(
                error <= plan.bound.at(x.abs()),
                "{x:e} became {y:e}: {plan:?}"
            );
        }
    }
    check(plan, values, &rounded).unwrap();
}

#[test]
fn no_bound_is_exceeded_and_no_special_changes() {
    let singles: Vec<u32> = any_patterns(1, COUNT);
    for plan in plans(SINGLE) {
        specials_stay_and_bounds_hold(&plan, &singles);
    }
    let doubles: Vec<u64> = any_patterns(2, COUNT);
    for plan in plans(DOUBLE) {
        specials_stay_and_bounds_hold(&plan, &doubles);
    }
}

fn twice_changes_nothing<P: Pattern>(plan: &QuantizePlan, values: &[P]) {
    let once = quantize(plan, values);
    assert_eq!(quantize(plan, &once), once, "{plan:?}");
}

#[test]
fn bitround_and_bitgroom_are_idempotent() {
    let (singles, doubles) = (any_patterns::<u32>(3, COUNT), any_patterns::<u64>(4, COUNT));
    for number in 1..=52 {
        for protected in [ProtectedValues::default(), protected()] {
            let plan = |rounding| QuantizePlan {
                protected: protected.clone(),
                ..plain(rounding)
            };
            if number <= 23 {
                twice_changes_nothing(&plan(bits(number)), &singles);
            }
            if number <= 6 {
                twice_changes_nothing(&plan(groom(number)), &singles);
            }
            twice_changes_nothing(&plan(bits(number)), &doubles);
            if number <= 15 {
                twice_changes_nothing(&plan(groom(number)), &doubles);
            }
        }
    }
}

#[test]
fn minus_rounds_like_plus() {
    let values: Vec<u32> = any_patterns(5, COUNT);
    let minus: Vec<u32> = values.iter().map(|value| value ^ (1 << 31)).collect();
    for rounding in all_fixed(SINGLE) {
        let expected: Vec<u32> = quantize(&plain(rounding), &values);
        let expected: Vec<u32> = expected.iter().map(|value| value ^ (1 << 31)).collect();
        assert_eq!(quantize(&plain(rounding), &minus), expected, "{rounding:?}");
    }
}

/// A value that would round to a protected one stays, whichever value is protected.
#[test]
fn data_never_becomes_missing() {
    let values: Vec<u32> = (0..4096_u32).map(|i| 0x447a_0000 + i * 7).collect();
    for rounding in all_fixed(SINGLE).into_iter().chain([Rounding::Linear {
        nbits: 3,
        range: Some([1000.0, 2000.0]),
    }]) {
        let free = quantize(&plain(rounding), &values);
        let fill = free[2048];
        let mut plan = plain(rounding);
        plan.protected.values = vec![f64::from(f32::from_bits(fill))];
        let kept = quantize(&plan, &values);
        for ((x, y), z) in values.iter().zip(&free).zip(&kept) {
            assert_eq!(z, if *y == fill { x } else { y }, "{rounding:?}");
        }
        check(&plan, &values, &kept).unwrap();
        if free[2048] != values[2048] {
            let caught = check(&plan, &values, &free).unwrap_err();
            assert_eq!(caught.code(), ErrorCode::BoundExceeded);
            assert!(matches!(
                caught,
                CodecError::BoundExceeded { bound: 0.0, .. }
            ));
        }
    }
}

#[test]
fn protected_ranges_have_the_precision_of_the_file() {
    // 0.1 lies between two float32 numbers: the range begins at the upper one.
    let above = 0.1_f32.to_bits();
    assert!(f64::from(f32::from_bits(above)) > 0.1);
    let values = [above - 1, above, 0.15_f32.to_bits(), above + (1 << 23)];
    let mut plan = plain(bits(1));
    plan.protected.ranges = vec![[0.1, 0.2]];
    let rounded = quantize(&plan, &values);
    assert_ne!(rounded[0], values[0]);
    assert_eq!(rounded[1..3], values[1..3]);
    check(&plan, &values, &rounded).unwrap();
}

proptest! {
    #[test]
    fn any_value_with_any_plan(
        word in any::<u32>(),
        corner in 0..20_usize,
        number in 1..=23_u32,
        fill in any::<f32>(),
        low in -1e30..1e30_f64,
        width in 0.0..1e30_f64,
        share in 1e-7..0.5_f64,
    ) {
        let corners = corner_patterns::<u32>();
        let values = [word, corners[corner % corners.len()], fill.to_bits(), word ^ 1, !word];
        let protected = ProtectedValues {
            values: vec![f64::from(fill)],
            ranges: vec![[low, low + width]],
            valid: None,
        };
        let rounding = all_fixed(SINGLE)[(number as usize * 7) % 35];
        for plan in [plain(bits(number)), plain(rounding), bounded(relative(share))] {
            let plan = QuantizePlan { protected: protected.clone(), ..plan };
            specials_stay_and_bounds_hold(&plan, &values);
        }
    }
}
