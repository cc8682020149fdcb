//! Pairs of HDF5 files.

use std::path::Path;
use std::sync::atomic::Ordering;

use frazil::{ErrorCode, Resources, Silent, VerifyOptions, verify};

use super::{assert_equal, compare, data, lines};

/// The only difference between the files must be this one, whichever comes first.
#[track_caller]
fn assert_differs(a: &str, b: &str, expected: &str) {
    let report = compare(&data(a), &data(b));
    assert_eq!(lines(&report), [expected], "{a}, {b}");
    let reversed = compare(&data(b), &data(a));
    assert_eq!(
        reversed.difference_count,
        1,
        "{b}, {a}: {:?}",
        lines(&reversed)
    );
    assert_eq!(reversed.differences[0].path, report.differences[0].path);
}

#[test]
fn every_file_equals_itself() {
    let folder = std::fs::read_dir(data("values").parent().unwrap()).unwrap();
    let mut files = 0;
    for entry in folder {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "h5") {
            assert_equal(&path, &path);
            files += 1;
        }
    }
    assert!(files > 40, "{files}");
}

#[test]
fn storage_does_not_matter() {
    for name in ["values_contiguous", "values_deflate", "values_checked"] {
        let report = assert_equal(&data("values"), &data(name));
        assert_eq!(
            (report.values, report.value_bytes),
            (48 + 5 + 2, 192 + 10 + 8),
            "{name}"
        );
        assert_eq!((report.attributes, report.notices.len()), (2, 0), "{name}");
    }
    for name in ["sparse_other_chunks", "sparse_fill_written"] {
        assert_equal(&data("sparse"), &data(name));
    }
    assert_equal(&data("types"), &data("types_padding"));
}

#[test]
fn differing_values_are_found() {
    assert_differs(
        "values",
        "values_value",
        "/field: first difference at [3, 2]: 0.10638298 against 99.5 (2 of 48 values differ)",
    );
    assert_differs(
        "values",
        "values_nan",
        "/field: first difference at [0, 1]: NaN(0x7fc00000) against NaN(0x7fc00001) (1 of 48 \
         values differ)",
    );
    assert_differs(
        "values",
        "values_zero",
        "/field: first difference at [0, 0]: 0.0 against -0.0 (1 of 48 values differ)",
    );
    assert_differs(
        "sparse",
        "sparse_value_written",
        "/late: first difference at [2, 2]: -1 against 5 (1 of 24 values differ)",
    );
    assert_differs(
        "sparse_other_chunks",
        "sparse_value_written",
        "/late: first difference at [2, 2]: -1 against 5 (1 of 24 values differ)",
    );
}

#[test]
fn the_byte_order_of_a_type_counts_and_its_values_stay_equal() {
    assert_differs(
        "values",
        "values_order",
        "/field: datatype: float32 little-endian against float32 big-endian",
    );
}

#[test]
fn differing_structure_is_found() {
    assert_differs(
        "values",
        "values_missing",
        "/counts: dataset only in the first file",
    );
    assert_differs(
        "values",
        "values_extra",
        "/extra: dataset only in the second file",
    );
    assert_differs(
        "values",
        "values_length",
        "/field: shape: [6, 8] against [5, 8] (up to [6, 8])",
    );
    assert_differs(
        "values",
        "values_limit",
        "/field: shape: [6, 8] against [6, 8] (up to [unlimited, 8])",
    );
    assert_differs(
        "values",
        "values_fill",
        "/field: fill value: -9.0 against -8.0",
    );
    assert_differs(
        "values",
        "values_member_order",
        "/: order of members: `field` in the first file where the second has `text`",
    );
}

#[test]
fn differing_attributes_are_found() {
    assert_differs(
        "values",
        "values_attribute_type",
        "/field: attribute `scale`: datatype: float64 little-endian against float32 little-endian",
    );
    assert_differs(
        "values",
        "values_attribute_value",
        "/field: attribute `scale`: the values differ: 0.5 against 0.25",
    );
    assert_differs(
        "values",
        "values_attribute_shape",
        "/field: attribute `scale`: shape: scalar against [1]",
    );
    assert_differs(
        "values",
        "values_attribute_order",
        "/field: order of attributes: `scale` in the first file where the second has `units`",
    );
    assert_differs(
        "heap",
        "heap_attribute",
        "/: attribute `names`: first difference at [0]: \"first\" against \"third\" (1 of 2 values \
         differ)",
    );
}

