//! Classic netCDF files, beside each other and beside netCDF-4 files.

use std::path::{Path, PathBuf};

use frazil::{Destination, PackOptions, Silent, pack};
use frazil_container::classic::{
    AttributeValue, ClassicAttribute, ClassicDimension, ClassicFormat, ClassicModel,
    ClassicVariable, ClassicWriter, NcType,
};
use tempfile::TempDir;

use super::{assert_equal, compare, data, lines};

/// What `data/verify/make.py` writes as `classic_big.h5` and its kin.
fn classic_model() -> ClassicModel {
    let text = |name: &str, value: &str| ClassicAttribute {
        name: name.into(),
        value: AttributeValue::Char(value.into()),
    };
    let variable = |name: &str, dimensions: &[usize], nc_type| ClassicVariable {
        name: name.into(),
        dimensions: dimensions.to_vec(),
        attributes: Vec::new(),
        nc_type,
    };
    let dimension = |name: &str, length, is_record| ClassicDimension {
        name: name.into(),
        length,
        is_record,
    };
    let levels = ClassicAttribute {
        name: "levels".into(),
        value: AttributeValue::Int(vec![1, 2]),
    };
    let mut field = variable("field", &[0, 1], NcType::Float);
    field.attributes = vec![text("units", "K"), levels];
    ClassicModel {
        dimensions: vec![dimension("time", 2, true), dimension("x", 3, false)],
        attributes: vec![text("title", "twin")],
        variables: vec![
            variable("time", &[0], NcType::Double),
            variable("x", &[1], NcType::Double),
            field,
        ],
    }
}

/// Writes a model with the values that `data/verify/make.py` writes; `second` is the second record
/// of `field`.
fn write_classic_with(path: &Path, format: ClassicFormat, model: &ClassicModel, second: [f32; 3]) {
    let mut writer = ClassicWriter::create(path, format, model).unwrap();
    let doubles = |values: &[f64]| {
        values
            .iter()
            .flat_map(|v| v.to_ne_bytes())
            .collect::<Vec<_>>()
    };
    let floats = |values: &[f32]| {
        values
            .iter()
            .flat_map(|v| v.to_ne_bytes())
            .collect::<Vec<_>>()
    };
    writer.put(0, &[0], &[2], &doubles(&[0.0, 1.0])).unwrap();
    writer
        .put(1, &[0], &[3], &doubles(&[0.0, 1.0, 2.0]))
        .unwrap();
    writer
        .put(2, &[0, 0], &[1, 3], &floats(&[0.5, 1.5, 2.5]))
        .unwrap();
    writer.put(2, &[1, 0], &[1, 3], &floats(&second)).unwrap();
    writer.finish().unwrap();
}

fn write_classic(
    folder: &TempDir,
    name: &str,
    format: ClassicFormat,
    model: &ClassicModel,
) -> PathBuf {
    let path = folder.path().join(name);
    write_classic_with(&path, format, model, [3.5, 4.5, 5.5]);
    path
}

#[test]
fn classic_and_netcdf4_forms_of_the_same_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    let model = classic_model();
    let cdf1 = write_classic(&folder, "1.nc", ClassicFormat::Cdf1, &model);
    let cdf5 = write_classic(&folder, "5.nc", ClassicFormat::Cdf5, &model);
    for other in [&cdf5, &data("classic_big"), &data("classic_little")] {
        for (a, b) in [(&cdf1, other), (other, &cdf1)] {
            let report = assert_equal(a, b);
            assert_eq!(
                (report.values, report.value_bytes, report.attributes),
                (11, 64, 3)
            );
        }
    }
}

#[test]
fn differences_between_classic_and_netcdf4_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_classic(&folder, "a.nc", ClassicFormat::Cdf2, &classic_model());
    let title = compare(&file, &data("classic_title"));
    assert_eq!(
        lines(&title),
        ["/: attribute `title`: \"twin\" against \"other\""]
    );
    let value = compare(&file, &data("classic_value"));
    let expected = "/field: first difference at [1, 2]: 5.5 against 6.5 (1 of 6 values differ)";
    assert_eq!(lines(&value), [expected]);
    let links = compare(&file, &data("links"));
    assert!(
        lines(&links)
            .iter()
            .any(|line| line.starts_with("/group: a group in the second"))
    );
}

