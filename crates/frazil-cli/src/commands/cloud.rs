//! What `frazil info --cloud` shows.

use frazil::size::human;
use frazil::{CloudCost, ReadCost, VariableCost};

use crate::table::{self, Column, Table};
use crate::text::{self, screen_columns};

/// What a file takes in a bucket: one line for opening it, one for each of its variables, and what would be better.
pub(super) fn page(cost: &CloudCost, all_variables: bool) -> String {
    let mut table = Table::new(vec![
        Column::words("in a bucket"),
        Column::words("what"),
        Column::number("requests"),
        Column::number("rounds"),
        Column::number("bytes"),
    ]);
    table.row(row("the file", "open", &cost.open));
    let (variables, hidden) = table::shown(&cost.variables, all_variables, |one| one.stored_bytes);
    for variable in variables {
        for (what, cost) in parts(variable) {
            table.row(row(&variable.path, what, cost));
        }
    }
    table.row(row("the file", "everything", &cost.everything));
    let link = cost.link;
    let mut page = table.render(screen_columns());
    page.push_str(&table::left_out(hidden));
    let counted = format!(
        "the first request has {}; parts up to {} apart are one request, of {} at most; the requests of a round \
         go out together",
        human(link.head_bytes),
        human(link.gap_bytes),
        human(link.request_bytes)
    );
    page.push_str(&text::wrapped(&counted, "", screen_columns()));
    for advice in &cost.advice {
        page.push_str(&format!("note: {}\n", text::plain(advice)));
    }
    page
}

fn row(path: &str, what: &str, cost: &ReadCost) -> Vec<String> {
    vec![
        path.to_owned(),
        what.to_owned(),
        cost.requests.to_string(),
        cost.rounds.to_string(),
        human(cost.bytes),
    ]
}

fn parts(variable: &VariableCost) -> Vec<(&'static str, &ReadCost)> {
    let parts = [
        ("one map", variable.map.as_ref()),
        ("one series", variable.series.as_ref()),
        ("everything", Some(&variable.everything)),
    ];
    let known = parts
        .into_iter()
        .filter_map(|(what, cost)| Some((what, cost?)));
    known.collect()
}
