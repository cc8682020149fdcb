//! Whole imports: what becomes of columns and cells, and what is refused where.

use super::*;
use crate::new_file::NumberType;
use frazil_file::progress::Silent;

/// Imports a text into a folder that is looked at afterwards.
fn run(text: &[u8], options: &ImportOptions) -> Result<ImportReport> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.csv"), folder.path().join("out.nc"));
    std::fs::write(&input, text).unwrap();
    let result = import(&input, &output, options, &mut Silent);
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(
        files,
        1 + usize::from(result.is_ok()),
        "nothing else is left"
    );
    result
}

fn table(change: impl FnOnce(&mut Columns)) -> ImportOptions {
    let mut columns = Columns::default();
    change(&mut columns);
    ImportOptions {
        layout: ImportLayout::Table(columns),
        ..ImportOptions::default()
    }
}

fn matrix(shape: Option<(u64, u64)>) -> ImportOptions {
    ImportOptions {
        layout: ImportLayout::Matrix(Matrix {
            shape,
            name: "data".to_owned(),
        }),
        ..ImportOptions::default()
    }
}

/// The error of an import with code and all that its text must say.
fn refused(text: &[u8], options: &ImportOptions, code: ErrorCode, said: &[&str]) {
    let error = run(text, options).unwrap_err();
    let whole = format!("{error} / {}", error.cure.clone().unwrap_or_default());
    assert_eq!(error.code, code, "{whole}");
    for word in said {
        assert!(whole.contains(word), "`{word}` is not in: {whole}");
    }
}

#[test]
fn columns_have_the_narrowest_type_that_holds_them() {
    let text = b"small,large,real,empty\n1,3000000000,1.5,\n-2,4,7,\n";
    let report = run(text, &ImportOptions::default()).unwrap();
    let found: Vec<&str> = report
        .variables
        .iter()
        .map(|v| v.element.as_str())
        .collect();
    assert_eq!(found, ["int32", "int64", "float64", "float64"]);
    let single = ImportOptions {
        float32: true,
        ..ImportOptions::default()
    };
    let report = run(text, &single).unwrap();
    assert_eq!(report.variables[2].element, "float32");
    assert_eq!((report.rows, report.columns), (2, 4));
}

#[test]
fn ragged_rows_are_refused_with_line_and_counts() {
    let code = ErrorCode::Corrupt;
    let plain = ImportOptions::default();
    refused(
        b"a,b\n1,2\n3\n",
        &plain,
        code,
        &["in.csv", "line 3", "1 cell", "2 are expected"],
    );
    refused(b"a,b\n1,2,3\n", &plain, code, &["line 2", "3 cells"]);
    refused(
        b"1,2\n\n\n3,4,5\n",
        &matrix(None),
        code,
        &["line 4", "3 cells"],
    );
}

#[test]
fn cells_that_are_no_numbers_are_refused_with_their_place() {
    let code = ErrorCode::InvalidArgument;
    let plain = ImportOptions::default();
    refused(
        b"a,b\n1,2\n1,none\n",
        &plain,
        code,
        &["line 3", "column 2", "b", "`none`", "--missing", "--skip b"],
    );
    refused(b"1,2\n3,x\n", &matrix(None), code, &["line 2", "--missing"]);
    for (text, delimiter) in [("1 2\n", "' '"), ("1;2\n", "';'"), ("1\t2\n", "tab")] {
        let cure = format!("--delimiter {delimiter}");
        refused(text.as_bytes(), &matrix(None), code, &[&cure]);
    }
    refused(
        b"a;b\n1;2,5\n",
        &ImportOptions {
            delimiter: b';',
            ..plain.clone()
        },
        code,
        &["comma"],
    );
    refused(b"a\n1e999\n", &plain, code, &["line 2", "range of float64"]);
    let single = ImportOptions {
        float32: true,
        ..plain.clone()
    };
    refused(b"a\n1e39\n", &single, code, &["range of float32"]);
    refused(
        b"a\n99999999999999999999\n",
        &plain,
        code,
        &["line 2", "range of int64"],
    );
    assert!(
        run(b"a\n99999999999999999999\n1.5\n", &plain).is_ok(),
        "a column of float64"
    );
    assert!(
        run(b"a\ninf\nNaN\n-Infinity\n", &plain).is_ok(),
        "these are floats"
    );
}

#[test]
fn files_without_rows_or_text_are_refused() {
    let code = ErrorCode::InvalidArgument;
    let plain = ImportOptions::default();
    refused(b"", &plain, code, &["no rows"]);
    refused(b"# only a comment\n", &plain, code, &["no rows"]);
    refused(b"a,b\n", &plain, code, &["no rows"]);
    refused(b"", &matrix(None), code, &["no rows"]);
    refused(
        b"a\n\xff\xfe\n",
        &plain,
        ErrorCode::Corrupt,
        &["line 2", "UTF-8"],
    );
    refused(
        b"\xff\xfea\0\n\0",
        &plain,
        ErrorCode::Corrupt,
        &["line 1", "UTF-8"],
    );
}

