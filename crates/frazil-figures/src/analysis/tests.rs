use frazil::DataOrigin;
use roxmltree::Document;

use super::*;
use crate::samples::{self, analysis};

fn count(svg: &str, name: &str) -> usize {
    let document = Document::parse(svg).unwrap();
    document
        .descendants()
        .filter(|n| n.has_tag_name(name))
        .count()
}

fn fills(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let nodes = document.descendants().filter(|n| n.has_tag_name("rect"));
    nodes
        .filter_map(|n| n.attribute("fill").map(str::to_owned))
        .collect()
}

#[test]
fn every_bit_has_its_cell() {
    let report = analysis(vec![
        samples::information("/a", 32),
        samples::information("/b", 64),
    ]);
    // Background, two swatches of the legend, cells.
    assert_eq!(count(&analysis_svg(&report), "rect"), 1 + 2 + 32 + 64);
}

#[test]
fn information_is_colour_and_none_is_grey() {
    let mut variable = samples::information("/a", 32);
    variable.information = vec![0.0; 32];
    variable.information[9] = 1.0;
    let fills = fills(&analysis_svg(&analysis(vec![variable])));
    assert_eq!(fills.iter().filter(|&fill| fill == NONE).count(), 31 + 1);
    let full = colour::hex(Map::Information.colour(1.0));
    assert_eq!(fills.iter().filter(|&fill| *fill == full).count(), 1);
}

#[test]
fn the_mark_stands_behind_the_recommended_bits() {
    let mut first = samples::information("/a", 32);
    first.significant_bits = Some(3);
    let mark_of = |variable| {
        let svg = analysis_svg(&analysis(vec![variable]));
        let document = Document::parse(&svg).unwrap();
        let lines = document
            .descendants()
            .filter(|n| n.attribute("stroke") == Some(MARK));
        let xs: Vec<f64> = lines
            .map(|n| n.attribute("x1").unwrap().parse().unwrap())
            .collect();
        xs
    };
    let three = mark_of(first.clone());
    // The row's own line and the legend's.
    assert_eq!(three.len(), 2);
    first.significant_bits = Some(4);
    assert!(mark_of(first.clone())[0] > three[0] + 10.0);
    first.significant_bits = None;
    assert_eq!(mark_of(first).len(), 1);
}

#[test]
fn constants_are_counted_not_drawn() {
    let mut constant = samples::information("/c", 32);
    constant.origin = DataOrigin::Constant;
    let svg = analysis_svg(&analysis(vec![constant, samples::information("/a", 32)]));
    assert_eq!(count(&svg, "rect"), 1 + 2 + 32);
    assert!(svg.contains("not shown: 1 that are constant"));
}

#[test]
fn an_empty_report_is_a_picture_too() {
    let svg = analysis_svg(&analysis(Vec::new()));
    assert!(svg.contains("no floating-point variables"));
    assert_eq!(count(&svg, "svg"), 1);
}

#[test]
fn names_and_odd_numbers_do_no_harm() {
    let mut variable = samples::information("/<script>\"&'\u{7}", 32);
    variable.information[3] = f64::NAN;
    variable.information[4] = f64::INFINITY;
    variable.significant_bits = Some(u32::MAX);
    variable.relative_bound = Some(f64::NAN);
    let mut odd = variable.clone();
    odd.information = vec![0.5; 5];
    let mut none = variable.clone();
    none.information = Vec::new();
    let mut report = analysis(vec![variable, odd, none]);
    report.path = "</text><b>.nc".into();
    let svg = analysis_svg(&report);
    assert_eq!(count(&svg, "script") + count(&svg, "b"), 0);
    assert!(!svg.contains("\"NaN\"") && !svg.contains("\"inf\""));
}