#[test]
fn differences_between_classic_files_are_found() {
    type Change = fn(&mut ClassicModel);
    let changes: [(Change, &str); 7] = [
        (
            |m| m.dimensions[1].name = "y".into(),
            "/x: dimension `x` is only in the first file",
        ),
        (
            |m| m.dimensions[0].is_record = false,
            "/time: the dimension is unlimited only in the first file",
        ),
        (
            |m| m.attributes[0].value = AttributeValue::Char(b"tw".to_vec()),
            "/: attribute `title`: \"twin\" against \"tw\"",
        ),
        (
            |m| m.variables[2].attributes[1].value = AttributeValue::Short(vec![1, 2]),
            "/field: attribute `levels`: datatype: int against short",
        ),
        (
            |m| m.variables[2].attributes[1].value = AttributeValue::Int(vec![1, 3]),
            "/field: attribute `levels`: first difference at [1]: 2 against 3 (1 of 2 values \
             differ)",
        ),
        (
            |m| m.variables[2].attributes.swap(0, 1),
            "/field: order of attributes: `units` in the first file where the second has `levels`",
        ),
        (
            |m| m.variables[2].name = "other".into(),
            "/field: variable `field` is only in the first file",
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let base = write_classic(&folder, "a.nc", ClassicFormat::Cdf1, &classic_model());
    for (change, expected) in changes {
        let mut model = classic_model();
        change(&mut model);
        let other = write_classic(&folder, "b.nc", ClassicFormat::Cdf1, &model);
        let report = compare(&base, &other);
        assert_eq!(lines(&report)[0], expected);
    }
}

#[test]
fn a_variable_shorter_than_its_dimension_ends_in_fill_values() {
    let folder = tempfile::tempdir().unwrap();
    let (fill, other) = (
        folder.path().join("fill.nc"),
        folder.path().join("other.nc"),
    );
    // NC_FILL_FLOAT
    let filled = [9.969_21e36_f32; 3];
    write_classic_with(&fill, ClassicFormat::Cdf1, &classic_model(), filled);
    write_classic_with(
        &other,
        ClassicFormat::Cdf1,
        &classic_model(),
        [filled[0], 0.0, filled[2]],
    );
    assert_equal(&fill, &data("classic_short"));
    assert_equal(&data("classic_short"), &fill);
    let report = compare(&data("classic_short"), &other);
    let expected =
        "/field: first difference at [1, 1]: 9.96921e36 against 0.0 (1 of 6 values differ)";
    assert_eq!(lines(&report), [expected]);
}

/// A classic model with everything that netCDF-4 writes down in a special way.
fn odd_model() -> ClassicModel {
    let dimension = |name: &str, length, is_record| ClassicDimension {
        name: name.into(),
        length,
        is_record,
    };
    let variable = |name: &str, dimensions: &[usize], nc_type, attributes| ClassicVariable {
        name: name.into(),
        dimensions: dimensions.to_vec(),
        attributes,
        nc_type,
    };
    let attribute = |name: &str, value| ClassicAttribute {
        name: name.into(),
        value,
    };
    let empty = attribute("empty", AttributeValue::Char(Vec::new()));
    let none = attribute("none", AttributeValue::Double(Vec::new()));
    let latin = attribute("latin", AttributeValue::Char(b"caf\xe9\0".to_vec()));
    let nan = attribute("_FillValue", AttributeValue::Float(vec![f32::NAN]));
    ClassicModel {
        dimensions: vec![
            dimension("x", 3, false),
            dimension("unused", 7, false),
            dimension("time", 2, true),
            dimension("letters", 4, false),
        ],
        attributes: vec![empty, latin],
        variables: vec![
            // Named like a dimension that it does not lie along.
            variable("unused", &[0], NcType::Short, vec![]),
            // A coordinate variable of two axes.
            variable("time", &[2, 3], NcType::Char, vec![none]),
            variable("field", &[2, 0], NcType::Float, vec![nan]),
            variable("scalar", &[], NcType::Int, vec![]),
        ],
    }
}

#[test]
fn what_netcdf4_writes_in_a_special_way_is_understood() {
    let folder = tempfile::tempdir().unwrap();
    let (source, packed) = (
        folder.path().join("source.nc"),
        folder.path().join("packed.nc"),
    );
    let mut writer = ClassicWriter::create(&source, ClassicFormat::Cdf2, &odd_model()).unwrap();
    let shorts: Vec<u8> = [1_i16, -2, 3]
        .iter()
        .flat_map(|v| v.to_ne_bytes())
        .collect();
    writer.put(0, &[0], &[3], &shorts).unwrap();
    writer.put(1, &[0, 0], &[2, 4], b"mon\0tues").unwrap();
    let floats: Vec<u8> = [0.5_f32; 6].iter().flat_map(|v| v.to_ne_bytes()).collect();
    writer.put(2, &[0, 0], &[2, 3], &floats).unwrap();
    writer.put(3, &[], &[], &7_i32.to_ne_bytes()).unwrap();
    writer.finish().unwrap();
    let destination = Destination::File(packed.clone());
    pack(&source, &destination, &PackOptions::default(), &mut Silent).unwrap();
    let report = assert_equal(&source, &packed);
    assert_eq!(
        (report.values, report.attributes, report.notices.len()),
        (3 + 8 + 6 + 1, 4, 0)
    );
    assert_equal(&packed, &source);
}
