//! Decodes datatype messages, all classes and versions.

use frazil_types::ByteOrder;

use crate::cursor::{Cursor, bytes_for};
use crate::datatype::{
    BitRange, FloatForm, MemberDescription, TextPadding, TypeClass, TypeDescription,
};
use crate::error::{Result, damaged, unsupported};
use crate::text;

/// Deepest nesting of types that is believed.
const MAX_DEPTH: usize = 64;
/// Most axes of an array type (`H5S_MAX_RANK`), and of a member in version 1.
const MAX_RANK: usize = 32;
const MAX_MEMBER_RANK: usize = 4;

/// Decodes a datatype message.
pub(crate) fn decode(at: &mut Cursor<'_>) -> Result<TypeDescription> {
    decode_at_depth(at, 0)
}

/// The beginning of each type: its version, the bits of its class, and its size.
struct Start {
    version: u8,
    flags: u32,
    size: usize,
}

fn decode_at_depth(at: &mut Cursor<'_>, depth: usize) -> Result<TypeDescription> {
    if depth > MAX_DEPTH {
        return Err(unsupported(format!(
            "types nested more than {MAX_DEPTH} deep"
        )));
    }
    let word = at.u32()?;
    let start = Start {
        version: (word >> 4 & 0xf) as u8,
        flags: word >> 8,
        size: at.count(4)?,
    };
    if !(1..=5).contains(&start.version) {
        return Err(damaged(format!(
            "a datatype has version {}, which is none",
            start.version
        )));
    }
    if start.size == 0 {
        return Err(damaged("a datatype has elements without bytes"));
    }
    let class = decode_class(at, (word & 0xf) as u8, &start, depth)?;
    Ok(TypeDescription {
        size_bytes: start.size,
        committed: None,
        class,
    })
}

fn decode_class(at: &mut Cursor<'_>, class: u8, start: &Start, depth: usize) -> Result<TypeClass> {
    match class {
        0 => Ok(TypeClass::Integer {
            signed: start.flags & 8 != 0,
            order: start.order(),
            bits: start.bits(at)?,
        }),
        1 => decode_float(at, start),
        2 => Ok(TypeClass::Time {
            order: start.order(),
            bits: start.bits_of(0, at.u16()?.into())?,
        }),
        3 => Ok(TypeClass::FixedText {
            utf8: is_utf8(start.flags >> 4)?,
            padding: padding(start.flags)?,
        }),
        4 => Ok(TypeClass::Bitfield {
            order: start.order(),
            bits: start.bits(at)?,
        }),
        5 => decode_opaque(at, start),
        6 => decode_compound(at, start, depth),
        7 => decode_reference(start),
        8 => decode_enumeration(at, start, depth),
        9 => decode_variable_length(at, start, depth),
        10 => decode_array(at, start, depth),
        11 => decode_complex(at, start, depth),
        _ => Err(damaged(format!("no datatype has class {class}"))),
    }
}

impl Start {
    fn order(&self) -> ByteOrder {
        match self.flags & 1 {
            0 => ByteOrder::Little,
            _ => ByteOrder::Big,
        }
    }

    /// The significant bits of a number, which follow in the message.
    fn bits(&self, at: &mut Cursor<'_>) -> Result<BitRange> {
        let (offset, precision) = (at.u16()?, at.u16()?);
        self.bits_of(offset.into(), precision.into())
    }

    fn bits_of(&self, offset: usize, precision: usize) -> Result<BitRange> {
        if precision == 0 || offset + precision > self.size.saturating_mul(8) {
            return Err(damaged("a number has bits outside its bytes"));
        }
        Ok(BitRange {
            precision,
            offset,
            padding: [self.flag(1), self.flag(2), 0],
        })
    }

    fn flag(&self, bit: u32) -> u8 {
        (self.flags >> bit & 1) as u8
    }
}

