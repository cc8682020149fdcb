//! Stored chunks under any filters: every way of decoding them agrees, and none panics.

#![no_main]

use frazil_codec::{BoundDecoder, Scratch, decode_one};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some(case) = frazil_fuzz::case(input) else {
        return;
    };
    let mut scratch = Scratch::default();
    if let [only] = &case.pipeline.0[..] {
        let _ = decode_one(only, case.stored, &mut scratch);
    }
    let bound = BoundDecoder::bind(&case.pipeline, case.element.size_bytes, case.chunk_bytes);
    let Ok(decoder) = bound else {
        return;
    };
    let decoded = decoder.decode(case.stored, 0, &mut scratch);
    let mut place = vec![0xa5; case.chunk_bytes];
    let placed = decoder.decode_into(case.stored, 0, &mut place, &mut scratch);
    assert_eq!(decoded.is_ok(), placed.is_ok(), "{decoded:?} {placed:?}");
    let start = decoder.decode_start(case.stored, 0, &mut scratch);
    if let Ok(decoded) = decoded {
        assert_eq!(decoded.len(), case.chunk_bytes);
        assert_eq!(decoded, place);
        if let Ok(start) = start {
            assert!(decoded.starts_with(&start));
        }
    }
});
