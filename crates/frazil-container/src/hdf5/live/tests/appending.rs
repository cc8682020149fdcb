//! Files of other writers that are written on.

use super::model::{BLOCK_BYTES, atomic_type, commit, ncdump, ncgen, reopened, strings, text};
use crate::classic::{AttributeValue, NcType};
use crate::error::ContainerError;
use crate::hdf5::{LiveOutput, OutputStorage};
use crate::schema::{
    AttributeOwner, DimensionId, Fill, GroupId, Schema, SchemaValue, ValueType, VariableId,
};

/// What netCDF-C makes of it has dimensions without numbers, a user-defined type, dimensions that a
/// group inherits, and an ordinary variable with a dimension's name.
const FOREIGN: &str = r#"netcdf foreign {
types:
  int(*) ragged ;
dimensions:
  lon = 3 ;
  lat = 2 ;
  time = UNLIMITED ;
variables:
  double time(time) ;
    time:units = "days" ;
  float lat(lat) ;
  float lon(lon) ;
  float t(time, lat, lon) ;
    t:_FillValue = -9.f ;
    string t:names = "a", "bc" ;
    ragged t:uneven = {1, 2}, {3} ;
  ragged r(lat) ;
  string label(lat) ;
  :title = "foreign" ;
data:
  time = 1, 2 ;
  lat = 10, 20 ;
  lon = 1, 2, 3 ;
  t = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ;
  r = {1}, {2, 3} ;
  label = "south", "north" ;
group: child {
  dimensions:
    level = 2 ;
    lon = 4 ;
  variables:
    short u(time, level, lat) ;
    byte level(lat) ;
  data:
    level = 5, 6 ;
  group: deep {
    variables:
      int w(level, lon) ;
  }
}
}
"#;

#[test]
fn a_file_of_netcdf_c_is_read_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("foreign.nc");
    if !ncgen(&path, FOREIGN) {
        return;
    }
    let (output, found) = LiveOutput::open(&path, BLOCK_BYTES).unwrap();
    drop(output);
    let schema = &found.schema;
    let paths: Vec<String> = (0..3).map(|g| schema.group_path(GroupId(g))).collect();
    assert_eq!(paths, ["/", "/child", "/child/deep"]);
    let dimensions = schema.dimensions.iter();
    let dimensions: Vec<_> = dimensions
        .map(|d| (d.name.as_str(), d.group.0, d.length))
        .collect();
    assert_eq!(
        dimensions,
        [
            ("lon", 0, 3),
            ("lat", 0, 2),
            ("time", 0, 2),
            ("level", 1, 2),
            ("lon", 1, 4)
        ]
    );
    assert!(schema.dimensions[2].is_unlimited && !schema.dimensions[0].is_unlimited);
    let of = |name: &str| {
        schema
            .variables
            .iter()
            .position(|v| v.name == name)
            .unwrap()
    };
    let axes = |name: &str| schema.variables[of(name)].dimensions.iter().map(|d| d.0);
    assert_eq!(axes("t").collect::<Vec<_>>(), [2, 1, 0]);
    assert_eq!(axes("u").collect::<Vec<_>>(), [2, 3, 1]);
    assert_eq!(axes("w").collect::<Vec<_>>(), [3, 4]);
    assert_eq!(axes("level").collect::<Vec<_>>(), [1]);
    assert!(
        schema.variables.iter().all(|v| v.name != "r"),
        "a user-defined type"
    );
    assert_eq!(schema.variables[of("label")].value_type, ValueType::String);
    let t = &schema.variables[of("t")];
    assert_eq!(t.fill, Fill::Value(AttributeValue::Float(vec![-9.0])));
    assert_eq!(schema.variables[of("lat")].fill, Fill::Default);
    let names: Vec<_> = t.attributes.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(
        names,
        ["_FillValue", "names"],
        "neither hidden nor user-defined ones"
    );
    let both = vec!["a".to_owned(), "bc".to_owned()];
    assert_eq!(t.attributes[1].value, SchemaValue::Strings(both));
    assert_eq!(schema.groups[0].attributes.len(), 1);
    assert_eq!(
        found.variables[of("u")].shape,
        [0, 2, 2],
        "shorter than its dimension"
    );
    assert!(matches!(
        found.variables[of("t")].storage,
        OutputStorage::Chunked { .. }
    ));
    assert_eq!(
        found.variables[of("lat")].storage,
        OutputStorage::Contiguous
    );
    assert!(
        found
            .variables
            .iter()
            .all(|variable| variable.refusal.is_none())
    );
    assert!(!found.is_classic_model);
}

