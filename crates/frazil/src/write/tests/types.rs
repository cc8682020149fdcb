//! Every type, attributes, scalars, and what was never written.

use super::read;
use super::script::options;
use crate::input::Input;
use crate::write::{FileDefinition, VariableDefinition, Writer};
use crate::{AttributeValue, NcType};

#[test]
fn every_type_keeps_its_values_and_its_fill() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let mut definition = FileDefinition::default();
    let time = definition.add_unlimited("time", Some(3));
    let x = definition.add_dimension("x", 5);
    let variables: Vec<_> = (NcType::ALL.iter())
        .map(|&nc_type| {
            let variable = VariableDefinition::new(nc_type.name(), nc_type, &[time, x]);
            definition.add_variable(variable)
        })
        .collect();
    let mut writer = Writer::create(&path, &definition, &options(64 << 20, 2)).unwrap();
    for (&id, nc_type) in variables.iter().zip(NcType::ALL) {
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
        for (i, value) in (0..3 * size as u8)
            .collect::<Vec<u8>>()
            .chunks(size)
            .enumerate()
        {
            let at = (5 + 2 * i) * size;
            expected[at..at + size].copy_from_slice(value);
        }
        assert_eq!(values, expected, "{}", nc_type.name());
    }
}

#[test]
fn attributes_scalars_and_unwritten_variables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let mut definition = FileDefinition::default();
    let text = |text: &str| AttributeValue::Char(text.as_bytes().to_vec());
    definition.add_attribute("title", text("a test"));
    let time = definition.add_unlimited("time", None);
    let x = definition.add_dimension("x", 3000);
    let scalar = definition.add_variable(
        VariableDefinition::new("scalar", NcType::Double, &[])
            .with_attribute("scale", AttributeValue::Double(vec![0.5, 2.0])),
    );
    definition.add_variable(
        VariableDefinition::new("never", NcType::Float, &[x])
            .with_fill(AttributeValue::Float(vec![-1.0]))
            .with_attribute("units", text("K")),
    );
    let stamps = VariableDefinition::new("time", NcType::Double, &[time]);
    let stamps = definition.add_variable(stamps);
    definition.add_variable(VariableDefinition::new("short", NcType::Short, &[time, x]));
    let mut writer = Writer::create(&path, &definition, &options(64 << 20, 1)).unwrap();
    writer
        .put(scalar, &[], &[], None, &1.5_f64.to_le_bytes())
        .unwrap();
    writer
        .put(stamps, &[6], &[1], None, &6.0_f64.to_le_bytes())
        .unwrap();
    let report = writer.close().unwrap();
    assert_eq!(report.variables[2].shape, [7]);
    assert_eq!(read(&path, "/scalar").1, 1.5_f64.to_le_bytes());
    assert_eq!(
        read(&path, "/never"),
        (vec![3000], (-1_f32).to_le_bytes().repeat(3000))
    );
    let (shape, values) = read(&path, "/time");
    assert_eq!(
        (shape, &values[48..]),
        (vec![7], 6.0_f64.to_le_bytes().as_slice())
    );
    assert_eq!(read(&path, "/short").0, [7, 3000]);
    let input = Input::open(&path).unwrap();
    assert_eq!(
        input.attributes(None).unwrap().text("title"),
        Some("a test")
    );
    let number = |name: &str| input.variables().iter().position(|v| v.path == name);
    let attributes = input.attributes(number("/never")).unwrap();
    assert_eq!(attributes.text("units"), Some("K"));
    assert_eq!(attributes.number("_FillValue"), Some(-1.0));
    let attributes = input.attributes(number("/scalar")).unwrap();
    assert_eq!(attributes.numbers("scale"), [0.5, 2.0]);
}

#[test]
fn definitions_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |definition: &FileDefinition| {
        let path = folder.path().join("out.nc");
        let error = Writer::create(&path, definition, &options(64 << 20, 1)).unwrap_err();
        assert_eq!(error.code, crate::ErrorCode::InvalidArgument);
        assert!(!path.exists());
    };
    let mut twice = FileDefinition::default();
    twice.add_dimension("x", 1);
    twice.add_dimension("x", 2);
    refused(&twice);
    let mut empty = FileDefinition::default();
    empty.add_dimension("x", 0);
    refused(&empty);
    let mut slash = FileDefinition::default();
    slash.add_variable(VariableDefinition::new("a/b", NcType::Int, &[]));
    refused(&slash);
    let mut fill = FileDefinition::default();
    let variable = VariableDefinition::new("v", NcType::Int, &[]);
    fill.add_variable(variable.with_fill(AttributeValue::Short(vec![1])));
    refused(&fill);
}
