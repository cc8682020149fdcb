//! Damaged classic files: refused or read, but never with a panic, memory on trust, or an address
//! outside the file. An executable of its own, as its allocator counts for all threads.

#![expect(clippy::unwrap_used, reason = "a failing helper is a failing test")]
#![expect(
    unsafe_code,
    reason = "an allocator that counts is unsafe to implement"
)]

#[path = "container/classic/samples.rs"]
mod samples;

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};

use frazil_container::classic::{
    AttributeValue, ClassicError, ClassicFile, ClassicFormat, ClassicModel, MAX_HEADER_BYTES,
    NcType,
};
use frazil_types::ErrorCode;

/// No damaged file of a few KiB may take more memory than this.
const MEMORY_LIMIT: usize = 64 << 20;
const FLIPS_PER_FILE: u64 = 20_000;

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: both calls are handed to the system's allocator as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn file_of(format: ClassicFormat, model: &ClassicModel) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.nc");
    samples::write(&path, format, model);
    std::fs::read(path).unwrap()
}

fn sample(format: ClassicFormat) -> Vec<u8> {
    file_of(format, &samples::model(format, 3))
}

fn parse(contents: &[u8]) -> Result<ClassicFile, ClassicError> {
    ClassicFile::parse("sample.nc", contents, contents.len() as u64)
}

/// First address past the last value.
fn data_end(file: &ClassicFile) -> u64 {
    let ends = file.locations().iter().flat_map(|location| {
        let slabs = location.slabs(1 << 20, None).unwrap();
        (0..slabs.grid().chunk_count()).map(move |index| slabs.extent(index).unwrap().end())
    });
    ends.map(Option::unwrap).max().unwrap()
}

/// A file that was accepted keeps all addresses inside, and all its data fit into its length.
fn check_accepted(file: &ClassicFile) {
    let mut total = 0_u64;
    for location in file.locations() {
        let slabs = location.slabs(1 << 10, Some(2)).unwrap();
        let count = slabs.grid().chunk_count();
        for index in [0, count / 2, count.saturating_sub(1)] {
            if let Some(extent) = slabs.extent(index) {
                assert!(extent.address >= file.header_bytes());
                assert!(extent.end().unwrap() <= file.file_bytes());
            }
        }
        total += location.data_bytes().unwrap();
    }
    assert!(
        total <= file.file_bytes(),
        "{total} bytes of values in {}",
        file.file_bytes()
    );
}

fn check_refused(error: &ClassicError) {
    let code = error.code();
    assert!(
        matches!(code, ErrorCode::Corrupt | ErrorCode::Unsupported),
        "{code:?}: {error}"
    );
}

fn check_memory() {
    let peak = PEAK.load(Ordering::Relaxed);
    assert!(peak < MEMORY_LIMIT, "{peak} bytes were allocated at once");
}

#[test]
fn every_truncation_is_refused_unless_only_padding_is_missing() {
    for format in ClassicFormat::ALL {
        let contents = sample(format);
        let end = data_end(&parse(&contents).unwrap());
        for length in 0..contents.len() {
            match parse(&contents[..length]) {
                Ok(_) => assert!(length as u64 >= end, "{length} of {end} bytes accepted"),
                Err(error) => {
                    assert!((length as u64) < end, "{length} of {end} bytes: {error}");
                    check_refused(&error);
                }
            }
        }
    }
    check_memory();
}

#[test]
fn a_truncation_names_the_variable_and_what_is_missing() {
    let model = samples::lone_record_model(NcType::Short, 5);
    let contents = file_of(ClassicFormat::Cdf1, &model);
    let Err(error) = parse(&contents[..contents.len() - 12]) else {
        panic!("accepted");
    };
    let words = error.to_string();
    // The lone variable's 5 records of 6 bytes are followed by 2 bytes of padding, or none.
    let ClassicError::Truncated { missing_bytes, .. } = error else {
        panic!("{words}");
    };
    let padding = contents.len() as u64 - data_end(&parse(&contents).unwrap());
    assert_eq!(missing_bytes, 12 - padding);
    assert!(
        words.contains("`lone`") && words.contains(&missing_bytes.to_string()),
        "{words}"
    );
}

#[test]
fn flipped_bits_in_the_header_do_no_harm() {
    for (seed, format) in ClassicFormat::ALL.into_iter().enumerate() {
        let contents = sample(format);
        let header_bytes = parse(&contents).unwrap().header_bytes();
        let mut random = Random(seed as u64 + 1);
        let (mut accepted, mut refused) = (0, 0);
        for _ in 0..FLIPS_PER_FILE {
            let mut damaged = contents.clone();
            for _ in 0..=random.below(4) {
                damaged[random.below(header_bytes) as usize] ^= 1 << random.below(8);
            }
            match parse(&damaged) {
                Ok(file) => {
                    check_accepted(&file);
                    accepted += 1;
                }
                Err(error) => {
                    check_refused(&error);
                    refused += 1;
                }
            }
        }
        // Flips in names and attribute values are harmless, flips in counts are not.
        assert!(accepted > FLIPS_PER_FILE / 100 && refused > FLIPS_PER_FILE / 100);
    }
    check_memory();
}