#[test]
fn a_file_of_netcdf_c_is_written_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("foreign.nc");
    if !ncgen(&path, FOREIGN) {
        return;
    }
    let before = ncdump(&path, &[]).unwrap();
    let (mut output, found) = LiveOutput::open(&path, BLOCK_BYTES).unwrap();
    let mut schema = found.schema;
    let of = |schema: &Schema, name: &str| {
        VariableId(
            schema
                .variables
                .iter()
                .position(|v| v.name == name)
                .unwrap(),
        )
    };
    let located = output.locate(of(&schema, "t")).unwrap();
    assert!(!located.is_empty() && located.iter().all(|chunk| chunk.stored_bytes > 0));
    // A dimension of the root, behind those that readers count in the groups below.
    let extra = schema.with_dimension(Schema::ROOT, "extra", Some(2));
    let child = GroupId(1);
    let level = DimensionId(3);
    schema.with_variable(child, "new", atomic_type(NcType::Int), &[extra, level]);
    schema.with_variable(Schema::ROOT, "extra", atomic_type(NcType::Int), &[extra]);
    let label = AttributeOwner::Variable(of(&schema, "label"));
    output
        .put_attribute(label, &strings("languages", &["en"]))
        .unwrap();
    output
        .put_attribute(AttributeOwner::Group(child), &text("note", "mine"))
        .unwrap();
    commit(&mut output, &schema).unwrap();
    // A placeholder gives way to a coordinate variable, whose name an ordinary one has had.
    let u = of(&schema, "u");
    let old = std::mem::replace(&mut schema.dimensions[level.0].name, "depth".to_owned());
    output.rename_dimension(&schema, level, &old).unwrap();
    schema.with_variable(child, "depth", atomic_type(NcType::Float), &[level]);
    commit(&mut output, &schema).unwrap();
    output.extend(u, &[3, 2, 2]).unwrap();
    output
        .write_strings(of(&schema, "label"), None, &["S", "N"])
        .unwrap();
    output.finish(false).unwrap();
    let after = ncdump(&path, &[]).unwrap();
    println!("{after}");
    let u = "u =\n_, _,\n_, _,\n_, _,\n_, _,\n_, _,\n_, _ ;";
    for part in [
        "lon = 3 ;\nlat = 2 ;\ntime = UNLIMITED ; // (3 currently)\nextra = 2 ;",
        "float t(time, lat, lon) ;\nt:_FillValue = -9.f ;",
        "ragged t:uneven = {1, 2}, {3} ;",
        "r = {1}, {2, 3} ;",
        "label = \"S\", \"N\" ;",
        "string label:languages = \"en\" ;",
        "depth = 2 ;\nlon = 4 ;",
        "short u(time, depth, lat) ;",
        "byte level(lat) ;",
        "level = 5, 6 ;",
        "int new(extra, depth) ;",
        "float depth(depth) ;",
        "int w(depth, lon) ;",
        ":note = \"mine\" ;",
        "lon = 1, 2, 3 ;",
        u,
    ] {
        assert!(after.contains(part), "no {part:?} in\n{after}");
    }
    assert!(
        before.contains("byte level(lat) ;") && before.contains("label = \"south\", \"north\"")
    );
    let again = reopened(&path);
    assert_eq!(again.dimensions[level.0].name, "depth");
    assert_eq!(again.dimensions[2].length, 3);
    assert_eq!(again.dimensions[5].name, "extra");
}

#[test]
fn arrays_without_dimensions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain.h5");
    plain(&path);
    let error = LiveOutput::open(&path, BLOCK_BYTES).unwrap_err();
    assert!(matches!(error, ContainerError::Unsupported(_)));
    assert!(error.to_string().starts_with("/plain: "), "{error}");
}

/// A plain HDF5 file with one array.
fn plain(path: &std::path::Path) {
    use crate::ffi::dataset::Dataset;
    use crate::ffi::dataspace::Extent;
    use crate::ffi::datatype::Datatype;
    use crate::ffi::file::{self, Target};
    use crate::ffi::property::{PropertyList, TRACKED_AND_INDEXED};

    std::fs::File::create(path).unwrap();
    let creation = PropertyList::file_create(0, TRACKED_AND_INDEXED).unwrap();
    let (file, _) = file::create(Target::File(path), &creation, BLOCK_BYTES).unwrap();
    let datatype = Datatype::float32_big_endian().unwrap();
    let extent = Extent::Simple {
        shape: vec![3],
        max_shape: vec![Some(3)],
    };
    let list = PropertyList::dataset_create().unwrap();
    let links = crate::ffi::link::link_creation().unwrap();
    drop(Dataset::create(&file, "plain", &datatype, &extent, &links, &list).unwrap());
    file::close(file).unwrap();
}
