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

    /// The bits of all values as unsigned integers.
    pub(super) fn all_bits(&self) -> Vec<u64> {
        // By width once, and not for every value: counting must take little beside packing.
        match self.width {
            1 => self.bytes.iter().map(|&byte| u64::from(byte)).collect(),
            2 => self.words(|cell| u16::from_le_bytes(cell).into()),
            4 => self.words(|cell| u32::from_le_bytes(cell).into()),
            _ => self.words(u64::from_le_bytes),
        }
    }

    fn words<const N: usize>(&self, read: impl Fn([u8; N]) -> u64) -> Vec<u64> {
        let cells = self.bytes.as_chunks::<N>().0.iter();
        match self.element.order {
            ByteOrder::Big => cells
                .map(|&cell| read(cell).swap_bytes() >> (64 - 8 * N))
                .collect(),
            ByteOrder::Little | ByteOrder::None => cells.map(|&cell| read(cell)).collect(),
        }
    }

    /// Adds evenly spread pairs of values `stride` apart, `most` of them, without fill values.
    pub(super) fn add_pairs(
        &self,
        stride: usize,
        most: usize,
        fill: Option<u64>,
        pairs: &mut Vec<(f64, f64)>,
    ) {
        let places = places(self.len().saturating_sub(stride), most);
        let places = places.map(|i| (i, i + stride));
        // By type once, and not for every pair: counting must take little beside packing.
        let word = |cell| u32::from_le_bytes(cell).into();
        let long = u64::from_le_bytes;
        let unused = 64 - 8 * self.width as u32;
        let signed = |bits: u64| ((bits << unused).cast_signed() >> unused) as f64;
        // Half precision, too: its bits are in the order of its values.
        let unsigned = |bits: u64| bits as f64;
        let is_signed = self.element.class == ElementClass::SignedInteger;
        let number: &dyn Fn(u64) -> f64 = if is_signed { &signed } else { &unsigned };
        match (self.width, self.element.class) {
            (4, ElementClass::Float) => {
                let number = |bits| f64::from(f32::from_bits(bits as u32));
                self.add_of(places, word, number, fill, pairs);
            }
            (8, ElementClass::Float) => self.add_of(places, long, f64::from_bits, fill, pairs),
            (1, _) => self.add_of(places, |[byte]: [u8; 1]| byte.into(), number, fill, pairs),
            (2, _) => {
                let half = |cell| u16::from_le_bytes(cell).into();
                self.add_of(places, half, number, fill, pairs);
            }
            (4, _) => self.add_of(places, word, number, fill, pairs),
            _ => self.add_of(places, long, number, fill, pairs),
        }
    }

    fn add_of<const N: usize>(
        &self,
        places: impl Iterator<Item = (usize, usize)>,
        read: impl Fn([u8; N]) -> u64,
        number: impl Fn(u64) -> f64,
        fill: Option<u64>,
        pairs: &mut Vec<(f64, f64)>,
    ) {
        let cells = self.bytes.as_chunks::<N>().0;
        let is_big_endian = self.element.order == ByteOrder::Big;
        let data = |i: usize| {
            let bits = match is_big_endian {
                true => read(cells[i]).swap_bytes() >> (64 - 8 * N),
                false => read(cells[i]),
            };
            let number = number(bits);
            (Some(bits) != fill && number.abs() < HUGE).then_some(number)
        };
        for (one, next) in places {
            if let (Some(one), Some(next)) = (data(one), data(next)) {
                pairs.push((one, next));
            }
        }
    }
}

/// Of `count` places `most`, evenly spread from the first on: the kth is ⌊k × count / most⌋.
fn places(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let taken = count.min(most);
    let (step, rest) = (count / taken.max(1), count % taken.max(1));
    let mut next = (0, 0);
    (0..taken).map(move |_| {
        let (place, left) = next;
        next = match left + rest >= taken {
            true => (place + step + 1, left + rest - taken),
            false => (place + step, left + rest),
        };
        place
    })
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn places_are_evenly_spread() {
        for (count, most) in [(0, 4), (3, 4), (10, 4), (4095, 2048), (100_003, 4096)] {
            let taken = count.min(most);
            let wanted: Vec<usize> = (0..taken).map(|k| k * count / taken).collect();
            assert_eq!(places(count, most).collect::<Vec<usize>>(), wanted);
        }
    }
}
