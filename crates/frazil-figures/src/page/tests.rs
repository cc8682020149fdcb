use frazil::Difference;
use roxmltree::{Document, ParsingOptions};

use super::{VerifyReport, verify_html as verify_html_of};
use crate::error::Error;
use crate::error::Result;
use crate::samples::{figures, precision, verification};

/// The page about one report.
fn verify_html(report: &VerifyReport) -> Result<String> {
    verify_html_of(&[(report.clone(), None)])
}

/// The page without what XML does not know.
fn parse(page: &str) -> Document<'_> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(page, options).unwrap()
}

fn count(page: &str, name: &str) -> usize {
    let document = parse(page);
    let named = document.descendants();
    named.filter(|n| n.tag_name().name() == name).count()
}

fn evil() -> String {
    "/\"><script src='//x'>\u{1b}</script><img src=x onerror=1>&amp;".into()
}

#[test]
fn a_page_has_a_row_and_three_maps_per_variable() {
    let report = verification(
        vec![precision("/tas"), precision("/pr")],
        vec![figures("/tas", (120, 80))],
    );
    let page = verify_html(&report).unwrap();
    let document = parse(&page);
    let rows = document
        .descendants()
        .filter(|n| n.attribute("class") == Some("kept"));
    assert_eq!(rows.count(), 2);
    let maps = document
        .descendants()
        .filter(|n| n.attribute("class") == Some("map"));
    assert_eq!(maps.count(), 3);
    assert_eq!(count(&page, "svg"), 2);
    assert!(page.contains("Passed: all 2 rounded variables"));
}

#[test]
fn every_picture_has_words_and_nothing_comes_from_elsewhere() {
    let report = verification(vec![precision("/tas")], vec![figures("/tas", (120, 80))]);
    let page = verify_html(&report).unwrap();
    let document = parse(&page);
    for node in document.descendants() {
        match node.tag_name().name() {
            "img" => {
                assert!(!node.attribute("alt").unwrap().is_empty());
                assert!(
                    node.attribute("src")
                        .unwrap()
                        .starts_with("data:image/png;base64,")
                );
            }
            "svg" => assert!(!node.attribute("aria-label").unwrap().is_empty()),
            name => assert!(!["script", "link", "iframe", "a"].contains(&name), "{name}"),
        }
    }
    let urls = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!urls.contains("http:") && !urls.contains("https:") && !urls.contains("url("));
}

#[test]
fn failures_and_differences_are_listed() {
    let mut failed = precision("/tas");
    failed.passed = false;
    failed.failures = vec!["3 values are beyond the stated bound".into()];
    let mut report = verification(vec![failed, precision("/pr")], Vec::new());
    let page = verify_html(&report).unwrap();
    assert!(page.contains("Failed: 1 of 2 rounded variables."));
    assert!(page.contains("/tas: 3 values are beyond the stated bound"));
    report.difference_count = 5;
    report.differences = vec![Difference {
        path: "/lat".into(),
        what: "[3]: 1.5 and 1.25".into(),
    }];
    let page = verify_html(&report).unwrap();
    assert!(page.contains("and 5 other differences"));
    assert!(page.contains("/lat: [3]: 1.5 and 1.25") && page.contains("... and 4 more"));
}

#[test]
fn documented_tests_are_a_table() {
    let mut failed = precision("/pr");
    failed.thresholds[0].passed = false;
    failed.thresholds[0].value = 0.5;
    let mut none = precision("/ps");
    none.thresholds.clear();
    let report = verification(vec![precision("/tas"), failed, none], Vec::new());
    let page = verify_html(&report).unwrap();
    assert!(page.contains("<th scope=\"col\">Pearson correlation (limit 0.99999)</th>"));
    assert_eq!(page.matches("<td>0.9999993</td>").count(), 1);
    assert_eq!(page.matches("<td class=\"beyond\">0.5 !</td>").count(), 1);
    let mut asked = report.clone();
    asked.precision[1].failures = vec!["ldcpy: Pearson correlation is 0.5".into()];
    let page = verify_html(&asked).unwrap();
    assert_eq!(page.matches("<td class=\"fail\">0.5 !</td>").count(), 1);
}

