//! Files that are written over without a question must be named for what they are, so that no data
//! are lost by a slip.

use std::path::{Path, PathBuf};

/// A page.
pub(super) fn html(text: &str) -> Result<PathBuf, String> {
    named(text, "html")
}

/// A picture.
pub(super) fn svg(text: &str) -> Result<PathBuf, String> {
    named(text, "svg")
}

/// A picture or a page.
pub(super) fn svg_or_html(text: &str) -> Result<PathBuf, String> {
    svg(text)
        .or_else(|_| html(text))
        .map_err(|_| "its name must end with .svg or .html".to_owned())
}

fn named(text: &str, extension: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    match path.extension() {
        Some(found) if found.eq_ignore_ascii_case(extension) => Ok(path.into()),
        _ => Err(format!("its name must end with .{extension}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_and_pictures_are_written_over() {
        assert_eq!(html("a/b.HTML"), Ok("a/b.HTML".into()));
        assert_eq!(svg("b.svg"), Ok("b.svg".into()));
        for name in ["b.nc", "html", ".html", "b.html/"] {
            assert!(svg(name).is_err(), "{name}");
        }
        assert_eq!(svg_or_html("b.svg"), Ok("b.svg".into()));
        assert_eq!(svg_or_html("b.html"), Ok("b.html".into()));
        assert!(svg_or_html("b.json").is_err());
        assert!(html("b.nc").is_err() && html(".html").is_err());
    }
}
