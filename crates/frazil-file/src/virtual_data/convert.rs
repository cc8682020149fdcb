//! Elements of a source as those of a virtual dataset, converted as libhdf5 does.

use frazil_container::hdf5::{NumberConversion, TextPadding, TypeClass, TypeDescription};
use frazil_types::{ByteOrder, ElementClass};

/// The way from one element to another.
#[derive(Debug, Clone)]
pub(super) struct Conversion {
    from_bytes: usize,
    to_bytes: usize,
    way: Way,
}

#[derive(Debug, Clone)]
enum Way {
    Same,
    Number(Number, WholeNumber),
    Text(TextPadding, TextPadding),
    /// Parts of an element: where each is in both.
    Parts(Vec<(usize, usize, Conversion)>),
}

/// A number that is read.
#[derive(Debug, Clone)]
enum Number {
    Usual(WholeNumber),
    /// One that no machine has, by way of a number of 8 bytes.
    Odd(NumberConversion, ElementClass),
}

/// A number of 1 to 8 bytes of which all bits count.
#[derive(Debug, Clone, Copy)]
struct WholeNumber {
    class: ElementClass,
    bytes: usize,
    is_big_endian: bool,
}

/// The value of a number.
#[derive(Debug, Clone, Copy)]
enum Value {
    Integer(i128),
    Float(f64),
    /// As [`Self::Float`], of 4 bytes.
    Single(f64),
}

impl Conversion {
    /// The way from elements of one type, as they lie in a file, to those of another; `None` if libhdf5 has none, or a
    /// rare one that is not here.
    pub(super) fn between(from: &TypeDescription, to: &TypeDescription) -> Option<Self> {
        let way = if is_same(from, to) || (from.is_indirect() && means_the_same(from, to)) {
            Way::Same
        } else {
            different(from, to)?
        };
        Some(Self {
            from_bytes: from.size_bytes,
            to_bytes: to.size_bytes,
            way,
        })
    }

    /// Converts elements one by one.
    pub(super) fn convert(&self, stored: &[u8], target: &mut [u8]) {
        if matches!(self.way, Way::Same) {
            let length = stored.len().min(target.len());
            target[..length].copy_from_slice(&stored[..length]);
            return;
        }
        let stored = stored.chunks_exact(self.from_bytes.max(1));
        for (from, to) in stored.zip(target.chunks_exact_mut(self.to_bytes.max(1))) {
            match &self.way {
                Way::Same => {}
                Way::Number(number, whole) => whole.put(number.value(from), to),
                Way::Text(ends, padding) => convert_text(from, *ends, to, *padding),
                Way::Parts(parts) => {
                    to.fill(0);
                    for (at, place, part) in parts {
                        let from = from.get(*at..).unwrap_or_default();
                        let from = from.get(..part.from_bytes).unwrap_or_default();
                        if let Some(to) = to.get_mut(*place..*place + part.to_bytes) {
                            part.convert(from, to);
                        }
                    }
                }
            }
        }
    }
}

/// Whether elements of two types are the same bytes: whether types have names of their own does not matter.
fn is_same(a: &TypeDescription, b: &TypeDescription) -> bool {
    a.size_bytes == b.size_bytes
        && match (&a.class, &b.class) {
            (TypeClass::Compound { members: a }, TypeClass::Compound { members: b }) => {
                let is_same = |(a, b): (&_, &_)| {
                    let (a, b): (&MemberOf, &MemberOf) = (a, b);
                    a.name == b.name && a.offset == b.offset && is_same(&a.datatype, &b.datatype)
                };
                a.len() == b.len() && a.iter().zip(b).all(is_same)
            }
            (TypeClass::Array { base: a, shape: x }, TypeClass::Array { base: b, shape: y }) => {
                x == y && is_same(a, b)
            }
            (TypeClass::VariableLength { base: a }, TypeClass::VariableLength { base: b })
            | (TypeClass::Complex { part: a }, TypeClass::Complex { part: b }) => is_same(a, b),
            (
                TypeClass::Enumeration {
                    base: a,
                    members: x,
                },
                TypeClass::Enumeration {
                    base: b,
                    members: y,
                },
            ) => x == y && is_same(a, b),
            (a, b) => a == b,
        }
}

