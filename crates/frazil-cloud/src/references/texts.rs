//! Texts of any length: they lie in heaps of the file, so they go into the references themselves.

use frazil_container::schema::VariableId;
use frazil_read::Reader;
use frazil_types::AxisSelection;

use super::{Described, Refusal};

/// Most texts of one variable, and most bytes of them.
const MOST_TEXTS: u64 = 1 << 20;
const MOST_BYTES: usize = 16 << 20;

/// All texts of a variable as numcodecs' `vlen-utf8` has them: their number, and each behind its length.
pub(super) fn encoded(reader: &Reader, id: VariableId, shape: &[u64]) -> Described<Vec<u8>> {
    let count = shape
        .iter()
        .try_fold(1_u64, |product, &n| product.checked_mul(n));
    let too_many = || Refusal::new("it has more strings than references can hold (16 MiB)");
    let count = count
        .filter(|&count| count <= MOST_TEXTS)
        .ok_or_else(too_many)?;
    let all: Vec<AxisSelection> = shape.iter().map(|&n| AxisSelection::all(n)).collect();
    let texts = reader.read_expanded(id, &all)?;
    if texts.bytes().len() > MOST_BYTES {
        return Err(too_many().into());
    }
    let mut encoded = Vec::with_capacity(texts.bytes().len());
    encoded.extend_from_slice(&(count as u32).to_le_bytes());
    for i in 0..texts.len() {
        // Behind its length.
        let text = texts.element(i).get(8..).unwrap_or_default();
        if std::str::from_utf8(text).is_err() {
            return Err(Refusal::new("some of its strings are not UTF-8").into());
        }
        encoded.extend_from_slice(&(text.len() as u32).to_le_bytes());
        encoded.extend_from_slice(text);
    }
    Ok(encoded)
}
