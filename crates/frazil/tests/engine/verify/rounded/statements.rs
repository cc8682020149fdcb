//! What files state, and what is made of it.

use super::*;

#[test]
fn a_stated_bound_that_is_kept_passes() {
    let case = Case::new();
    let found = case.judge(&case.rounded, Statement::bits(9));
    assert!(found.passed, "{:?}", found.failures);
    assert_eq!(found.stated.algorithm, Some(QuantizeAlgorithm::BitRound));
    assert_eq!(found.stated.bound.relative, Some(0.5_f64.powi(10)));
    assert_eq!((found.values, found.special), (1800 - 5, 5));
    assert_eq!((found.beyond_bound, found.special_changed), (0, 0));
    assert!(found.changed > 1700 && found.max_absolute_error <= 0.25);
    assert!(found.max_relative_error > 0.0 && found.max_relative_error <= 0.5_f64.powi(10));
}

#[test]
fn one_value_beyond_the_bound_is_found() {
    let case = Case::new();
    let mut planted = case.rounded.clone();
    // Element [1, 2, 3].
    planted[663] = case.original[663] * (1.0 + 2.5 * 0.5_f32.powi(10));
    let found = case.judge(&planted, Statement::bits(9));
    assert!(!found.passed);
    assert_eq!(found.beyond_bound, 1);
    let expected = "1 of 1795 values are further from their originals than stated; the worst, at \
                    [1, 2, 3], by a factor of 2.5";
    assert!(
        found.failures[0].starts_with(expected),
        "{:?}",
        found.failures
    );
}

#[test]
fn bounds_that_are_written_count_before_derived_ones() {
    let case = Case::new();
    let bound = |name: &str, value| Statement::bits(9).and(name, value);
    let found = case.judge(
        &case.rounded,
        bound("quantization_maximum_absolute_error", 0.25),
    );
    assert!(found.passed && found.stated.bound.relative.is_none());
    let found = case.judge(
        &case.rounded,
        bound("quantization_maximum_absolute_error", 0.125),
    );
    assert!(!found.passed && found.beyond_bound > 100);
    let relative = bound("quantization_maximum_relative_error", 1.0e-6);
    let found = case.judge(&case.rounded, relative.clone());
    assert!(!found.passed);
    let softened = relative.and("quantization_finest_absolute_error", 0.25);
    assert!(case.judge(&case.rounded, softened).passed);
}

#[test]
fn special_values_must_keep_every_bit() {
    let case = Case::new();
    let changes: [(usize, f32); 4] = [
        (40, -9998.0),
        (51, f32::from_bits(0x7fc0_0001)),
        (62, f32::MAX),
        (73, 1.0e20_f32.next_up()),
    ];
    for (i, value) in changes {
        let mut planted = case.rounded.clone();
        planted[i] = value;
        let found = case.judge(&planted, Statement::bits(9));
        assert_eq!((found.passed, found.special_changed), (false, 1), "{i}");
        assert_eq!(found.beyond_bound, 0);
        let expected = "1 of 5 special values (fill, missing, not valid, not finite) are changed";
        assert!(
            found.failures[0].starts_with(expected),
            "{:?}",
            found.failures
        );
    }
}

#[test]
fn a_zero_must_stay_the_same_zero() {
    let mut case = Case::new();
    for (i, zero) in [0.0_f32, -0.0].into_iter().enumerate() {
        case.original[3 + i] = zero;
        case.rounded[3 + i] = zero;
    }
    let bound = || Statement::bits(9).and("quantization_maximum_absolute_error", 0.3);
    let kept = case.judge(&case.rounded, bound());
    assert!(
        kept.passed && kept.special_changed == 0,
        "{:?}",
        kept.failures
    );
    for changed in [[0.05, -0.0], [0.0, 0.0], [0.0, -0.05]] {
        let mut values = case.rounded.clone();
        values[3..5].copy_from_slice(&changed);
        let found = case.judge(&values, bound());
        assert!(!found.passed);
        assert_eq!((found.special, found.special_changed), (5, 1));
        assert!(
            found
                .failures
                .iter()
                .any(|line| line.starts_with("changed zeros: 1;"))
        );
    }
}

#[test]
fn data_must_not_become_special() {
    let case = Case::new();
    for (value, beyond) in [(FILL, 1), (f32::NAN, 1), (f32::INFINITY, 1)] {
        let mut planted = case.rounded.clone();
        planted[7] = value;
        let found = case.judge(&planted, Statement::bits(9));
        assert_eq!((found.passed, found.beyond_bound), (false, beyond));
        let last = found.failures.last().unwrap();
        assert!(last.starts_with("1 values became special"), "{last}");
    }
    // Within the bound all the same.
    let mut near = case.original.clone();
    near[7] = -9999.5;
    let a = case.write("near.nc", &near, Statement::default());
    let mut planted = case.rounded.clone();
    planted[7] = FILL;
    let b = case.write("fill.nc", &planted, Statement::bits(9));
    let found = precision(&compare(&a, &b));
    assert_eq!((found.passed, found.beyond_bound), (false, 0));
}

