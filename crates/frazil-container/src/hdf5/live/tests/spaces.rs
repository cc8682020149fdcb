//! Space that is set aside for other processes, and chunks that are entered where they wrote them.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::model::{BLOCK_BYTES, atomic_type, commit};
use crate::classic::NcType;
use crate::hdf5::{
    Additions, Hdf5Input, Hdf5Output, LiveOutput, OutputStorage, OutputTarget, Placement,
};
use crate::schema::{Schema, ValueType, VariableId};
use frazil_types::{ChunkRecord, FilterPipeline};

const V: VariableId = VariableId(0);
/// Bytes of chunks, below and above the size for which libhdf5 usually allocates blocks.
const CHUNKS: [u64; 2] = [96, 40_000];

/// A file with bytes in chunks of this size along `x`, and texts beside them.
fn start(path: &Path, chunk: u64) -> (LiveOutput, Schema) {
    File::create(path).unwrap();
    let mut output = LiveOutput::create_shared(path, false, BLOCK_BYTES).unwrap();
    let mut schema = Schema::default();
    let x = schema.with_dimension(Schema::ROOT, "x", Some(64 * chunk));
    schema.with_variable(Schema::ROOT, "v", atomic_type(NcType::Byte), &[x]);
    let n = schema.with_dimension(Schema::ROOT, "n", Some(50));
    schema.with_variable(Schema::ROOT, "texts", ValueType::String, &[n]);
    let storage = OutputStorage::Chunked {
        chunk: vec![chunk],
        pipeline: FilterPipeline::default(),
    };
    output.define_variable(&schema, V, &storage).unwrap();
    (output, schema)
}

fn located(path: &Path) -> Vec<ChunkRecord> {
    let input = Hdf5Input::open(path).unwrap();
    let number = input.datasets().iter().position(|d| d.path == "/v");
    let records = input.locate(&input.datasets()[number.unwrap()]).unwrap();
    input.data_model().unwrap();
    input.classic_view().unwrap();
    let target = OutputTarget::Measure {
        metadata_block_bytes: None,
    };
    let storage = vec![OutputStorage::Keep; input.datasets().len()];
    let copy = Hdf5Output::define_copy(&input, target, &storage, &Additions::default()).unwrap();
    copy.finish(Some(&input)).unwrap();
    // libhdf5 opens a file for values only, of those that nobody else can decode.
    assert!(!input.is_in_library());
    records
}

#[test]
fn chunks_are_entered_where_they_were_written() {
    for chunk in CHUNKS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nc");
        let (mut output, schema) = start(&path, chunk);
        let file = File::options().write(true).open(&path).unwrap();
        let mut wasted = Vec::new();
        let mut given = Vec::new();
        for number in 0..64 {
            // Of two attempts, the second one counts.
            wasted.push(output.set_aside(chunk).unwrap());
            let address = output.set_aside(chunk).unwrap();
            let bytes = vec![number as u8; chunk as usize];
            file.write_all_at(&bytes, address).unwrap();
            // The index and other values grow meanwhile.
            let placed = output.reserve_chunk_at(V, &[number * chunk], 0, chunk as usize, address);
            assert_eq!(placed.unwrap(), Placement::WriteAt(address));
            given.push(address);
            if number == 30 {
                let texts: Vec<String> = (0..50).map(|i| format!("text {i}")).collect();
                let texts_id = VariableId(1);
                let storage = OutputStorage::Contiguous;
                output.define_variable(&schema, texts_id, &storage).unwrap();
                output.write_strings(texts_id, None, &texts).unwrap();
            }
        }
        commit(&mut output, &schema).unwrap();
        output.finish(false).unwrap();
        // What comes late harms nobody.
        for &address in &wasted {
            file.write_all_at(&vec![0xEE; chunk as usize], address)
                .unwrap();
        }
        let found = located(&path);
        let addresses: Vec<u64> = found.iter().map(|record| record.address).collect();
        assert_eq!(addresses, given);
        let (output, _) = LiveOutput::open(&path, BLOCK_BYTES).unwrap();
        for number in 0..64 {
            let values = output.read_values(V, None).unwrap();
            let at = (number * chunk) as usize;
            assert!(
                values[at..at + chunk as usize]
                    .iter()
                    .all(|&b| b == number as u8)
            );
        }
        let texts = output.read_strings(VariableId(1), None).unwrap();
        assert_eq!(texts[49], Some("text 49".into()));
    }
}

#[test]
fn a_chunk_of_the_same_size_keeps_its_place_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nc");
    let (output, _) = start(&path, 4000);
    let first = output.set_aside(4000).unwrap();
    let entered = |address| output.reserve_chunk_at(V, &[0], 0, 4000, address).unwrap();
    assert_eq!(entered(first), Placement::WriteAt(first));
    let second = output.set_aside(4000).unwrap();
    assert_eq!(entered(second), Placement::WriteAt(first));
    assert!(output.set_aside(u64::MAX).is_err());
}
