//! What `analyze` found, as two tables: one row of numbers per variable, one of its bits.

use frazil::{AnalyzeReport, DataOrigin, VariableInformation};

use crate::abbreviations::Abbreviations;
use crate::commands::bounds::{number, percent};
use crate::table::{self, Column, Table};
use crate::text::{self, screen_columns};

/// Hardly any, and eighths of one bit of information.
const NONE: char = '·';
/// Bits of information that are hardly any.
const HARDLY_ANY: f64 = 0.01;
const EIGHTHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Columns that a long name keeps beside its bits.
const LEAST_NAME: usize = 6;
/// Stands behind the recommended bits.
const MARK: char = '|';

/// Both tables.
pub(super) fn of(report: &AnalyzeReport, all_variables: bool) -> String {
    let path = text::path(&report.path);
    let heading = text::shorten(&path, screen_columns());
    if report.variables.is_empty() {
        return format!("{heading}\nno floating-point variables to analyse\n");
    }
    let (telling, silent): (Vec<&VariableInformation>, Vec<_>) = report
        .variables
        .iter()
        .partition(|variable| all_variables || tells(variable));
    let (variables, hidden) = table::shown(&telling, all_variables, |variable| variable.pairs);
    let variables: Vec<&VariableInformation> = variables.into_iter().copied().collect();
    let tables = match variables.is_empty() {
        true => String::new(),
        false => format!(
            "{}{}\n{}\n",
            numbers(&variables).render(screen_columns()),
            table::left_out(hidden),
            bits(&variables)
        ),
    };
    format!(
        "{heading}\n{tables}{}{}, {:.2} s\n",
        reasons(telling.into_iter().chain(silent)),
        text::count(report.variables.len() as u64, "variable"),
        report.seconds
    )
}

/// Whether a variable has bits to show: constants and those with hardly any values have not.
fn tells(variable: &VariableInformation) -> bool {
    !matches!(variable.origin, DataOrigin::Constant | DataOrigin::TooFew)
}

/// Variables named in one line.
const NAMED: usize = 4;

/// Why all bits are kept: one line for each reason, with some of the variables that have it.
fn reasons<'a>(variables: impl Iterator<Item = &'a VariableInformation>) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for variable in variables.filter(|variable| variable.significant_bits.is_none()) {
        match groups
            .iter_mut()
            .find(|(reason, _)| *reason == variable.reason)
        {
            Some((_, paths)) => paths.push(&variable.path),
            None => groups.push((&variable.reason, vec![&variable.path])),
        }
    }
    let line = |(reason, paths): &(&str, Vec<&str>)| {
        let named = paths[..paths.len().min(NAMED)].join(", ");
        let more = match paths.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let line = format!("kept exact: {reason}: {named}{more}");
        format!("{}\n", text::plain(&line))
    };
    groups.iter().map(line).collect()
}

fn numbers(variables: &[&VariableInformation]) -> Table {
    let mut table = Table::new(vec![
        Column::words("variable"),
        Column::words("type").optional(),
        Column::words("along"),
        Column::number("masked").optional(),
        Column::words("origin"),
        Column::number("total bits").optional(),
        Column::number("keep"),
        Column::number("share"),
        Column::number("max error"),
    ]);
    for variable in variables {
        let total: f64 = variable.information.iter().sum();
        table.row(vec![
            variable.path.clone(),
            variable.element.clone(),
            axis(variable),
            masked(variable),
            origin(variable.origin),
            format!("{total:.2}"),
            variable
                .significant_bits
                .map_or_else(|| "all".into(), |bits| bits.to_string()),
            variable
                .preserved_information
                .map_or_else(|| "-".into(), percent),
            variable
                .relative_bound
                .map_or_else(|| "-".into(), |bound| format!("{} rel", number(bound))),
        ]);
    }
    table
}

/// The name of the axis along which neighbours were compared, or its number.
fn axis(variable: &VariableInformation) -> String {
    match &variable.axis {
        None => "-".into(),
        Some((place, name)) if name.is_empty() => format!("axis {place}"),
        Some((_, name)) => name.clone(),
    }
}