fn decode_float(at: &mut Cursor<'_>, start: &Start) -> Result<TypeClass> {
    let order = match (
        start.version >= 3 && start.flags & 0x40 != 0,
        start.flags & 1,
    ) {
        // VAX: no swap of all bytes makes another order of it.
        (true, 1) => ByteOrder::None,
        (true, _) => return Err(damaged("a number has a byte order that there is not")),
        (false, _) => start.order(),
    };
    let normalisation = match start.flags >> 4 & 3 {
        0 => 2,
        1 => 1,
        2 => 0,
        _ => return Err(damaged("a number is normalised in no known way")),
    };
    let (offset, precision) = (at.u16()?.into(), at.u16()?.into());
    let mut field = || at.u8().map(usize::from);
    let (exponent, exponent_bits, mantissa, mantissa_bits) =
        (field()?, field()?, field()?, field()?);
    let mut bits = start.bits_of(offset, precision)?;
    bits.padding[2] = start.flag(3);
    let form = FloatForm {
        sign: (start.flags >> 8 & 0xff) as usize,
        exponent,
        exponent_bits,
        bias: at.count(4)?,
        mantissa,
        mantissa_bits,
        normalisation,
    };
    check_fields(&form, start.size)?;
    Ok(TypeClass::Float { order, bits, form })
}

/// Sign, exponent and mantissa lie within the element, and apart from each other.
fn check_fields(form: &FloatForm, size: usize) -> Result<()> {
    let all = size.saturating_mul(8);
    let fields = [
        form.sign..form.sign + 1,
        form.exponent..form.exponent + form.exponent_bits,
        form.mantissa..form.mantissa + form.mantissa_bits,
    ];
    let is_outside = fields
        .iter()
        .any(|field| field.is_empty() || field.end > all);
    let overlap =
        |a: usize, b: usize| fields[a].start < fields[b].end && fields[b].start < fields[a].end;
    match is_outside || overlap(0, 1) || overlap(0, 2) || overlap(1, 2) {
        true => Err(damaged("the parts of a floating-point type do not fit it")),
        false => Ok(()),
    }
}

fn is_utf8(flags: u32) -> Result<bool> {
    match flags & 0xf {
        0 => Ok(false),
        1 => Ok(true),
        set => Err(damaged(format!(
            "a text has character set {set}, which is none"
        ))),
    }
}

fn padding(flags: u32) -> Result<TextPadding> {
    match flags & 0xf {
        0 => Ok(TextPadding::NullTerminated),
        1 => Ok(TextPadding::NullPadded),
        2 => Ok(TextPadding::SpacePadded),
        padding => Err(damaged(format!(
            "a text is padded in way {padding}, which is none"
        ))),
    }
}

fn decode_opaque(at: &mut Cursor<'_>, start: &Start) -> Result<TypeClass> {
    let tag = at.take((start.flags & 0xff) as usize)?;
    Ok(TypeClass::Opaque {
        tag: text::from_buffer(tag),
    })
}

fn decode_reference(start: &Start) -> Result<TypeClass> {
    match start.flags & 0xf {
        0 => Ok(TypeClass::ObjectReference),
        1 => Ok(TypeClass::RegionReference),
        2..=4 => Ok(TypeClass::NewReference),
        kind => Err(damaged(format!(
            "a reference is of kind {kind}, which is none"
        ))),
    }
}

/// A name; before version 3 filled up to a multiple of 8 bytes.
fn decode_name(at: &mut Cursor<'_>, version: u8) -> Result<String> {
    let before = at.rest().len();
    let name = text::from_bytes(at.until_nul()?);
    if version < 3 {
        let taken = before - at.rest().len();
        at.skip(taken.next_multiple_of(8) - taken)?;
    }
    Ok(name)
}

fn decode_compound(at: &mut Cursor<'_>, start: &Start, depth: usize) -> Result<TypeClass> {
    let count = start.flags & 0xffff;
    if count == 0 {
        return Err(damaged("a compound has no members"));
    }
    let mut members: Vec<MemberDescription> = Vec::new();
    for _ in 0..count {
        members.push(decode_member(at, start, depth)?);
    }
    check_members(&members)?;
    Ok(TypeClass::Compound { members })
}

fn decode_member(at: &mut Cursor<'_>, start: &Start, depth: usize) -> Result<MemberDescription> {
    let name = decode_name(at, start.version)?;
    let offset = match start.version {
        3.. => at.count(bytes_for(start.size as u64))?,
        _ => at.count(4)?,
    };
    let shape = match start.version {
        1 => decode_member_shape(at)?,
        _ => Vec::new(),
    };
    let mut datatype = decode_at_depth(at, depth + 1)?;
    if !shape.is_empty() {
        datatype = array_of(datatype, shape)?;
    }
    if offset
        .checked_add(datatype.size_bytes)
        .is_none_or(|end| end > start.size)
    {
        return Err(damaged(format!(
            "the member {name} lies outside its compound"
        )));
    }
    Ok(MemberDescription {
        name,
        offset,
        datatype,
    })
}

