//! Classic files: written, read back and compared with netCDF-C's reading.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failing helper is a failing test"
)]

mod gather;
mod reference;
mod samples;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use frazil_container::classic::{
    ClassicAttribute, ClassicError, ClassicFile, ClassicFormat, ClassicModel, ClassicWriter, NcType,
};
use frazil_types::ErrorCode;

use gather::{gather, swap_native_and_big};
use reference::Reference;

/// Number of classic files in the corpus of real data.
const CORPUS_FILES: usize = 27;

/// A model as text, with values as bytes: unlike floats, these are equal to themselves.
fn described(model: &ClassicModel) -> Vec<String> {
    let attributes = |owner: &str, list: &[ClassicAttribute]| -> Vec<String> {
        let one = |item: &ClassicAttribute| {
            let (nc_type, bytes) = (item.value.nc_type(), item.value.to_be_bytes());
            format!("{owner}:{} {nc_type:?} {bytes:?}", item.name)
        };
        list.iter().map(one).collect()
    };
    let mut lines: Vec<String> = model
        .dimensions
        .iter()
        .map(|item| format!("{item:?}"))
        .collect();
    lines.extend(attributes("", &model.attributes));
    for variable in &model.variables {
        let (name, dimensions) = (&variable.name, &variable.dimensions);
        lines.push(format!("{name} {dimensions:?} {:?}", variable.nc_type));
        lines.extend(attributes(name, &variable.attributes));
    }
    lines
}

/// Compares our view of a file, header and values, with netCDF-C's.
fn compare_with_netcdf_c(path: &Path) {
    let file = ClassicFile::open(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let contents = fs::read(path).unwrap();
    let reference = Reference::open(path);
    let expected = reference.model();
    assert_eq!(described(file.model()), described(&expected), "{path:?}");
    let format = match file.format() {
        ClassicFormat::Cdf1 => netcdf_sys::NC_FORMAT_CLASSIC,
        ClassicFormat::Cdf2 => netcdf_sys::NC_FORMAT_64BIT_OFFSET,
        ClassicFormat::Cdf5 => netcdf_sys::NC_FORMAT_64BIT_DATA,
    };
    assert_eq!(reference.format(), format);
    for (position, location) in file.locations().iter().enumerate() {
        let values = reference.values(position, &expected);
        let mut targets = vec![(1 << 12, None), (1 << 16, Some(3)), (1 << 30, Some(12))];
        if values.len() < 1 << 16 {
            targets.extend([(1, None), (100, Some(2))]);
        }
        for (target, preferred) in targets {
            let gathered = gather(&file, &contents, position, target, preferred);
            assert!(
                gathered == values,
                "{path:?}: {location:?}, slabs of {target} bytes"
            );
        }
    }
}

fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("FRAZIL_CORPUS").map_or_else(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

fn classic_files(folder: PathBuf) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = VecDeque::from([folder]);
    while let Some(folder) = folders.pop_front() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push_back(path);
            } else if fs::read(&path).is_ok_and(|bytes| bytes.starts_with(b"CDF")) {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn real_files_read_as_netcdf_c_reads_them() {
    let Some(folder) = corpus() else {
        println!("skipped: no corpus; set FRAZIL_CORPUS to its folder");
        return;
    };
    let files = classic_files(folder);
    assert_eq!(files.len(), CORPUS_FILES);
    for path in files {
        compare_with_netcdf_c(&path);
    }
}

#[test]
fn what_is_written_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.nc");
    for format in ClassicFormat::ALL {
        for records in [0, 1, 4] {
            let model = samples::model(format, records);
            samples::write(&path, format, &model);
            let file = ClassicFile::open(&path).unwrap();
            assert_eq!(file.format(), format);
            assert_eq!(file.model(), &model);
            let contents = fs::read(&path).unwrap();
            for (position, variable) in model.variables.iter().enumerate() {
                let stored = gather(&file, &contents, position, 64, None);
                let native = swap_native_and_big(&stored, variable.nc_type.size_bytes());
                assert_eq!(
                    native,
                    samples::values(&model, position),
                    "{}",
                    variable.name
                );
            }
            compare_with_netcdf_c(&path);
        }
    }
}

#[test]
fn records_of_a_lone_variable_are_not_padded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lone.nc");
    for nc_type in [NcType::Byte, NcType::Char, NcType::Short, NcType::Double] {
        let model = samples::lone_record_model(nc_type, 5);
        samples::write(&path, ClassicFormat::Cdf1, &model);
        let file = ClassicFile::open(&path).unwrap();
        let lone = file.locations().last().unwrap();
        assert_eq!(
            lone.record_stride_bytes(),
            Some(3 * nc_type.size_bytes() as u64)
        );
        assert_eq!(
            lone.slabs(1 << 20, None)
                .unwrap()
                .extent(0)
                .unwrap()
                .segments,
            1
        );
        compare_with_netcdf_c(&path);
    }
}

