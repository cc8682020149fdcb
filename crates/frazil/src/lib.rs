//! The engine behind every face of frazil: pack, unpack, info, verify.
//!
//! Each operation is a short list of stage calls; the stages live in the rooms below.

#![forbid(unsafe_code)]

mod about;
mod analyze;
mod attributes;
mod calibrate;
mod chunk_goal;
mod chunk_subset;
mod chunk_values;
mod compress;
mod confirm;
mod counting;
mod decide;
mod define;
mod draft_report;
mod encodings;
mod energy;
mod environment;
mod error;
mod file_bytes;
mod file_state;
mod fill;
mod filter_measure;
mod filter_trial;
mod filter_wishes;
mod finer_chunks;
mod folder;
mod import;
mod info;
mod information;
mod input;
mod input_filters;
mod job;
mod kept;
mod left_behind;
mod left_commit;
mod metadata_size;
mod name_lock;
mod names;
mod naming;
pub mod netcdf;
mod new_file;
mod options;
mod other_writers;
mod output;
mod pack_report;
mod pending;
mod placer;
mod plan_compare;
mod plan_report;
mod plan_text;
mod planning;
mod precision;
mod predict;
mod progress;
mod proof;
mod read;
mod recover;
mod repack;
mod resources;
mod routes;
mod run;
mod sample_boxes;
mod sample_run;
mod sample_sources;
mod sample_windows;
mod samples;
mod shapes;
mod sources;
mod ssim;
mod storage_error;
mod synth;
mod text_file;
mod unfinished;
mod unpack_classic;
mod user_block;
mod verify;
mod wording;
mod write;

/// What files say of the types of their values, and values of any type.
pub mod datatype {
    pub use frazil_container::hdf5::{
        AttributeDescription, DatasetStorage, Expanded, Extent, FillStatus, MemberDescription,
        TypeClass, TypeDescription,
    };
}

pub use about::{About, FilterSupport, about};
pub use analyze::{AnalyzeOptions, AnalyzeReport, analyze};
pub use calibrate::{
    CalibrateOptions, calibrate, calibration_in_use, calibration_path, read_calibration,
    write_calibration,
};
pub use chunk_goal::{ChunkGoal, parse_axes, parse_expected, parse_reads, parse_storage};
pub use compress::{
    CompressOptions, CompressedValues, compress, compressed_bound, compressed_values, decompress,
    decompress_into,
};
pub use counting::{Counting, set_counting};
pub use encodings::{Encoding, EncodingStyle, render_encoding};
pub use environment::environment_warnings;
pub use error::{Error, Result};
pub use filter_measure::{FilterMeasurement, SampleShares, measure_filters};
pub use folder::check_folder;
pub use frazil_container::classic::{AttributeValue, NcType};
pub use frazil_container::{fork_generation, is_signal_ignored, model, schema};
pub use frazil_pipeline::{CacheStats, ReadStats, read_stats, set_read_budget};
pub use frazil_plan::energy::{EnergyRates, PowerModel, StorageCost, StorageSaving};
pub use frazil_plan::{
    AxisRole, FilterTree, Goal, PlanError, ReadExtent, ReadIntent, SpeedFloor, WantedRead,
    Weighing, Weights,
};
pub use frazil_types::{
    AxisSelection, ByteOrder, Calibration, CodecSpeed, DataOrigin, ElementClass, ElementType,
    ErrorBound, ErrorCode, FigureSource, FigureSources, FilterChain, FilterChainError,
    FilterDemand, FilterPipeline, FilterSpec, PrecisionWish, ProtectedValues, QuantizeAlgorithm,
    QuantizePlan, ReaderCache, ReaderLevel, Rounding, SpeedDemand, Storage, StorageLayout,
    StorageSpeed, Transfer, VariablePlan, WritePlan, filter_id, filter_name, is_plain, plain,
    plain_path,
};
pub use import::{Columns, ImportLayout, ImportOptions, ImportReport, Matrix, import};
pub use info::{FileInfo, VariableInfo, info};
pub use information::VariableInformation;
pub use new_file::{NumberType, WrittenVariable};
pub use options::{
    ChunkOverride, ChunkPolicy, LayoutProfile, PackOptions, ShufflePolicy, UnpackFormat,
    UnpackOptions,
};
pub use output::Destination;
pub use pack_report::{
    EnergyReport, EnergySource, PackReport, PredictedRange, VariablePrecision, VariableReport,
};
pub use pending::{Attempt, followed_output, usual_mode};
pub use plan_compare::{ComparedWay, compare_plans};
pub use plan_report::{
    ChunkCandidate, FilterCandidate, PlanReport, ReadCandidate, VariableDecision, explain_plan,
};
pub use plan_text::{parse_plan, read_plan, read_tree, render_plan};
pub use precision::named::{check_names, check_names_in};
pub use precision::rule_file::{read_precision, write_precision};
pub use precision::rules::{PrecisionOptions, PrecisionRule, wishes_for};
pub use precision::stated::StatedPrecision;
pub use progress::{Progress, Silent};
pub use read::{Checksums, ChunkCachePolicy, Reader, ReaderOptions};
pub use recover::{RecoverOutcome, RecoverReport, recover};
pub use repack::{pack, plan, unpack};
pub use resources::Resources;
pub use synth::{NamedPattern, Noise, NoiseKind, SynthOptions, SynthReport, synth, synth_patterns};
pub use text_file::write_text;
pub use unfinished::{remove_unfinished, remove_unfinished_in_the_end};
pub use verify::{
    Difference, PrecisionReport, ThresholdResult, Thresholds, VariableFigures, VerifyOptions,
    VerifyReport, verify,
};
pub use write::{
    ChunkPacker, ChunkPlan, Comm, CommError, Cores, DimensionLength, FilterChoice, FilterPlan,
    FilterWish, LayoutWish, LocalComm, OwnCommits, PackedBox, PackedSummary, PrecisionStatement,
    VariableSettings, VariableStorage, Writer, WriterOptions, WriterReport, WriterVariable,
};
