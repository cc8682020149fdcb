//! A file behind a URL as a source of bytes.

use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;

use frazil_hdf5::{Arrival, Source};
use frazil_types::sync::Mutex;
use frazil_types::{ErrorCode, without_secrets};

use crate::StorageOptions;
use crate::cost::Cost;
use crate::kept::{self, Kept};
use crate::plan;
use crate::request::{self, Found, Version, Wanted};
use crate::runtime::{Network, wait};
use crate::store::Store;

/// The first request: as much as metadata at the begin of a file may have. It costs about as much as one for less.
const HEAD_BYTES: u64 = 1 << 20;
/// A request for metadata is for at least so much.
const BLOCK_BYTES: u64 = 16 << 10;
/// Heads of all files of the process that are kept take at most so much.
const MOST_HELD_BYTES: u64 = 64 << 20;

static HELD_BYTES: AtomicU64 = AtomicU64::new(0);

/// A file behind a URL, of the version that it had when it was opened.
#[derive(Debug, Clone)]
pub struct Remote {
    file: Arc<File>,
    head: Arc<Mutex<Head>>,
    /// What is kept for the next opening.
    kept: Option<Arc<Kept>>,
}

#[derive(Debug)]
struct File {
    store: Store,
    cost: Cost,
    version: Version,
}

/// The bytes of the first request, as long as they are of use.
#[derive(Debug)]
struct Head {
    bytes: Vec<u8>,
    /// What counts in [`HELD_BYTES`].
    counted: u64,
}

impl Drop for Head {
    fn drop(&mut self) {
        HELD_BYTES.fetch_sub(self.counted, Ordering::Relaxed);
    }
}

impl Remote {
    /// Asks for the head of a file, and so for its length and version.
    ///
    /// # Errors
    /// Carries a [`SourceError`](frazil_types::SourceError): there is no such file, access is refused, the server does not answer in time or
    /// knows no ranges; options that mean nothing.
    pub fn open(url: &str, options: &StorageOptions) -> io::Result<Self> {
        let store = Arc::new(Store::new(url, options, false)?);
        let network = Network::current()?;
        let asking = Arc::clone(&store);
        let key = store.key();
        let before = kept::find(&key);
        let known = before.clone();
        let answer = network.begin(async move {
            let cost = Cost::default();
            let wanted = known
                .as_ref()
                .map_or(Wanted::Any, |known| Wanted::Unless(&known.version));
            let head = 0..HEAD_BYTES;
            let found = request::fetch_wanted(&asking, network, &cost, head, wanted).await;
            found.map(|found| (found, cost))
        });
        let (found, cost) = wait(&answer)?;
        let store = Arc::into_inner(store);
        let store = store.ok_or_else(|| io::Error::other("a request is still under way"))?;
        let (bytes, version, kept) = match (found, before) {
            (Found::Bytes(bytes, version), _) => {
                let kept = Kept::new(key, &version);
                (bytes, version, kept)
            }
            (Found::Same, Some(before)) => {
                let version = before.version.clone();
                let head = before.pick(&(0..version.length.min(HEAD_BYTES)));
                (head.unwrap_or_default(), version, Some(before))
            }
            (Found::Same, None) => return Err(io::Error::other("nothing was known before")),
        };
        let counted = bytes.len() as u64;
        HELD_BYTES.fetch_add(counted, Ordering::Relaxed);
        Ok(Self {
            file: Arc::new(File {
                store,
                cost,
                version,
            }),
            head: Arc::new(Mutex::new(Head { bytes, counted })),
            kept,
        })
    }

    /// Bytes that are here: in the file's head, or among its metadata, where small values often lie.
    fn here(&self, range: &Range<u64>) -> Option<Vec<u8>> {
        let in_head = || {
            let head = self.head.lock();
            let from = usize::try_from(range.start).ok()?;
            let to = usize::try_from(range.end).ok()?;
            head.bytes.get(from..to).map(<[u8]>::to_vec)
        };
        in_head().or_else(|| self.kept.as_ref()?.pick(range))
    }

