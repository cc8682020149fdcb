//! Small pieces of text: names made harmless, long ones shortened, shapes, ratios.

use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that lines of words keep to.
pub(crate) const PROSE_COLUMNS: usize = 100;
/// Columns of a terminal that does not tell its width.
const USUAL_COLUMNS: usize = 80;
/// A narrower terminal gets lines of this many columns; it wraps them.
const LEAST_COLUMNS: usize = 40;

/// What [`measure_screen`] found.
static SCREEN: AtomicUsize = AtomicUsize::new(PROSE_COLUMNS);

/// Finds out how wide tables may be: as wide as the terminal. In a pipe or a file they take the room
/// that they need, so that nothing is left out for a program or for later.
pub(crate) fn measure_screen() {
    SCREEN.store(columns_of(&io::stdout()), Ordering::Relaxed);
}

/// The width of the terminal that a stream goes to; any if it goes elsewhere.
pub(crate) fn columns_of(stream: &(impl AsFd + IsTerminal)) -> usize {
    match rustix::termios::tcgetwinsize(stream) {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col).max(LEAST_COLUMNS),
        _ if stream.is_terminal() => USUAL_COLUMNS,
        _ => usize::MAX,
    }
}

/// Columns that tables and headings keep to.
pub(crate) fn screen_columns() -> usize {
    SCREEN.load(Ordering::Relaxed)
}

/// Columns that wrapped lines of words keep to.
pub(crate) fn prose_columns() -> usize {
    screen_columns().min(PROSE_COLUMNS)
}

/// Words in lines of at most `columns`, each behind an indent; longer words stay whole. So does what stands in
/// backticks, for people copy it.
pub(crate) fn wrapped(words: &str, indent: &str, columns: usize) -> String {
    let room = columns.saturating_sub(indent.len());
    let mut lines: Vec<String> = Vec::new();
    let mut is_quoted = false;
    let pieces = words.split(|c| {
        is_quoted ^= c == '`';
        c == ' ' && !is_quoted
    });
    for word in pieces {
        match lines.last_mut() {
            Some(line) if self::columns(line) + 1 + self::columns(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            // A gap at the end of a line.
            Some(_) if word.is_empty() => {}
            _ => lines.push(word.to_owned()),
        }
    }
    lines
        .iter()
        .map(|line| format!("{indent}{}\n", line.trim_end_matches(' ')))
        .collect()
}

/// A page whose lines of more than `columns` are wrapped at words, behind their own indent.
pub(crate) fn fitted(page: &str, columns: usize) -> Cow<'_, str> {
    let is_wide = |line: &str| self::columns(line) > columns;
    if !page.lines().any(is_wide) {
        return Cow::Borrowed(page);
    }
    let fit = |line: &str| match is_wide(line) {
        false => format!("{line}\n"),
        true => {
            let words = line.trim_start_matches(' ');
            wrapped(words, &line[..line.len() - words.len()], columns)
        }
    };
    Cow::Owned(page.lines().map(fit).collect())
}

/// Text in which nothing is left that a terminal obeys; see [`frazil::plain`].
pub(crate) use frazil::plain;

/// A path made harmless for the terminal.
pub(crate) fn path(path: &Path) -> String {
    frazil::plain_path(path)
}

/// A page of lines as it may leave the program: as [`plain`], but for the ends of its lines and tabs.
///
/// Names are made plain where a page is composed, so that they cannot add lines; this is the last
/// door, through which nothing harmful goes whoever forgot that.
pub(crate) fn page(text: &str) -> Cow<'_, str> {
    let may_leave = |c: char| frazil::is_plain(c) || matches!(c, '\n' | '\t');
    if text.chars().all(may_leave) {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match may_leave(character) {
            true => written.push(character),
            false => written.extend(character.escape_default()),
        }
    }
    Cow::Owned(written)
}

/// A JSON document in which every character that is not plain is written as JSON does, `\u202e`.
/// Such characters stand within strings only, but for the ends of lines.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    let may_leave = |c: char| frazil::is_plain(c) || c == '\n';
    if text.chars().all(may_leave) {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if may_leave(character) {
            written.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            written.push_str(&format!("\\u{unit:04x}"));
        }
    }
    Cow::Owned(written)
}