type MemberOf = frazil_container::hdf5::MemberDescription;

/// Whether elements that lead elsewhere are the same when they are expanded: byte order and gaps are gone then.
fn means_the_same(a: &TypeDescription, b: &TypeDescription) -> bool {
    match (&a.class, &b.class) {
        (TypeClass::VariableText { .. }, TypeClass::VariableText { .. }) => true,
        (TypeClass::VariableLength { base: a }, TypeClass::VariableLength { base: b }) => {
            means_the_same(a, b)
        }
        (TypeClass::Array { base: a, shape: x }, TypeClass::Array { base: b, shape: y }) => {
            x == y && means_the_same(a, b)
        }
        (TypeClass::Compound { members: a }, TypeClass::Compound { members: b }) => {
            let is_same = |(a, b): (&MemberOf, &MemberOf)| {
                a.name == b.name && means_the_same(&a.datatype, &b.datatype)
            };
            a.len() == b.len() && a.iter().zip(b).all(is_same)
        }
        _ => {
            let number = |datatype: &TypeDescription| {
                datatype.number().filter(|_| datatype.is_whole_number())
            };
            let is_plain = |class: &TypeClass| {
                matches!(class, TypeClass::Integer { .. } | TypeClass::Float { .. })
            };
            let is_number = is_plain(&a.class) && is_plain(&b.class) && number(a).is_some();
            is_same(a, b) || (is_number && number(a) == number(b))
        }
    }
}

fn different(from: &TypeDescription, to: &TypeDescription) -> Option<Way> {
    match (&from.class, &to.class) {
        (
            TypeClass::FixedText {
                utf8: a,
                padding: ends,
            },
            TypeClass::FixedText {
                utf8: b,
                padding: pad,
            },
        ) => (a == b).then_some(Way::Text(*ends, *pad)),
        (TypeClass::Compound { members: from }, TypeClass::Compound { members: to }) => {
            let part = |to: &MemberOf| {
                let from = from.iter().find(|from| from.name == to.name)?;
                let conversion = Conversion::between(&from.datatype, &to.datatype)?;
                Some((from.offset, to.offset, conversion))
            };
            to.iter().map(part).collect::<Option<_>>().map(Way::Parts)
        }
        (TypeClass::Array { base: a, shape: x }, TypeClass::Array { base: b, shape: y })
            if x == y =>
        {
            let elements = x.iter().try_fold(1_u64, |all, &n| all.checked_mul(n))?;
            each_of(elements, a, b)
        }
        (TypeClass::Complex { part: a }, TypeClass::Complex { part: b }) => each_of(2, a, b),
        (
            TypeClass::Enumeration {
                base: a,
                members: x,
            },
            TypeClass::Enumeration {
                base: b,
                members: y,
            },
        ) if x == y && a.size_bytes == b.size_bytes => numbers(a, b),
        (TypeClass::Bitfield { .. }, TypeClass::Bitfield { .. })
            if from.size_bytes == to.size_bytes =>
        {
            numbers(from, to)
        }
        (
            TypeClass::Integer { .. } | TypeClass::Float { .. } | TypeClass::Enumeration { .. },
            TypeClass::Integer { .. } | TypeClass::Float { .. },
        ) => numbers(from, to),
        _ => None,
    }
}

/// Parts that all are alike. An element is never larger than its file, so they are not too many.
fn each_of(elements: u64, from: &TypeDescription, to: &TypeDescription) -> Option<Way> {
    let conversion = Conversion::between(from, to)?;
    let elements = usize::try_from(elements).ok()?;
    let parts = (0..elements).map(|i| (i * from.size_bytes, i * to.size_bytes, conversion.clone()));
    Some(Way::Parts(parts.collect()))
}

