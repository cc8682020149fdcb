use clap::FromArgMatches;
use frazil::QuantizeAlgorithm;

use super::*;

fn parsed(line: &str) -> Result<PrecisionArgs, clap::Error> {
    let command = PrecisionArgs::augment_args(Command::new("pack").no_binary_name(true));
    let matches = command.try_get_matches_from(line.split_whitespace())?;
    PrecisionArgs::from_arg_matches(&matches)
}

fn rules(line: &str) -> Vec<(String, PrecisionRequest)> {
    let args = parsed(line).unwrap();
    args.rules
        .into_iter()
        .map(|rule| {
            assert_eq!(rule.variables.len(), 1, "{line}");
            (rule.variables[0].clone(), rule.request)
        })
        .collect()
}

/// The one request of a line, which must be for all variables.
fn request(line: &str) -> PrecisionRequest {
    let rules = rules(line);
    assert_eq!((rules.len(), rules[0].0.as_str()), (1, "*"), "{line}");
    rules[0].1.clone()
}

#[test]
fn words_without_a_variable_are_one_rule() {
    let request = request(
        "--bits 9 --digits 3 --abs-error 0.5 --rel-error 1e-3 --finest-abs-error 1e-6 --nbits 12 \
         --keep-information 0.99 --lossless-range 0..5 --lossless-range 7..9 --special -9999,1e20 \
         --quantizer granular-bitround --force-precision",
    );
    let expected = PrecisionRequest {
        algorithm: Some(QuantizeAlgorithm::GranularBitRound),
        significant_bits: Some(9),
        significant_digits: Some(3),
        nbits: Some(12),
        absolute_tolerance: Some(0.5),
        relative_tolerance_percent: Some(0.1),
        relative_err_finest_abs_tolerance: Some(1e-6),
        keep_information: Some(0.99),
        lossless_data_ranges: vec![[0.0, 5.0], [7.0, 9.0]],
        special_values: vec![-9999.0, 1e20],
        force: Some(true),
        ..PrecisionRequest::default()
    };
    assert_eq!(request, expected);
}

#[test]
fn an_empty_name_is_refused() {
    for word in ["digits", "abs-error", "rel-error", "nbits", "special"] {
        let refused = parsed(&format!("--{word} :1")).unwrap_err().to_string();
        assert!(
            refused.contains("a name is missing before the colon"),
            "{refused}"
        );
    }
    assert!(parsed("--lossless-range :0..5 --bits 9").is_err());
}

#[test]
fn all_comes_before_names_and_names_keep_their_order() {
    let rules =
        rules("--lossless lat*,/a/lon --digits z*:3 --abs-error a:1 --bits 9 --rel-error z*:1%");
    let names: Vec<&str> = rules.iter().map(|rule| rule.0.as_str()).collect();
    assert_eq!(names, ["*", "z*", "a", "lat*", "/a/lon"]);
    assert_eq!(rules[3].1.lossless, Some(true));
    assert_eq!(rules[1].1.significant_digits, Some(3));
    assert_eq!(rules[1].1.relative_tolerance_percent, Some(1.0));
}

#[test]
fn names_come_after_patterns_wherever_they_stand() {
    let rules = rules("--digits a:4 --digits a*:3");
    assert_eq!([rules[0].0.as_str(), rules[1].0.as_str()], ["a*", "a"]);
}

#[test]
fn names_may_hold_colons() {
    assert_eq!(rules("--bits /ns:tas:7")[0].0, "/ns:tas");
}

#[test]
fn shares_are_what_is_written() {
    for (text, percent) in [
        ("1e-3", 0.1),
        ("0.1%", 0.1),
        ("0.1 %", 0.1),
        ("0.07", 7.0),
        ("2.5E-1", 25.0),
        (".5", 50.0),
    ] {
        let request = values::rel_error(text).unwrap().remove(0).request;
        assert_eq!(request.relative_tolerance_percent, Some(percent), "{text}");
    }
    for (text, share) in [
        ("0.99", 0.99),
        ("99%", 0.99),
        ("1", 1.0),
        ("100%", 1.0),
        ("99.9%", 0.999),
        ("0.999", 0.999),
    ] {
        assert_eq!(values::share_of_information(text), Ok(share), "{text}");
    }
}

#[test]
fn ranges_may_be_open() {
    assert_eq!(
        request("--lossless-range -5..").lossless_data_range_from,
        Some(-5.0)
    );
    assert_eq!(
        request("--lossless-range ..1e-3").lossless_data_range_up_to,
        Some(1e-3)
    );
    assert_eq!(
        request("--lossless-range -2.5..-1").lossless_data_ranges,
        [[-2.5, -1.0]]
    );
}

#[test]
fn files_and_flags_arrive() {
    let args = parsed("--precision a.toml --write-precision b.toml --netcdf-attribute");
    let args = args.unwrap();
    assert_eq!(args.file(), Some(&"a.toml".into()));
    assert_eq!(args.write(), Some(&"b.toml".into()));
    assert!(args.netcdf_attribute && args.rules.is_empty());
    assert!(args.check(true).is_ok() && args.check(false).is_err());
    assert_eq!(
        parsed("--force-precision --precision a.toml")
            .unwrap()
            .rules[0]
            .request
            .force,
        Some(true)
    );
}

#[test]
fn nonsense_is_refused() {
    for (line, part) in [
        ("--bits 0", "from 1 to 52"),
        ("--bits -3", "from 1 to 52"),
        ("--bits 53", "from 1 to 52"),
        ("--bits tas:many", "`many` is not"),
        ("--bits tas:", "`` is not"),
        ("--digits 16", "from 1 to 15"),
        ("--nbits 32", "from 1 to 31"),
        ("--abs-error 0", "above 0"),
        ("--abs-error -1", "above 0"),
        ("--abs-error NaN", "above 0"),
        ("--abs-error inf", "above 0"),
        ("--finest-abs-error -0.0", "above 0"),
        ("--rel-error 0", "between 0 and 1"),
        ("--rel-error 1", "between 0 and 1"),
        ("--rel-error 100%", "between 0 and 1"),
        ("--rel-error NaN", "a share"),
        ("--rel-error 1ex", "a share"),
        ("--keep-information 99", "0.99 or 99%"),
        ("--keep-information 0", "above 0"),
        ("--keep-information -1", "above 0"),
        ("--keep-information 101%", "at most 1"),
        ("--lossless-range 5", "LO..HI"),
        ("--lossless-range 5..0", "5 is above 0"),
        ("--lossless-range ..", "use --lossless"),
        ("--lossless-range a..b", "`a` is not a number"),
        ("--special 1,x", "`x` is not a number"),
        ("--special NaN", "never touched anyway"),
        ("--quantizer sz3", "none of bitround"),
        ("--lossless a,,b", "a name is missing"),
        ("--bits 5 --bits 7", "`*`: --bits is given twice"),
        ("--bits a:5 --lossless a", "`a`: --lossless and a precision"),
        ("--force-precision", "needs a precision"),
        ("--pack-integers 1 --abs-error 2", "are given at once"),
        ("--abs-error 2 --pack-integers 1", "are given at once"),
    ] {
        let error = parsed(line).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{line}");
        let message = error.to_string();
        assert!(message.contains(part), "{line}: {message}");
    }
}
