//! The rows of all variables whose elements have the same number of bits.

use frazil::{DataOrigin, VariableInformation};

use super::{INK, MARGIN, MARK, NONE, QUIET, centred, line, rectangle, text};
use crate::colour::{self, Map};
use crate::markup::{Element, px, shorten};
use crate::number;

/// Height of a row, and of the cells in it.
const ROW: f64 = 22.0;
const CELL_HEIGHT: f64 = 18.0;
/// Height of the heads over the rows.
const HEAD: f64 = 44.0;
/// Where cells begin and how much room they have, separators included.
const CELLS_LEFT: f64 = 210.0;
const CELLS_WIDTH: f64 = 500.0;
/// Space between sign, exponent and mantissa.
const SEPARATOR: f64 = 7.0;
/// Right edges of the columns of numbers, and their heads.
const COLUMNS: [(f64, &str); 4] = [
    (778.0, "total bits"),
    (838.0, "keep bits"),
    (908.0, "share"),
    (976.0, "max. error"),
];
/// Characters of a variable's name that fit beside the cells.
const NAME_CHARACTERS: usize = 24;

/// How an IEEE 754 number is divided: exponent bits by its size in bits; other sizes have none.
fn exponent_bits(bits: usize) -> usize {
    match bits {
        16 => 5,
        32 => 8,
        64 => 11,
        _ => 0,
    }
}

/// Variables with `bits` bits per element.
#[derive(Debug)]
pub(super) struct Panel<'a> {
    bits: usize,
    rows: Vec<&'a VariableInformation>,
}

impl<'a> Panel<'a> {
    pub(super) fn new(bits: usize, rows: Vec<&'a VariableInformation>) -> Self {
        Self { bits, rows }
    }

    pub(super) fn height(&self) -> f64 {
        HEAD + ROW * self.rows.len() as f64
    }

    /// The panel with its upper edge at `top`.
    pub(super) fn draw(&self, top: f64) -> Element {
        let mut group = Element::new("g").children(self.heads(top));
        let mut earlier = None;
        for (number, row) in self.rows.iter().enumerate() {
            let y = top + HEAD + ROW * number as f64;
            group = group.children(self.row(row, y));
            let mark = self.mark(row);
            group = group.children(mark_lines(earlier, mark, y));
            earlier = mark;
        }
        group
    }

    /// First mantissa bit.
    fn mantissa(&self) -> usize {
        match exponent_bits(self.bits) {
            0 => 0,
            exponent => (1 + exponent).min(self.bits),
        }
    }

    /// Left edge of a bit's cell; for one past the last bit, the right edge of that.
    fn left_of(&self, bit: usize) -> f64 {
        let mantissa = self.mantissa();
        let separators =
            usize::from(mantissa > 0 && bit >= 1) + usize::from(mantissa > 0 && bit >= mantissa);
        CELLS_LEFT + self.cell_width() * bit as f64 + SEPARATOR * separators as f64
    }

    fn cell_width(&self) -> f64 {
        (CELLS_WIDTH - 2.0 * SEPARATOR) / self.bits.max(1) as f64
    }

    /// Titles over cells and numbers.
    fn heads(&self, top: f64) -> Vec<Element> {
        let element = self.rows.first().map_or("", |row| row.element.as_str());
        let name = text(MARGIN, top + 34.0, element, INK, 13.0).with("font-weight", 600);
        let mut heads = vec![name];
        let mantissa = self.mantissa();
        if mantissa > 0 {
            heads.push(centred(self.middle(0, 1), top + 20.0, "±"));
            heads.push(centred(self.middle(1, mantissa), top + 20.0, "exponent"));
        }
        if self.bits > mantissa {
            heads.push(centred(
                self.middle(mantissa, self.bits),
                top + 20.0,
                "mantissa",
            ));
        }
        for bit in mantissa..self.bits {
            let number = bit - mantissa + 1;
            if number == 1 || number.is_multiple_of(5) {
                heads.push(centred(self.middle(bit, bit + 1), top + 37.0, number));
            }
        }
        heads.extend(COLUMNS.map(|(x, title)| right(x, top + 37.0, title, QUIET, 11.0)));
        heads
    }