#[test]
fn names_are_made_valid_or_refused() {
    let code = ErrorCode::InvalidArgument;
    let plain = ImportOptions::default();
    refused(
        b"a b,a_b\n1,2\n",
        &plain,
        code,
        &["columns 1 and 2", "`a_b`"],
    );
    refused(
        b"1,2\n3,4\n",
        &plain,
        code,
        &["line 1", "--no-header", "--matrix"],
    );
    let report = run(b"wind speed [m s-1],,2t\n1,2,3\n", &plain).unwrap();
    let names: Vec<&str> = report.variables.iter().map(|v| v.path.as_str()).collect();
    assert_eq!(names, ["/wind_speed", "/column_2", "/_2t"]);
    assert_eq!(report.notices.len(), 2, "{:?}", report.notices);
    let bare = table(|columns| columns.header = false);
    assert_eq!(run(b"1,2\n3,4\n", &bare).unwrap().rows, 2);
}

#[test]
fn a_coordinate_must_be_there_whole() {
    let code = ErrorCode::InvalidArgument;
    let time = || table(|columns| columns.coordinate = Some("time".to_owned()));
    refused(b"t,v\n1,2\n", &time(), code, &["no column `time`", "t, v"]);
    refused(b"time,v\n1,2\n,3\n", &time(), code, &["time", "missing"]);
    let skipped = table(|columns| {
        columns.coordinate = Some("time".to_owned());
        columns.skip = vec!["time".to_owned()];
    });
    refused(b"time,v\n1,2\n", &skipped, code, &["time", "left out"]);
    let jumps = run(b"time,v\n1,2\n3,2\n2,2\n", &time()).unwrap();
    assert!(jumps.notices[0].contains("CF"), "{:?}", jumps.notices);
    assert!(
        run(b"time,v\n3,2\n2,2\n", &time())
            .unwrap()
            .notices
            .is_empty()
    );
}

#[test]
fn a_matrix_has_the_size_asked_for() {
    let report = run(b"1,2,3\n4,5,6.5\n", &matrix(Some((2, 3)))).unwrap();
    assert_eq!(report.variables[0].shape, [2, 3]);
    refused(
        b"1,2,3\n4,5,6\n",
        &matrix(Some((3, 2))),
        ErrorCode::InvalidArgument,
        &["2 rows of 3 cells", "3 rows of 2"],
    );
}

#[test]
fn fill_values_are_no_values() {
    let rules = CellRules::new(&["-".to_owned()], false);
    let kind = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("column.csv");
        std::fs::write(&path, text).unwrap();
        let mut records = Records::open(&path, b',').unwrap();
        let mut survey = column::Survey::new("a");
        while let Some(row) = records.next().unwrap() {
            survey.add(row, 0, &rules).unwrap();
        }
        let kind = survey.conclude(&rules).unwrap();
        (kind.number, kind.fill_attribute())
    };
    use AttributeValue::{Double, Int, Int64};
    assert_eq!(kind("1\n2\n"), (NumberType::Int32, None));
    assert_eq!(
        kind("1\n-\n"),
        (NumberType::Int32, Some(Int(vec![-2_147_483_647])))
    );
    // A value that readers would take for a missing one.
    assert_eq!(
        kind("-2147483647\n5\n"),
        (NumberType::Int32, Some(Int(vec![i32::MIN])))
    );
    let whole = kind("-2147483648\n2147483647\n-\n");
    assert_eq!(whole, (NumberType::Int64, Some(Int64(vec![i64::MIN]))));
    let (number, fill) = kind("9.969209968386869e36\n-\n");
    assert_eq!(number, NumberType::Float64);
    assert!(matches!(fill, Some(Double(v)) if v[0].is_nan()));
}

#[test]
fn bytes_are_the_same_at_any_thread_count() {
    let mut text = String::from("a,b,c\n");
    for i in 0..200_000 {
        text.push_str(&format!("{i},{}.5,{}\n", i % 977, i * 7));
    }
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.csv");
    std::fs::write(&input, text).unwrap();
    let write = |threads: usize, memory_bytes| {
        let output = folder.path().join(format!("{threads}.nc"));
        let options = ImportOptions {
            resources: Resources {
                threads,
                memory_bytes,
                ..Resources::default()
            },
            ..ImportOptions::default()
        };
        let report = import(&input, &output, &options, &mut Silent).unwrap();
        assert_eq!(report.rows, 200_000);
        std::fs::read(&output).unwrap()
    };
    assert!(write(1, 256 << 20) == write(4, 256 << 20));
}
