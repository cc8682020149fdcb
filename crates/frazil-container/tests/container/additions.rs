//! Outputs that carry attributes and container variables beside what they copy.

#![expect(clippy::unwrap_used, reason = "a failing helper is a failing test")]

use std::fs::File;
use std::path::{Path, PathBuf};

use frazil_container::classic::{self, ClassicAttribute, ClassicDimension, ClassicModel};
use frazil_container::classic::{ClassicVariable, NcType};
use frazil_container::hdf5::{
    Additions, AttributeDescription, AttributeValue, Extent, Hdf5Input, Hdf5Output, NewAttribute,
    NewContainer, OutputStorage, OutputTarget, TypeClass,
};
use frazil_types::FilterPipeline;

const IN_ONE_BLOCK: OutputTarget<'_> = OutputTarget::Measure {
    metadata_block_bytes: None,
};

fn new(name: &str, value: AttributeValue) -> NewAttribute {
    NewAttribute {
        name: name.to_owned(),
        value,
    }
}

fn text(name: &str, value: &str) -> NewAttribute {
    new(name, AttributeValue::Text(value.to_owned()))
}

fn old(name: &str, value: &str) -> ClassicAttribute {
    ClassicAttribute {
        name: name.to_owned(),
        value: classic::AttributeValue::Char(value.into()),
    }
}

/// A coordinate, a field over it, and a scalar.
fn model() -> ClassicModel {
    let variable = |name: &str, dimensions: &[usize]| ClassicVariable {
        name: name.to_owned(),
        dimensions: dimensions.to_vec(),
        attributes: vec![
            old("units", "K"),
            old("_QuantizeNumberOfSignificantDigits", "3"),
            old("comment", "an old one"),
            old("cell_methods", "time: mean"),
        ],
        nc_type: NcType::Float,
    };
    ClassicModel {
        dimensions: vec![ClassicDimension {
            name: "x".to_owned(),
            length: 6,
            is_record: false,
        }],
        attributes: vec![old("title", "additions")],
        variables: vec![
            variable("x", &[0]),
            variable("t", &[0]),
            variable("scalar", &[]),
        ],
    }
}

/// Number of the field in [`model`], and in its copies.
const FIELD: usize = 1;

fn additions() -> Additions {
    let quantization = vec![
        text("quantization", "quantization_info"),
        new("quantization_nsb", AttributeValue::Int(7)),
        new(
            "quantization_maximum_relative_error",
            AttributeValue::Double(0.0),
        ),
        text("comment", "a new one: µ"),
    ];
    Additions {
        root: Vec::new(),
        attributes: vec![(FIELD, quantization)],
        dropped: vec![(
            FIELD,
            vec![
                "_QuantizeNumberOfSignificantDigits".to_owned(),
                "absent".to_owned(),
            ],
        )],
        retyped: Vec::new(),
        containers: vec![NewContainer {
            name: "quantization_info".to_owned(),
            attributes: vec![
                text("algorithm", "bitround"),
                text("implementation", "frazil"),
                text("empty", ""),
            ],
        }],
    }
}

/// What the field's attributes are called in the output.
const FIELD_NAMES: [&str; 6] = [
    "units",
    "cell_methods",
    "quantization",
    "quantization_nsb",
    "quantization_maximum_relative_error",
    "comment",
];

fn storage(model: &ClassicModel) -> Vec<OutputStorage> {
    let chunked = |variable: &ClassicVariable| match variable.dimensions.len() {
        0 => OutputStorage::Contiguous,
        _ => OutputStorage::Chunked {
            chunk: vec![3],
            pipeline: FilterPipeline::default(),
        },
    };
    model.variables.iter().map(chunked).collect()
}

fn target(path: &Path) -> OutputTarget<'_> {
    File::create(path).unwrap();
    OutputTarget::File {
        path,
        metadata_block_bytes: 2048,
    }
}

fn write_classic(path: &Path, strict: bool, additions: &Additions) {
    let model = model();
    let storage = storage(&model);
    Hdf5Output::define_classic(&model, strict, target(path), &storage, additions)
        .unwrap()
        .finish(None)
        .unwrap();
}

