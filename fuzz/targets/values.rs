//! Compressed values in memory: what they state is what comes out.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let grown = frazil::decompress(input);
    let Ok(info) = frazil::compressed_values(input) else {
        assert!(grown.is_err());
        return;
    };
    // What is stated is no reason to take memory.
    if info.raw_bytes > 1 << 24 {
        return;
    }
    let mut place = vec![0; info.raw_bytes];
    let placed = frazil::decompress_into(input, &mut place);
    assert_eq!(grown.is_ok(), placed.is_ok(), "{grown:?} {placed:?}");
    if let Ok(grown) = grown {
        assert_eq!(grown, place);
    }
});
