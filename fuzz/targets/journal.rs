//! A journal beside a file, with its checksum made right: recovering refuses it and changes nothing,
//! or leaves a file that its commit can leave; readers never change anything.

#![no_main]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use frazil_container::hdf5::left_beside;

const MAGIC: &[u8] = b"FRZJRNL1";
/// Where the inode stands.
const INODE: usize = 8 + 2 * 8;
/// Beyond what a commit of so few bytes can make of the file.
const MOST_BYTES: u64 = 1 << 20;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let data = frazil_fuzz::scratch_file("data.h5");
    let journal = frazil_fuzz::scratch_file("data.h5.frazil-journal");
    let before = content();
    fs::write(&data, &before).expect("a file in memory");
    let inode = fs::metadata(&data).expect("it is there").ino();
    fs::write(&journal, sealed(input, inode)).expect("a file in memory");
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o644)).expect("its own file");
    let _ = left_beside(&data);
    assert_eq!(
        fs::read(&data).expect("it is there"),
        before,
        "a reader changed it"
    );
    let outcome = frazil::recover(&data);
    let after = fs::metadata(&data).expect("it is there").len();
    assert!(after <= MOST_BYTES, "{outcome:?}");
    if outcome.is_err() {
        assert_eq!(fs::read(&data).expect("it is there"), before, "{outcome:?}");
    }
    let _ = fs::remove_file(&journal);
});

/// The signature of an HDF5 file, a superblock of version 2, and bytes that commits may change.
fn content() -> Vec<u8> {
    let mut bytes = b"\x89HDF\r\n\x1a\n\x02\x08\x08\x00".to_vec();
    for address in [0_u64, u64::MAX, 2048, 48] {
        bytes.extend(address.to_le_bytes());
    }
    bytes.resize(2048, 0x11);
    bytes
}

fn sealed(input: &[u8], inode: u64) -> Vec<u8> {
    let mut bytes = [MAGIC, input].concat();
    if let Some(place) = bytes.get_mut(INODE..INODE + 8) {
        // One in 256 inputs is of another file.
        if place[7] != 0xff {
            place.copy_from_slice(&inode.to_le_bytes());
        }
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}
