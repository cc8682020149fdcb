//! Files of rules for precision, TOML or SCIL's hints: what is read is written as it was read.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let path = frazil_fuzz::scratch_file("rules.toml");
    std::fs::write(&path, input).expect("a file in memory");
    if let Ok(frazil::Policy { rules, .. }) = frazil::read_policy(&path) {
        frazil::write_precision(&path, &rules).expect("a file in memory");
        assert_eq!(
            frazil::read_policy(&path).expect("it was written").rules,
            rules
        );
    }
});