/// In version 1 a member itself can be an array.
fn decode_member_shape(at: &mut Cursor<'_>) -> Result<Vec<u64>> {
    let rank = usize::from(at.u8()?);
    at.skip(3 + 4 + 4)?;
    let lengths = (0..MAX_MEMBER_RANK)
        .map(|_| at.uint(4))
        .collect::<Result<Vec<u64>>>()?;
    match lengths.get(..rank) {
        Some(shape) if !shape.contains(&0) => Ok(shape.to_vec()),
        _ => Err(damaged("a member is an array of no known shape")),
    }
}

fn array_of(base: TypeDescription, shape: Vec<u64>) -> Result<TypeDescription> {
    let count = shape.iter().try_fold(base.size_bytes, |bytes, &n| {
        bytes.checked_mul(usize::try_from(n).ok()?)
    });
    let size_bytes = count.filter(|&bytes| u32::try_from(bytes).is_ok());
    let base = Box::new(base);
    Ok(TypeDescription {
        size_bytes: size_bytes.ok_or_else(|| damaged("an array type is larger than any"))?,
        committed: None,
        class: TypeClass::Array { base, shape },
    })
}

/// Names are different, and members lie apart from each other.
fn check_members(members: &[MemberDescription]) -> Result<()> {
    let mut names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    names.sort_unstable();
    let mut places: Vec<(usize, usize)> = (members.iter())
        .map(|member| (member.offset, member.offset + member.datatype.size_bytes))
        .collect();
    places.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(damaged("a compound has two members of one name"));
    }
    match places.windows(2).any(|pair| pair[1].0 < pair[0].1) {
        true => Err(damaged("members of a compound overlap")),
        false => Ok(()),
    }
}

fn decode_enumeration(at: &mut Cursor<'_>, start: &Start, depth: usize) -> Result<TypeClass> {
    let base = decode_at_depth(at, depth + 1)?;
    if base.size_bytes != start.size {
        return Err(damaged("an enumeration has another size than its numbers"));
    }
    let count = (start.flags & 0xffff) as usize;
    let mut names = Vec::new();
    for _ in 0..count {
        names.push(decode_name(at, start.version)?);
    }
    if names.iter().any(String::is_empty) {
        return Err(damaged("an enumeration has a member without a name"));
    }
    let is_big = base.number_order() == Some(ByteOrder::Big);
    let mut members = Vec::new();
    for name in names {
        let mut value = at.take(base.size_bytes)?.to_vec();
        if is_big {
            value.reverse();
        }
        members.push((name, value));
    }
    let base = Box::new(base);
    Ok(TypeClass::Enumeration { base, members })
}

fn decode_variable_length(at: &mut Cursor<'_>, start: &Start, depth: usize) -> Result<TypeClass> {
    let base = decode_at_depth(at, depth + 1)?;
    match start.flags & 0xf {
        0 => Ok(TypeClass::VariableLength {
            base: Box::new(base),
        }),
        1 => Ok(TypeClass::VariableText {
            utf8: is_utf8(start.flags >> 8)?,
            padding: padding(start.flags >> 4)?,
        }),
        kind => Err(damaged(format!(
            "no variable-length type is of kind {kind}"
        ))),
    }
}

fn decode_array(at: &mut Cursor<'_>, start: &Start, depth: usize) -> Result<TypeClass> {
    let rank = usize::from(at.u8()?);
    if rank > MAX_RANK {
        return Err(damaged(format!("an array type claims {rank} axes")));
    }
    let is_old = start.version < 3;
    if is_old {
        at.skip(3)?;
    }
    let shape = (0..rank)
        .map(|_| at.uint(4))
        .collect::<Result<Vec<u64>>>()?;
    if is_old {
        at.skip(4 * rank)?;
    }
    let array = array_of(decode_at_depth(at, depth + 1)?, shape)?;
    match array.size_bytes == start.size {
        true => Ok(array.class),
        false => Err(damaged("an array type has another size than its elements")),
    }
}

fn decode_complex(at: &mut Cursor<'_>, start: &Start, depth: usize) -> Result<TypeClass> {
    let part = decode_at_depth(at, depth + 1)?;
    if !matches!(part.class, TypeClass::Float { .. })
        || part.size_bytes.saturating_mul(2) != start.size
    {
        return Err(damaged(
            "a complex type does not consist of two floating-point numbers",
        ));
    }
    Ok(TypeClass::Complex {
        part: Box::new(part),
    })
}