fn visible(input: &Hdf5Input, object: &str) -> Vec<AttributeDescription> {
    const HIDDEN: [&str; 6] = [
        "CLASS",
        "NAME",
        "DIMENSION_LIST",
        "REFERENCE_LIST",
        "_Netcdf4Dimid",
        "_Netcdf4Coordinates",
    ];
    let mut all = input.describe_attributes(object).unwrap().list;
    all.retain(|attribute| !HIDDEN.contains(&attribute.name.as_str()));
    all
}

fn names(attributes: &[AttributeDescription]) -> Vec<&str> {
    attributes.iter().map(|item| item.name.as_str()).collect()
}

fn value_bytes(attributes: &[AttributeDescription], name: &str) -> Vec<u8> {
    let found = attributes.iter().find(|item| item.name == name).unwrap();
    found.values.as_ref().unwrap().bytes().to_vec()
}

fn check_field(input: &Hdf5Input) {
    let field = visible(input, "/t");
    assert_eq!(names(&field), FIELD_NAMES);
    assert_eq!(value_bytes(&field, "quantization_nsb"), 7_i32.to_le_bytes());
    assert_eq!(field[3].extent, vector_of_one());
    assert_eq!(field[4].extent, vector_of_one());
    assert_eq!(field[2].extent, Extent::Scalar);
    let utf8 =
        |i: usize| matches!(&field[i].datatype.class, TypeClass::FixedText { utf8, .. } if *utf8);
    assert!(!utf8(2), "ASCII text is marked as such");
    assert!(utf8(5), "other text is UTF-8");
    let other = visible(input, "/x");
    assert_eq!(
        names(&other),
        [
            "units",
            "_QuantizeNumberOfSignificantDigits",
            "comment",
            "cell_methods"
        ]
    );
}

fn vector_of_one() -> Extent {
    Extent::Simple {
        shape: vec![1],
        max_shape: vec![Some(1)],
    }
}

fn check_container(input: &Hdf5Input) {
    let last = input.datasets().last().unwrap();
    assert_eq!(last.path, "/quantization_info", "containers come last");
    assert_eq!((last.shape.len(), last.stored_bytes), (0, 0));
    assert_eq!(last.element.size_bytes, 1);
    let own = visible(input, "/quantization_info");
    assert_eq!(names(&own), ["algorithm", "implementation", "empty"]);
    assert_eq!(own[2].extent, Extent::Null, "netCDF-C's empty text");
    assert_eq!(own[0].datatype.size_bytes, "bitround".len());
}

#[test]
fn outputs_of_classic_files_carry_additions() {
    let folder = tempfile::tempdir().unwrap();
    for strict in [false, true] {
        let path = folder.path().join(format!("{strict}.nc"));
        write_classic(&path, strict, &additions());
        let input = Hdf5Input::open(&path).unwrap();
        assert_eq!(input.is_classic_model().unwrap(), strict);
        check_field(&input);
        check_container(&input);
    }
}

#[test]
fn copies_carry_additions_in_place_of_what_they_had() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a.nc"), folder.path().join("b.nc"));
    write_classic(&first, true, &Additions::default());
    let input = Hdf5Input::open(&first).unwrap();
    let storage = vec![OutputStorage::Keep; input.datasets().len()];
    let output = Hdf5Output::define_copy(&input, target(&second), &storage, &additions()).unwrap();
    let bound = "quantization_maximum_relative_error";
    let set = |name: &str, value| output.set_attribute(FIELD, &new(name, value));
    set(bound, AttributeValue::Double(0.25)).unwrap();
    set("quantization_nsb", AttributeValue::Int(-1)).unwrap();
    set("comment", AttributeValue::Text("a new two: µ".to_owned())).unwrap();
    assert!(set(bound, AttributeValue::Int(1)).is_err(), "another type");
    assert!(
        set("comment", AttributeValue::Text("a".to_owned())).is_err(),
        "another length"
    );
    assert!(set("absent", AttributeValue::Int(1)).is_err());
    output.finish(Some(&input)).unwrap();

    let copy = Hdf5Input::open(&second).unwrap();
    assert_eq!(copy.datasets().len(), input.datasets().len() + 1);
    let field = visible(&copy, "/t");
    assert_eq!(names(&field), FIELD_NAMES);
    assert_eq!(value_bytes(&field, bound), 0.25_f64.to_le_bytes());
    assert_eq!(
        value_bytes(&field, "quantization_nsb"),
        (-1_i32).to_le_bytes()
    );
    assert!(value_bytes(&field, "comment").ends_with("two: µ".as_bytes()));
    check_container(&copy);
    assert!(copy.is_classic_model().unwrap());
}

