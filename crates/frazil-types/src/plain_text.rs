//! Text of a file made fit to be shown: names and values are the file's to choose, and a terminal,
//! a browser or an editor obeys some characters in place of showing them.

use std::borrow::Cow;
use std::path::Path;

/// Whether a character is shown and nothing else: no control character (C0, DEL, C1), no line
/// break, nothing that turns the direction of the text around, nothing invisible.
///
/// These are the controls and, of Unicode's format characters (category Cf), all but the visible
/// signs of some scripts; with the line and paragraph separators.
#[must_use]
pub fn is_plain(character: char) -> bool {
    !character.is_control()
        && !matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Text in which every character that is not [plain](is_plain) is written out: `\n`, `\u{1b}`,
/// `\u{202e}`.
#[must_use]
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_plain(character) {
            true => written.push(character),
            false => written.extend(character.escape_default()),
        }
    }
    Cow::Owned(written)
}

/// A URL without what is secret in it: user names, passwords, and the query, which signs.
#[must_use]
pub fn without_secrets(url: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = url.split_once("://") else {
        return Cow::Borrowed(url);
    };
    // In keys of buckets, `?` and `#` are characters as others, and Azure names the container before an `@`.
    if !(scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")) {
        return Cow::Borrowed(url);
    }
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    Cow::Owned(format!("{scheme}://{host}{path}"))
}

/// A path as [`plain`] text; bytes that are not UTF-8 are written out: `\xff`. Of a URL, without what is secret in it.
#[must_use]
pub fn plain_path(path: &Path) -> String {
    if let Some(text) = path.to_str() {
        return plain(&without_secrets(text)).into_owned();
    }
    let mut written = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        written.push_str(&plain(chunk.valid()));
        for byte in chunk.invalid() {
            written.push_str(&format!("\\x{byte:02x}"));
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn what_is_shown_stays() {
        for text in [
            "/tas",
            "Temperatur über Grund",
            "海面水温",
            "a\u{301}",
            "°C",
            "🌊",
        ] {
            assert!(matches!(plain(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn what_a_terminal_obeys_is_written_out() {
        assert_eq!(
            plain("a\u{1b}[31mb\nc\t\u{7f}"),
            "a\\u{1b}[31mb\\nc\\t\\u{7f}"
        );
        assert_eq!(plain("\u{9b}2J"), "\\u{9b}2J");
        for character in
            "\u{202a}\u{202e}\u{2066}\u{2069}\u{200e}\u{61c}\u{200b}\u{2028}\u{feff}\u{e0041}"
                .chars()
        {
            let text = plain(&character.to_string()).into_owned();
            assert_eq!(text, format!("\\u{{{:x}}}", u32::from(character)));
        }
        // Text that is plain is not written out again.
        assert_eq!(plain(&plain("\u{1b}")), "\\u{1b}");
    }

    #[test]
    fn bytes_that_are_no_text_are_written_out() {
        let path = Path::new(OsStr::from_bytes(b"a\xff\x1bb.nc"));
        assert_eq!(plain_path(path), "a\\xff\\u{1b}b.nc");
    }
}