#[test]
fn values_are_put_box_by_box_from_any_address() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("boxes.nc");
    let model = samples::model(ClassicFormat::Cdf5, 3);
    let position = model.variable_position("record_double").unwrap();
    let values = samples::values(&model, position);
    let record_bytes = values.len() / 3;
    let mut writer = ClassicWriter::create(&path, ClassicFormat::Cdf5, &model).unwrap();
    for record in [2, 0, 1_usize] {
        // One byte off, so that the values are not aligned as doubles.
        let mut shifted = vec![0];
        shifted.extend(&values[record * record_bytes..][..record_bytes]);
        let start = [record as u64, 0, 0];
        writer
            .put(position, &start, &[1, 3, 5], &shifted[1..])
            .unwrap();
    }
    for (start, count, length) in [
        (&[0, 0, 0][..], &[1, 3, 5][..], record_bytes - 1),
        (&[0, 0][..], &[1, 3][..], 24),
        (&[0, 2, 0][..], &[1, 2, 5][..], 80),
    ] {
        let error = writer
            .put(position, start, count, &values[..length])
            .unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert!(error.to_string().contains("`record_double`"), "{error}");
    }
    let error = writer
        .put(model.variables.len(), &[], &[], &[])
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgument);
    writer.finish().unwrap();
    let file = ClassicFile::open(&path).unwrap();
    let stored = gather(&file, &fs::read(&path).unwrap(), position, 1, None);
    assert_eq!(swap_native_and_big(&stored, 8), values);
}

#[test]
fn the_effective_fill_value_is_the_attribute_or_the_default() {
    let model = samples::model(ClassicFormat::Cdf1, 1);
    let mut variable = model.variables[model.variable_position("fixed_short").unwrap()].clone();
    let fill = |value| ClassicAttribute {
        name: "_FillValue".to_owned(),
        value,
    };
    use frazil_container::classic::AttributeValue::{Int, Short};
    variable.attributes = vec![fill(Short(vec![-1]))];
    assert_eq!(variable.fill_value(), Short(vec![-1]));
    for useless in [Short(vec![-1, 2]), Short(vec![]), Int(vec![-1])] {
        variable.attributes = vec![fill(useless)];
        assert_eq!(variable.fill_value(), NcType::Short.default_fill());
    }
}

#[test]
fn refusals_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.nc");
    assert_eq!(
        ClassicFile::open(&missing).unwrap_err().code(),
        ErrorCode::NotFound
    );
    let model = samples::model(ClassicFormat::Cdf1, 1);
    let create = |path: PathBuf| ClassicWriter::create(path, ClassicFormat::Cdf1, &model);
    let error = create(missing.join("deeper.nc")).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound, "{error}");
    create(folder.path().join("back\\slash.nc")).unwrap();
    let wide = samples::model(ClassicFormat::Cdf5, 1);
    let error = ClassicWriter::create(&missing, ClassicFormat::Cdf1, &wide).unwrap_err();
    assert!(
        matches!(error, ClassicError::NotRepresentable(_)),
        "{error}"
    );
    assert!(!missing.exists());
    let version = frazil_container::netcdf::library_version();
    assert!(version.starts_with("4."), "{version}");
}
