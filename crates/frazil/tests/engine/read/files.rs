//! Small files that other tools wrote (`data/read/make.py`): chunks, types, dimensions.

use frazil::schema::VariableId;
use frazil::{AxisSelection, ElementClass, Reader, ReaderOptions};
use frazil_container::hdf5::Hdf5Input;

use super::corpus::check;
use super::support::{data, whole};

fn open(name: &str) -> Reader {
    Reader::open(&data(name), &ReaderOptions::default()).unwrap()
}

fn id(reader: &Reader, path: &str) -> VariableId {
    reader.model().variable(path).unwrap()
}

fn i32s(bytes: &[u8]) -> Vec<i32> {
    let words = bytes.as_chunks::<4>().0;
    words.iter().map(|word| i32::from_ne_bytes(*word)).collect()
}

#[test]
fn files_of_other_tools_read_as_libhdf5_reads_them() {
    for name in ["chunks.h5", "types.h5", "scales.nc"] {
        let reader = open(name);
        let hdf5 = Hdf5Input::open(&data(name)).unwrap();
        let variables = &reader.model().variables;
        for (number, variable) in variables.iter().enumerate() {
            let outcome = check(&reader, Some(&hdf5), VariableId(number), variable);
            assert_eq!(outcome, Ok(()), "{}", variable.name);
        }
        assert!(variables.len() > 4);
    }
}

#[test]
fn filters_left_out_and_chunks_never_written() {
    let reader = open("chunks.h5");
    let expected: Vec<i32> = (0..16).map(|i| i * 7 % 251).collect();
    let masked = i32s(&whole(&reader, id(&reader, "masked")).unwrap());
    assert_eq!(masked[..16], expected);
    assert_eq!(masked[16..], expected, "not shuffled");
    let gaps = i32s(&whole(&reader, id(&reader, "gaps")).unwrap());
    assert_eq!((gaps[0], gaps[36 + 1], gaps[20 * 9 - 1]), (-5, 7, 77));
    let fill = reader.fill_value(id(&reader, "gaps")).unwrap();
    assert_eq!(fill, (-5_i32).to_ne_bytes());
}

#[test]
fn numbers_of_every_form_come_in_this_machines_order() {
    let reader = open("types.h5");
    let small = i32s(&whole(&reader, id(&reader, "small")).unwrap());
    assert_eq!(small, [0, 1, 2, 3, 4, 5]);
    let narrow = whole(&reader, id(&reader, "narrow")).unwrap();
    let narrow: Vec<i16> = narrow
        .as_chunks::<2>()
        .0
        .iter()
        .map(|b| i16::from_ne_bytes(*b))
        .collect();
    assert_eq!(narrow, [-7, 5, 2047, -2048, 0, 1]);
    let colours = whole(&reader, id(&reader, "enum")).unwrap();
    assert_eq!(colours[2..4], 300_i16.to_ne_bytes());
    let element = reader.element(id(&reader, "enum")).unwrap();
    assert_eq!(element.class, ElementClass::Enumeration);
    let texts = reader.read_strings(id(&reader, "texts"), &[AxisSelection::List(vec![2, 0, 2])]);
    assert_eq!(texts.unwrap(), ["ü", "", "ü"]);
    let fixed = reader.read_strings(id(&reader, "fixed"), &[AxisSelection::all(3)]);
    assert_eq!(fixed.unwrap(), ["ab", "", "abcd"]);
}

#[test]
fn dimensions_are_as_long_as_their_longest_variable() {
    let reader = open("scales.nc");
    let model = reader.model();
    let short = id(&reader, "short");
    assert_eq!(model.shape(short), [5, 3]);
    let values = i32s(&whole(&reader, short).unwrap());
    assert_eq!(values[..6], [0, 7, 14, 21, 28, 35]);
    assert_eq!(values[6..], [-9; 9], "the fill value beyond its own extent");
    let plain = id(&reader, "inner/plain");
    assert_eq!(model.shape(plain), [5, 2]);
    let bytes = whole(&reader, plain).unwrap();
    let last = f32::from_ne_bytes(bytes[36..].try_into().unwrap());
    assert!((last / 9.969_21e36 - 1.0).abs() < 1e-6, "netCDF's own");
    let texts = reader.read_strings(id(&reader, "text"), &[AxisSelection::all(5)]);
    assert_eq!(texts.unwrap(), ["first", "", "", "", ""]);
    let clash = &model.variables[id(&reader, "x").0];
    assert_eq!(model.dimensions[clash.dimensions[0].0].name, "time");
}

#[test]
fn axes_without_a_dimension_are_named_as_netcdf_c_names_them() {
    let reader = open("chunks.h5");
    let model = reader.model();
    let names = |path: &str| -> Vec<&str> {
        let variable = &model.variables[id(&reader, path).0];
        let axes = variable.dimensions.iter();
        axes.map(|axis| model.dimensions[axis.0].name.as_str())
            .collect()
    };
    assert_eq!(names("big"), names("little"));
    assert_ne!(names("gaps")[0], names("gaps")[1]);
    assert!(model.dimensions.iter().all(|dimension| dimension.is_phony));
    let first = &model.dimensions[0].name;
    assert_eq!(first, "phony_dim_0");
}

#[test]
fn selections_that_do_not_fit_are_refused() {
    let reader = open("chunks.h5");
    let little = id(&reader, "little");
    let mut bytes = [0; 8];
    let one = AxisSelection::dense(0, 1);
    for selections in [
        vec![one.clone()],
        vec![one.clone(), AxisSelection::dense(8, 2)],
        vec![AxisSelection::List(vec![7]), AxisSelection::dense(0, 2)],
        vec![one.clone(), AxisSelection::dense(0, 3)],
    ] {
        let error = reader.read(little, &selections, &mut bytes).unwrap_err();
        assert_eq!(error.code, frazil::ErrorCode::InvalidArgument, "{error}");
        assert!(error.variable.is_some() && error.file.is_some());
    }
    reader
        .read(little, &[one, AxisSelection::dense(7, 2)], &mut bytes)
        .unwrap();
}
