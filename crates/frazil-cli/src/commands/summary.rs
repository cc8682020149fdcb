//! The closing table of `pack` and `unpack`.

use frazil::{PackReport, VariablePrecision, VariableReport};

use super::{bounds, energy};
use crate::table::{self, Column, Table};
use crate::text::{self, screen_columns};
use frazil::enumerate;
use frazil::size::human;

/// How much is shown.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shown {
    /// Every variable, however many.
    pub(crate) all_variables: bool,
    /// The energy of each, and what a year of storage saves.
    pub(crate) energy: bool,
    /// Documented tests of rounded variables.
    pub(crate) thresholds: bool,
}

/// Files without a report.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Others {
    /// Their results were there already.
    pub(crate) skipped: usize,
    /// The work on them failed.
    pub(crate) failed: usize,
}

/// Heading, variables, totals and cost of one file.
pub(crate) fn of_file(report: &PackReport, shown: Shown) -> String {
    let all_variables = shown.all_variables;
    let (variables, hidden) = table::shown(&report.variables, all_variables, |variable| {
        variable.raw_bytes
    });
    let mut columns = vec![
        Column::words("variable"),
        Column::extents("shape"),
        Column::extents("chunk"),
        Column::chain("filters"),
        Column::number("raw").optional(),
        Column::number("stored"),
        Column::number("ratio"),
    ];
    if shown.energy {
        columns.push(Column::number("energy"));
    }
    let mut table = Table::new(columns);
    let joules = |joules| shown.energy.then(|| energy::joules(joules));
    for variable in variables {
        let mut row = cells(variable);
        row.extend(joules(variable.joules));
        table.row(row);
    }
    let stored: u64 = report
        .variables
        .iter()
        .fold(0, |sum, variable| sum.saturating_add(variable.stored_bytes));
    let mut totals = vec![
        format!("total of {}", report.variables.len()),
        String::new(),
        String::new(),
        String::new(),
        human(report.raw_bytes),
        human(stored),
        text::ratio(report.raw_bytes, stored),
    ];
    totals.extend(joules(report.energy.joules));
    table.totals(totals);
    let energy = match shown.energy {
        true => energy::lines(&report.energy, report.dry_run),
        false => String::new(),
    };
    let closing = |words: String| text::wrapped(&words, "", screen_columns());
    format!(
        "{}\n{}{}{}{}{}{}{energy}",
        heading(report),
        table.render(screen_columns()),
        table::left_out(hidden),
        rounded(report, all_variables),
        kept_variables(report).map_or_else(String::new, closing),
        closing(file_sizes(report)),
        closing(cost(report))
    )
}

fn cells(variable: &VariableReport) -> Vec<String> {
    let chunk = variable.chunk.as_deref();
    vec![
        variable.path.clone(),
        text::shape(&variable.shape),
        chunk.map_or_else(|| "contiguous".into(), text::shape),
        match variable.filters.is_empty() {
            true => "none".into(),
            false => variable.filters.clone(),
        },
        human(variable.raw_bytes),
        human(variable.stored_bytes),
        text::ratio(variable.raw_bytes, variable.stored_bytes),
    ]
}

/// A table of the rounded variables; nothing where none was rounded.
fn rounded(report: &PackReport, all_variables: bool) -> String {
    let rounded: Vec<Rounded<'_>> = report
        .variables
        .iter()
        .filter_map(|variable| Some((variable, variable.precision.as_ref()?)))
        .collect();
    let total = rounded.len();
    // Those that rounding left as they are say nothing; a dry run does not know.
    let changed: Vec<Rounded<'_>> = rounded
        .into_iter()
        .filter(|(_, precision)| report.dry_run || all_variables || precision.changed > 0)
        .collect();
    let unchanged = match (total - changed.len()) as u64 {
        0 => String::new(),
        count => format!(
            "{} with nothing to round\n",
            text::count(count, "more variable")
        ),
    };
    if changed.is_empty() {
        return unchanged;
    }
    let (rows, hidden) = table::shown(&changed, all_variables, |(variable, _)| variable.raw_bytes);
    let mut table = Table::new(vec![
        Column::words("rounded"),
        Column::words("how"),
        Column::number("least kept"),
        Column::extents("error bound"),
        Column::number("max abs"),
        Column::number("max rel"),
        Column::number("changed"),
    ]);
    for &&rounded in &rows {
        table.row(rounded_cells(report, rounded));
    }
    let left_out = table::left_out(hidden);
    format!(
        "\n{}{left_out}{unchanged}\n",
        table.render(screen_columns())
    )
}

