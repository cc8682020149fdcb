//! References as JSON: kerchunk's format, version 1.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::References;
use super::attributes::quoted;
use super::chunks::Place;

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
        for group in &self.groups {
            let prefix = &group.prefix;
            let (kind, attributes) = (format!("{prefix}.zgroup"), format!("{prefix}.zattrs"));
            write!(
                out,
                "{next}{}:{},",
                quoted(&kind),
                quoted("{\"zarr_format\":2}")
            )?;
            write!(out, "{}:{}", quoted(&attributes), quoted(&group.attributes))?;
            next = ",\n";
        }
        for array in &self.arrays {
            let (kind, attributes) = (
                format!("{}.zarray", array.key),
                format!("{}.zattrs", array.key),
            );
            write!(out, ",\n{}:{},", quoted(&kind), quoted(&array.array))?;
            write!(out, "{}:{}", quoted(&attributes), quoted(&array.attributes))?;
            let key = quoted(&array.key);
            let key = key.trim_end_matches('"');
            for chunk in &array.chunks {
                write!(out, ",\n{key}")?;
                write_numbers(out, &array.grid.indices(chunk.index))?;
                match &chunk.place {
                    Place::There { offset, length } => write!(out, "[{url},{offset},{length}]")?,
                    Place::Here(bytes) => write!(out, "\"base64:{}\"", STANDARD.encode(bytes))?,
                }
            }
        }
        out.write_all(b"}}\n")
    }
}

/// The end of a chunk's key: `0.1.2":`; of a scalar `0":`.
fn write_numbers(out: &mut impl Write, numbers: &[u64]) -> io::Result<()> {
    let (first, others) = numbers.split_first().unwrap_or((&0, &[]));
    write!(out, "{first}")?;
    for number in others {
        write!(out, ".{number}")?;
    }
    out.write_all(b"\":")
}