#[test]
fn differing_types_are_found() {
    assert_differs(
        "types",
        "types_enum",
        "/clouds: datatype: enumeration member `cumulus`: value 0x01 against 0x02",
    );
    assert_differs(
        "types",
        "types_offset",
        "/records: datatype: member `y`: offset 8 against 16",
    );
    assert_differs(
        "types",
        "types_committed",
        "/pairs: datatype: committed as /pair against not committed",
    );
    assert_differs(
        "types",
        "types_member",
        "/records: first difference at [2]: {x: 2, y: 2.5} against {x: 2, y: 2.75} (1 of 4 values \
         differ)",
    );
    assert_differs(
        "types",
        "types_precision",
        "/narrow: datatype: uint16 little-endian (12 bits from bit 0) against uint16 little-endian \
         (13 bits from bit 0)",
    );
}

#[test]
fn differing_heap_data_and_references_are_found() {
    assert_differs(
        "heap",
        "heap_word",
        "/words: first difference at [1]: \"cumulus\" against \"stratus\" (1 of 3 values differ)",
    );
    assert_differs(
        "heap",
        "heap_list",
        "/lists: first difference at [0]: [1, 2, 3] against [1, 2, 4] (1 of 2 values differ)",
    );
    let report = compare(&data("heap"), &data("heap_target"));
    let expected = [
        "/words: attribute `see`: the values differ: a reference to /second against a reference to \
         /first",
        "/reference: first difference at [0]: a reference to /second against a reference to /first \
         (1 of 2 values differ)",
    ];
    assert_eq!(lines(&report), expected);
    assert_differs(
        "heap",
        "heap_corner",
        "/regions: first difference at [0]: a reference to /first boxes [0, 1] [1, 2] against a \
         reference to /first boxes [0, 1] [2, 2] (1 of 2 values differ)",
    );
    assert_differs(
        "heap",
        "heap_point",
        "/regions: first difference at [1]: a reference to /second points [0, 1] [1, 1] against a \
         reference to /second points [0, 1] [1, 2] (1 of 2 values differ)",
    );
}

#[test]
fn differing_links_are_found() {
    assert_differs(
        "links",
        "links_soft",
        "/soft: soft link to /group/data against soft link to /group/twin",
    );
    assert_differs(
        "links",
        "links_external",
        "/external: external link to /data in other.h5 against external link to /data in \
         elsewhere.h5",
    );
    assert_differs("links", "links_kind", "/thing: group against dataset");
    let report = compare(&data("links"), &data("links_alias"));
    let expected = ["/alias: the same object as /group/data only in the first file"];
    assert_eq!(lines(&report), expected);
}

#[test]
fn values_that_are_not_defined_are_not_compared() {
    let report = assert_equal(&data("never_written"), &data("never_written"));
    assert_eq!(report.values, 1);
    assert!(
        report.notices[0].starts_with("/random: values were never written"),
        "{report:?}"
    );
}

#[test]
fn chunks_that_cannot_be_decoded_are_compared_as_stored() {
    let report = assert_equal(&data("unknown"), &data("unknown"));
    assert!(report.notices[0].contains("filter 301"), "{report:?}");
    assert_differs(
        "unknown",
        "unknown_byte",
        "/secret: the stored chunk at [0] differs: 4 against 4 bytes (2 of 2 chunks differ; they \
         cannot be decoded here)",
    );
    for other in ["unknown_chunks", "unknown_plain"] {
        let outcome = verify(
            &data("unknown"),
            &data(other),
            &VerifyOptions::default(),
            &mut Silent,
        );
        let error = outcome.unwrap_err();
        assert_eq!(error.code, ErrorCode::MissingFilter);
        assert_eq!(
            (error.file, error.variable),
            (Some(data("unknown")), Some("/secret".into()))
        );
    }
}

#[test]
fn errors_of_the_first_file_come_first() {
    let (absent, present) = (Path::new("/nonexistent/a.nc"), data("values"));
    for (a, b) in [
        (absent, absent),
        (absent, &present),
        (present.as_path(), absent),
    ] {
        let error = verify(a, b, &VerifyOptions::default(), &mut Silent).unwrap_err();
        assert_eq!(
            (error.code, error.file.unwrap()),
            (ErrorCode::NotFound, absent.to_owned())
        );
    }
}

#[test]
fn a_comparison_can_be_stopped() {
    let options = VerifyOptions::default();
    options.resources.cancel.store(true, Ordering::Relaxed);
    let error = verify(&data("values"), &data("values"), &options, &mut Silent).unwrap_err();
    assert_eq!(error.code, ErrorCode::Interrupted);
}

#[test]
fn threads_and_memory_change_nothing() {
    for threads in [1, 3, 8] {
        let resources = Resources {
            threads,
            memory_bytes: 1 << 20,
            ..Resources::default()
        };
        let options = VerifyOptions {
            resources,
            ..VerifyOptions::default()
        };
        let report = verify(
            &data("values"),
            &data("values_value"),
            &options,
            &mut Silent,
        )
        .unwrap();
        assert_eq!(report.difference_count, 1);
        assert!(
            report.differences[0]
                .what
                .starts_with("first difference at [3, 2]")
        );
    }
}
