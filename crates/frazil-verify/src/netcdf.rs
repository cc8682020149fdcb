//! Two files, at least one of them classic netCDF, as a reader of the classic model sees them.

use frazil_container::classic::{
    AttributeValue, ClassicAttribute, ClassicModel, ClassicVariable, NcType,
};
use frazil_container::hdf5::{TypeDescription, is_hidden_attribute};

use super::attributes::unlike_codes;
use super::elements::RawComparison;
use super::findings::Findings;
use super::plan::{Pair, Side};
use super::{lossy, order};
use frazil_container::schema::SchemaValue;
use frazil_file::attributes::Attributes;
use frazil_file::error::Result;
use frazil_file::history::{self, HISTORY};
use frazil_file::input::{Input, InputKind};
use frazil_file::left_behind;
use frazil_file::storage_error::from_container;

/// One file in the classic model, and the variables behind the model's.
struct View {
    model: ClassicModel,
    /// Numbers in [`Input::variables`].
    variables: Vec<usize>,
}

/// Compares all but values; returns the variables whose values are to be compared.
pub(super) fn compare(a: &Input, b: &Input, findings: &mut Findings) -> Result<Vec<Pair>> {
    let mut first = view(a, "first", findings)?;
    let mut second = view(b, "second", findings)?;
    let has_hidden = a.hdf5().is_some() || b.hdf5().is_some();
    forget((&mut first.model, &mut second.model), has_hidden, findings);
    findings.objects += 1;
    dimensions(&first.model, &second.model, findings);
    attributes(
        "/",
        &first.model.attributes,
        &second.model.attributes,
        findings,
    );
    let new_containers = new_containers(b, &first.model, &second)?;
    let is_old = |position: &usize| !new_containers.contains(&second.variables[*position]);
    let all = |model: &ClassicModel| 0..model.variables.len();
    let name = |model: &ClassicModel, position: usize| model.variables[position].name.clone();
    names(
        "/",
        "variable",
        &all(&first.model)
            .map(|i| name(&first.model, i))
            .collect::<Vec<_>>(),
        &all(&second.model)
            .filter(is_old)
            .map(|i| name(&second.model, i))
            .collect::<Vec<_>>(),
        findings,
    );
    let mut is_rounded = false;
    let mut pairs = Vec::new();
    for (variable, &number_a) in first.model.variables.iter().zip(&first.variables) {
        let Some(position) = second.model.variable_position(&variable.name) else {
            continue;
        };
        let twin = &second.model.variables[position];
        findings.objects += 1;
        let number_b = second.variables[position];
        let (side_a, side_b) = (
            side(a, number_a, variable.nc_type)?,
            side(b, number_b, twin.nc_type)?,
        );
        let promise = promise((a, &side_a), (b, &side_b, twin), findings)?;
        is_rounded |= promise.is_some();
        let models = (&first.model, &second.model);
        let is_comparable = compare_variable((variable, twin), models, promise.as_ref(), findings);
        let shape = first.model.shape(variable);
        if is_comparable && !shape.contains(&0) {
            pairs.push(Pair {
                path: format!("/{}", variable.name),
                shape,
                a: side_a,
                b: side_b,
                promise,
            });
        }
    }
    // As in `objects`: the container of an earlier rounding may stay.
    for number in new_containers.iter().filter(|_| !is_rounded) {
        let path = &b.variables()[*number].path;
        let name = path.trim_start_matches('/');
        findings.differ_in_values(
            path,
            format!("variable `{name}` is only in the second file"),
        );
    }
    Ok(pairs)
}

fn view(input: &Input, which: &str, findings: &mut Findings) -> Result<View> {
    match input.kind() {
        InputKind::Classic(classic) => {
            let model = classic.model().clone();
            let variables = (0..model.variables.len()).collect();
            Ok(View { model, variables })
        }
        InputKind::Hdf5(hdf5) => {
            let found = hdf5
                .classic_view()
                .map_err(|error| from_container(error, input.path()))?;
            for obstacle in &found.obstacles {
                let what = format!(
                    "{} in the {which} file, which classic netCDF has no place for",
                    obstacle.what
                );
                findings.differ_in_values(&obstacle.path, what);
            }
            for (path, name) in &found.strings {
                findings.notice(format!(
                    "{path}: attribute `{name}` is a string in the {which} file; compared as text"
                ));
            }
            Ok(View {
                model: found.model,
                variables: found.datasets,
            })
        }
    }
}

/// Takes out what is not compared.
fn forget(
    (first, second): (&mut ClassicModel, &mut ClassicModel),
    has_hidden: bool,
    findings: &mut Findings,
) {
    if has_hidden {
        forget_hidden(first, "first", findings);
        forget_hidden(second, "second", findings);
    }
    forget_history(first, second);
}

