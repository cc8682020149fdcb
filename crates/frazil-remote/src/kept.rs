//! Metadata of files that were opened before: in memory, and in a folder if the user names one.
//!
//! What is kept is of one version of a file, which its server names by a tag. Whoever opens the file again asks for its
//! head unless it is of that version still, and gets either: so nothing old is ever read.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use frazil_types::sync::Mutex;

use crate::kept_folder;
use crate::request::Version;

/// Of one file.
pub(crate) const MOST_BYTES: u64 = 16 << 20;
/// Of all files of the process.
const MOST_BYTES_OF_ALL: u64 = 64 << 20;
/// A thread of a parent process may hold the lock for ever.
const PATIENCE: Duration = Duration::from_secs(1);

/// Which file: a digest of its URL, and of whom that leads to.
pub(crate) type Key = [u8; 32];

/// Those used last come last.
static KNOWN: Mutex<Vec<Arc<Kept>>> = Mutex::new(Vec::new());

/// What is kept of one version of a file.
#[derive(Debug)]
pub(crate) struct Kept {
    key: Key,
    pub(crate) version: Version,
    pieces: Mutex<Pieces>,
}

#[derive(Debug, Default)]
struct Pieces {
    by_begin: BTreeMap<u64, Vec<u8>>,
    bytes: u64,
    /// Whether there is anything that is not in the folder.
    has_news: bool,
}

impl Pieces {
    fn forget(&mut self) {
        self.by_begin.clear();
        self.bytes = 0;
        self.has_news = false;
    }
}

/// What is kept of a file, in memory or in the folder.
pub(crate) fn find(key: &Key) -> Option<Arc<Kept>> {
    let known = KNOWN.try_lock_for(PATIENCE)?;
    let found = known.iter().find(|kept| kept.key == *key).map(Arc::clone);
    drop(known);
    found.or_else(|| kept_folder::read(key).map(Arc::new))
}

impl Kept {
    /// Of a file that was opened now; `None`: its server does not tell versions apart.
    pub(crate) fn new(key: Key, version: &Version) -> Option<Arc<Self>> {
        version.condition()?;
        Some(Arc::new(Self::of(key, version.clone(), BTreeMap::new())))
    }

    /// With pieces that the folder has.
    pub(crate) fn of(key: Key, version: Version, by_begin: BTreeMap<u64, Vec<u8>>) -> Self {
        let bytes = by_begin.values().map(|piece| piece.len() as u64).sum();
        Self {
            key,
            version,
            pieces: Mutex::new(Pieces {
                by_begin,
                bytes,
                has_news: false,
            }),
        }
    }

    /// The bytes of a range, if all of them are kept.
    pub(crate) fn pick(&self, range: &Range<u64>) -> Option<Vec<u8>> {
        let pieces = self.pieces.lock();
        let mut found = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let (begin, piece) = pieces.by_begin.range(..=at).next_back()?;
            let here = piece.get(usize::try_from(at - begin).ok()?..)?;
            let wanted = usize::try_from(range.end - at).unwrap_or(usize::MAX);
            let here = &here[..here.len().min(wanted)];
            if here.is_empty() {
                return None;
            }
            found.extend_from_slice(here);
            at += here.len() as u64;
        }
        Some(found)
    }

    /// Keeps bytes from an address on, if there is room for them.
    pub(crate) fn add(&self, begin: u64, bytes: &[u8]) {
        let mut pieces = self.pieces.lock();
        let before = pieces.by_begin.get(&begin).map_or(0, Vec::len);
        let more = (bytes.len() as u64).saturating_sub(before as u64);
        if more == 0 || pieces.bytes + more > MOST_BYTES {
            return;
        }
        pieces.by_begin.insert(begin, bytes.to_vec());
        pieces.bytes += more;
        pieces.has_news = true;
    }

    /// Puts what is kept where the next opening finds it.
    pub(crate) fn save(self: &Arc<Self>) {
        self.remember();
        let mut pieces = self.pieces.lock();
        if std::mem::take(&mut pieces.has_news) {
            kept_folder::write(&self.key, &self.version, &pieces.by_begin);
        }
    }

    /// Takes its place among the files of the process, and the place of those not used for longest.
    fn remember(self: &Arc<Self>) {
        let Some(mut known) = KNOWN.try_lock_for(PATIENCE) else {
            return;
        };
        known.retain(|kept| kept.key != self.key);
        known.push(Arc::clone(self));
        let bytes = |kept: &Arc<Self>| kept.pieces.lock().bytes;
        let mut total: u64 = known.iter().map(bytes).sum();
        while total > MOST_BYTES_OF_ALL && known.len() > 1 {
            let last = known.remove(0);
            total -= bytes(&last);
            // The file may be open still; what it asks for from now on is kept again.
            last.pieces.lock().forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_put_together_from_pieces() {
        let version = Version::test(100);
        let kept = Kept::of([0; 32], version, BTreeMap::new());
        kept.add(0, b"01234");
        kept.add(5, b"56789");
        kept.add(20, b"ab");
        assert_eq!(kept.pick(&(3..8)).unwrap(), b"34567");
        assert_eq!(kept.pick(&(20..22)).unwrap(), b"ab");
        assert!(kept.pick(&(8..11)).is_none());
        assert!(kept.pick(&(20..23)).is_none());
        kept.add(0, b"01");
        assert_eq!(
            kept.pick(&(0..5)).unwrap(),
            b"01234",
            "the longer one stays"
        );
    }
}
