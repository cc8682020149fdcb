//! One file, written by many ranks.
//!
//! Every rank has a [`Writer`](super::Writer) with the same definitions. Rank 0 alone has the file
//! open in libhdf5, with its journal and its locks; the others write bytes at addresses that rank 0
//! gives them. A put concerns its own rank only: chunks that it completes are packed in the
//! background and *held*, in memory or in a scratch file, until all ranks commit:
//!
//! 1. [`agree`]: the ranks come together and compare their definitions; unlimited dimensions get
//!    the longest of their lengths.
//! 2. [`assignments`], [`assemble`]: rank 0 learns who has values of which chunk. Chunks that several
//!    ranks have values of get an owner, to whom the others send theirs; of values put by several
//!    ranks those of the highest rank stay. Between ranks on one machine they go through memory that
//!    these share ([`parts`], [`node`]).
//! 3. [`choose`]: filters that are not known yet are tried on the first chunk of the variable, in
//!    the order of the grid, whose values are not one value over and over.
//! 4. [`place`]: rank 0 gives all chunks their addresses, by variable and in the order of the grid,
//!    every rank writes its own, rank 0 commits.
//!
//! Nothing in these steps depends on who has which values: the bytes of the file are the same for
//! any number of ranks and any decomposition. With
//! [`follow_ranks`](super::WriterOptions::follow_ranks) they do depend on it: chunk shapes go by the
//! ranks' blocks ([`blocks`]), and ranks write packed chunks at once, behind the end of the file, in
//! space that rank 0 lends them at the end of definitions and at each commit
//! ([`lease`](super::lease), [`lend`]); the commit then moves few of them ([`arrange`]), and enters
//! all into the index.
//!
//! Some ranks may do all that for the others, which hand them what they put ([`io_ranks`]).

mod agree;
mod arrange;
mod arrived;
mod assemble;
mod blocks;
mod choose;
mod chunk_owners;
mod client;
mod comm;
mod commit;
mod io_ranks;
mod lend;
mod link;
mod node;
mod outbox;
mod parts;
mod place;
mod ranks;
mod ring;
mod serve;
mod sink;
#[cfg(test)]
mod tests;
mod wire;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use frazil_container::hdf5::{ExistingFile, LiveOutput};
use frazil_types::sync::Mutex;

use client::IoRankClient;
pub use comm::{Comm, CommError, LocalComm};
use io_ranks::{Division, INBOX_SHARE};
use link::Link;
use node::{Node, Offer, SharedMemorySlot};
use ranks::Ranks;
use sink::{RankChunks, RankSink};

use super::begin::{self, Places};
use super::books::Books;
use super::cooperation::Cooperation;
use super::errors::lost;
use super::options::{OwnCommits, WriterOptions};
use super::shared;
use super::sink::Placing;
use super::writer::{Writer, check};
use frazil_file::error::{Error, Result};
use frazil_file::name_lock::NameLock;
use frazil_file::storage_error::unreadable;

/// How long ranks wait for each other where nobody says.
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// What ranks exchange at a time gets this part of the memory, one part in so many.
const EXCHANGE_SHARE: u64 = 8;
/// A rank sends no more than this in one round, but for a chunk that is more, however much memory
/// there is: what is shared serves again while it is in a core's cache.
const MOST_ROUND_BYTES: u64 = 4 << 20;
/// A rank shares no more memory than this with others: a chunk may be more than a round.
const MOST_SHARED_BYTES: u64 = 64 << 20;

impl Writer {
    /// Begins a new, empty file that all ranks of `comm` write together; all of them make this
    /// call, with the same options.
    ///
    /// [`Self::sync`], [`Self::close`] and [`Self::end_definitions`] are calls that all ranks make.
    /// All others, puts above all, concern the rank that makes them and never wait for another one;
    /// a rank may put any values, or none. All ranks define the same, in the same order. Where
    /// ranks put values for the same elements between two commits, those of the highest rank stay.
    /// Values are not read back.
    ///
    /// # Errors
    /// As [`Self::create`], on all ranks the same. If a rank does not come or cannot open the file.
    pub fn create_parallel(
        path: &Path,
        comm: Box<dyn Comm>,
        options: &WriterOptions,
    ) -> Result<Self> {
        Self::begin_parallel(path, comm, options, true)
    }

    /// Opens an existing netCDF-4 file that all ranks of `comm` go on writing together; a commit that
    /// was left half-done is recovered first. Else as [`Self::create_parallel`]; bytes that are packed
    /// wait for the next commit, whatever [`WriterOptions::follow_ranks`] says.
    ///
    /// # Errors
    /// As [`Self::append`], on all ranks the same. If a rank does not come or cannot open the file.
    pub fn append_parallel(
        path: &Path,
        comm: Box<dyn Comm>,
        options: &WriterOptions,
    ) -> Result<Self> {
        Self::begin_parallel(path, comm, options, false)
    }