fn masked(variable: &VariableInformation) -> String {
    let elements: f64 = variable.shape.iter().map(|&extent| extent as f64).product();
    match variable.masked {
        0 => "-".into(),
        masked => percent(masked as f64 / elements.max(1.0)),
    }
}

/// Where the values seem to come from, in words.
fn origin(origin: DataOrigin) -> String {
    match origin {
        DataOrigin::Continuous => "continuous".into(),
        DataOrigin::Rounded { significant_bits } => format!("rounded to {significant_bits}"),
        DataOrigin::Groomed { significant_bits } => format!("groomed to {significant_bits}"),
        DataOrigin::UnpackedIntegers { step } => format!("integers x {}", number(step)),
        DataOrigin::Repeating { distinct } => format!("{distinct} values"),
        DataOrigin::Constant => "constant".into(),
        DataOrigin::TooFew => "too few values".into(),
    }
}

/// The bits of all variables, those of equal size under one head.
fn bits(variables: &[&VariableInformation]) -> String {
    let mut sizes: Vec<usize> = variables.iter().map(|v| v.information.len()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut text = String::from("information in each bit: sign, exponent, mantissa\n");
    for size in sizes {
        let layout = Layout::of(size);
        let same = |variable: &&&VariableInformation| variable.information.len() == size;
        let rows: Vec<_> = variables.iter().filter(same).collect();
        let room = screen_columns().saturating_sub(layout.columns());
        let names = rows
            .iter()
            .map(|row| text::columns(&text::plain(&row.path)));
        // Where the bits fill the screen, rows are wrapped behind the names.
        let width = names.max().unwrap_or(0).min(room.max(LEAST_NAME));
        text.push_str(&line("", &layout.ruler(), width));
        let short = Abbreviations::of(rows.iter().map(|row| row.path.as_str()), width);
        for row in &rows {
            let drawn = layout.row(&row.information, row.significant_bits);
            text.push_str(&line(short.form(&row.path), &drawn, width));
        }
    }
    let [least, .., most] = EIGHTHS;
    text.push_str(&format!(
        "{NONE} under {HARDLY_ANY}  {least} to {most} up to one bit  {MARK} end of the bits to keep\n"
    ));
    text
}

/// A name in `width` columns and what stands beside it.
fn line(name: &str, beside: &str, width: usize) -> String {
    let name = text::plain(name);
    let name = text::shorten(&name, width);
    let padding = " ".repeat(width - text::columns(&name));
    let line = format!("{name}{padding}  {beside}");
    format!("{}\n", line.trim_end())
}

/// How the bits of an IEEE 754 number are divided.
#[derive(Debug, Clone, Copy)]
struct Layout {
    bits: usize,
    /// First mantissa bit; 0 for sizes that are not known.
    mantissa: usize,
}

impl Layout {
    fn of(bits: usize) -> Self {
        let mantissa = match bits {
            16 => 6,
            32 => 9,
            64 => 12,
            _ => 0,
        };
        Self { bits, mantissa }
    }

    /// Columns of a row: bits, two gaps, the mark, and the gap to the name.
    fn columns(self) -> usize {
        self.bits + 5
    }

    /// Numbers of the mantissa's bits over their places.
    fn ruler(self) -> String {
        let mut ruler = String::new();
        let start = if self.mantissa > 0 {
            self.mantissa + 2
        } else {
            0
        };
        for number in (0..self.bits - self.mantissa).map(|place| place + 1) {
            if number != 1 && number % 5 != 0 {
                continue;
            }
            let label = number.to_string();
            // The last digit stands over the bit.
            let at = start + number - label.len();
            ruler.push_str(&" ".repeat(at.saturating_sub(ruler.len())));
            ruler.push_str(&label);
        }
        ruler
    }

    /// The bits of one variable; the mark takes a column of its own.
    fn row(self, information: &[f64], keep: Option<u32>) -> String {
        let mark = keep.map(|bits| self.mantissa.saturating_add(bits as usize));
        let mut row = String::new();
        for (place, &information) in information.iter().enumerate() {
            if self.mantissa > 0 && (place == 1 || place == self.mantissa) {
                row.push(' ');
            }
            if mark == Some(place) {
                row.push(MARK);
            }
            row.push(block(information));
        }
        row
    }
}

/// A share of one bit as a block.
fn block(information: f64) -> char {
    if information.is_nan() || information < HARDLY_ANY {
        return NONE;
    }
    let eighth = (information * 8.0).ceil().clamp(1.0, 8.0) as usize - 1;
    EIGHTHS[eighth]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(path: &str, bits: usize) -> VariableInformation {
        let mantissa = Layout::of(bits).mantissa;
        let mut information = vec![0.0; bits];
        information[mantissa - 1] = 1.0;
        information[mantissa] = 0.5;
        information[mantissa + 1] = 0.01;
        VariableInformation {
            path: path.into(),
            element: format!("float{bits}"),
            shape: vec![10, 100],
            axis: Some((1, "lon".into())),
            pairs: 990,
            masked: 10,
            information,
            origin: DataOrigin::Continuous,
            keep_information: 0.99,
            significant_bits: Some(2),
            preserved_information: Some(0.9999),
            relative_bound: Some(0.125),
            reason: "enough".into(),
            votes: Vec::new(),
        }
    }

    fn report(variables: Vec<VariableInformation>) -> AnalyzeReport {
        AnalyzeReport {
            path: "in.nc".into(),
            variables,
            notices: Vec::new(),
            seconds: 0.5,
        }
    }

    #[test]
    fn the_tables_read_well() {
        let mut rounded = variable("/b", 32);
        rounded.origin = DataOrigin::Rounded {
            significant_bits: 7,
        };
        rounded.significant_bits = None;
        rounded.reason = "already rounded to 7 bits".into();
        rounded.preserved_information = None;
        rounded.relative_bound = None;
        rounded.masked = 0;
        rounded.axis = Some((0, String::new()));
        let expected = "\
in.nc
variable  type     along   masked  origin        total bits  keep   share  max error
--------  -------  ------  ------  ------------  ----------  ----  ------  ---------
/a        float32  lon      1.0 %  continuous          1.51     2  99.9 %   0.12 rel
/b        float32  axis 0       -  rounded to 7        1.51   all       -          -

information in each bit: sign, exponent, mantissa
               1   5   10   15   20
/a  · ·······█ ▄▁|·····················
/b  · ·······█ ▄▁·····················
· under 0.01  ▁ to █ up to one bit  | end of the bits to keep

kept exact: already rounded to 7 bits: /b
2 variables, 0.50 s
";
        let text = of(&report(vec![variable("/a", 32), rounded]), false);
        assert_eq!(text, expected, "{text}");
    }

    #[test]
    fn long_names_and_doubles_fit_the_screen() {
        let long = "/a/very/long/path/of/groups".repeat(5);
        let text = of(
            &report(vec![variable(&long, 64), variable("/b", 32)]),
            false,
        );
        let widest = text.lines().map(text::columns).max();
        assert!(widest <= Some(screen_columns()), "{text}");
    }

    #[test]
    fn constants_take_one_line() {
        let constant = |path: String| {
            let mut constant = variable(&path, 32);
            constant.origin = DataOrigin::Constant;
            constant.significant_bits = None;
            constant.reason = "one value only, or none".into();
            constant
        };
        let report = report(
            (0..6)
                .map(|number| constant(format!("/c{number}")))
                .collect(),
        );
        let line = "kept exact: one value only, or none: /c0, /c1, /c2, /c3 and 2 more\n";
        assert_eq!(
            of(&report, false),
            format!("in.nc\n{line}6 variables, 0.50 s\n")
        );
        assert!(of(&report, true).contains("\n/c5  "));
    }

    #[test]
    fn nothing_and_odd_sizes_are_said_too() {
        assert!(of(&report(Vec::new()), false).contains("no floating-point variables"));
        let mut odd = variable("/a\u{1b}", 32);
        odd.information = vec![f64::NAN, -1.0, 2.0];
        odd.significant_bits = Some(u32::MAX);
        let mut none = variable("/c", 32);
        none.information.clear();
        let text = of(&report(vec![odd, none]), false);
        assert!(text.contains("··█\n") && !text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn blocks_are_eighths() {
        let drawn = [f64::NAN, 0.0, 0.009, 0.01, 0.126, 1.0].map(block);
        assert_eq!(drawn, [NONE, NONE, NONE, '▁', '▂', '█']);
    }
}
