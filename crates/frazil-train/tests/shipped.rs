//! The shipped tree is what its table gives, and as good as the documents say.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "../../../tests/support/sampling.rs"]
mod sampling;

use std::path::{Path, PathBuf};

use frazil_plan::FilterTree;
use frazil_train::{Strategy, Table, evaluate, every_goal, train};
use sampling::sampled;

const SIMPLER: [Strategy; 4] = [
    Strategy::Fixed,
    Strategy::Scil,
    Strategy::Trial,
    Strategy::Tree,
];

fn table() -> Table {
    let path: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/filters/measurements.csv");
    Table::read(&path).unwrap()
}

#[test]
fn the_shipped_tree_is_grown_from_the_table() {
    let grown = train(&table()).unwrap();
    assert_eq!(
        grown.render().unwrap(),
        FilterTree::shipped_text(),
        "after a change of the table or of speeds: frazil train --table \
         data/filters/measurements.csv -o crates/frazil-plan/data/filter_tree.json --overwrite"
    );
}

#[test]
fn tree_and_trial_come_close_to_the_oracle_and_nothing_simpler_is_better() {
    let evaluations = evaluate(&table(), sampled(every_goal(), 4)).unwrap();
    for evaluation in &evaluations {
        let quality = |wanted| {
            let mut found = evaluation.qualities.iter();
            found.find(|quality| quality.strategy == wanted).unwrap()
        };
        let both = quality(Strategy::TreeAndTrial);
        let (readers, goal) = (evaluation.readers.name(), evaluation.goal);
        let (median, tenth) = (both.quantile(0.5), both.quantile(0.9));
        assert!(median <= 0.03, "{readers} {goal}: {median}");
        assert!(tenth <= 0.10, "{readers} {goal}: {tenth}");
        for regret in &both.regrets {
            assert!(*regret >= -1e-9);
        }
        for simpler in SIMPLER.map(quality) {
            for share in [0.5, 0.9] {
                // In the digits of the report.
                let is_no_worse = both.quantile(share) <= simpler.quantile(share) + 0.0005;
                let name = simpler.strategy.name();
                assert!(is_no_worse, "{readers} {goal}: {name} is better at {share}");
            }
        }
    }
}
