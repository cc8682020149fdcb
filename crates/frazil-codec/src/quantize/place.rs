//! Where a box of values lies in its variable.

use crate::error::CodecError;

/// A box of a variable: the chunk, slab or whole whose values are rounded. All three slices have
/// one number per dimension, slowest first; none for a scalar.
#[derive(Debug, Clone, Copy)]
pub struct BoxPlace<'a> {
    /// Shape of the variable, in elements.
    pub shape: &'a [u64],
    /// The box's first element.
    pub start: &'a [u64],
    /// Elements along each dimension; chunks at the edge may reach beyond the variable.
    pub count: &'a [u64],
}

impl BoxPlace<'_> {
    /// Checks that the box has as many elements as there are values.
    pub(super) fn check(&self, bytes: usize, element_bytes: usize) -> Result<(), CodecError> {
        if self.start.len() != self.shape.len() || self.count.len() != self.shape.len() {
            return Err(CodecError::InvalidParameters {
                filter: "quantize",
                reason: format!(
                    "a box of {} and {} dimensions in a variable of {}",
                    self.start.len(),
                    self.count.len(),
                    self.shape.len()
                ),
            });
        }
        let elements = self
            .count
            .iter()
            .try_fold(1_u64, |product, count| product.checked_mul(*count));
        let expected = elements
            .and_then(|elements| usize::try_from(elements).ok())
            .and_then(|elements| elements.checked_mul(element_bytes))
            .unwrap_or(usize::MAX);
        if bytes != expected {
            return Err(CodecError::WrongSize {
                got: bytes,
                expected,
            });
        }
        Ok(())
    }
}