#[test]
fn many_attributes_keep_their_order_in_dense_storage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dense.nc");
    let expected: Vec<String> = (0..30).rev().map(|i| format!("attribute_{i}")).collect();
    let list = |expected: &[String]| expected.iter().map(|name| text(name, name)).collect();
    let many = Additions {
        attributes: vec![(FIELD, list(&expected))],
        containers: vec![NewContainer {
            name: "container".to_owned(),
            attributes: list(&expected),
        }],
        ..Additions::default()
    };
    write_classic(&path, true, &many);
    let input = Hdf5Input::open(&path).unwrap();
    assert_eq!(names(&visible(&input, "/t"))[4..], expected);
    assert_eq!(names(&visible(&input, "/container")), expected);
}

#[test]
fn measuring_counts_the_additions() {
    let model = model();
    let measure = |additions: &Additions| {
        let storage = storage(&model);
        Hdf5Output::define_classic(&model, true, IN_ONE_BLOCK, &storage, additions)
            .unwrap()
            .finish(None)
            .unwrap()
            .metadata_end
    };
    let (with, without) = (measure(&additions()), measure(&Additions::default()));
    assert!(with > without + 200, "{with} against {without} bytes");
}

#[test]
fn impossible_additions_are_refused() {
    let model = model();
    let define = |additions: &Additions| {
        let storage = storage(&model);
        Hdf5Output::define_classic(&model, true, IN_ONE_BLOCK, &storage, additions).map(|_| ())
    };
    let beyond = Additions {
        dropped: vec![(3, vec!["units".to_owned()])],
        ..Additions::default()
    };
    assert!(define(&beyond).is_err(), "there is no fourth variable");
    let taken = Additions {
        containers: vec![NewContainer {
            name: "t".to_owned(),
            attributes: Vec::new(),
        }],
        ..Additions::default()
    };
    assert!(define(&taken).unwrap_err().to_string().starts_with("/t: "));
}

fn corpus() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    std::env::var_os("FRAZIL_CORPUS").map_or_else(beside, PathBuf::from)
}

/// Files that know nothing of netCDF, one with old groups without link order.
#[test]
fn plain_hdf5_files_take_additions() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "d_odd/h5py+h5py/strings.h5",
        "d_odd/HDFGroup+hdf5-json/compound_committed.h5",
        "d_odd/JuliaIO+HDF5.jl/h5ex_t_floatatt.h5",
    ] {
        let path = corpus().join(name);
        if !path.is_file() {
            println!("skipped: no {name}; set FRAZIL_CORPUS to the corpus of real data");
            continue;
        }
        let input = Hdf5Input::open(&path).unwrap();
        let storage = vec![OutputStorage::Keep; input.datasets().len()];
        let mut additions = additions();
        additions.attributes[0].0 = 0;
        additions.dropped.clear();
        let copy = folder.path().join(path.file_name().unwrap());
        let output = Hdf5Output::define_copy(&input, target(&copy), &storage, &additions).unwrap();
        output.finish(Some(&input)).unwrap();
        let copy = Hdf5Input::open(&copy).unwrap();
        let (before, after) = (input.datasets().len(), copy.datasets().len());
        assert_eq!(after, before + 1);
        let changed = visible(&copy, &input.datasets()[0].path);
        assert!(names(&changed).ends_with(&FIELD_NAMES[2..]));
        let container = visible(&copy, "/quantization_info");
        assert_eq!(names(&container).len(), 3);
    }
}