/// A variable and what became of its precision.
type Rounded<'a> = (&'a VariableReport, &'a VariablePrecision);

fn rounded_cells(report: &PackReport, (variable, precision): Rounded<'_>) -> Vec<String> {
    let least_kept = precision.least_kept.map(|kept| kept.to_string());
    let mut cells = vec![
        variable.path.clone(),
        precision.rounding.clone(),
        least_kept.unwrap_or_else(|| "-".into()),
        bounds::bound(&precision.bound),
    ];
    cells.extend(measured(report, variable, precision));
    cells
}

/// Errors found and the share of values that changed; a dry run has none.
fn measured(
    report: &PackReport,
    variable: &VariableReport,
    precision: &VariablePrecision,
) -> [String; 3] {
    if report.dry_run {
        return ["-", "-", "-"].map(String::from);
    }
    let elements: f64 = variable.shape.iter().map(|&extent| extent as f64).product();
    [
        bounds::number(precision.max_absolute_error),
        bounds::number(precision.max_relative_error),
        bounds::percent(precision.changed as f64 / elements.max(1.0)),
    ]
}

/// `in.nc -> out.nc`, within the screen.
fn heading(report: &PackReport) -> String {
    let input = text::path(&report.input);
    let Some(output) = &report.output else {
        return text::shorten(
            &format!("{input} (dry run: sizes and time are predicted)"),
            screen_columns(),
        )
        .into_owned();
    };
    let half = (screen_columns() - " -> ".len()) / 2;
    let output = text::path(output);
    format!(
        "{} -> {}",
        text::shorten(&input, half),
        text::shorten(&output, half)
    )
}

/// Which variables no filters make smaller, of a file that is not kept as a whole.
fn kept_variables(report: &PackReport) -> Option<String> {
    let kept = report.variables.iter().filter(|variable| variable.kept);
    let kept: Vec<&str> = kept.map(|variable| variable.path.as_str()).collect();
    let count = report.variables.len();
    match kept.len() {
        _ if report.kept_input => None,
        0 => None,
        all if all == count => Some("all variables kept as they are".to_owned()),
        some => Some(format!(
            "{some} of {count} variables kept as they are: {}",
            enumerate(&kept)
        )),
    }
}

/// What became of the file's size.
fn file_sizes(report: &PackReport) -> String {
    let verb = match report.dry_run {
        true => "predicted: file",
        false => "file",
    };
    let sizes = size_of_file(report);
    if report.kept_input {
        return format!("{verb} {sizes}");
    }
    let range = report.range.map_or(String::new(), |range| {
        let [least, most] = range.file_bytes.map(human);
        format!("; nine of ten lie within {least} and {most}")
    });
    format!("{verb} {sizes}{range}")
}

/// `2.0 GiB -> 1.0 GiB (50.0 % smaller)`, or `2.0 GiB, kept as it is`.
fn size_of_file(report: &PackReport) -> String {
    match report.kept_input {
        true => format!("{}, kept as it is", human(report.input_file_bytes)),
        false => sizes(report.input_file_bytes, report.output_file_bytes),
    }
}