    /// The middle of the bits from `first` up to, not including, `end`.
    fn middle(&self, first: usize, end: usize) -> f64 {
        let last = end.saturating_sub(1);
        (self.left_of(first) + self.left_of(last) + self.cell_width()) / 2.0
    }

    fn row(&self, row: &VariableInformation, y: f64) -> Vec<Element> {
        let baseline = y + 13.5;
        let name = shorten(&row.path, NAME_CHARACTERS);
        let name = text(MARGIN, baseline, name, INK, 12.5)
            .child(Element::new("title").text(format!("{}: {}", row.path, row.reason)));
        let mut parts = vec![name];
        for (bit, &information) in row.information.iter().enumerate() {
            let fill = match information > 0.0 {
                true => colour::hex(Map::Information.colour(information)),
                false => NONE.into(),
            };
            let at = (self.left_of(bit), y);
            // A hair of white between cells of float32; those of float64 are too narrow for it.
            let gap = if self.cell_width() > 12.0 { 1.0 } else { 0.5 };
            parts.push(rectangle(at, (self.cell_width() - gap, CELL_HEIGHT), &fill));
        }
        let numbers = numbers(row);
        let columns = COLUMNS.iter().zip(numbers);
        parts.extend(columns.map(|(&(x, _), number)| right(x, baseline, number, INK, 12.5)));
        parts
    }

    /// Where the recommended bits of a row end.
    fn mark(&self, row: &VariableInformation) -> Option<f64> {
        let bit = self.mantissa() + row.significant_bits? as usize;
        // All bits kept: nothing to mark.
        (bit < self.bits).then(|| self.left_of(bit) - 0.5)
    }
}

/// Information, bits, share and error of a row.
fn numbers(row: &VariableInformation) -> [String; 4] {
    let information: f64 = row.information.iter().filter(|bit| bit.is_finite()).sum();
    let keep = match row.significant_bits {
        Some(bits) => bits.to_string(),
        None => "all".into(),
    };
    let kept = row.preserved_information.map(number::percent);
    let error = row.relative_bound.map(|bound| format!("{bound:.1e}"));
    // Who keeps all bits wants to know why.
    let error = error.or_else(|| origin(row.origin));
    [
        format!("{information:.2}"),
        keep,
        kept.unwrap_or_default(),
        error.unwrap_or_default(),
    ]
}

/// Where values come from that are not their own, in few words.
fn origin(origin: DataOrigin) -> Option<String> {
    match origin {
        DataOrigin::Rounded { significant_bits } | DataOrigin::Groomed { significant_bits } => {
            Some(format!("rounded to {significant_bits}"))
        }
        DataOrigin::UnpackedIntegers { .. } => Some("from integers".into()),
        DataOrigin::Repeating { distinct } => Some(format!("{distinct} values")),
        DataOrigin::Continuous | DataOrigin::Constant | DataOrigin::TooFew => None,
    }
}

/// The step line that marks the recommended bits: this row's piece and its link to the row above.
fn mark_lines(earlier: Option<f64>, mark: Option<f64>, y: f64) -> Vec<Element> {
    let Some(x) = mark else { return Vec::new() };
    let between = y - (ROW - CELL_HEIGHT) / 2.0;
    let mut lines = vec![line((x, between), (x, between + ROW), MARK, 2.5)];
    if let Some(above) = earlier.filter(|&above| px(above) != px(x)) {
        let (left, right) = (above.min(x) - 1.2, above.max(x) + 1.2);
        lines.push(line((left, between), (right, between), MARK, 2.5));
    }
    lines
}

fn right(x: f64, y: f64, words: impl std::fmt::Display, colour: &str, size: f64) -> Element {
    text(x, y, words, colour, size).with("text-anchor", "end")
}