    fn begin_parallel(
        path: &Path,
        comm: Box<dyn Comm>,
        options: &WriterOptions,
        is_new: bool,
    ) -> Result<Self> {
        let wait = options.longest_wait.unwrap_or(LONGEST_WAIT);
        let mut link = Link::new(comm, wait);
        let stated = in_common(path, is_new, options);
        let offered = link.offered();
        let offer = offered.as_ref().map(|own| own.offer.clone());
        let seat = link.consult(Ok((stated, offer)), |_, all| {
            let (stated, offers): (Vec<_>, Vec<Option<Offer>>) = all.into_iter().unzip();
            same_in_all(&stated)?;
            Ok(SharedMemorySlot::of_all(&offers))
        });
        let seat = seat.map_err(|error| error.in_file(path))?;
        let division = Division::of(link.size(), options.io_ranks, link.rank())
            .map_err(|error| error.in_file(path))?;
        let is_root = link.rank() == division.root;
        let opened = is_root.then(|| match is_new {
            true => create(path, options),
            false => open(path),
        });
        // Nobody looks at it before it is there, and in order.
        let (opened, outcome) = apart(opened.transpose());
        link.consult(outcome, |link, _| Ok(vec![(); link.size()]))
            .map_err(|error| error.in_file(path))?;
        let prepared = Prepared::new(path, opened.flatten(), &division, options, is_new);
        let (prepared, outcome) = apart(prepared);
        let most = options.resources.memory_bytes / EXCHANGE_SHARE;
        let node = offered.zip(seat.as_ref()).and_then(|(own, seat)| {
            Node::join(own, seat, link.rank(), most.min(MOST_SHARED_BYTES))
        });
        // Memory is shared if all ranks of the machine can.
        let joined = seat.map(|seat| (seat.first(), node.is_some()));
        // Those who hear first that they can begin at once.
        link.open_memory(node);
        let is_shared = link.consult(outcome.map(|()| joined), |_, all| Ok(shared_by_all(&all)));
        let is_shared = is_shared.map_err(|error| {
            prepared.iter().for_each(|prepared| prepared.give_up(path));
            error.in_file(path)
        })?;
        link.share_memory(is_shared);
        link.divide(division.members.clone(), division.clients.clone());
        Ok(prepared.ok_or_else(lost)?.start(path, link, &division))
    }
}

/// What a rank does for the others.
enum RankRole {
    /// It packs and writes.
    Writes(Box<RankSink>),
    /// It hands everything to this rank, which does so for as many as this.
    HandsOn { io_rank: usize, clients: usize },
}

/// What a rank has opened before it has joined the others.
struct Prepared {
    role: RankRole,
    existing: Option<ExistingFile>,
    options: WriterOptions,
    /// Bytes of memory allowed, with those for the exchange.
    allowed_bytes: u64,
    /// Whether this rank has made the file.
    is_own: bool,
    lock: Option<NameLock>,
}

impl Prepared {
    fn new(
        path: &Path,
        opened: Option<(LiveOutput, NameLock)>,
        division: &Division,
        options: &WriterOptions,
        is_new: bool,
    ) -> Result<Self> {
        let existing = match is_new {
            true => None,
            false => Some(LiveOutput::look(path).map_err(|error| unreadable(error, path))?),
        };
        let allowed_bytes = options.resources.memory_bytes;
        let mut own = options.clone();
        own.resources.memory_bytes = allowed_bytes - allowed_bytes / EXCHANGE_SHARE;
        // There is nothing to be done in the background.
        own.synchronous |= division.io_rank.is_some();
        // Space is lent at the end of files that were made for it only.
        own.follow_ranks &= is_new;
        // Ranks commit when all of them say so.
        own.commits = OwnCommits::Never;
        // One that refused a name would leave the others waiting.
        own.rules_are_shared = true;
        check(path, &own)?;
        let is_own = is_new && opened.is_some();
        let (output, lock) = opened.unzip();
        let memory_bytes = shared::Division::of(own.resources.memory_bytes).memory_bytes;
        let durable = own.durable;
        let books = |output| Books::new(path, output, existing.as_ref(), durable, memory_bytes);
        let role = match division.io_rank {
            Some((io_rank, clients)) => RankRole::HandsOn { io_rank, clients },
            None => {
                let sink = RankSink::new(path, output.map(books), durable)?;
                RankRole::Writes(Box::new(sink))
            }
        };
        Ok(Self {
            role,
            existing,
            options: own,
            allowed_bytes,
            is_own,
            lock,
        })
    }