fn numbers(from: &TypeDescription, to: &TypeDescription) -> Option<Way> {
    let target =
        WholeNumber::of(to).filter(|to| to.class != ElementClass::Float || to.bytes >= 4)?;
    let number = match WholeNumber::of(from).filter(WholeNumber::is_usual) {
        Some(number) => Number::Usual(number),
        None => {
            let class = match &from.class {
                TypeClass::Float { .. } => ElementClass::Float,
                TypeClass::Integer { signed: true, .. } => ElementClass::SignedInteger,
                TypeClass::Integer { .. } => ElementClass::UnsignedInteger,
                _ => return None,
            };
            Number::Odd(NumberConversion::of(from)?, class)
        }
    };
    Some(Way::Number(number, target))
}

impl WholeNumber {
    fn of(datatype: &TypeDescription) -> Option<Self> {
        let (class, bytes) = datatype.number().filter(|_| datatype.is_whole_number())?;
        Some(Self {
            class,
            bytes,
            is_big_endian: datatype.number_order() == Some(ByteOrder::Big),
        })
    }

    /// Whether a machine's registers hold it.
    fn is_usual(&self) -> bool {
        self.class != ElementClass::Float || self.bytes >= 4
    }

    fn value(self, stored: &[u8]) -> Value {
        let mut bytes = [0; 8];
        let stored = &stored[..self.bytes.min(stored.len())];
        match self.is_big_endian {
            true => bytes
                .iter_mut()
                .zip(stored.iter().rev())
                .for_each(|(to, from)| *to = *from),
            false => bytes[..stored.len()].copy_from_slice(stored),
        }
        let unused = u64::BITS - 8 * self.bytes as u32;
        let bits = u64::from_le_bytes(bytes);
        match self.class {
            ElementClass::Float if self.bytes == 4 => {
                Value::Single(f32::from_bits(bits as u32).into())
            }
            ElementClass::Float => Value::Float(f64::from_bits(bits)),
            ElementClass::SignedInteger => {
                Value::Integer((((bits << unused) as i64) >> unused).into())
            }
            _ => Value::Integer(bits.into()),
        }
    }

    fn put(self, value: Value, target: &mut [u8]) {
        let bits = match (self.class, value) {
            (ElementClass::Float, value) if self.bytes == 4 => u64::from(single(value).to_bits()),
            (ElementClass::Float, Value::Integer(value)) => (value as f64).to_bits(),
            (ElementClass::Float, Value::Float(value) | Value::Single(value)) => value.to_bits(),
            (_, Value::Integer(value)) => {
                let (least, most) = self.limits();
                value.clamp(least, most) as u64
            }
            (_, Value::Float(value)) => self.integer(value, |limit| limit as f64),
            (_, Value::Single(value)) => self.integer(value, |limit| f64::from(limit as f32)),
        };
        let bytes = bits.to_le_bytes();
        let target = &mut target[..self.bytes];
        target.copy_from_slice(&bytes[..self.bytes]);
        if self.is_big_endian {
            target.reverse();
        }
    }

    fn limits(self) -> (i128, i128) {
        let bits = 8 * self.bytes as u32;
        match self.class {
            ElementClass::SignedInteger => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            _ => (0, (1 << bits) - 1),
        }
    }

    /// The integer of a floating-point number: the nearest limit for what lies outside (`H5T_CONV_Fx_NOEX_CORE`).
    /// `limit` gives limits in the number's own precision. What C leaves open, numbers that are none and a limit that
    /// was rounded up, comes out as on x86-64.
    fn integer(self, value: f64, limit: fn(i128) -> f64) -> u64 {
        /// Where 64 bits with a sign end.
        const FAR: f64 = 9_223_372_036_854_775_808.0;
        let (least, most) = self.limits();
        if value > limit(most) {
            return most as u64;
        }
        if value < limit(least) {
            return least as u64;
        }
        let is_signed = self.class == ElementClass::SignedInteger;
        let none = 1_u64 << 63;
        let whole = |value: f64| match (-FAR..FAR).contains(&value) {
            true => value as i64 as u64,
            false => none,
        };
        match (self.bytes, is_signed) {
            (8, false) if value >= FAR => whole(value - FAR) ^ none,
            (8, _) | (4, false) => whole(value),
            _ => match (-2_147_483_648.0..2_147_483_648.0).contains(&value) {
                true => i64::from(value as i32) as u64,
                false => 1 << 31,
            },
        }
    }
}

