use super::*;
use crate::element::{ByteOrder, ElementClass};

const FLOAT32: ElementType = ElementType {
    class: ElementClass::Float,
    size_bytes: 4,
    order: ByteOrder::Little,
};
const TEXT: ElementType = ElementType {
    class: ElementClass::Text,
    size_bytes: 1,
    order: ByteOrder::None,
};

fn chain(text: &str) -> FilterChain {
    text.parse().unwrap()
}

fn values(text: &str) -> Vec<(i32, Vec<u32>)> {
    let pipeline = chain(text).resolve(FLOAT32, &[8, 16]);
    let pair = |spec: FilterSpec| (spec.id, spec.cd_values);
    pipeline.0.into_iter().map(pair).collect()
}

#[test]
fn a_chain_is_written_as_it_is_read() {
    for text in [
        "none",
        "shuffle+deflate(4)+fletcher32",
        "bitshuffle",
        "bitshuffle+lz4",
        "bitshuffle+zstd(5)",
        "shuffle+zstd(-3)",
        "szip(16,ec)",
        "shuffle+bzip2(9)",
        "blosc(blosclz,5)",
        "blosc(zstd,9,bitshuffle)",
        "pcodec(8)",
        "delta(0,2)+shuffle+zstd(3)",
        "lorenzo+bitshuffle+zstd(3)",
        "mafisc(4)",
        "frazil(balanced)",
        "frazil(archive,19)+fletcher32",
    ] {
        assert_eq!(chain(text).to_string(), text);
    }
    assert_eq!(
        chain(" shuffle + deflate ").to_string(),
        "shuffle+deflate(4)"
    );
    assert_eq!(chain("blosc(lz4)").to_string(), "blosc(lz4,5)");
}

#[test]
fn values_are_those_that_the_filters_set_themselves() {
    // What h5py, h5repack and hdf5plugin store for this chunk.
    assert_eq!(values("szip"), [(4, vec![169, 8, 32, 16])]);
    assert_eq!(values("bitshuffle+lz4"), [(32008, vec![0, 4, 4, 0, 2])]);
    assert_eq!(
        values("bitshuffle+zstd(5)"),
        [(32008, vec![0, 4, 4, 0, 3, 5])]
    );
    assert_eq!(
        values("blosc(zstd)"),
        [(32001, vec![2, 2, 4, 512, 5, 1, 5])]
    );
    assert_eq!(values("lz4"), [(32004, vec![0])]);
    assert_eq!(values("pcodec"), [(47101, vec![1, 5, 0, 8])]);
    assert_eq!(values("delta"), [(47102, vec![1, 4, 2, 2, 2, 8, 16])]);
    assert_eq!(values("lorenzo"), [(47102, vec![1, 4, 2, 3, 2, 8, 16])]);
    assert_eq!(
        values("mafisc"),
        [(32002, vec![0, 0x667A_0004, 4, 1, 1, 2, 8, 16])]
    );
    assert_eq!(
        values("frazil(size,9)"),
        [(47103, vec![1, 5, 0, 4, 1, 9, 2, 8, 16])]
    );
    assert_eq!(
        values("delta(0,5)+shuffle"),
        [(47102, vec![1, 4, 2, 1, 2, 8, 16]), (2, vec![4])]
    );
}

#[test]
fn what_means_nothing_for_an_element_is_left_out() {
    let of_text = |text: &str| chain(text).resolve(TEXT, &[10]).summary();
    assert_eq!(of_text("delta+shuffle+zstd(3)"), "zstd(3)");
    assert_eq!(of_text("pcodec"), "none");
    assert_eq!(of_text("mafisc"), "none");
    assert_eq!(of_text("frazil(size)"), "frazil(size)");
    assert_eq!(of_text("szip"), "none");
    let tiny = chain("szip(32)").resolve(FLOAT32, &[3]);
    assert!(tiny.is_empty(), "szip needs one block");
}

#[test]
fn who_can_read_it_follows_from_the_filters() {
    assert_eq!(chain("shuffle+deflate").reader_level(), ReaderLevel::Any);
    assert_eq!(chain("bitshuffle+lz4").reader_level(), ReaderLevel::Plugins);
    assert_eq!(chain("delta+zstd").reader_level(), ReaderLevel::Frazil);
    assert_eq!(chain("frazil").reader_level(), ReaderLevel::Frazil);
    assert_eq!(chain("mafisc").reader_level(), ReaderLevel::Frazil);
    assert_eq!(chain("none").reader_level(), ReaderLevel::Any);
}

#[test]
fn what_is_no_chain_is_refused_with_what_there_is() {
    for text in [
        "",
        "gzip",
        "deflate(10)",
        "deflate(4",
        "zstd(1,2)",
        "szip(7)",
        "szip(34)",
        "blosc",
        "blosc(lzma)",
        "blosc(lz4,10)",
        "pcodec(13)",
        "mafisc(271)",
        "frazil(9)",
        "frazil(fast)",
        "frazil(size,23)",
        "delta(x)",
        "delta(32)",
        "lz4(3)",
        "shuffle++lz4",
        "shuffle+shuffle",
        "delta+lorenzo",
    ] {
        assert!(text.parse::<FilterChain>().is_err(), "{text}");
    }
    for (text, meant) in [("gzip", "deflate"), ("bitshufle(3)", "bitshuffle")] {
        let error = text.parse::<FilterChain>().unwrap_err().to_string();
        let question = format!("is `{meant}` meant?");
        assert!(error.contains(text) && error.contains(&question), "{error}");
    }
}
