//! The sink of a rank that writes together with others: packed chunks are held until all ranks
//! commit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use frazil_container::hdf5::Placement;
use frazil_types::sync::{Mutex, MutexGuard};

use super::super::background::PackQueue;
use super::super::books::{Books, Counts, Stored, keeps_mask};
use super::super::buffer::Buffer;
use super::super::change::Change;
use super::super::data_file::DataFile;
use super::super::errors::{closed, lost};
use super::super::held::{Held, HeldBytes, Record};
use super::super::key::Key;
use super::super::lease::SpaceReservation;
use super::super::pack::{CommitStep, PackedChunk, Step, StoredChunk, named};
use super::super::sink::{ChunkSink, Placing};
use super::super::summary::RoundingSummary;
use super::super::variable::Variable;
use super::wire::Spot;
use frazil_container::schema::VariableId;
use frazil_file::error::Result;
use frazil_precision::RoundingStats;

/// Holds a rank's chunks, and writes them where rank 0 says.
pub(super) struct RankSink {
    path: PathBuf,
    file: DataFile,
    is_durable: bool,
    /// Packed chunks since the last commit.
    pub(super) held: Held,
    /// By variable: what rounding did to this rank's values since then.
    roundings: BTreeMap<VariableId, RoundingStats>,
    /// As of the last commit.
    pub(super) counts: Counts,
    /// What rank 0 alone has.
    root: Option<Root>,
}

/// The file's books, which one rank keeps for all.
pub(super) struct Root {
    pub(super) books: Books,
    /// Space behind the end of the file that ranks write to.
    pub(super) lending: SpaceReservation,
    /// Changes that wait for the end of that.
    put_off: Vec<Change>,
}

/// A rank's sink, for the calls that all ranks make.
#[derive(Clone)]
pub(super) struct RankChunks(Arc<Mutex<Placing<RankSink>>>);

impl RankChunks {
    pub(super) fn new(path: &Path, sink: RankSink) -> Self {
        Self(Arc::new(Mutex::new(Placing::new(path, sink))))
    }

    /// What background threads hand packed chunks to.
    pub(super) fn sink(&self) -> Arc<Mutex<Placing>> {
        Arc::clone(&self.0) as _
    }

    /// The sink, once nothing is under way.
    pub(super) fn placing(&self, queue: &PackQueue) -> MutexGuard<'_, Placing<RankSink>> {
        queue.wait_idle();
        self.0.lock()
    }

    /// Where the stored form of a chunk is; rank 0 knows.
    pub(super) fn stored(&self, key: &Key) -> Option<Stored> {
        let placing = self.0.lock();
        let root = placing.sink.root.as_ref();
        root.and_then(|root| root.books.place(key))
    }
}

impl ChunkSink for RankSink {
    /// Keeps a chunk until all ranks commit; in the output already where space was lent.
    fn take_chunk(&mut self, chunk: PackedChunk) -> Result<()> {
        let variable = &chunk.place.variable;
        if variable.quantize.is_some() {
            let all = self.roundings.entry(variable.id).or_default();
            all.merge(&chunk.rounding);
        }
        let key = Key::from(&chunk.place);
        let space = self.held.space(&key, &chunk);
        if let Some(address) = space {
            let outcome = self.file.write(&chunk.bytes, address, &self.path);
            outcome.map_err(|error| named(error, &chunk.place))?;
        }
        self.held.keep(key, chunk, space);
        Ok(())
    }

    fn take_step(&mut self, step: Step) -> Result<()> {
        match step {
            Step::Change(change) => self
                .root
                .as_mut()
                .map_or(Ok(()), |root| root.change(change)),
            Step::Rounded(id, stats) => {
                self.roundings.entry(id).or_default().merge(&stats);
                Ok(())
            }
            // Ranks commit when they meet.
            Step::Commit(_) => Err(lost()),
        }
    }

    fn drop_unwritten(&mut self) {
        self.file.forget();
    }

    fn read(&mut self, key: &Key) -> Result<Option<StoredChunk>> {
        let bytes = self.held_bytes(key)?;
        Ok(bytes.map(|bytes| StoredChunk {
            bytes: bytes.to_vec(),
            filter_mask: 0,
        }))
    }

    fn spill(&mut self) -> Result<bool> {
        self.held.spill()
    }

    fn spilled_bytes(&self) -> u64 {
        self.held.spilled_bytes()
    }

    fn counts(&self) -> Counts {
        let root = self.root.as_ref();
        root.map_or(self.counts, |root| root.books.counts)
    }

    #[cfg(test)]
    fn data_file(&mut self) -> Option<&mut DataFile> {
        Some(&mut self.file)
    }
}