#[test]
fn overwritten_words_in_the_header_do_no_harm() {
    for format in ClassicFormat::ALL {
        let contents = sample(format);
        let header_bytes = parse(&contents).unwrap().header_bytes() as usize;
        for word in (4..header_bytes - 4).step_by(4) {
            for value in [
                0,
                1,
                11,
                0x7fff_ffff,
                0x8000_0000,
                0xffff_fffc,
                0xffff_ffff_u32,
            ] {
                let mut damaged = contents.clone();
                damaged[word..word + 4].copy_from_slice(&value.to_be_bytes());
                match parse(&damaged) {
                    Ok(file) => check_accepted(&file),
                    Err(error) => check_refused(&error),
                }
            }
        }
    }
    check_memory();
}

#[test]
fn counts_are_not_believed_even_in_a_huge_file() {
    for (format, width) in [(1, 4), (2, 4), (5, 8)] {
        let mut start = vec![b'C', b'D', b'F', format];
        start.extend(vec![0; width]);
        for tag in [10_u32, 12, 11] {
            let mut header = start.clone();
            header.extend(tag.to_be_bytes());
            header.extend(vec![0; width - 4]);
            header.extend([0x7f; 4]);
            let file_bytes = 1 << 60;
            let endless = header.as_slice().chain(std::io::repeat(0));
            let error = ClassicFile::parse("huge.nc", endless, file_bytes).unwrap_err();
            assert_eq!(error.code(), ErrorCode::Unsupported, "{error}");
            assert!(
                error.to_string().contains(&MAX_HEADER_BYTES.to_string()),
                "{error}"
            );
            start.extend(vec![0; 4 + width]);
        }
    }
    check_memory();
}

#[test]
fn variables_that_share_bytes_are_refused() {
    let mut contents = sample(ClassicFormat::Cdf1);
    let file = parse(&contents).unwrap();
    // The offset is the last word of a variable in the header, and the last variable ends it.
    let at = file.header_bytes() as usize - 4;
    let begin = file.locations().last().unwrap().begin() as u32;
    contents.extend([0; 64]);
    for (moved, words) in [
        (begin + 4, "first record reaches into the second"),
        (begin - 4, "inside what ends"),
        (8, "inside what ends"),
    ] {
        contents[at..at + 4].copy_from_slice(&moved.to_be_bytes());
        let error = parse(&contents).unwrap_err();
        assert!(matches!(error, ClassicError::Layout { .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn streaming_files_have_the_records_that_are_there() {
    for format in ClassicFormat::ALL {
        let mut contents = sample(format);
        let written = parse(&contents).unwrap();
        let width = if format == ClassicFormat::Cdf5 { 8 } else { 4 };
        contents[4..4 + width].fill(0xff);
        let file = parse(&contents).unwrap();
        assert_eq!(file.model(), written.model());
        let stride = file
            .locations()
            .iter()
            .find_map(|item| item.record_stride_bytes())
            .unwrap();
        let records = |bytes: &[u8]| parse(bytes).unwrap().model().dimensions[samples::TIME].length;
        let end = data_end(&file) as usize;
        assert_eq!(records(&contents[..end]), 3);
        assert_eq!(records(&contents[..end - 1]), 2);
        assert_eq!(records(&contents[..end - stride as usize]), 2);
        assert_eq!(records(&contents[..end - 3 * stride as usize]), 0);
        // More records claimed than there are: refused, naming a record variable.
        contents[4..4 + width].fill(0);
        contents[4 + width - 1] = 4;
        let error = parse(&contents).unwrap_err();
        assert!(matches!(error, ClassicError::Truncated { .. }), "{error}");
    }
}

#[test]
fn names_must_be_utf_8_without_slashes_and_text_is_kept_as_it_is() {
    let mut model = samples::model(ClassicFormat::Cdf1, 1);
    model.dimensions[1].name = "breite".to_owned();
    model.attributes[0].value = AttributeValue::Char(b"Gr\xf6\xdfe".to_vec());
    let mut contents = file_of(ClassicFormat::Cdf1, &model);
    assert_eq!(parse(&contents).unwrap().model(), &model);
    let at = contents
        .windows(6)
        .position(|window| window == b"breite")
        .unwrap();
    contents[at + 5] = 0xe9;
    let error = parse(&contents).unwrap_err();
    assert!(error.to_string().contains(r"breit\xe9"), "{error}");
    contents[at + 5] = 0;
    assert_eq!(
        parse(&contents).unwrap().model().dimensions[1].name,
        "breit"
    );
    contents[at + 5] = b'/';
    let error = parse(&contents).unwrap_err();
    assert!(matches!(error, ClassicError::Inconsistent(_)), "{error}");
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_noticed() {
    let contents = sample(ClassicFormat::Cdf2);
    let error = ClassicFile::parse("shrunk.nc", &contents[..100], contents.len() as u64);
    assert_eq!(error.unwrap_err().code(), ErrorCode::FileChanged);
}

#[test]
fn other_files_are_told_apart() {
    for contents in [
        &b""[..],
        b"CD",
        b"\x89HDF\r\n\x1a\n",
        b"CDF\x03\0\0\0\0\0\0\0\0\0\0",
    ] {
        let error = parse(contents).unwrap_err();
        assert!(matches!(error, ClassicError::NotClassic { .. }), "{error}");
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}