/// `2.0 GiB -> 1.0 GiB (50.0 % smaller)`.
fn sizes(before: u64, after: u64) -> String {
    let change = match before {
        0 => String::new(),
        _ => {
            let saved = 100.0 * (1.0 - after as f64 / before as f64);
            let word = if saved < 0.0 { "larger" } else { "smaller" };
            match format!("{:.1}", saved.abs()).as_str() {
                "0.0" => " (as small as before)".to_owned(),
                percent => format!(" ({percent} % {word})"),
            }
        }
    };
    format!("{} -> {}{change}", human(before), human(after))
}

/// What it took.
fn cost(report: &PackReport) -> String {
    let predicted = if report.dry_run { "predicted: " } else { "" };
    let verified = if report.verified { ", verified" } else { "" };
    let range = report.range.map_or(String::new(), |range| {
        let [least, most] = range.seconds;
        format!(" ({least:.2} to {most:.2})")
    });
    format!(
        "{predicted}{:.2} s{range}, {}, {:.2} CPU s, {}, memory budget {}{verified}",
        report.seconds,
        rate(report.written_bytes, report.seconds),
        report.cpu_seconds,
        text::count(report.threads as u64, "thread"),
        human(report.memory_bytes),
    )
}

/// Raw megabytes (of 1 000 000 bytes) per second.
fn rate(raw_bytes: u64, seconds: f64) -> String {
    match seconds > 0.0 {
        true => format!("{:.1} MB/s", raw_bytes as f64 / 1e6 / seconds),
        false => "- MB/s".into(),
    }
}

/// One file in one line.
pub(crate) fn line_of(report: &PackReport) -> String {
    format!(
        "{}: {}, {:.2} s\n",
        text::path(&report.input),
        size_of_file(report),
        report.seconds
    )
}