/// Takes out the histories, if the second says what the first does and what frazil did since.
fn forget_history(first: &mut ClassicModel, second: &mut ClassicModel) {
    let texts = [&*first, &*second].map(|model| Attributes::of_classic(&model.attributes));
    if history::is_prolonged(&texts[0], &texts[1]) {
        for model in [first, second] {
            model
                .attributes
                .retain(|attribute| attribute.name != HISTORY);
        }
    }
}

/// Takes out attributes whose names netCDF-4 keeps for itself: in one of the files they cannot be.
fn forget_hidden(model: &mut ClassicModel, which: &str, findings: &mut Findings) {
    for named in left_behind::without_place(model) {
        findings.notice(format!(
            "attribute {named} of the {which} file is not compared: netCDF-4 keeps the name for itself"
        ));
    }
    let is_free = |attribute: &ClassicAttribute| !is_hidden_attribute(&attribute.name);
    model.attributes.retain(is_free);
    for variable in &mut model.variables {
        variable.attributes.retain(is_free);
    }
}

/// Quantization containers that only the second file has: their numbers in its variables.
fn new_containers(b: &Input, first: &ClassicModel, second: &View) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    for (variable, &number) in second.model.variables.iter().zip(&second.variables) {
        if first.variable_position(&variable.name).is_none() && lossy::is_container(b, number)? {
            found.push(number);
        }
    }
    Ok(found)
}

/// What the second file promises of a variable that it states to be rounded.
fn promise(
    (a, side_a): (&Input, &Side),
    (b, side_b, twin): (&Input, &Side, &ClassicVariable),
    findings: &mut Findings,
) -> Result<Option<lossy::Promise>> {
    if twin.attributes.is_empty() {
        return Ok(None);
    }
    lossy::promise(
        (a, side_a.variable, &side_a.datatype),
        (b, side_b.variable, &side_b.datatype),
        findings,
    )
}

fn side(input: &Input, variable: usize, nc_type: NcType) -> Result<Side> {
    Ok(Side {
        variable,
        datatype: datatype(input, variable, nc_type)?,
    })
}

/// Elements as the side's source delivers them: classic values come little-endian.
fn datatype(input: &Input, variable: usize, nc_type: NcType) -> Result<TypeDescription> {
    match input.kind() {
        InputKind::Classic(_) => Ok(nc_type.description()),
        InputKind::Hdf5(hdf5) => {
            let info = &input.variables()[variable];
            hdf5.describe_datatype(info)
                .map_err(|error| from_container(error, input.path()).at_variable(&info.path))
        }
    }
}

fn dimensions(a: &ClassicModel, b: &ClassicModel, findings: &mut Findings) {
    let list = |model: &ClassicModel| -> Vec<String> {
        model
            .dimensions
            .iter()
            .map(|dimension| dimension.name.clone())
            .collect()
    };
    names("/", "dimension", &list(a), &list(b), findings);
    for first in &a.dimensions {
        let Some(second) = b.dimensions.iter().find(|other| other.name == first.name) else {
            continue;
        };
        findings.objects += 1;
        if first.length != second.length {
            let what = format!(
                "length of the dimension: {} against {}",
                first.length, second.length
            );
            findings.differ_in_values(&format!("/{}", first.name), what);
        }
        if first.is_record != second.is_record {
            let which = if first.is_record { "first" } else { "second" };
            let what = format!("the dimension is unlimited only in the {which} file");
            findings.differ(&format!("/{}", first.name), what);
        }
    }
}

fn names<S: AsRef<str>>(
    path: &str,
    kind: &str,
    first: &[S],
    second: &[S],
    findings: &mut Findings,
) {
    let found = order::compare(first, second);
    let at = |name: &str| {
        if kind == "attribute" {
            path.to_owned()
        } else {
            format!("/{name}")
        }
    };
    let only = found.only_first.iter().map(|name| (name, "first"));
    for (name, which) in only.chain(found.only_second.iter().map(|name| (name, "second"))) {
        let what = format!(" is only in the {which} file");
        match kind {
            "attribute" => findings.differ_in_attribute(&at(name), name, &what),
            _ => findings.differ_in_values(&at(name), format!("{kind} `{name}`{what}")),
        }
    }
    if let Some((one, other)) = found.order {
        let what =
            format!("order of {kind}s: `{one}` in the first file where the second has `{other}`");
        findings.differ(path, what);
    }
}

