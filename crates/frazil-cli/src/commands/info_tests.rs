use super::*;
use crate::args::{self, Command};

fn variable(path: &str) -> VariableInfo {
    VariableInfo {
        path: path.into(),
        element: "float32".into(),
        dimensions: vec!["time".into(), "lat".into()],
        shape: vec![24, 180],
        unlimited: vec![true, false],
        layout: "chunked".into(),
        chunk: Some(vec![1, 180]),
        chunk_count: Some(24),
        filters: "deflate(4)".into(),
        raw_bytes: 17_280,
        stored_bytes: 8_640,
        fill_fraction: Some(0.25),
        missing_filters: Vec::new(),
        readable_by: None,
        precision: None,
    }
}

fn file() -> FileInfo {
    let lat = VariableInfo {
        shape: vec![180],
        unlimited: vec![false],
        layout: "contiguous".into(),
        chunk: None,
        chunk_count: None,
        filters: String::new(),
        fill_fraction: None,
        ..variable("/lat")
    };
    FileInfo {
        path: "a.nc".into(),
        format: "netCDF-4".into(),
        file_bytes: 20_480,
        superblock: Some(2),
        variables: vec![variable("/tas"), lat],
        readable_by: "every netCDF-4 reader".into(),
        notices: vec!["2 groups".into()],
    }
}

fn shown(info: &FileInfo, line: &str) -> String {
    match args::parse(line.split_whitespace()).unwrap().command {
        Some(Command::Info(args)) => {
            let shown = Shown {
                info: info.clone(),
                cloud: None,
            };
            page(&shown, &args)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_page_reads_well() {
    let expected = "\
a.nc
netCDF-4, superblock 2, 20.0 KiB, 2 variables
variable  type       shape       chunk  chunks  filters          raw    stored  ratio    fill
--------  -------  -------  ----------  ------  ----------  --------  --------  -----  ------
/tas      float32  24*x180       1x180      24  deflate(4)  16.9 KiB   8.4 KiB   2.00  25.0 %
/lat      float32      180  contiguous       -  none        16.9 KiB   8.4 KiB   2.00       -
--------  -------  -------  ----------  ------  ----------  --------  --------  -----  ------
total                                                       33.8 KiB  16.9 KiB   2.00
* unlimited
readable by: every netCDF-4 reader
note: 2 groups
";
    assert_eq!(shown(&file(), "frazil info a.nc --fill"), expected);
    let without = shown(&file(), "frazil info a.nc");
    assert!(
        !without.contains("fill") && !without.contains('%'),
        "{without}"
    );
}

#[test]
fn a_missing_filter_is_named_with_its_users_and_its_cure() {
    let mut info = file();
    for number in 0..6 {
        info.variables.push(VariableInfo {
            missing_filters: vec![(32_099, "exotic".into())],
            ..variable(&format!("/v{number}"))
        });
    }
    let text = shown(&info, "frazil info a.nc");
    let line = "missing filter 32099 (exotic): /v0, /v1, /v2, /v3, /v4 and 1 more\n  hint: ";
    assert!(text.contains(line), "{text}");
    assert_eq!(text.matches("missing filter").count(), 1);
}

#[test]
fn roundings_are_named_with_their_variables() {
    let stated = StatedPrecision {
        algorithm: Some(frazil::QuantizeAlgorithm::BitRound),
        significant_bits: Some(7),
        significant_digits: None,
        bound: frazil::ErrorBound {
            relative: Some(1.0 / 256.0),
            ..frazil::ErrorBound::default()
        },
        keep_information: None,
    };
    let rounded_variable = |path: &str| VariableInfo {
        precision: Some(stated.clone()),
        ..variable(path)
    };
    let variables = [
        rounded_variable("/t"),
        variable("/u"),
        rounded_variable("/v"),
    ];
    assert_eq!(
        rounded(&variables),
        "rounded: bitround, 7 bits, errors up to 3.9e-3 of the value: /t, /v\n"
    );
}