    /// Sends requests for ranges, all at once.
    fn ask(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Asked>> {
        let (gap, piece) = (self.file.cost.gap(), self.file.cost.piece());
        let network = Network::current()?;
        let asked = plan::requests(ranges, gap, piece).into_iter();
        let asked = asked.map(|range| {
            let file = Arc::clone(&self.file);
            let wanted = range.clone();
            let answer = network.begin(async move {
                let File {
                    store,
                    cost,
                    version,
                } = &*file;
                request::fetch(store, network, cost, wanted, version).await
            });
            (range, answer)
        });
        Ok(asked.collect())
    }
}

/// A request, and what becomes of it.
type Asked = (Range<u64>, Receiver<io::Result<Vec<u8>>>);

impl Source for Remote {
    fn length(&self) -> io::Result<u64> {
        Ok(self.file.version.length)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let mut found: Vec<Option<Vec<u8>>> = ranges.iter().map(|one| self.here(one)).collect();
        let missing = ranges.iter().zip(&found);
        let missing: Vec<Range<u64>> = missing
            .filter(|(_, found)| found.is_none())
            .map(|(range, _)| range.clone())
            .collect();
        if let [only] = missing.as_slice()
            && found.len() == 1
            && only.end.saturating_sub(only.start) <= self.file.cost.piece()
        {
            let mut asked = self.ask(&missing)?;
            let answer = asked.pop().ok_or(io::ErrorKind::UnexpectedEof)?;
            return Ok(vec![wait(&answer.1)?]);
        }
        let asked = self.ask(&missing)?;
        let come = asked
            .into_iter()
            .map(|(range, answer)| Ok((range, wait(&answer)?)));
        let come = come.collect::<io::Result<Vec<_>>>()?;
        for (range, found) in ranges.iter().zip(&mut found) {
            if found.is_none() {
                *found = plan::pick(range, &come);
            }
        }
        let all: Option<Vec<Vec<u8>>> = found.into_iter().collect();
        all.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn block_bytes(&self) -> u64 {
        BLOCK_BYTES
    }

    fn head_bytes(&self) -> u64 {
        HEAD_BYTES
    }

    fn is_far(&self) -> bool {
        true
    }

    /// Lets go of the file's head, but for a file that is all head: nothing else is ever asked for.
    fn settle(&self) {
        let mut head = self.head.lock();
        let is_whole = head.bytes.len() as u64 == self.file.version.length;
        if !is_whole || HELD_BYTES.load(Ordering::Relaxed) > MOST_HELD_BYTES {
            *head = Head {
                bytes: Vec::new(),
                counted: 0,
            };
        }
    }

    fn begin(&self, ranges: &[Range<u64>]) -> Vec<(Range<u64>, Arrival)> {
        let is_missing = |range: &&Range<u64>| self.here(range).is_none();
        let missing: Vec<Range<u64>> = ranges.iter().filter(is_missing).cloned().collect();
        // Where nothing can be sent, reading says why.
        let asked = self.ask(&missing).unwrap_or_default().into_iter();
        asked
            .map(|(range, answer)| {
                let arrival: Arrival = Box::new(move || wait(&answer));
                (range, arrival)
            })
            .collect()
    }

    fn of_metadata(&self) -> Option<Arc<dyn Source>> {
        let kept = self.kept.as_ref().map(Arc::clone)?;
        Some(Arc::new(Metadata {
            file: self.clone(),
            kept,
        }))
    }

    fn beside(&self, name: &str) -> io::Result<Option<(PathBuf, Arc<dyn Source>)>> {
        let store = &self.file.store;
        let url = store.address.beside(name)?;
        let shown = PathBuf::from(&*without_secrets(&url));
        match Self::open(&url, &store.options) {
            Ok(opened) => Ok(Some((shown, Arc::new(opened)))),
            Err(error) if ErrorCode::of_io_error(&error) == ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The file for those who read its metadata: what they ask for is kept for the next opening.
struct Metadata {
    file: Remote,
    kept: Arc<Kept>,
}

impl Source for Metadata {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let mut found: Vec<Option<Vec<u8>>> =
            ranges.iter().map(|one| self.kept.pick(one)).collect();
        let missing = ranges.iter().zip(&found);
        let missing: Vec<Range<u64>> = missing
            .filter(|(_, found)| found.is_none())
            .map(|(range, _)| range.clone())
            .collect();
        if !missing.is_empty() {
            let mut come = self.file.read_ranges(&missing)?.into_iter();
            for (range, found) in ranges.iter().zip(&mut found) {
                if found.is_none() {
                    let bytes = come.next().ok_or(io::ErrorKind::UnexpectedEof)?;
                    self.kept.add(range.start, &bytes);
                    *found = Some(bytes);
                }
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn block_bytes(&self) -> u64 {
        self.file.block_bytes()
    }

    fn head_bytes(&self) -> u64 {
        self.file.head_bytes()
    }

    fn is_far(&self) -> bool {
        true
    }

    fn settle(&self) {
        self.file.settle();
        self.kept.save();
    }

    fn begin(&self, ranges: &[Range<u64>]) -> Vec<(Range<u64>, Arrival)> {
        self.file.begin(ranges)
    }

    fn beside(&self, name: &str) -> io::Result<Option<(PathBuf, Arc<dyn Source>)>> {
        self.file.beside(name)
    }
}
