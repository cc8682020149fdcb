//! Plans and decision trees: what is read is written as it was read.

#![no_main]

use frazil::FilterTree;

libfuzzer_sys::fuzz_target!(|input: &str| {
    if let Ok(plan) = frazil::parse_plan(input) {
        let text = frazil::render_plan(&plan).expect("it was one");
        assert_eq!(frazil::parse_plan(&text).expect("it was written"), plan);
    }
    if let Ok(tree) = FilterTree::parse(input) {
        let text = tree.render().expect("it was one");
        FilterTree::parse(&text).expect("it was written");
    }
});