/// Compares a variable's dimensions, type and attributes (those that tell of rounding may differ
/// where it is rounded); whether its values can be compared.
fn compare_variable(
    (a, b): (&ClassicVariable, &ClassicVariable),
    (model_a, model_b): (&ClassicModel, &ClassicModel),
    promise: Option<&lossy::Promise>,
    findings: &mut Findings,
) -> bool {
    let path = format!("/{}", a.name);
    let list = |variable: &ClassicVariable, model: &ClassicModel| -> Vec<String> {
        let name = |&id: &usize| model.dimensions.get(id).map(|d| d.name.clone());
        variable.dimensions.iter().filter_map(name).collect()
    };
    let (first, second) = (list(a, model_a), list(b, model_b));
    if first != second {
        let what = format!(
            "dimensions: ({}) against ({})",
            first.join(", "),
            second.join(", ")
        );
        findings.differ_in_values(&path, what);
    }
    let is_packed = promise.is_some_and(|promise| promise.packing.is_some());
    let is_same_type = a.nc_type == b.nc_type || is_packed;
    if !is_same_type {
        let what = format!(
            "datatype: {} against {}",
            a.nc_type.name(),
            b.nc_type.name()
        );
        findings.differ_in_values(&path, what);
    }
    let kept = |variable: &ClassicVariable, side: usize| -> Vec<ClassicAttribute> {
        let tells =
            |name: &str| promise.is_some_and(|promise| promise.told_by[side].contains(&name));
        let all = variable.attributes.iter();
        all.filter(|attribute| !tells(&attribute.name))
            .cloned()
            .collect()
    };
    attributes(&path, &kept(a, 0), &kept(b, 1), findings);
    for wanted in promise.iter().flat_map(|promise| &promise.unpacked_by) {
        let found = b.attributes.iter().find(|found| found.name == wanted.name);
        let is_right = found.is_some_and(|found| {
            wanted.to_schema().value == SchemaValue::Atomic(found.value.clone())
        });
        if !is_right {
            findings.differ_in_values(&path, unlike_codes(&wanted.name));
        }
    }
    is_same_type && model_a.shape(a) == model_b.shape(b)
}

fn attributes(path: &str, a: &[ClassicAttribute], b: &[ClassicAttribute], findings: &mut Findings) {
    let list = |all: &[ClassicAttribute]| -> Vec<String> {
        all.iter().map(|attribute| attribute.name.clone()).collect()
    };
    names(path, "attribute", &list(a), &list(b), findings);
    for first in a {
        let Some(second) = b.iter().find(|other| other.name == first.name) else {
            continue;
        };
        findings.attributes += 1;
        if let Some(what) = value_difference(&first.value, &second.value) {
            findings.differ_in_attribute(path, &first.name, &format!(": {what}"));
        }
    }
}

fn value_difference(a: &AttributeValue, b: &AttributeValue) -> Option<String> {
    let (type_a, type_b) = (a.nc_type(), b.nc_type());
    if type_a != type_b {
        return Some(format!(
            "datatype: {} against {}",
            type_a.name(),
            type_b.name()
        ));
    }
    let (bytes_a, bytes_b) = (little_endian(a), little_endian(b));
    if bytes_a == bytes_b {
        return None;
    }
    if type_a == NcType::Char {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        return Some(format!("{:?} against {:?}", text(&bytes_a), text(&bytes_b)));
    }
    if a.len() != b.len() {
        return Some(format!("{} against {} values", a.len(), b.len()));
    }
    let datatype = type_a.description();
    let unequal = RawComparison::new(datatype.clone(), datatype).compare(&bytes_a, &bytes_b);
    let shape = if a.len() == 1 {
        Vec::new()
    } else {
        vec![a.len() as u64]
    };
    unequal.ok()?.describe(&shape, a.len() as u64)
}

fn little_endian(value: &AttributeValue) -> Vec<u8> {
    let mut bytes = value.to_be_bytes();
    for element in bytes.chunks_exact_mut(value.nc_type().size_bytes()) {
        element.reverse();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribute_values_are_compared_bit_by_bit() {
        let nan = |bits| AttributeValue::Float(vec![f32::from_bits(bits), 1.0]);
        assert_eq!(value_difference(&nan(0x7fc0_0000), &nan(0x7fc0_0000)), None);
        let what = value_difference(&nan(0x7fc0_0000), &nan(0x7fc0_0001)).unwrap();
        assert!(
            what.starts_with("first difference at [0]: NaN(0x7fc00000) against"),
            "{what}"
        );
        let what = value_difference(
            &AttributeValue::Int(vec![1]),
            &AttributeValue::Short(vec![1]),
        );
        assert_eq!(what.unwrap(), "datatype: int against short");
        let text = |text: &str| AttributeValue::Char(text.as_bytes().to_vec());
        assert_eq!(
            value_difference(&text("K"), &text("m")).unwrap(),
            "\"K\" against \"m\""
        );
    }
}
