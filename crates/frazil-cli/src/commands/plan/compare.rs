//! `frazil plan --compare`: what every goal and reader level would give.

use frazil::ComparedWay;

use crate::table::{Column, Table};
use crate::text::screen_columns;
use frazil::size::human;

/// One row for each way, in the order of reader levels and goals.
pub(super) fn table(ways: &[ComparedWay]) -> String {
    let mut table = Table::new(vec![
        Column::words("precision"),
        Column::words("readable by"),
        Column::words("goal"),
        Column::number("file"),
        Column::number("90 % range"),
        Column::number("s"),
    ]);
    for way in ways {
        let range = way.range.map_or(String::new(), |range| {
            let [least, most] = range.file_bytes.map(human);
            format!("{least} to {most}")
        });
        table.row(vec![
            way.precision.clone(),
            way.readable_by.name().to_owned(),
            way.goal.to_string(),
            human(way.file_bytes),
            range,
            format!("{:.2}", way.seconds),
        ]);
    }
    table.render(screen_columns()) + "sizes and times are predicted\n"
}