#[test]
fn names_cannot_become_markup() {
    let mut variable = precision(&evil());
    variable.failures = vec![evil()];
    variable.thresholds[0].name = evil();
    let mut figure = figures(&evil(), (120, 80));
    figure.slice = evil();
    let mut report = verification(vec![variable], vec![figure]);
    report.a = evil().into();
    report.b = evil().into();
    report.notices = vec![evil()];
    report.difference_count = 1;
    report.differences = vec![Difference {
        path: evil(),
        what: evil(),
    }];
    let page = verify_html(&report).unwrap();
    assert_eq!(count(&page, "script"), 0);
    // Maps and bars, none of a name's making.
    assert_eq!(count(&page, "img"), 6);
    assert!(!page.contains('\u{1b}'));
    let document = parse(&page);
    let heading = document
        .descendants()
        .find(|n| n.has_tag_name("h3"))
        .unwrap();
    assert_eq!(
        heading.text().unwrap(),
        evil().replace('\u{1b}', "\u{fffd}")
    );
}

#[test]
fn an_empty_report_is_a_page() {
    let page = verify_html(&verification(Vec::new(), Vec::new())).unwrap();
    assert!(page.contains("nothing is rounded"));
    assert_eq!((count(&page, "table"), count(&page, "img")), (0, 0));
}

#[test]
fn slices_without_values_and_empty_ones_are_said_so() {
    let mut figure = figures("/a", (20, 10));
    figure.original.fill(f32::NAN);
    figure.rounded.fill(f32::NAN);
    figure.histograms = (vec![0; 50], vec![0; 50]);
    figure.spectra = (Vec::new(), vec![f64::NAN; 3]);
    let mut none = figures("/b", (4, 1));
    none.size = (0, 0);
    none.original.clear();
    none.rounded.clear();
    let page = verify_html(&verification(Vec::new(), vec![figure, none])).unwrap();
    assert_eq!(count(&page, "img"), 3);
    assert!(page.contains("no values") && !page.contains("\"NaN\""));
}

#[test]
fn one_axis_is_drawn_as_lines() {
    for size in [(300, 1), (1, 300)] {
        let page = verify_html(&verification(Vec::new(), vec![figures("/time", size)])).unwrap();
        assert_eq!((count(&page, "img"), count(&page, "svg")), (0, 4));
    }
}

#[test]
fn data_that_do_not_fit_are_an_error() {
    let mut figure = figures("/a", (20, 10));
    figure.rounded.pop();
    let error = verify_html(&verification(Vec::new(), vec![figure])).unwrap_err();
    assert!(matches!(error, Error::Size { values: 199, .. }), "{error}");
}

#[test]
fn the_style_needs_no_escapes() {
    let css = include_str!("page.css");
    assert!(!css.contains(['&', '<', '>', '"', '\'']));
}

#[test]
fn candidates_stand_side_by_side_and_the_most_feared_variable_first() {
    let mut coarse = precision("/pr");
    coarse.rmse = 5.0;
    let first = verification(vec![precision("/tas"), coarse], Vec::new());
    let mut second = verification(vec![precision("/tas")], Vec::new());
    second.b = "finer.nc".into();
    let page = verify_html_of(&[(first, Some(2048)), (second, None)]).unwrap();
    let (candidates, rest) = page.split_once("<h3>").unwrap();
    assert!(candidates.contains("2.0 KiB") && candidates.contains("finer.nc"));
    let table = rest.split_once("</table>").unwrap().0;
    assert!(table.find("/pr").unwrap() < table.find("/tas").unwrap());
    assert_eq!(table.matches("<td>exact</td>").count(), 1);
}