    /// Removes a new file that nobody will write.
    fn give_up(&self, path: &Path) {
        if self.is_own {
            // Best effort: nobody can read it.
            let _ = std::fs::remove_file(path);
        }
    }

    /// The writer of a rank that has joined the others.
    fn start(self, path: &Path, link: Link, division: &Division) -> Writer {
        let share = self.allowed_bytes / INBOX_SHARE;
        let ways: (Arc<Mutex<Placing>>, Arc<dyn Cooperation>) = match self.role {
            RankRole::Writes(sink) => {
                let chunks = RankChunks::new(path, *sink);
                let round_bytes = (self.allowed_bytes / EXCHANGE_SHARE / 2).min(MOST_ROUND_BYTES);
                let ranks = Ranks::new(chunks.clone(), link, round_bytes);
                (chunks.sink(), Arc::new(ranks))
            }
            RankRole::HandsOn { io_rank, clients } => {
                let whom = (io_rank, division.is_first);
                let window_bytes = share / clients as u64;
                let memory_bytes = self.options.resources.memory_bytes;
                let client = IoRankClient::new(path, link, whom, window_bytes, memory_bytes);
                (client.sink(), Arc::new(client))
            }
        };
        let mut writer = Writer::with(path, ways, self.existing, &self.options, self.lock);
        writer.is_new = self.is_own;
        if !division.clients.is_empty() {
            writer.leave_memory(share);
        }
        writer
    }
}

/// By rank: whether all ranks of its machine can share memory. Each says what the first rank there
/// is, and whether it can.
fn shared_by_all(joined: &[Option<(usize, bool)>]) -> Vec<bool> {
    let others_can = |first| !joined.contains(&Some((first, false)));
    let can = |one: &Option<(usize, bool)>| one.is_some_and(|(first, _)| others_can(first));
    joined.iter().map(can).collect()
}

/// What came of something, and whether it went well.
fn apart<T>(outcome: Result<T>) -> (Option<T>, Result<()>) {
    match outcome {
        Ok(made) => (Some(made), Ok(())),
        Err(error) => (None, Err(error)),
    }
}

/// What all ranks must state the same, by the names of options. A new option is refused here by the compiler until
/// somebody has said whether ranks may differ in it.
fn in_common(path: &Path, is_new: bool, options: &WriterOptions) -> Vec<(String, String)> {
    let WriterOptions {
        resources,
        // What each rank does with its own threads, and how long it waits, changes no byte.
        synchronous: _,
        cores: _,
        longest_wait: _,
        // Rank 0 makes the file, and says when all commit.
        overwrite: _,
        commits: _,
        rules_are_shared,
        restart_files,
        durable,
        records_per_sync,
        classic_model,
        readable_by,
        goal,
        filters,
        rules,
        plan,
        chunk_goal,
        keep_plan,
        follow_ranks,
        io_ranks,
    } = options;
    let verb = if is_new { "new" } else { "existing" };
    let stated: [(&str, &dyn std::fmt::Debug); 16] = [
        (verb, &path),
        ("memory", &resources.memory_bytes),
        ("durable", durable),
        ("records_per_sync", records_per_sync),
        ("classic_model", classic_model),
        ("readable_by", readable_by),
        ("goal", goal),
        ("filters", filters),
        ("precision", rules),
        ("precision_is_shared", rules_are_shared),
        ("restart_files", restart_files),
        ("plan", plan),
        ("reads, storage, axes, expected", chunk_goal),
        ("keep_plan", keep_plan),
        ("reproducible", &!follow_ranks),
        ("io_ranks", io_ranks),
    ];
    let text =
        |(name, value): (&str, &dyn std::fmt::Debug)| (name.to_owned(), format!("{value:?}"));
    stated.map(text).to_vec()
}

fn same_in_all(all: &[Vec<(String, String)>]) -> Result<()> {
    for (rank, options) in all.iter().enumerate() {
        let mut pairs = options.iter().zip(&all[0]);
        let Some((other, first)) = pairs.find(|(one, first)| one != first) else {
            continue;
        };
        let cause = format!(
            "rank {rank} creates another file, or with other options, than rank 0: {} {}, not {} {}",
            other.0,
            agree::shown(&other.1),
            first.0,
            agree::shown(&first.1)
        );
        return Err(Error::new(frazil_types::ErrorCode::InvalidArgument, cause));
    }
    Ok(())
}

fn open(path: &Path) -> Result<(LiveOutput, NameLock)> {
    let (output, _, lock) = begin::open(path, begin::Types::Hidden)?;
    Ok((output, lock))
}

fn create(path: &Path, options: &WriterOptions) -> Result<(LiveOutput, NameLock)> {
    let places = match options.follow_ranks {
        true => Places::Chosen,
        false => Places::Any,
    };
    begin::create(path, options, places)
}
