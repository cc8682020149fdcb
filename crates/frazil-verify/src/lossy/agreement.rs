//! Which variables are compared as rounded ones.

use frazil_container::hdf5::{DatasetInfo, NewAttribute, TypeClass, TypeDescription};
use frazil_types::{ElementClass, IntegerPacking};

use super::super::findings::Findings;
use super::elements::FloatKind;
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_precision::stated::StatedPrecision;
use frazil_precision::{integers, names, stated};

/// What the second file promises of a variable that it states to be rounded.
#[derive(Debug, Clone)]
pub(crate) struct Promise {
    pub stated: StatedPrecision,
    pub kind: FloatKind,
    /// How values of the second file are unpacked from integers.
    pub packing: Option<IntegerPacking>,
    /// The attributes that must say so.
    pub(crate) unpacked_by: Vec<NewAttribute>,
    /// The attributes of either file that tell of its rounding.
    pub(crate) told_by: [Vec<&'static str>; 2],
}

/// What the second file promises of a variable beyond what the first one states; `None` where it
/// promises nothing, or the same, or no bound that could be checked, or where either side is no ordinary
/// floating-point variable: then the values must be equal.
///
/// # Errors
/// If attributes cannot be read.
pub(crate) fn promise(
    (a, i, type_a): (&Input, usize, &TypeDescription),
    (b, j, type_b): (&Input, usize, &TypeDescription),
    findings: &mut Findings,
) -> Result<Option<Promise>> {
    let Some(kind) = FloatKind::of(type_a) else {
        return Ok(None);
    };
    let packing = packing((a, i), (b, j, type_b))?;
    if packing.is_none() && FloatKind::of(type_b) != Some(kind) {
        return Ok(None);
    }
    let Some(statement) = stated::statement(b, j)? else {
        findings.only_first_rounded += u64::from(stated::stated_precision(a, i)?.is_some());
        return Ok(None);
    };
    for line in &statement.malformed {
        findings.notice(line.clone());
    }
    let Some(precision) = statement.precision else {
        return Ok(None);
    };
    let before = stated::statement(a, i)?;
    let is_same = before.as_ref().is_some_and(|before| {
        before.precision.as_ref() == Some(&precision) && before.linear == statement.linear
    });
    if is_same {
        return Ok(None);
    }
    if precision.bound.is_none() {
        findings.notice(format!(
            "{}: is marked as rounded but states no bound to check; its values must be equal",
            b.variables()[j].path
        ));
        return Ok(None);
    }
    let mut told_by = [
        before.map_or_else(Vec::new, |before| before.attributes),
        statement.attributes,
    ];
    let mut unpacked_by = Vec::new();
    if let Some(packing) = &packing {
        let original = (&a.attributes(Some(i))?, a.variables()[i].element);
        unpacked_by = integers::attributes(packing, original);
        let about_codes = [names::FILL_VALUE, names::MISSING_VALUE];
        told_by.iter_mut().for_each(|told| told.extend(about_codes));
        told_by[1].extend(names::OF_PACKING);
    }
    Ok(Some(Promise {
        stated: precision,
        kind,
        packing,
        unpacked_by,
        told_by,
    }))
}

/// How integers of the second file stand for the values of the first, if they do.
fn packing(
    (a, i): (&Input, usize),
    (b, j, type_b): (&Input, usize, &TypeDescription),
) -> Result<Option<IntegerPacking>> {
    let is_signed = matches!(type_b.class, TypeClass::Integer { signed: true, .. });
    if !is_signed || !type_b.is_whole_number() {
        return Ok(None);
    }
    let (original, packed) = (a.attributes(Some(i))?, b.attributes(Some(j))?);
    let element = b.variables()[j].element;
    Ok(integers::stated_packing(&original, &packed, element))
}

/// Whether variable `i` may be a quantization container: a scalar text with an `algorithm`.
///
/// # Errors
/// If its attributes cannot be read.
pub(crate) fn is_container(input: &Input, i: usize) -> Result<bool> {
    let DatasetInfo { shape, element, .. } = &input.variables()[i];
    if !shape.is_empty() || element.class != ElementClass::Text || element.size_bytes != 1 {
        return Ok(false);
    }
    let attributes = input.attributes(Some(i))?;
    Ok(attributes.text(names::ALGORITHM).is_some())
}