/// The line below several files, which took so many seconds together; nothing where none succeeded and
/// none was there already.
pub(crate) fn of_all(reports: &[PackReport], others: Others, seconds: f64) -> String {
    let Others { skipped, failed } = others;
    if reports.is_empty() && skipped == 0 && failed == 0 {
        return String::new();
    }
    let sum = |bytes: fn(&PackReport) -> u64| {
        let add = |sum: u64, report| sum.saturating_add(bytes(report));
        reports.iter().fold(0, add)
    };
    let kept = match reports.iter().filter(|report| report.kept_input).count() {
        0 => String::new(),
        1 => ", 1 kept as it is".to_owned(),
        kept => format!(", {kept} kept as they are"),
    };
    let skipped = match skipped {
        0 => String::new(),
        skipped => format!(", {skipped} done before"),
    };
    let failed = match failed {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    let files = text::count(reports.len() as u64, "file");
    if reports.is_empty() {
        return format!("\n{files}{skipped}{failed}\n");
    }
    let words = format!(
        "{files}{kept}{skipped}{failed}: {}, {seconds:.2} s, {}",
        sizes(sum(|r| r.input_file_bytes), sum(|r| r.output_file_bytes)),
        rate(sum(|r| r.written_bytes), seconds)
    );
    format!("\n{}", text::wrapped(&words, "", screen_columns()))
}

#[cfg(test)]
pub(super) mod tests {
    use frazil::{EnergyRates, EnergyReport, ErrorBound};

    use super::*;

    /// A report on `variables` variables of rising size.
    pub(in crate::commands) fn report(variables: u64) -> PackReport {
        let variable = |number: u64| VariableReport {
            path: format!("/variable{number}"),
            element: "float32".into(),
            shape: vec![8760, 180, number + 1],
            chunk: (number > 0).then(|| vec![24, 90, number + 1]),
            filters: if number > 0 { "shuffle+deflate(4)" } else { "" }.into(),
            raw_bytes: 6_307_200 * (number + 1),
            input_bytes: 6_307_200 * (number + 1),
            stored_bytes: 2_102_400 * (number + 1),
            reason: "trial".into(),
            kept: false,
            precision: None,
            joules: 1.5,
        };
        let variables: Vec<VariableReport> = (0..variables).map(variable).collect();
        PackReport {
            input: "in.nc".into(),
            output: Some("out.nc".into()),
            raw_bytes: variables.iter().map(|v| v.raw_bytes).sum(),
            written_bytes: variables.iter().map(|v| v.raw_bytes).sum(),
            variables,
            input_file_bytes: 20 << 20,
            output_file_bytes: 5 << 20,
            seconds: 0.5,
            cpu_seconds: 1.75,
            planning_seconds: 0.01,
            planning_cpu_seconds: 0.03,
            energy: EnergyReport {
                joules: 21.84,
                co2_grams: 0.0029,
                saving: EnergyRates::default().saving(15e12),
                saved_euros_per_year: 580.2,
                ..EnergyReport::default()
            },
            threads: 4,
            memory_bytes: 256 << 20,
            verified: true,
            kept_input: false,
            dry_run: false,
            range: None,
            precision: Vec::new(),
            notices: Vec::new(),
        }
    }

    #[test]
    fn the_table_reads_well() {
        let expected = "\
in.nc -> out.nc
variable         shape       chunk  filters                  raw   stored  ratio
----------  ----------  ----------  ------------------  --------  -------  -----
/variable0  8760x180x1  contiguous  none                 6.0 MiB  2.0 MiB   3.00
/variable1  8760x180x2     24x90x2  shuffle+deflate(4)  12.0 MiB  4.0 MiB   3.00
----------  ----------  ----------  ------------------  --------  -------  -----
total of 2                                              18.0 MiB  6.0 MiB   3.00
file 20.0 MiB -> 5.0 MiB (75.0 % smaller)
0.50 s, 37.8 MB/s, 1.75 CPU s, 4 threads, memory budget 256.0 MiB, verified
";
        assert_eq!(of_file(&report(2), Shown::default()), expected);
    }

    #[test]
    fn energy_is_shown_by_variable_on_request() {
        let shown = Shown {
            energy: true,
            ..Shown::default()
        };
        let text = of_file(&report(2), shown);
        assert!(text.contains("3.00  1.50 J\n"), "{text}");
        assert!(text.contains("3.00  21.8 J\n"), "{text}");
        assert!(text.contains("580 EUR"), "{text}");
    }

    /// What became of a variable that was rounded to 9 bits.
    fn precision() -> VariablePrecision {
        VariablePrecision {
            rounding: "bitround(9)".into(),
            least_kept: Some(9),
            bound: ErrorBound {
                relative: Some(0.5_f64.powi(10)),
                ..ErrorBound::default()
            },
            max_absolute_error: 0.249,
            max_relative_error: 9.72e-4,
            changed: 8760 * 180,
        }
    }

    #[test]
    fn rounded_variables_have_a_table_of_their_own() {
        let mut report = report(2);
        report.variables[1].precision = Some(precision());
        let text = of_file(&report, Shown::default());
        let expected = "
rounded     how          least kept  error bound  max abs  max rel  changed
----------  -----------  ----------  -----------  -------  -------  -------
/variable1  bitround(9)           9   9.8e-4 rel     0.25   9.7e-4   50.0 %

file 20.0 MiB";
        assert!(text.contains(expected), "{text}");
        report.variables[0].precision = report.variables[1].precision.clone();
        if let Some(precision) = &mut report.variables[0].precision {
            precision.changed = 0;
        }
        let text = of_file(&report, Shown::default());
        assert!(
            text.contains("1 more variable with nothing to round\n\nfile"),
            "{text}"
        );
        report.dry_run = true;
        let text = of_file(&report, Shown::default());
        assert!(text.contains("/variable0  bitround(9)"), "{text}");
        assert!(
            text.contains("9.8e-4 rel        -        -        -\n"),
            "{text}"
        );
    }

    #[test]
    fn a_dry_run_predicts() {
        let mut report = report(1);
        report.output = None;
        report.dry_run = true;
        let text = of_file(&report, Shown::default());
        assert!(
            text.starts_with("in.nc (dry run: sizes and time are predicted)\n"),
            "{text}"
        );
        assert!(
            text.contains("predicted: file 20.0 MiB -> 5.0 MiB"),
            "{text}"
        );
        assert!(text.contains("predicted: 0.50 s"), "{text}");
    }

    #[test]
    fn many_variables_and_long_paths_fit_the_screen() {
        let mut report = report(150);
        report.input = format!("/{}/in.nc", "directory/".repeat(30)).into();
        report.variables[149].path = "/very/long/group/path/".repeat(9);
        let text = of_file(&report, Shown::default());
        let widest = text.lines().map(text::columns).max();
        assert!(widest <= Some(screen_columns()), "{text}");
        assert!(
            text.contains("... and 120 more variables (--json"),
            "{text}"
        );
        assert!(
            !text.contains("/variable0 ") && text.contains("total of 150"),
            "{text}"
        );
        let text = of_file(
            &report,
            Shown {
                all_variables: true,
                ..Shown::default()
            },
        );
        assert!(
            text.contains("/variable0 ") && !text.contains("more variables"),
            "{text}"
        );
    }

    #[test]
    fn an_empty_file_divides_by_nothing() {
        let mut report = report(0);
        (report.input_file_bytes, report.seconds) = (0, 0.0);
        let text = of_file(&report, Shown::default());
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }

    #[test]
    fn a_file_that_was_packed_already_is_no_smaller() {
        assert_eq!(sizes(2048, 2047), "2.0 KiB -> 2.0 KiB (as small as before)");
        assert_eq!(sizes(2048, 4096), "2.0 KiB -> 4.0 KiB (100.0 % larger)");
    }

    #[test]
    fn what_is_kept_is_named_in_one_way() {
        let mut kept = report(3);
        kept.variables[1].kept = true;
        let text = of_file(&kept, Shown::default());
        let line = "\n1 of 3 variables kept as they are: variable1\nfile 20.0 MiB -> 5.0 MiB";
        assert!(text.contains(line), "{text}");
        kept.variables.iter_mut().for_each(|one| one.kept = true);
        let text = of_file(&kept, Shown::default());
        assert!(
            text.contains("\nall variables kept as they are\nfile 20.0 MiB"),
            "{text}"
        );
        kept.kept_input = true;
        let text = of_file(&kept, Shown::default());
        assert!(text.contains("\nfile 20.0 MiB, kept as it is\n"), "{text}");
        assert!(!text.contains("variables kept"), "{text}");
        assert_eq!(line_of(&kept), "in.nc: 20.0 MiB, kept as it is, 0.50 s\n");
        let all = of_all(&[kept.clone(), report(1)], Others::default(), 1.0);
        assert!(all.starts_with("\n2 files, 1 kept as it is: "), "{all}");
        kept.dry_run = true;
        let text = of_file(&kept, Shown::default());
        assert!(
            text.contains("\npredicted: file 20.0 MiB, kept as it is\n"),
            "{text}"
        );
    }

    #[test]
    fn several_files_are_summed() {
        assert_eq!(
            of_all(&[report(1), report(1)], Others::default(), 1.0),
            "\n2 files: 40.0 MiB -> 10.0 MiB (75.0 % smaller), 1.00 s, 12.6 MB/s\n"
        );
        assert_eq!(of_all(&[], Others::default(), 1.0), "");
        let others = |skipped, failed| Others { skipped, failed };
        let done_before = of_all(&[], others(3, 0), -0.0);
        assert_eq!(done_before, "\n0 files, 3 done before\n");
        let failed = of_all(&[], others(4, 1), 0.0);
        assert_eq!(failed, "\n0 files, 4 done before, 1 failed\n");
        let one = of_all(&[report(1)], others(0, 2), 1.0);
        assert!(one.starts_with("\n1 file, 2 failed: "), "{one}");
    }
}
