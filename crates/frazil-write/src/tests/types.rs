//! Every type, attributes, scalars, and what was never written.

use super::read;
use super::script::options;
use crate::{DimensionLength, VariableSettings, Writer};
use frazil_container::classic::{AttributeValue, NcType};
use frazil_container::schema::{
    AttributeOwner, DimensionId, Fill, GroupId, Schema, SchemaValue, Text, ValueType, VariableId,
};
use frazil_file::input::Input;

const GROWS: DimensionLength = DimensionLength::Unlimited { expected: None };

fn dimension(writer: &mut Writer, name: &str, length: DimensionLength) -> DimensionId {
    writer.add_dimension(Schema::ROOT, name, length).unwrap()
}

fn variable(
    writer: &mut Writer,
    group: GroupId,
    name: &str,
    nc_type: NcType,
    axes: &[DimensionId],
) -> VariableId {
    let settings = VariableSettings::default();
    let added = writer.add_variable(group, name, ValueType::Atomic(nc_type), axes, settings);
    added.unwrap()
}

fn text(text: &str) -> SchemaValue {
    SchemaValue::Atomic(AttributeValue::Char(text.as_bytes().to_vec()))
}

#[test]
fn every_type_keeps_its_values_and_its_fill() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let mut writer = Writer::create(&path, &options(64 << 20, 2)).unwrap();
    let time = dimension(&mut writer, "time", GROWS);
    let x = dimension(&mut writer, "x", DimensionLength::Fixed(5));
    for nc_type in NcType::ALL {
        let id = variable(
            &mut writer,
            Schema::ROOT,
            nc_type.name(),
            nc_type,
            &[time, x],
        );
        let bytes: Vec<u8> = (0..3 * nc_type.size_bytes() as u8).collect();
        writer
            .put(id, &[1, 0], &[1, 3], Some(&[1, 2]), &bytes)
            .unwrap();
    }
    writer.close().unwrap();
    for nc_type in NcType::ALL {
        let size = nc_type.size_bytes();
        let mut fill = nc_type.default_fill().to_be_bytes();
        fill.reverse();
        let (shape, values) = read(&path, &format!("/{}", nc_type.name()));
        assert_eq!(shape, [2, 5]);
        let mut expected = fill.repeat(10);
        let written: Vec<u8> = (0..3 * size as u8).collect();
        for (i, value) in written.chunks(size).enumerate() {
            let at = (5 + 2 * i) * size;
            expected[at..at + size].copy_from_slice(value);
        }
        assert_eq!(values, expected, "{}", nc_type.name());
    }
}

#[test]
fn attributes_scalars_groups_and_unwritten_variables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let mut writer = Writer::create(&path, &options(64 << 20, 1)).unwrap();
    let root = Schema::ROOT;
    let title = AttributeOwner::Group(root);
    writer
        .put_attribute(title, "title", text("a test"))
        .unwrap();
    let time = dimension(&mut writer, "time", GROWS);
    let x = dimension(&mut writer, "x", DimensionLength::Fixed(3000));
    let scalar = variable(&mut writer, root, "scalar", NcType::Double, &[]);
    let scale = SchemaValue::Atomic(AttributeValue::Double(vec![0.5, 2.0]));
    let of_scalar = AttributeOwner::Variable(scalar);
    writer.put_attribute(of_scalar, "scale", scale).unwrap();
    let settings = VariableSettings {
        fill: Fill::Value(AttributeValue::Float(vec![-1.0])),
        ..VariableSettings::default()
    };
    let float = ValueType::Atomic(NcType::Float);
    let never = writer
        .add_variable(root, "never", float, &[x], settings)
        .unwrap();
    let stamps = variable(&mut writer, root, "time", NcType::Double, &[time]);
    let group = writer.add_group(root, "inner").unwrap();
    variable(&mut writer, group, "short", NcType::Short, &[time, x]);
    writer
        .put(scalar, &[], &[], None, &1.5_f64.to_le_bytes())
        .unwrap();
    writer
        .put(stamps, &[6], &[1], None, &6.0_f64.to_le_bytes())
        .unwrap();
    // Definitions go on after puts.
    let units = AttributeOwner::Variable(never);
    writer.put_attribute(units, "units", text("K")).unwrap();
    let report = writer.close().unwrap();
    assert_eq!(report.variables[2].shape, [7]);
    assert_eq!(read(&path, "/scalar").1, 1.5_f64.to_le_bytes());
    let unwritten = (vec![3000], (-1_f32).to_le_bytes().repeat(3000));
    assert_eq!(read(&path, "/never"), unwritten);
    let (shape, values) = read(&path, "/time");
    let last = 6.0_f64.to_le_bytes();
    assert_eq!((shape, &values[48..]), (vec![7], last.as_slice()));
    assert_eq!(read(&path, "/inner/short").0, [7, 3000]);
    let input = Input::open(&path).unwrap();
    let global = input.attributes(None).unwrap();
    assert_eq!(global.text("title"), Some("a test"));
    let number = |name: &str| input.variables().iter().position(|v| v.path == name);
    let attributes = input.attributes(number("/never")).unwrap();
    assert_eq!(attributes.text("units"), Some("K"));
    assert_eq!(attributes.number("_FillValue"), Some(-1.0));
    let attributes = input.attributes(number("/scalar")).unwrap();
    assert_eq!(attributes.numbers("scale"), [0.5, 2.0]);
}

