//! References as JSON: kerchunk's format, version 1.

use std::io::{self, Write};

use super::attributes::quoted;
use super::{Reference, References};

/// What stands for the URL where that is said once.
const SHORT: &str = "{{u}}";

impl References {
    /// Writes the references as JSON; with `is_short`, the URL is said once, as a template: not every reader knows these.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_json(&self, is_short: bool, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"{\"version\":1,")?;
        if is_short {
            write!(out, "\"templates\":{{\"u\":{}}},", quoted(&self.url))?;
        }
        out.write_all(b"\"refs\":{")?;
        let url = quoted(if is_short { SHORT } else { &self.url });
        let mut next = "";
        self.each(|key, reference| {
            out.write_all(next.as_bytes())?;
            next = ",\n";
            serde_json::to_writer(&mut *out, key)?;
            out.write_all(b":")?;
            match reference {
                Reference::Text(text) => Ok(serde_json::to_writer(&mut *out, text)?),
                Reference::There { offset, length } => write!(out, "[{url},{offset},{length}]"),
            }
        })?;
        out.write_all(b"}}\n")
    }
}
