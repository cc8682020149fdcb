//! Tables of numbers: importing one ends, with a file or with an error and none.

#![no_main]

use frazil::{ImportLayout, ImportOptions, Matrix, Silent};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((&kind, text)) = input.split_first() else {
        return;
    };
    let path = frazil_fuzz::scratch_file("table.csv");
    let output = frazil_fuzz::scratch_file("table.nc");
    std::fs::write(&path, text).expect("a file in memory");
    let mut options = ImportOptions::default();
    options.float32 = kind & 1 != 0;
    options.delimiter = if kind & 2 != 0 { b';' } else { b',' };
    options.resources.threads = 1;
    if kind & 4 != 0 {
        options.layout = ImportLayout::Matrix(Matrix {
            shape: None,
            name: "data".to_owned(),
        });
    }
    let outcome = frazil::import(&path, &output, &options, &mut Silent);
    assert_eq!(outcome.is_ok(), output.exists(), "{outcome:?}");
    let _ = std::fs::remove_file(&output);
});