#[test]
fn a_variable_that_was_just_added_can_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let mut writer = Writer::create(&path, &options(64 << 20, 1)).unwrap();
    assert!(writer.take_back_variable().is_err());
    let x = dimension(&mut writer, "x", DimensionLength::Fixed(2));
    let kept = variable(&mut writer, Schema::ROOT, "kept", NcType::Short, &[x]);
    let gone = variable(&mut writer, Schema::ROOT, "gone", NcType::Double, &[x]);
    let owner = AttributeOwner::Variable(gone);
    writer.put_attribute(owner, "units", text("K")).unwrap();
    writer.take_back_variable().unwrap();
    let bytes = [1_i16, 2].map(i16::to_ne_bytes).concat();
    writer.put(kept, &[0], &[2], None, &bytes).unwrap();
    // Its values are being written.
    assert!(writer.take_back_variable().is_err());
    let again = variable(&mut writer, Schema::ROOT, "gone", NcType::Byte, &[x]);
    assert_eq!(again, gone);
    writer.put(again, &[0], &[2], None, &[3, 4]).unwrap();
    writer.close().unwrap();
    assert_eq!(read(&path, "/gone").1, [3, 4]);
    let input = Input::open(&path).unwrap();
    let number = input.variables().iter().position(|v| v.path == "/gone");
    assert_eq!(input.attributes(number).unwrap().text("units"), None);
}

#[test]
fn strings_are_kept_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let mut writer = Writer::create(&path, &options(64 << 20, 1)).unwrap();
    let time = dimension(&mut writer, "time", GROWS);
    let (root, settings) = (Schema::ROOT, VariableSettings::default());
    let names = writer.add_variable(root, "names", ValueType::String, &[time], settings);
    let names = names.unwrap();
    let words = ["eins", "", "drei und mehr"].map(Text::from);
    writer.put_strings(names, &[1], &[3], None, &words).unwrap();
    let read = |writer: &mut Writer, start| -> Vec<Text> {
        let texts = writer.read_strings(names, &[start], &[4], None).unwrap();
        texts.into_iter().flatten().collect()
    };
    let all = read(&mut writer, 0);
    assert_eq!(all[1..], words);
    writer.sync().unwrap();
    writer
        .put_strings(names, &[4], &[1], None, &words[..1])
        .unwrap();
    writer.close().unwrap();
    let mut writer = Writer::append(&path, &options(64 << 20, 1)).unwrap();
    let all = read(&mut writer, 1);
    assert_eq!(all, ["eins", "", "drei und mehr", "eins"]);
    let error = writer.put(names, &[0], &[1], None, &[0]).unwrap_err();
    assert_eq!(error.code, frazil_types::ErrorCode::InvalidArgument);
}

#[test]
fn definitions_that_cannot_be_are_refused_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let mut writer = Writer::create(&path, &options(64 << 20, 1)).unwrap();
    let x = dimension(&mut writer, "x", DimensionLength::Fixed(2));
    let group = writer.add_group(Schema::ROOT, "g").unwrap();
    let inner = writer
        .add_dimension(group, "y", DimensionLength::Fixed(2))
        .unwrap();
    let before = writer.schema().clone();
    let root = Schema::ROOT;
    let int = ValueType::Atomic(NcType::Int);
    let fixed = DimensionLength::Fixed;
    assert!(writer.add_dimension(root, "x", fixed(2)).is_err());
    assert!(writer.add_dimension(root, "z", fixed(0)).is_err());
    assert!(writer.add_group(root, "x").is_err());
    assert!(writer.add_group(GroupId(7), "z").is_err());
    let mut add = |name: &str, axes: &[DimensionId], settings: &VariableSettings| {
        let error = writer.add_variable(root, name, int, axes, settings.clone());
        assert_eq!(
            error.unwrap_err().code,
            frazil_types::ErrorCode::InvalidArgument
        );
    };
    let plain = VariableSettings::default();
    add("a/b", &[x], &plain);
    add("", &[x], &plain);
    add("v", &[inner], &plain);
    add("v", &[DimensionId(9)], &plain);
    let other_type = VariableSettings {
        fill: Fill::Value(AttributeValue::Short(vec![1])),
        ..VariableSettings::default()
    };
    add("v", &[x], &other_type);
    let of_root = AttributeOwner::Group(root);
    assert!(writer.delete_attribute(of_root, "none").is_err());
    assert!(writer.rename_attribute(of_root, "none", "some").is_err());
    assert_eq!(*writer.schema(), before);
}
