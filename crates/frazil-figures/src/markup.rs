//! XML elements as a tree that is escaped when it is written.
//!
//! Text and attribute values may come from files; they reach the result only through [`escape`], so
//! that no name can become markup. The output is well-formed XML and valid HTML at once.

use std::fmt::{self, Display, Formatter, Write};

/// Elements that HTML writes without an end tag.
const VOID: [&str; 3] = ["br", "img", "meta"];

/// One element; names of elements and attributes are literals of the program.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Node>,
}

#[derive(Debug, Clone)]
enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    /// An element without attributes and content.
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            attributes: Vec::new(),
            children: Vec::new(),
        }
    }

    /// Adds an attribute.
    pub(crate) fn with(mut self, name: &'static str, value: impl Display) -> Self {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// Adds text.
    pub(crate) fn text(mut self, text: impl Display) -> Self {
        self.children.push(Node::Text(text.to_string()));
        self
    }

    /// Adds an element.
    pub(crate) fn child(mut self, child: Self) -> Self {
        self.children.push(Node::Element(child));
        self
    }

    /// Adds elements.
    pub(crate) fn children(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.children
            .extend(children.into_iter().map(Node::Element));
        self
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "<{}", self.name)?;
        for (name, value) in &self.attributes {
            write!(f, " {name}=\"")?;
            escape(value, f)?;
            f.write_char('"')?;
        }
        if VOID.contains(&self.name) {
            return f.write_str("/>");
        }
        f.write_char('>')?;
        for child in &self.children {
            match child {
                Node::Element(element) => element.fmt(f)?,
                Node::Text(text) => escape(text, f)?,
            }
        }
        write!(f, "</{}>", self.name)
    }
}

/// Writes text so that it stays text, between tags and between double or single quotes.
fn escape(text: &str, out: &mut impl Write) -> fmt::Result {
    for character in text.chars() {
        match character {
            '&' => out.write_str("&amp;")?,
            '<' => out.write_str("&lt;")?,
            '>' => out.write_str("&gt;")?,
            '"' => out.write_str("&quot;")?,
            '\'' => out.write_str("&#39;")?,
            '\n' | '\t' => out.write_char(character)?,
            // XML 1.0 (section 2.2) has no place for these, escaped or not.
            // Nor has a reader for what turns text around or hides in it.
            c if !frazil::is_plain(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.write_char('\u{fffd}')?;
            }
            c => out.write_char(c)?,
        }
    }
    Ok(())
}

/// A coordinate in a drawing, to a tenth of a pixel; NaN and infinities become 0.
pub(crate) fn px(value: f64) -> f64 {
    match value.is_finite() {
        // Adding zero makes -0 plain.
        true => (value * 10.0).round() / 10.0 + 0.0,
        false => 0.0,
    }
}

/// Takes the middle out of a text of more than `limit` characters: start and end tell most.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= limit {
        return text.into();
    }
    let room = limit.saturating_sub(1);
    let (head, tail) = (room / 2, room - room / 2);
    let start = characters[..head].iter();
    let end = characters[characters.len() - tail..].iter();
    start.chain(['…'].iter()).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_text() {
        let evil = "\"><script>alert('1')</script>&\u{1b}\0";
        let element = Element::new("p").with("title", evil).text(evil);
        let text = element.to_string();
        assert!(!text.contains("<script") && !text.contains('\u{1b}'));
        let document = roxmltree::Document::parse(&text).unwrap();
        let expected = "\"><script>alert('1')</script>&\u{fffd}\u{fffd}";
        assert_eq!(document.root_element().text(), Some(expected));
        assert_eq!(document.root_element().attribute("title"), Some(expected));
    }

    #[test]
    fn elements_nest() {
        let item = |text| Element::new("li").text(text);
        let list = Element::new("ul").children([item("a"), item("b")]);
        let body = Element::new("div")
            .child(list)
            .child(Element::new("br"))
            .child(Element::new("i"));
        assert_eq!(
            body.to_string(),
            "<div><ul><li>a</li><li>b</li></ul><br/><i></i></div>"
        );
    }

    #[test]
    fn coordinates_are_short_and_never_nan() {
        assert_eq!(px(1.26).to_string(), "1.3");
        assert_eq!(px(-0.001).to_string(), "0");
        assert_eq!(px(f64::NAN), 0.0);
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shorten("/tas", 4), "/tas");
        assert_eq!(shorten("/group/tas", 7), "/gr…tas");
        assert_eq!(shorten("海面水温海面", 5), "海面…海面");
    }
}
