//! Parallel, self-deciding compression for standard netCDF-4/HDF5 files.
//!
//! This crate is a list of re-exports, for programs in Rust, for the command, and for the libraries
//! for C, Fortran and Python. In: paths, values in memory, options. Out: files that every netCDF-4
//! reader reads, values, and reports.
//!
//! | to | use | defined in |
//! |---|---|---|
//! | pack, unpack or plan a file | [`pack`], [`unpack`], [`plan`], [`explain_plan`] | `frazil-repack` |
//! | write from a running program | [`Writer`], [`ChunkPacker`] | `frazil-write` |
//! | read parts of a file | [`Reader`] | `frazil-read` |
//! | prove that two files hold the same | [`verify()`] | `frazil-verify` |
//! | serve netCDF's calls | [`netcdf`] | `frazil-netcdf` |
//! | describe a file for Zarr's readers, count what it takes in a bucket | [`references()`], [`cloud_cost`] | `frazil-cloud` |
//! | look at a file, make or import one | [`info()`], [`synth()`], [`import()`] | `frazil-tools` |
//! | finish what a killed writer left | [`recover()`] | `frazil-file` |

#![forbid(unsafe_code)]

pub use frazil_netcdf as netcdf;
pub use frazil_options::size;

/// What files say of the types of their values, and values of any type.
pub mod datatype {
    pub use frazil_container::hdf5::{
        AttributeDescription, DatasetStorage, Expanded, Extent, FillStatus, MemberDescription,
        TypeClass, TypeDescription,
    };
}

pub use frazil_cloud::{
    CloudCost, LeftOut, Link, ReadCost, Reference, ReferenceOptions, References, VariableCost,
    cost as cloud_cost, references,
};
pub use frazil_container::classic::{AttributeValue, NcType};
pub use frazil_container::hdf5::{Arrival, Source};
pub use frazil_container::{fork_generation, model, outside_forks, schema};
pub use frazil_file::address::check_input_name;
pub use frazil_file::counting::{Counting, set_counting};
pub use frazil_file::error::{Error, Result};
pub use frazil_file::folder::check_folder;
pub use frazil_file::name_lock::NameLock;
pub use frazil_file::output::{Destination, check_output_name};
pub use frazil_file::pending::{Attempt, followed_output, usual_mode};
pub use frazil_file::progress::{Progress, Silent};
pub use frazil_file::recover::{RecoverOutcome, RecoverReport, holds_no_commit, recover};
pub use frazil_file::remote::{StorageOptions, check_new as check_url, upload};
pub use frazil_file::resources::Resources;
pub use frazil_file::text_file::{check_text_output, write_text};
pub use frazil_file::unfinished::{remove_unfinished, remove_unfinished_in_the_end};
pub use frazil_file::wording::enumerate;
pub use frazil_options::chunk_goal::{
    AccessPattern, parse_axes, parse_expected, parse_reads, parse_storage,
};
pub use frazil_options::declared::{DeclaredOption, Values, meant_word};
pub use frazil_options::environment::environment_warnings;
pub use frazil_options::option_table::{OPTIONS, writer_options};
pub use frazil_options::options::{
    ChunkOverride, ChunkPolicy, PackOptions, ShufflePolicy, UnpackFormat, UnpackOptions,
};
pub use frazil_options::pack_report::{
    EnergyReport, EnergySource, PackReport, PredictedRange, VariablePrecision, VariableReport,
};
pub use frazil_options::plan_text::{parse_plan, read_plan, read_tree, render_plan};
pub use frazil_options::policy::{Defaults, Policy, read_policy};
pub use frazil_options::stated_names::{check_goal, check_names_in};
pub use frazil_pipeline::{CacheStats, ReadStats, read_stats, set_read_budget};
pub use frazil_plan::energy::{EnergyRates, PowerModel, StorageCost, StorageSaving};
pub use frazil_plan::{
    AxisRole, FilterTree, Goal, PlanError, ReadExtent, ReadIntent, SelectionCriteria, SpeedFloor,
    WantedRead, Weights,
};
pub use frazil_precision::analyze::{AnalyzeOptions, AnalyzeReport, analyze};
pub use frazil_precision::information::VariableInformation;
pub use frazil_precision::named::check_names;
pub use frazil_precision::rule_file::{RuleFile, read_rule_file, write_precision};
pub use frazil_precision::rules::{PrecisionOptions, VariableRule, narrowness, requests_for};
pub use frazil_precision::stated::StatedPrecision;
pub use frazil_read::{Checksums, ChunkCachePolicy, Reader, ReaderOptions};
pub use frazil_repack::encodings::{Encoding, EncodingStyle, render_encoding};
pub use frazil_repack::filter_measure::{FilterMeasurement, SampleShares, measure_filters};
pub use frazil_repack::plan_compare::{ComparedWay, compare_plans};
pub use frazil_repack::plan_report::{
    ChunkCandidate, FilterCandidate, PlanReport, ReadCandidate, VariableDecision, explain_plan,
};
pub use frazil_repack::repack::{pack, plan, unpack};
pub use frazil_signals::is_ignored as is_signal_ignored;
pub use frazil_tools::about::{About, FilterSupport, about};
pub use frazil_tools::calibrate::{
    CalibrateOptions, calibrate, calibration_in_use, calibration_path, read_calibration,
    write_calibration,
};
pub use frazil_tools::import::{
    Columns, ImportLayout, ImportOptions, ImportReport, Matrix, import,
};
pub use frazil_tools::info::{FileInfo, VariableInfo, info};
pub use frazil_tools::new_file::{NumberType, WrittenVariable};
pub use frazil_tools::synth::{
    NamedPattern, Noise, NoiseKind, SynthOptions, SynthReport, check_synth, synth, synth_patterns,
};
pub use frazil_types::spelling;
pub use frazil_types::{
    AxisSelection, ByteOrder, Calibration, CodecSpeed, DataOrigin, ElementClass, ElementType,
    ErrorBound, ErrorCode, FigureSource, FigureSources, FilterChain, FilterChainError,
    FilterConstraints, FilterPipeline, FilterSpec, LayoutProfile, PrecisionRequest,
    ProtectedValues, QuantizeAlgorithm, QuantizePlan, ReaderCache, ReaderLevel, Rounding,
    SourceError, SpeedDemand, Storage, StorageLayout, StorageSpeed, Transfer, VariablePlan,
    WritePlan, filter_id, filter_name, is_plain, plain, plain_path, type_fault, without_secrets,
};
pub use frazil_verify::{
    Difference, PrecisionReport, ThresholdResult, Thresholds, VariableFigures, VerifyOptions,
    VerifyReport, verify,
};
pub use frazil_write::compress::{
    CompressOptions, CompressedValues, compress, compressed_bound, compressed_values, decompress,
    decompress_into,
};
pub use frazil_write::{
    ChosenFilters, ChunkPacker, ChunkPlan, Comm, CommError, Cores, DimensionLength, FilterPlan,
    FilterRequest, LayoutRequest, LocalComm, OwnCommits, PackedBox, PackedSummary,
    PrecisionStatement, VariableSettings, VariableStorage, Writer, WriterOptions, WriterReport,
    WriterVariable, environment_fault,
};
