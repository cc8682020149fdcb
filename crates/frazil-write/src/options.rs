//! How a [`Writer`](super::Writer) works, and what it did.

use frazil_plan::Goal;
use frazil_types::{FilterChain, ReaderLevel, WritePlan};
use serde::{Deserialize, Serialize};

use frazil_file::resources::Resources;
use frazil_options::chunk_goal::AccessPattern;
use frazil_precision::restart::RestartFiles;
use frazil_precision::rules::VariableRule;

/// How a [`Writer`](super::Writer) works.
#[derive(Debug, Clone, Default)]
pub struct WriterOptions {
    /// Threads and memory. The memory holds chunks being gathered, packed and placed; what does
    /// not fit goes to a scratch file beside the output.
    pub resources: Resources,
    /// Do all work in the calls themselves, on the calling thread: for debugging.
    pub synchronous: bool,
    /// Cores of the background threads.
    pub cores: Cores,
    /// Wait at every commit until the disk has it: commits then survive a power cut, not only the
    /// end of the process.
    pub durable: bool,
    /// Commits of the writer's own, for programs that never sync.
    pub commits: OwnCommits,
    /// Records that the program writes between two syncs, if that is known: chunks then have no
    /// more records, so that a sync finds them full.
    pub records_per_sync: Option<u64>,
    /// Replace an existing file.
    pub overwrite: bool,
    /// Record that the file keeps to the classic model (`_nc3_strict`).
    pub classic_model: bool,
    /// Who must be able to read the file.
    pub readable_by: ReaderLevel,
    /// What filters are chosen for, where none are stated.
    pub goal: Goal,
    /// These filters for chunked variables that ask for none themselves, instead of a choice.
    /// They must be readable by those who must be able to read the file.
    pub filters: Option<FilterChain>,
    /// What is requested of variables, by name: precision, and what their filters must be like. What a
    /// variable's own settings state, and `filters`, go before. Words for speeds (`network`) are the
    /// constants of [`Calibration::default`](frazil_types::Calibration).
    pub rules: Vec<VariableRule>,
    /// Whether the rules are for several files, so that one need not have all variables that they name.
    /// Else the variables that rules about precision name must be defined when the first value comes.
    pub rules_are_shared: bool,
    /// Files that rules for several files leave exact.
    pub restart_files: RestartFiles,
    /// Chunk shapes, filters and rounding of variables that ask for none themselves, as another
    /// run decided them ([`Writer::plan`](super::Writer::plan)).
    pub plan: Option<WritePlan>,
    /// What chunk shapes are to serve, of variables whose shape nobody states.
    pub chunk_goal: AccessPattern,
    /// Keep what was decided in the file, as the global attribute `frazil_plan` (JSON).
    pub keep_plan: bool,
    /// Where several ranks write a file together: how long one waits of which nothing is heard;
    /// `None`: five minutes.
    pub longest_wait: Option<std::time::Duration>,
    /// Where several ranks write a file together: let its bytes depend on which ranks there are and
    /// what each of them puts. Chunk shapes that nobody stated then go by the ranks' blocks, and
    /// ranks write packed chunks at once, not at the next commit. `false`: the same bytes for any
    /// number of ranks and any decomposition.
    pub follow_ranks: bool,
    /// Where several ranks write a file together: so many of them, the last ones and at most half,
    /// pack and write for the others, which hand them what they put and go on. 0: every rank packs
    /// and writes what it puts.
    pub io_ranks: usize,
}

/// Cores of the background threads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Cores {
    /// Those that the program may use and has not bound its own threads to; if it has bound all,
    /// they share them and yield to the program's threads.
    #[default]
    Spare,
    /// Wherever the system lets them run.
    Any,
    /// These, by the system's numbers.
    These(Vec<usize>),
}

/// When the writer commits by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OwnCommits {
    /// When a record is complete and 256 MiB were put since the last commit.
    #[default]
    Usual,
    /// When a record is complete and so many bytes were put since the last commit.
    EveryBytes(u64),
    /// Never, unless rewritten chunks would take too much memory.
    Never,
}

impl OwnCommits {
    /// Bytes between two commits.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::Usual => 256 << 20,
            Self::EveryBytes(bytes) => bytes,
            Self::Never => u64::MAX,
        }
    }
}

/// What a [`Writer`](super::Writer) did.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct WriterReport {
    /// Seconds that calls waited: for memory, for commits, for the end.
    pub stalled_seconds: f64,
    /// Seconds of packing and placing that ran behind the caller's back: the work of all threads
    /// together, less the seconds stalled.
    pub hidden_seconds: f64,
    /// Bytes handed to `put`.
    pub raw_bytes: u64,
    /// Bytes of all values in the file, as they are stored.
    pub stored_bytes: u64,
    /// Raw bytes by stored bytes; 1 where nothing is stored.
    pub ratio: f64,
    /// Bytes of all chunks that were written: more than are stored where chunks were written
    /// again, because a commit found them incomplete or because their values changed.
    pub written_bytes: u64,
    /// Bytes written to the scratch file because memory was short.
    pub spilled_bytes: u64,
    /// Commits, the last one included.
    pub commits: u64,
    /// Chunks placed; a chunk that was packed anew counts again.
    pub chunks: u64,
    /// Of those, chunks that were equal to one packed before, and chunks of one value over and
    /// over: they took no packing.
    pub chunks_reused: u64,
    /// Chunks of nothing but fill values that need not be stored.
    pub chunks_omitted: u64,
    /// Variables that rules for several files would have rounded, had this not been a file that a model
    /// starts from again.
    pub kept_exact: u64,
    /// How each variable lies, in the order of the definition.
    pub variables: Vec<WriterVariable>,
}

/// How one variable lies in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriterVariable {
    /// Absolute path.
    pub path: String,
    /// Shape in elements at the end.
    pub shape: Vec<u64>,
    /// Chunk shape in elements; `None`: contiguous.
    pub chunk: Option<Vec<u64>>,
    /// Filters, `shuffle+deflate(4)`.
    pub filters: String,
}
