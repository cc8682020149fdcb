//! `info` says what is in a file, how it is stored, and who can read it.

#![expect(clippy::unwrap_used, reason = "a test's own helpers")]

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use frazil::{ErrorCode, FileInfo, ReaderLevel, Resources, VariableInfo, info};
use frazil_container::classic::{
    ClassicDimension, ClassicFormat, ClassicModel, ClassicVariable, ClassicWriter, NcType,
};

/// A file made by `data/verify/make.py`.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/verify")
        .join(format!("{name}.h5"))
}

fn look(path: &Path) -> FileInfo {
    info(path, true, &Resources::default()).unwrap()
}

#[track_caller]
fn variable<'a>(info: &'a FileInfo, path: &str) -> &'a VariableInfo {
    let found = info.variables.iter().find(|variable| variable.path == path);
    found.unwrap()
}

#[test]
fn storage_is_told_as_it_is() {
    let about = look(&data("values_deflate"));
    assert_eq!((about.format.as_str(), about.superblock), ("HDF5", Some(3)));
    assert_eq!(about.readable_by, "any HDF5 reader (1.10 or newer)");
    let field = variable(&about, "/field");
    assert_eq!(
        (field.element.as_str(), field.layout.as_str()),
        ("float32", "chunked")
    );
    assert_eq!(
        (&field.chunk, field.chunk_count),
        (&Some(vec![5, 4]), Some(4))
    );
    assert_eq!(
        (field.filters.as_str(), field.raw_bytes),
        ("shuffle+deflate(4)", 192)
    );
    assert_eq!(field.readable_by, Some(ReaderLevel::Any));
    let counts = variable(&about, "/counts");
    assert_eq!(
        (counts.layout.as_str(), counts.chunk_count),
        ("contiguous", None)
    );
    assert_eq!(variable(&about, "/nothing").fill_fraction, None);
}

#[test]
fn fill_values_are_counted_wherever_they_are() {
    let share = |name: &str, path: &str| variable(&look(&data(name)), path).fill_fraction;
    // Four of 24 elements were written; the rest is in no chunk, or in one with fill around it.
    assert_eq!(share("sparse", "/late"), Some(20.0 / 24.0));
    assert_eq!(share("sparse_other_chunks", "/late"), Some(20.0 / 24.0));
    assert_eq!(share("sparse_fill_written", "/late"), Some(20.0 / 24.0));
    assert_eq!(share("never_written", "/random"), None);
    assert_eq!(share("types", "/pairs"), Some(1.0));
    assert_eq!(share("heap", "/words"), None);
    let about = info(&data("sparse"), false, &Resources::default()).unwrap();
    assert_eq!(variable(&about, "/late").fill_fraction, None);
}

#[test]
fn a_filter_that_nobody_has_is_named() {
    let about = look(&data("unknown"));
    let secret = variable(&about, "/secret");
    assert_eq!(secret.missing_filters, [(301, "filter 301".to_owned())]);
    assert_eq!((secret.readable_by, secret.fill_fraction), (None, None));
    let expected = "HDF5 readers (1.10 or newer) with the plugin for filter 301; nobody here can \
                    read /secret (filter 301)";
    assert_eq!(about.readable_by, expected);
    let lzf = look(&data("values_checked"));
    assert_eq!(
        lzf.readable_by,
        "HDF5 readers (1.10 or newer) with the plugin for lzf (32000)"
    );
    assert_eq!(
        variable(&lzf, "/field").readable_by,
        Some(ReaderLevel::Plugins)
    );
}

#[test]
fn types_and_links_are_told() {
    let types = look(&data("types"));
    let element = |path: &str| variable(&types, path).element.clone();
    assert_eq!(element("/clouds"), "enum8");
    assert_eq!(element("/records"), "compound(24)");
    let heap = look(&data("heap"));
    let element = |path: &str| variable(&heap, path).element.clone();
    assert_eq!(
        (element("/words"), element("/lists")),
        ("string".into(), "vlen of int32".into())
    );
    assert_eq!(element("/reference"), "reference");
    let expected = [
        "superblock 3: HDF5 1.10 and newer only",
        "2 groups: /group, /thing",
        "1 further hard link: /alias",
        "1 soft link: /soft",
        "1 external link: /external",
    ];
    assert_eq!(look(&data("links")).notices, expected);
}

#[test]
fn classic_files_have_dimensions_and_their_own_readers() {
    let folder = tempfile::tempdir().unwrap();
    let dimension = |name: &str, length, is_record| ClassicDimension {
        name: name.into(),
        length,
        is_record,
    };
    let model = ClassicModel {
        dimensions: vec![dimension("time", 1, true), dimension("x", 2, false)],
        attributes: Vec::new(),
        variables: vec![ClassicVariable {
            name: "v".into(),
            dimensions: vec![0, 1],
            attributes: Vec::new(),
            nc_type: NcType::Short,
        }],
    };
    let readers = [
        (ClassicFormat::Cdf1, "any netCDF reader"),
        (
            ClassicFormat::Cdf5,
            "netCDF readers that know CDF-5 (netCDF-C 4.4 or newer)",
        ),
    ];
    for (format, readable_by) in readers {
        let path = folder.path().join(format.name());
        let mut writer = ClassicWriter::create(&path, format, &model).unwrap();
        let values: Vec<u8> = [-32_767_i16, 5]
            .iter()
            .flat_map(|v| v.to_ne_bytes())
            .collect();
        writer.put(0, &[0, 0], &[1, 2], &values).unwrap();
        writer.finish().unwrap();
        let about = look(&path);
        assert_eq!(
            (about.format.as_str(), about.superblock),
            (format.name(), None)
        );
        assert_eq!(about.readable_by, readable_by);
        let v = variable(&about, "/v");
        assert_eq!(
            (v.dimensions.join(","), v.layout.as_str()),
            ("time,x".into(), "classic")
        );
        assert_eq!(
            (&v.unlimited, v.fill_fraction),
            (&vec![true, false], Some(0.5))
        );
    }
}

#[test]
fn looking_can_be_stopped_and_fails_with_a_name() {
    let resources = Resources::default();
    resources.cancel.store(true, Ordering::Relaxed);
    let error = info(&data("values"), true, &resources).unwrap_err();
    assert_eq!(error.code, ErrorCode::Interrupted);
    let absent = Path::new("/nonexistent/a.nc");
    let error = info(absent, false, &Resources::default()).unwrap_err();
    assert_eq!(
        (error.code, error.file.as_deref()),
        (ErrorCode::NotFound, Some(absent))
    );
}
