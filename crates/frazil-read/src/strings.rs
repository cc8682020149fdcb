//! Variables of texts.

use frazil_container::hdf5::{TextPadding, TypeClass};
use frazil_container::schema::VariableId;
use frazil_types::{AxisSelection, ErrorCode};

use super::reader::Reader;
use frazil_file::error::{Error, Result};

impl Reader {
    /// Reads texts of fixed or any length, without what pads them; bytes that are not UTF-8 become
    /// replacement characters.
    ///
    /// # Errors
    /// As [`Reader::read`]; [`ErrorCode::InvalidArgument`] if elements are no texts.
    pub fn read_strings(
        &self,
        id: VariableId,
        selections: &[AxisSelection],
    ) -> Result<Vec<String>> {
        let class = self.model().variables.get(id.0).map(|v| &v.datatype.class);
        let padding = match class {
            // Behind each text's length.
            Some(TypeClass::VariableText { .. }) => None,
            Some(TypeClass::FixedText { padding, .. }) => Some(*padding),
            _ => {
                let cause = format!("variable number {} holds no texts", id.0);
                return Err(Error::new(ErrorCode::InvalidArgument, cause).in_file(self.path()));
            }
        };
        let values = self.read_expanded(id, selections)?;
        let text = |i| {
            let element = values.element(i);
            let bytes = match padding {
                None => element.get(8..).unwrap_or_default(),
                Some(padding) => trimmed(element, padding),
            };
            String::from_utf8_lossy(bytes).into_owned()
        };
        Ok((0..values.len()).map(text).collect())
    }
}

fn trimmed(text: &[u8], padding: TextPadding) -> &[u8] {
    let end = match padding {
        TextPadding::NullTerminated => text.iter().position(|&byte| byte == 0),
        TextPadding::NullPadded => Some(length_without(text, 0)),
        TextPadding::SpacePadded => Some(length_without(text, b' ')),
    };
    &text[..end.unwrap_or(text.len())]
}

fn length_without(text: &[u8], padding: u8) -> usize {
    let last = text.iter().rposition(|&byte| byte != padding);
    last.map_or(0, |last| last + 1)
}
