//! The parser of classic files: what it accepts lies inside the file.

#![no_main]

use frazil_container::classic::ClassicFile;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let bytes = input.len() as u64;
    let Ok(file) = ClassicFile::parse("fuzz.nc", input, bytes) else {
        return;
    };
    assert!(file.header_bytes() <= bytes);
    assert_eq!(file.locations().len(), file.model().variables.len());
    for location in file.locations() {
        let Ok(slabs) = location.slabs(512, Some(3)) else {
            continue;
        };
        let last = slabs.grid().chunk_count();
        for index in (0..last.min(50)).chain(last.saturating_sub(2)..=last) {
            let _ = slabs.extent(index);
        }
    }
});
