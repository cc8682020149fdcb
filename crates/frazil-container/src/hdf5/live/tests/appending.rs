//! Files of other writers that are written on.

use std::path::{Path, PathBuf};

use super::model::{
    BLOCK_BYTES, atomic, atomic_type, commit, ncdump, ncgen, reopened, strings, text,
};
use crate::classic::{AttributeValue, NcType};
use crate::error::ContainerError;
use crate::hdf5::{LiveOutput, OutputStorage};
use crate::schema::{AttributeOwner, DimensionId, Fill, GroupId, Schema, ValueType, VariableId};

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

/// Makes the file of netCDF-C; false: that is not installed.
fn foreign(folder: &Path) -> Option<PathBuf> {
    let path = folder.join("foreign.nc");
    ncgen(&path, FOREIGN).then_some(path)
}

fn variable(schema: &Schema, name: &str) -> VariableId {
    let found = schema.variables.iter().position(|v| v.name == name);
    VariableId(found.unwrap())
}

#[test]
fn groups_and_dimensions_of_netcdf_c_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = foreign(folder.path()) else {
        return;
    };
    let schema = reopened(&path);
    let paths: Vec<String> = (0..3).map(|g| schema.group_path(GroupId(g))).collect();
    assert_eq!(paths, ["/", "/child", "/child/deep"]);
    let dimensions = schema.dimensions.iter();
    let dimensions = dimensions.map(|d| format!("{} {} {}", d.name, d.group.0, d.length));
    assert_eq!(
        dimensions.collect::<Vec<_>>(),
        ["lon 0 3", "lat 0 2", "time 0 2", "level 1 2", "lon 1 4"]
    );
    assert!(schema.dimensions[2].is_unlimited && !schema.dimensions[0].is_unlimited);
    let axes = |name: &str| {
        let variable = &schema.variables[variable(&schema, name).0];
        variable.dimensions.iter().map(|d| d.0).collect::<Vec<_>>()
    };
    assert_eq!(axes("t"), [2, 1, 0]);
    assert_eq!(axes("u"), [2, 3, 1]);
    assert_eq!(axes("w"), [3, 4]);
    assert_eq!(axes("level"), [1], "not its namesake");
}

#[test]
fn variables_of_netcdf_c_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = foreign(folder.path()) else {
        return;
    };
    let (output, found) = LiveOutput::open(&path, BLOCK_BYTES).unwrap();
    let schema = &found.schema;
    let id = |name| variable(schema, name);
    assert!(!found.is_classic_model);
    assert_eq!(schema.groups[0].attributes, [text("title", "foreign")]);
    let is_listed = |name| schema.variables.iter().any(|v| v.name == name);
    assert!(is_listed("t") && !is_listed("r"), "a user-defined type");
    assert_eq!(
        schema.variables[id("label").0].value_type,
        ValueType::String
    );
    let t = &schema.variables[id("t").0];
    let fill = AttributeValue::Float(vec![-9.0]);
    assert_eq!(t.fill, Fill::Value(fill.clone()));
    assert_eq!(schema.variables[id("lat").0].fill, Fill::Default);
    // Neither hidden ones nor one of a user-defined type.
    let expected = [atomic("_FillValue", fill), strings("names", &["a", "bc"])];
    assert_eq!(t.attributes, expected);
    let stored = |name| &found.variables[id(name).0];
    assert_eq!(stored("u").shape, [0, 2, 2], "shorter than its dimension");
    let is_chunked = matches!(stored("t").storage, OutputStorage::Chunked { .. });
    assert!(is_chunked);
    assert_eq!(stored("lat").storage, OutputStorage::Contiguous);
    assert!(found.variables.iter().all(|v| v.refusal.is_none()));
    let chunks = output.locate(id("t")).unwrap();
    assert!(!chunks.is_empty() && chunks.iter().all(|chunk| chunk.stored_bytes > 0));
    assert!(output.locate(id("lat")).unwrap().is_empty());
}

