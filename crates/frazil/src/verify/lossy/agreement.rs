//! Which variables are compared as rounded ones.

use frazil_container::hdf5::{DatasetInfo, TypeDescription};
use frazil_types::ElementClass;

use super::super::findings::Findings;
use super::elements::FloatKind;
use crate::error::Result;
use crate::input::Input;
use crate::precision::names;
use crate::precision::stated;
use crate::report::StatedPrecision;

/// What the second file promises of a variable that it states to be rounded.
#[derive(Debug, Clone)]
pub(in crate::verify) struct Promise {
    pub(in crate::verify) stated: StatedPrecision,
    /// The number of its quantization container in the second file's variables.
    pub(in crate::verify) container: Option<usize>,
    pub(in crate::verify) kind: FloatKind,
    /// The attributes of either file that tell of its rounding.
    pub(in crate::verify) told_by: [Vec<&'static str>; 2],
}

/// What the second file promises of a variable beyond what the first one states; `None` where it
/// promises nothing, or the same, or no bound that could be checked, or where either side is no ordinary
/// floating-point variable: then the values must be equal.
///
/// # Errors
/// If attributes cannot be read.
pub(in crate::verify) fn promise(
    (a, i, type_a): (&Input, usize, &TypeDescription),
    (b, j, type_b): (&Input, usize, &TypeDescription),
    findings: &mut Findings,
) -> Result<Option<Promise>> {
    let (Some(kind), Some(kind_b)) = (FloatKind::of(type_a), FloatKind::of(type_b)) else {
        return Ok(None);
    };
    if kind != kind_b {
        return Ok(None);
    }
    let Some(statement) = stated::statement(b, j)? else {
        return Ok(None);
    };
    for line in &statement.malformed {
        findings.notice(line.clone());
    }
    let Some(precision) = statement.precision else {
        return Ok(None);
    };
    let before = stated::statement(a, i)?;
    let same = before.as_ref().and_then(|before| before.precision.as_ref()) == Some(&precision);
    if same {
        return Ok(None);
    }
    if precision.bound.is_none() {
        findings.notice(format!(
            "{}: says that it was rounded, but no bound that could be checked; its values must be equal",
            b.variables()[j].path
        ));
        return Ok(None);
    }
    Ok(Some(Promise {
        stated: precision,
        container: statement.container,
        kind,
        told_by: [
            before.map_or_else(Vec::new, |before| before.attributes),
            statement.attributes,
        ],
    }))
}

/// Whether variable `i` may be a quantization container: a scalar text with an `algorithm`.
///
/// # Errors
/// If its attributes cannot be read.
pub(in crate::verify) fn is_container(input: &Input, i: usize) -> Result<bool> {
    let DatasetInfo { shape, element, .. } = &input.variables()[i];
    if !shape.is_empty() || element.class != ElementClass::Text || element.size_bytes != 1 {
        return Ok(false);
    }
    let attributes = input.attributes(Some(i))?;
    Ok(attributes.text(names::ALGORITHM).is_some())
}
