//! What users state as text: chains of filters, reads, axes, lengths, storage.

#![no_main]

use frazil_fuzz::element;
use frazil_types::FilterChain;

libfuzzer_sys::fuzz_target!(|input: &str| {
    if let Ok(chain) = input.parse::<FilterChain>() {
        let again: FilterChain = chain.to_string().parse().expect("its own words");
        assert_eq!(again, chain);
        for kind in 0..32 {
            let _ = chain.resolve(element(kind), &[3, 1000]);
        }
    }
    let _ = frazil::parse_reads(input);
    let _ = frazil::parse_axes(input);
    let _ = frazil::parse_expected(input);
    let _ = frazil::parse_storage(input);
});