impl Number {
    fn value(&self, stored: &[u8]) -> Value {
        match self {
            Self::Usual(number) => number.value(stored),
            Self::Odd(way, class) => {
                let mut bytes = [0; 8];
                way.convert(stored, &mut bytes, 8);
                match class {
                    ElementClass::Float => Value::Float(f64::from_ne_bytes(bytes)),
                    ElementClass::SignedInteger => Value::Integer(i64::from_ne_bytes(bytes).into()),
                    _ => Value::Integer(u64::from_ne_bytes(bytes).into()),
                }
            }
        }
    }
}

/// A number in 4 bytes: infinite if it is larger than the largest (`H5T_CONV_Ff_NOEX_CORE`).
fn single(value: Value) -> f32 {
    match value {
        Value::Integer(value) => value as f32,
        Value::Single(value) => value as f32,
        Value::Float(value) if value > f64::from(f32::MAX) => f32::INFINITY,
        Value::Float(value) if value < f64::from(f32::MIN) => f32::NEG_INFINITY,
        Value::Float(value) => value as f32,
    }
}

/// Cuts a text or fills it up (`H5T__conv_s_s`).
fn convert_text(from: &[u8], ends: TextPadding, to: &mut [u8], padding: TextPadding) {
    let length = ends.length_of(from).min(to.len());
    to[..length].copy_from_slice(&from[..length]);
    let filler = match padding {
        TextPadding::SpacePadded => b' ',
        TextPadding::NullTerminated | TextPadding::NullPadded => 0,
    };
    to[length..].fill(filler);
    if let (TextPadding::NullTerminated, Some(last)) = (padding, to.last_mut()) {
        *last = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(class: ElementClass, bytes: usize) -> WholeNumber {
        WholeNumber {
            class,
            bytes,
            is_big_endian: false,
        }
    }

    #[test]
    fn numbers_outside_get_the_nearest_limit() {
        let put = |class, bytes, value| {
            let mut target = [0; 8];
            whole(class, bytes).put(value, &mut target);
            u64::from_le_bytes(target)
        };
        let signed = |bytes, value| put(ElementClass::SignedInteger, bytes, value);
        let unsigned = |bytes, value| put(ElementClass::UnsignedInteger, bytes, value);
        assert_eq!(signed(1, Value::Float(300.0)), 127);
        assert_eq!(signed(1, Value::Float(-1e300)), 128);
        assert_eq!(signed(2, Value::Integer(-40_000)), 0x8000);
        assert_eq!(unsigned(2, Value::Integer(-1)), 0);
        assert_eq!(unsigned(8, Value::Float(f64::INFINITY)), u64::MAX);
        assert_eq!(unsigned(8, Value::Float(1e19)), 10_000_000_000_000_000_000);
        assert_eq!(signed(8, Value::Float(-2.9)), (-2_i64) as u64);
        assert!(single(Value::Float(3.402_823_5e38)).is_infinite());
        assert_eq!(single(Value::Integer(16_777_217)), 16_777_216.0);
    }

    #[test]
    fn texts_are_cut_and_filled_up() {
        let text = |from: &[u8], ends, padding| {
            let mut to = *b"xxxx";
            convert_text(from, ends, &mut to, padding);
            to
        };
        let (ended, spaces) = (TextPadding::NullTerminated, TextPadding::SpacePadded);
        assert_eq!(&text(b"ab\0zz", ended, spaces), b"ab  ");
        assert_eq!(&text(b"abcdef", spaces, ended), b"abc\0");
        assert_eq!(&text(b"a b   ", spaces, TextPadding::NullPadded), b"a b\0");
    }
}
