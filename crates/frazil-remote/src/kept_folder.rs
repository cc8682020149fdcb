//! The folder in which metadata are kept from one process to the next, if the user names one.
//!
//! It makes opening faster and is needed for nothing: what cannot be read, is damaged, or cannot be written is left out.
//! A file of it appears whole or not at all, and ends with a digest of all that is before.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use ring::digest::{SHA256, digest};

use crate::kept::{Kept, Key, MOST_BYTES};
use crate::request::Version;

/// Names the folder.
const FOLDER_VARIABLE: &str = "FRAZIL_INDEX_CACHE";
/// All files of the folder together; those not used for longest go first.
const MOST_BYTES_OF_ALL: u64 = 1 << 30;
const ENDING: &str = "index";
const UNFINISHED: &str = "part";
/// What is unfinished for so long was left by a process that ended.
const ABANDONED: Duration = Duration::from_secs(3600);
const MAGIC: &[u8; 8] = b"frazilx1";
const DIGEST_BYTES: usize = 32;
/// Pieces of one file, and bytes of a tag: more are not believed.
const MOST_PIECES: u64 = 1 << 16;
const MOST_TAG_BYTES: usize = 1024;

fn folder() -> Option<PathBuf> {
    let stated = std::env::var_os(FOLDER_VARIABLE)?;
    (!stated.is_empty()).then(|| PathBuf::from(stated))
}

fn path_of(folder: &Path, key: &Key) -> PathBuf {
    let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    folder.join(format!("{digits}.{ENDING}"))
}

/// What the folder has of a file.
pub(crate) fn read(key: &Key) -> Option<Kept> {
    let path = path_of(&folder()?, key);
    let file = File::open(path).ok()?;
    let mut bytes = Vec::new();
    // Addresses and lengths of pieces come on top of what they hold.
    let most = MOST_BYTES + MOST_PIECES * 16 + 4096;
    (&file).take(most).read_to_end(&mut bytes).ok()?;
    let found = decode(&bytes, key)?;
    // Those used last stay for longest.
    let _ = file.set_modified(SystemTime::now());
    Some(found)
}

/// Puts what is kept of a file into the folder.
pub(crate) fn write(key: &Key, version: &Version, pieces: &BTreeMap<u64, Vec<u8>>) {
    if let Some(folder) = folder()
        && let Some(bytes) = encode(key, version, pieces)
        && put(&folder, &path_of(&folder, key), &bytes).is_ok()
    {
        make_room(&folder);
    }
}

fn put(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let ending = format!("{}-{number}.{UNFINISHED}", std::process::id());
    let unfinished = path.with_extension(ending);
    let mut options = File::options();
    let made = options.write(true).create_new(true).mode(0o600);
    let written = made
        .open(&unfinished)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// Removes what was not used for longest, and what was left unfinished.
fn make_room(folder: &Path) {
    let now = SystemTime::now();
    let mut kept = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let used = metadata.modified().unwrap_or(now);
        match path.extension().and_then(|ending| ending.to_str()) {
            Some(ENDING) => kept.push((used, metadata.len(), path)),
            Some(UNFINISHED) if now.duration_since(used).is_ok_and(|age| age > ABANDONED) => {
                let _ = fs::remove_file(path);
            }
            _ => {}
        }
    }
    kept.sort();
    let mut total: u64 = kept.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, bytes, path) in kept {
        if total <= MOST_BYTES_OF_ALL {
            break;
        }
        let _ = fs::remove_file(path);
        total -= bytes;
    }
}

fn encode(key: &Key, version: &Version, pieces: &BTreeMap<u64, Vec<u8>>) -> Option<Vec<u8>> {
    let tag = version.condition()?;
    if tag.len() > MOST_TAG_BYTES || pieces.len() as u64 > MOST_PIECES {
        return None;
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(key);
    let numbers = [version.length, tag.len() as u64, pieces.len() as u64];
    let places = pieces
        .iter()
        .flat_map(|(begin, piece)| [*begin, piece.len() as u64]);
    let all = numbers.into_iter().chain(places);
    bytes.extend(all.flat_map(u64::to_le_bytes));
    bytes.extend_from_slice(&version.modified.to_le_bytes());
    bytes.extend_from_slice(tag.as_bytes());
    bytes.extend(pieces.values().flatten());
    let sum = digest(&SHA256, &bytes);
    bytes.extend_from_slice(sum.as_ref());
    Some(bytes)
}

/// `None`: the bytes are damaged, or of something else.
fn decode(bytes: &[u8], key: &Key) -> Option<Kept> {
    let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(DIGEST_BYTES)?)?;
    if digest(&SHA256, content).as_ref() != sum {
        return None;
    }
    let mut rest = content.strip_prefix(MAGIC)?.strip_prefix(key)?;
    let mut take = |length: u64| {
        let (taken, behind) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        rest = behind;
        Some(taken)
    };
    let number = |bytes: &[u8]| bytes.try_into().ok().map(u64::from_le_bytes);
    let length = number(take(8)?)?;
    let tag_bytes = number(take(8)?)?;
    let count = number(take(8)?)?;
    if count > MOST_PIECES {
        return None;
    }
    let places = take(count * 16)?.chunks_exact(16);
    let places: Option<Vec<(u64, u64)>> = places
        .map(|pair| Some((number(&pair[..8])?, number(&pair[8..])?)))
        .collect();
    let modified = i64::from_le_bytes(take(8)?.try_into().ok()?);
    let tag = String::from_utf8(take(tag_bytes)?.to_vec()).ok()?;
    let mut pieces = BTreeMap::new();
    for (begin, bytes) in places? {
        pieces.insert(begin, take(bytes)?.to_vec());
    }
    let version = Version {
        length,
        tag: Some(tag),
        modified,
    };
    // A weak tag names no version.
    version.condition()?;
    Some(Kept::of(*key, version, pieces))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_damaged_is_not_believed() {
        let (key, version) = ([7; 32], Version::test(1000));
        let pieces = BTreeMap::from([(0, b"head".to_vec()), (900, b"index".to_vec())]);
        let bytes = encode(&key, &version, &pieces).unwrap();
        let found = decode(&bytes, &key).unwrap();
        assert_eq!(found.version, version);
        assert_eq!(found.pick(&(901..904)).unwrap(), b"nde");
        assert!(decode(&bytes, &[8; 32]).is_none());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(decode(&damaged, &key).is_none());
            assert!(decode(&bytes[..at], &key).is_none());
        }
    }

    #[test]
    fn files_appear_whole_in_a_folder_of_their_own() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        let path = path_of(&folder, &[1; 32]);
        put(&folder, &path, b"first").unwrap();
        put(&folder, &path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        make_room(&folder);
        assert!(path.exists());
    }
}
