//! Elements of a sample as integers and as numbers.

use frazil_types::{ByteOrder, ElementClass, ElementType};

/// Values from here on are no data: fill values are 10²⁰ and more.
const HUGE: f64 = 1e15;

/// Bytes of what is looked at as one value.
pub(super) fn width(element: ElementType) -> usize {
    match element.size_bytes {
        size @ (1 | 2 | 4 | 8) => size,
        _ => 1,
    }
}

/// Elements of one sample.
pub(super) struct Values<'a> {
    bytes: &'a [u8],
    element: ElementType,
    width: usize,
}

impl<'a> Values<'a> {
    pub(super) fn new(bytes: &'a [u8], element: ElementType) -> Self {
        let width = width(element);
        let whole = bytes.len() / width * width;
        Self {
            bytes: &bytes[..whole],
            element,
            width,
        }
    }

    /// At most `most` elements from the middle.
    pub(super) fn middle(bytes: &'a [u8], element: ElementType, most: usize) -> Self {
        let all = Self::new(bytes, element);
        let taken = all.len().min(most);
        let start = (all.len() - taken) / 2 * all.width;
        Self::new(&all.bytes[start..start + taken * all.width], element)
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() / self.width
    }

    /// Whether a value is an element, and not a byte of one.
    pub(super) fn is_whole(&self) -> bool {
        self.width == self.element.size_bytes
    }

    /// The bits of a value as an unsigned integer.
    pub(super) fn bits(&self, i: usize) -> u64 {
        let bytes = &self.bytes[i * self.width..(i + 1) * self.width];
        let little = match *bytes {
            [a] => return u64::from(a),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            // `width` knows no others.
            _ => 0,
        };
        match self.element.order {
            ByteOrder::Big => little.swap_bytes() >> (64 - 8 * self.width),
            ByteOrder::Little | ByteOrder::None => little,
        }
    }

    /// The bits of all values.
    pub(super) fn all_bits(&self) -> impl Iterator<Item = u64> {
        (0..self.len()).map(|i| self.bits(i))
    }

    fn number(&self, bits: u64) -> f64 {
        match (self.element.class, self.width) {
            (ElementClass::Float, 4) => f64::from(f32::from_bits(bits as u32)),
            (ElementClass::Float, 8) => f64::from_bits(bits),
            (ElementClass::SignedInteger, width) => {
                let unused = 64 - 8 * width as u32;
                ((bits << unused).cast_signed() >> unused) as f64
            }
            // Half precision, too: its bits are in the order of its values.
            _ => bits as f64,
        }
    }

    /// Evenly spread pairs of values `stride` apart, `most` of them, without fill values.
    pub(super) fn pairs(
        &self,
        stride: usize,
        most: usize,
        fill: Option<u64>,
    ) -> impl Iterator<Item = (f64, f64)> {
        let count = self.len().saturating_sub(stride);
        let taken = count.min(most);
        let data = move |bits: u64| {
            let number = self.number(bits);
            (Some(bits) != fill && number.abs() < HUGE).then_some(number)
        };
        (0..taken).filter_map(move |k| {
            let i = k * count / taken;
            Some((data(self.bits(i))?, data(self.bits(i + stride))?))
        })
    }
}