#[test]
fn without_a_new_statement_values_must_be_equal() {
    let case = Case::new();
    let none = Statement::default();
    let a = case.write("a.nc", &case.original, none.clone());
    let b = case.write("b.nc", &case.rounded, none.clone());
    let expected = "/t: first difference at [0, 0, 0]: ";
    let report = compare(&a, &b);
    assert!(report.precision.is_empty() && lines(&report)[0].starts_with(expected));
    let same_a = case.write("same_a.nc", &case.original, Statement::bits(9));
    let same_b = case.write("same_b.nc", &case.rounded, Statement::bits(9));
    for (a, b) in [(&same_a, &same_b), (&packed(&same_a), &packed(&same_b))] {
        let report = compare(a, b);
        assert!(report.precision.is_empty());
        assert!(
            lines(&report)[0].starts_with(expected),
            "{:?}",
            lines(&report)
        );
        assert!(assert_equal(a, a).precision.is_empty());
    }
    // What the first file states must not be lost.
    let lost = compare(&same_a, &b);
    assert!(lost.precision.is_empty() && lost.difference_count > 3);
}

#[test]
fn everything_else_must_still_be_equal() {
    let case = Case::new();
    let a = case.write("a.nc", &case.original, Statement::default());
    let mut statement = Statement::bits(9);
    statement.attributes.push(text("units", "K"));
    let b = case.write("b.nc", &case.rounded, statement);
    for (a, b) in [(&a, &b), (&packed(&a), &packed(&b))] {
        let report = compare(a, b);
        let expected = ["/t: attribute `units` is only in the second file"];
        assert_eq!(lines(&report), expected);
        assert!(report.precision[0].passed && !report.is_equal());
    }
    // A container that no rounded variable names is a variable like any other.
    let mut statement = Statement::bits(9);
    statement.attributes.remove(0);
    let unnamed = case.write("unnamed.nc", &case.rounded, statement);
    for (a, b) in [(&a, &unnamed), (&packed(&a), &packed(&unnamed))] {
        let found = lines(&compare(a, b));
        // Without its container the statement has no bound, and allows nothing.
        let is_named = |line: &String| line.starts_with("/quantization_info: ");
        assert!(found.len() == 3 && found.iter().any(is_named), "{found:?}");
    }
}

#[test]
fn statements_of_others_are_understood() {
    let case = Case::new();
    let only = |name: &str, value| Statement {
        attributes: vec![attribute(name, AttributeValue::Int(vec![value]))],
        container: None,
    };
    let netcdf = case.judge(
        &case.rounded,
        only("_QuantizeBitRoundNumberOfSignificantBits", 9),
    );
    assert_eq!(netcdf.stated.bound.relative, Some(0.5_f64.powi(10)));
    let granular = only("_QuantizeGranularBitRoundNumberOfSignificantDigits", 3);
    let granular = case.judge(&case.rounded, granular);
    assert_eq!(granular.stated.bound.relative, Some(5.0e-3));
    assert_eq!(
        granular.stated.algorithm,
        Some(QuantizeAlgorithm::GranularBitRound)
    );
    let groom = only("_QuantizeBitGroomNumberOfSignificantDigits", 2);
    let groom = case.judge(&case.rounded, groom);
    assert_eq!(groom.stated.bound.relative, Some(0.5_f64.powi(8)));
    let linear = only("nbits", 14).and("max_abs_compression_error", 0.25);
    let linear = case.judge(&case.rounded, linear);
    assert_eq!(linear.stated.bound.absolute, Some(0.25));
    assert_eq!(linear.stated.algorithm, Some(QuantizeAlgorithm::Linear));
    for passed in [netcdf, granular, groom, linear] {
        assert!(passed.passed, "{:?}", passed.failures);
    }
}

#[test]
fn malformed_statements_are_taken_as_absent() {
    let case = Case::new();
    let a = case.write("a.nc", &case.original, Statement::default());
    let mut statement = Statement::bits(9);
    statement.attributes[1] = text("quantization_nsb", "nine");
    let b = case.write("b.nc", &case.rounded, statement);
    let report = compare(&a, &b);
    assert!(!report.is_equal() && report.precision.is_empty());
    let found = lines(&report);
    let is_value = |line: &String| line.starts_with("/t: first difference at [0, 0, 0]: ");
    assert!(found.iter().any(is_value), "{found:?}");
    let is_named = |line: &String| line.contains("quantization_nsb");
    assert!(report.notices.iter().any(is_named), "{:?}", report.notices);
}

#[test]
fn an_unknown_algorithm_allows_nothing() {
    let case = Case::new();
    let a = case.write("a.nc", &case.original, Statement::default());
    let mut statement = Statement::bits(9);
    statement.container = Some("digitround");
    let b = case.write("b.nc", &case.rounded, statement);
    let report = compare(&a, &b);
    assert!(!report.is_equal() && report.precision.is_empty());
    let says = |line: &String| line.contains("no bound to check");
    assert!(report.notices.iter().any(says), "{:?}", report.notices);
}
