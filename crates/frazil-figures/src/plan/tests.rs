use frazil::{ChunkCandidate, ReadCandidate};

use super::*;

fn filters(filters: &str, ratio: f64, megabytes: Option<f64>) -> FilterCandidate {
    FilterCandidate {
        filters: filters.into(),
        ratio,
        range: None,
        speed: megabytes.map(|speed| CodecSpeed {
            encode_bytes_per_second: speed * 1e6,
            decode_bytes_per_second: speed * 3e6,
        }),
        joules_per_gb: None,
    }
}

fn shape(name: &str, chunk: &[u64], seconds: f64) -> ChunkCandidate {
    let read = |read: &str, seconds| ReadCandidate {
        read: read.into(),
        chunks: 10.0,
        bytes: 1e6,
        seconds,
        times_best: 1.5,
    };
    ChunkCandidate {
        name: name.into(),
        chunk: chunk.to_vec(),
        quick_ratio: None,
        chunk_bytes: 4096,
        reads: vec![read("map", seconds), read("series", seconds * 20.0)],
    }
}

fn report(speed: Option<f64>) -> PlanReport {
    let variable = VariableDecision {
        path: "/group/<t>".into(),
        element: "float32".into(),
        shape: vec![1560, 128, 256],
        chunk: Some(vec![10, 16, 128]),
        filters: "shuffle+deflate(4)".into(),
        raw_bytes: 200 << 20,
        reason: "because <it> pays".into(),
        filter_candidates: vec![
            filters("shuffle+deflate(4)", 1.5, speed),
            filters("shuffle+deflate(1)", 1.4, speed.map(|s| 2.0 * s)),
            filters("lz4", 1.1, speed.map(|s| 9.0 * s)),
        ],
        chunk_candidates: vec![
            shape("chosen", &[10, 16, 128], 0.005),
            shape("best for map", &[1, 128, 256], 0.001),
        ],
        ..VariableDecision::default()
    };
    PlanReport {
        input: "a&b.nc".into(),
        variables: vec![variable],
        ..empty()
    }
}

fn empty() -> PlanReport {
    PlanReport {
        input: "in.nc".into(),
        plan: frazil::WritePlan::default(),
        variables: Vec::new(),
        precision: Vec::new(),
        notices: Vec::new(),
        seconds: 0.1,
    }
}

#[test]
fn candidates_are_points_and_the_chosen_one_has_a_ring() {
    let svg = plan_svg(&report(Some(100.0)));
    let document = roxmltree::Document::parse(&svg).unwrap();
    let circles: Vec<_> = document
        .descendants()
        .filter(|node| node.has_tag_name("circle"))
        .collect();
    let titles = |part: &str| {
        circles
            .iter()
            .filter(|circle| {
                let title = circle.first_element_child().and_then(|title| title.text());
                title.is_some_and(|title| title.contains(part))
            })
            .count()
    };
    // Written and read; two shapes with two reads each.
    assert_eq!(titles("MB/s"), 6);
    assert_eq!(titles("times its best"), 4);
    let rings = circles
        .iter()
        .filter(|circle| circle.attribute("fill") == Some("none"));
    assert_eq!(rings.count(), 2);
    assert!(svg.contains("shuffle+deflate(1): ratio 1.4, 200 MB/s"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn faster_filters_stand_further_right() {
    let svg = plan_svg(&report(Some(100.0)));
    let document = roxmltree::Document::parse(&svg).unwrap();
    let place = |filters: &str| -> f64 {
        let found = document.descendants().find(|node| {
            let title = node.first_element_child().and_then(|title| title.text());
            title.is_some_and(|title| title.starts_with(filters))
        });
        found.unwrap().attribute("cx").unwrap().parse().unwrap()
    };
    assert!(place("lz4") > place("shuffle+deflate(1)"));
    assert!(place("shuffle+deflate(1)") > place("shuffle+deflate(4)"));
}

#[test]
fn without_speeds_there_are_bars() {
    let svg = plan_svg(&report(None));
    assert!(roxmltree::Document::parse(&svg).is_ok());
    assert!(svg.contains("frazil calibrate") && svg.contains("lz4"));
}

#[test]
fn a_page_holds_the_drawing_and_the_reasons() {
    let page = plan_html(&report(Some(100.0)));
    assert!(page.contains("because &lt;it&gt; pays") && page.contains("<svg"));
    assert!(!page.contains("<script") && !page.contains("a&b.nc"));
}

#[test]
fn a_plan_of_nothing_is_drawn_too() {
    let svg = plan_svg(&empty());
    assert!(roxmltree::Document::parse(&svg).is_ok());
    assert!(svg.contains("no variable had"), "{svg}");
    let mut many = report(Some(1.0));
    many.variables = vec![many.variables[0].clone(); 20];
    assert!(plan_svg(&many).contains("not shown: 8 smaller variables"));
}