#[test]
fn a_file_of_netcdf_c_is_written_on() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = foreign(folder.path()) else {
        return;
    };
    let (mut output, found) = LiveOutput::open(&path, BLOCK_BYTES).unwrap();
    let mut schema = found.schema;
    let (u, label) = (variable(&schema, "u"), variable(&schema, "label"));
    // A dimension of the root, behind those that readers count in the groups below.
    let extra = schema.with_dimension(Schema::ROOT, "extra", Some(2));
    let (child, level) = (GroupId(1), DimensionId(3));
    schema.with_variable(child, "new", atomic_type(NcType::Int), &[extra, level]);
    schema.with_variable(Schema::ROOT, "extra", atomic_type(NcType::Int), &[extra]);
    let mut put = |owner, attribute| output.put_attribute(owner, &attribute, &[]).unwrap();
    put(
        AttributeOwner::Variable(label),
        strings("languages", &["en"]),
    );
    put(AttributeOwner::Group(child), text("note", "mine"));
    commit(&mut output, &schema).unwrap();
    // A placeholder gives way to a coordinate variable, whose name an ordinary one has had.
    let old = std::mem::replace(&mut schema.dimensions[level.0].name, "depth".to_owned());
    output.rename_dimension(&schema, level, &old).unwrap();
    schema.with_variable(child, "depth", atomic_type(NcType::Float), &[level]);
    commit(&mut output, &schema).unwrap();
    output.extend(u, &[3, 2, 2]).unwrap();
    output.write_strings(label, None, &["S", "N"]).unwrap();
    output.finish(false).unwrap();
    dump_holds(
        &path,
        &[
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
            "u =\n_, _,\n_, _,\n_, _,\n_, _,\n_, _,\n_, _ ;",
        ],
    );
    let again = reopened(&path);
    assert_eq!(again.dimensions[level.0].name, "depth");
    assert_eq!(again.dimensions[2].length, 3);
    assert_eq!(again.dimensions[extra.0].name, "extra");
}

/// Readers count dimensions without numbers in the order of links, which renaming changes.
#[test]
fn renames_keep_the_numbers_that_readers_count() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = foreign(folder.path()) else {
        return;
    };
    let (mut output, found) = LiveOutput::open(&path, BLOCK_BYTES).unwrap();
    let mut schema = found.schema;
    let (lon, child) = (variable(&schema, "lon"), GroupId(1));
    schema.rename_variable(lon, "longitude");
    output.rename_variable(&schema, lon, "lon").unwrap();
    schema.rename_group(child, "offspring");
    output.rename_group(&schema, child, "child").unwrap();
    commit(&mut output, &schema).unwrap();
    drop(output);
    assert_eq!(reopened(&path), schema);
    dump_holds(
        &path,
        &[
            "float t(time, lat, lon) ;",
            "float longitude(lon) ;",
            "longitude = 1, 2, 3 ;",
            "group: offspring {",
            "int w(level, lon) ;",
        ],
    );
}

fn dump_holds(path: &Path, parts: &[&str]) {
    let dump = ncdump(path, &[]).unwrap_or_default();
    for part in parts {
        assert!(dump.contains(part), "no {part:?} in\n{dump}");
    }
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
fn plain(path: &Path) {
    use crate::ffi::dataset::Dataset;
    use crate::ffi::datatype::Datatype;
    use crate::ffi::file::{self, Target};
    use crate::ffi::property::{HeaderForm, PropertyList, TRACKED_AND_INDEXED};
    use frazil_hdf5::Extent;

    std::fs::File::create(path).unwrap();
    let creation = PropertyList::file_create(0, TRACKED_AND_INDEXED).unwrap();
    let (file, _) = file::create(Target::File(path), &creation, BLOCK_BYTES).unwrap();
    let datatype = Datatype::float32_big_endian().unwrap();
    let extent = Extent::Simple {
        shape: vec![3],
        max_shape: vec![Some(3)],
    };
    let list = PropertyList::dataset_create(HeaderForm::ORDERED).unwrap();
    let links = crate::ffi::link::link_creation().unwrap();
    drop(Dataset::create(&file, "plain", &datatype, &extent, &links, &list).unwrap());
    file::close(file).unwrap();
}