impl RankSink {
    /// The sink of a rank; rank 0's has the books.
    pub(super) fn new(path: &Path, books: Option<Books>, is_durable: bool) -> Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: DataFile::open(path)?,
            is_durable,
            held: Held::beside(path),
            roundings: BTreeMap::new(),
            counts: Counts::default(),
            root: books.map(|books| Root {
                books,
                lending: SpaceReservation::default(),
                put_off: Vec::new(),
            }),
        })
    }

    /// The bytes of a held chunk; `None`: it is not here.
    pub(super) fn held_bytes(&mut self, key: &Key) -> Result<Option<Arc<Buffer>>> {
        Ok(match self.held.bytes(key)? {
            None => None,
            Some(HeldBytes::Here(bytes)) => Some(bytes),
            Some(HeldBytes::Written(address, bytes)) => {
                self.file.flush(&self.path)?;
                let bytes = self.file.read(address, bytes, &self.path)?;
                Some(Arc::new(bytes.into()))
            }
        })
    }

    /// What rounding did to this rank's values since the last commit.
    pub(super) fn take_roundings(&mut self) -> Vec<(usize, RoundingSummary)> {
        let all = std::mem::take(&mut self.roundings).into_iter();
        all.map(|(id, stats)| (id.0, stats.into())).collect()
    }

    /// Reads the stored form of a chunk that is committed.
    pub(super) fn read_stored(&mut self, stored: &Stored) -> Result<Vec<u8>> {
        let bytes = usize::try_from(stored.bytes).map_err(|_| lost())?;
        self.file.read(stored.address, bytes, &self.path)
    }

    /// Writes a chunk of this rank.
    pub(super) fn write_at(&mut self, bytes: &[u8], address: u64) -> Result<()> {
        self.file.write(bytes, address, &self.path)
    }

    /// Makes sure that everything this rank wrote is in the file, and on the disk where that was
    /// asked for.
    pub(super) fn finish_writes(&mut self, is_last: bool) -> Result<()> {
        self.file.flush(&self.path)?;
        match is_last && self.is_durable {
            true => self.file.sync(&self.path),
            false => Ok(()),
        }
    }

    // --- rank 0 ---

    /// What rank 0 has.
    pub(super) fn root(&mut self) -> Result<&mut Root> {
        self.root.as_mut().ok_or_else(closed)
    }

    /// The same, where there may be none.
    pub(super) fn books(&mut self) -> Option<&mut Books> {
        self.root.as_mut().map(|root| &mut root.books)
    }

    /// Gives a chunk of any rank its place; `chosen`: where it lies already, in space that was lent.
    pub(super) fn place_record(
        &mut self,
        variable: &Variable,
        record: &Record,
        chosen: Option<u64>,
    ) -> Result<(Spot, u64)> {
        let key = Key::from(&record.name);
        if self.root()?.may_omit(record) {
            return Ok((Spot::Omitted, 0));
        }
        let outcome = match variable.is_contiguous {
            true => self.write_contiguous(key, variable.id, record),
            false => self.root()?.reserve(key, record, chosen),
        };
        outcome.map_err(|error| error.at_variable(&variable.path))
    }

    /// Writes the values of a contiguous variable, which rank 0 has.
    fn write_contiguous(
        &mut self,
        key: Key,
        id: VariableId,
        record: &Record,
    ) -> Result<(Spot, u64)> {
        let values = self.held_bytes(&key)?.ok_or_else(lost)?;
        let books = &mut self.root()?.books;
        books.with(|output| output.write_values(id, None, &values))?;
        books.note(key, record.is_reused, 0, values.len() as u64);
        Ok((Spot::Omitted, 0))
    }

    /// Commits early where too much waits for that.
    pub(super) fn limit_pending(&mut self) -> Result<()> {
        let root = self.root.as_mut().ok_or_else(closed)?;
        root.books.limit_pending(&mut self.file)
    }

    /// Makes everything placed the file's state.
    pub(super) fn commit(&mut self, step: &CommitStep) -> Result<()> {
        let root = self.root.as_mut().ok_or_else(closed)?;
        root.books.commit(step, &mut self.file)
    }
}

impl Root {
    fn change(&mut self, change: Change) -> Result<()> {
        if self.lending.is_on() {
            // Nothing in the file may grow while ranks write behind its end.
            self.put_off.push(change);
            return Ok(());
        }
        self.books.change(&change)
    }

    /// Makes the changes that were put off.
    pub(super) fn make_up_changes(&mut self) -> Result<()> {
        let mut all = std::mem::take(&mut self.put_off).into_iter();
        all.try_for_each(|change| self.change(change))
    }

    /// Whether a chunk of any rank gets a new place, where libhdf5 has no say.
    pub(super) fn gets_place(&self, variable: &Variable, record: &Record) -> bool {
        let is_in_file = self.books.place(&Key::from(&record.name)).is_some();
        !variable.is_contiguous && !self.may_omit(record) && (record.at.is_some() || !is_in_file)
    }

    fn may_omit(&self, record: &Record) -> bool {
        record.is_omissible && self.books.place(&Key::from(&record.name)).is_none()
    }

    fn reserve(&mut self, key: Key, record: &Record, chosen: Option<u64>) -> Result<(Spot, u64)> {
        let bytes = usize::try_from(record.bytes).map_err(|_| lost())?;
        if self.books.would_keep_mask(&key, record.bytes) {
            return Err(keeps_mask());
        }
        let (id, offset) = (VariableId(key.variable), &key.offset);
        let placement = self.books.with(|output| match chosen {
            Some(address) => output.reserve_chunk_at(id, offset, 0, bytes, address),
            None => output.reserve_chunk(id, offset, 0, bytes),
        })?;
        let address = placement.address();
        self.books
            .note(key, record.is_reused, address, record.bytes);
        let spot = match placement {
            Placement::WriteAt(address) if Some(address) == chosen => Spot::Done,
            Placement::WriteAt(address) => Spot::At(address),
            Placement::Held(_) => Spot::Held,
        };
        Ok((spot, address))
    }

    /// Keeps a chunk's bytes, whose place belongs to the last commit, until the next one.
    pub(super) fn supply(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        self.books.with(|output| {
            output.supply(address, bytes);
            Ok(())
        })
    }
}