/// Columns that `text` takes on the screen.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Takes the middle out of what is wider than `limit` columns: start and end tell most.
pub(crate) fn shorten(text: &str, limit: usize) -> Cow<'_, str> {
    if columns(text) <= limit {
        return Cow::Borrowed(text);
    }
    let room = limit.saturating_sub(1);
    Cow::Owned(ends(text, room / 2, room - room / 2))
}

/// The first and the last columns of a text.
pub(crate) fn ends(text: &str, head: usize, tail: usize) -> String {
    format!(
        "{}…{}",
        fitting(text.chars(), head),
        fitting_end(text, tail)
    )
}

/// As many last characters as fit into `room` columns.
pub(crate) fn fitting_end(text: &str, room: usize) -> String {
    let reversed: Vec<char> = fitting(text.chars().rev(), room).chars().collect();
    reversed.into_iter().rev().collect()
}

/// As many leading characters as fit into `room` columns.
pub(crate) fn fitting(characters: impl Iterator<Item = char>, room: usize) -> String {
    let mut used = 0;
    characters
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= room
        })
        .collect()
}

/// `8760x180x360`; `scalar` for no axes.
pub(crate) fn shape(extents: &[u64]) -> String {
    if extents.is_empty() {
        return "scalar".into();
    }
    let extents: Vec<String> = extents.iter().map(u64::to_string).collect();
    extents.join("x")
}

/// How many times smaller `stored` is than `raw`; `-` where nothing is stored.
pub(crate) fn ratio(raw: u64, stored: u64) -> String {
    if stored == 0 {
        return "-".into();
    }
    let ratio = raw as f64 / stored as f64;
    match ratio < 1e7 {
        true => format!("{ratio:.2}"),
        // Of what was hardly written at all.
        false => format!("{ratio:.1e}"),
    }
}

/// `1 file`, `2 files`.
pub(crate) fn count(number: u64, singular: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {singular}{ending}")
}

/// Why a value of the form `VARIABLE:VALUE` whose name is empty is refused: an unset variable of a script must not
/// mean all variables of a file.
pub(crate) fn nameless(stated: &str) -> String {
    format!(
        "`{stated}`: a name is missing before the colon; for all variables, leave the colon out"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_stay_off_the_terminal() {
        assert_eq!(page("/tas\n\tb"), "/tas\n\tb");
        assert_eq!(page("a\u{1b}[31m\n\u{202e}"), "a\\u{1b}[31m\n\\u{202e}");
    }

    #[test]
    fn json_stays_json() {
        let name = "\u{1b}\u{9b}\u{202e}\u{e0041}\u{7f}é";
        let text = serde_json::to_string_pretty(&[name]).unwrap();
        let written = json(&text);
        assert!(written.chars().all(|c| frazil::is_plain(c) || c == '\n'));
        assert_eq!(
            serde_json::from_str::<Vec<String>>(&written).unwrap(),
            [name]
        );
    }

    #[test]
    fn the_middle_is_taken_out() {
        assert_eq!(shorten("/group/tas", 10), "/group/tas");
        assert_eq!(shorten("/group/temperature", 11), "/grou…ature");
        assert_eq!(shorten("abc", 1), "…");
        // Wide characters count twice.
        assert!(columns(&shorten("海面水温海面水温", 9)) <= 9);
    }

    #[test]
    fn long_lines_of_words_are_wrapped() {
        assert_eq!(wrapped("one two three", "  ", 9), "  one two\n  three\n");
        assert_eq!(wrapped("one", "", 1), "one\n");
        assert_eq!(wrapped("one  two", "", 4), "one\ntwo\n");
        assert_eq!(wrapped("a `b c` d", "", 5), "a\n`b c`\nd\n");
        assert_eq!(fitted("1 2 3\n  4 5\n", 5), "1 2 3\n  4 5\n");
        assert_eq!(fitted("1 2 3\n  4 5\n", 4), "1 2\n3\n  4\n  5\n");
    }

    #[test]
    fn numbers_are_written_out() {
        assert_eq!(shape(&[24, 180, 360]), "24x180x360");
        assert_eq!(shape(&[]), "scalar");
        assert_eq!(ratio(300, 100), "3.00");
        assert_eq!(ratio(300, 0), "-");
        assert_eq!(ratio(1 << 51, 1 << 14), "1.4e11");
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(0, "file"), "0 files");
    }
}
