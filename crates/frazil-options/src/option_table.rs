//! All options, each declared once.

use super::declared::{DeclaredOption, Users, Values};

/// Nothing.
const NOTHING: Users = Users {
    writer: false,
    environment: false,
    pack: false,
    plan: false,
    unpack: false,
};
/// Writers, by the program that has one and by the environment.
const WRITER: Users = Users {
    writer: true,
    environment: true,
    ..NOTHING
};
/// Writers, by the program alone.
const PROGRAM: Users = Users {
    writer: true,
    ..NOTHING
};
/// Packing whole files.
const PACK: Users = Users {
    pack: true,
    ..NOTHING
};
/// Deciding how they are packed, too.
const PLAN: Users = Users {
    pack: true,
    plan: true,
    ..NOTHING
};
/// Whatever writes whole files.
const FILES: Users = Users {
    pack: true,
    unpack: true,
    ..NOTHING
};
/// Whatever reads whole files.
const ALL: Users = Users {
    pack: true,
    plan: true,
    unpack: true,
    ..NOTHING
};

/// The word of an option and no more.
const fn option(
    key: &'static str,
    values: Values,
    default: &'static str,
    of: Users,
    help: &'static str,
) -> DeclaredOption {
    DeclaredOption {
        key,
        values,
        default,
        help,
        command: "",
        python_type: "",
        python: "",
        of,
        since: "0.1.0",
    }
}

const fn form(
    key: &'static str,
    values: &'static str,
    default: &'static str,
    of: Users,
    help: &'static str,
) -> DeclaredOption {
    option(key, Values::Form(values), default, of, help)
}

const fn switch(key: &'static str, of: Users, help: &'static str) -> DeclaredOption {
    option(key, Values::Switch, "0", of, help)
}

impl DeclaredOption {
    const fn command(self, command: &'static str) -> Self {
        Self { command, ..self }
    }

    const fn python(self, python_type: &'static str, python: &'static str) -> Self {
        Self {
            python_type,
            python,
            ..self
        }
    }
}

const GOALS: Values = Values::Words(&[
    ("balanced", "Small files at little cost"),
    (
        "size",
        "Small files, with filters that encode at least 20 MB/s on one core",
    ),
    ("speed", "The fastest filters that still shrink the data"),
    ("archive", "The smallest files, at any cost"),
    (
        "energy",
        "The fewest joules for one write and one read, with filters that still shrink the data",
    ),
]);
const READERS: Values = Values::Words(&[
    ("any", "Every netCDF-4 reader"),
    ("netcdf4", "The same as any"),
    ("plugins", "Readers with the registered filter plugins"),
    ("frazil", "frazil, and readers with frazil's own plugins"),
]);
const STORAGES: Values = Values::Words(&[
    ("local", "The machine's own memory or solid-state disk"),
    ("disk", "A rotating disk"),
    ("parallel-fs", "A parallel file system"),
    ("object-store", "An object store"),
]);
const SHUFFLES: Values = Values::Words(&[
    (
        "auto",
        "Try with and without shuffle, use the smaller result",
    ),
    ("on", "Always"),
    ("off", "Never"),
]);
const LAYOUTS: Values = Values::Words(&[
    ("standard", "No special layout"),
    ("cmip7", "The layout that the CMIP7 packing check requires"),
]);
const FORMATS: Values = Values::Words(&[
    ("netcdf4", "netCDF-4/HDF5 without filters"),
    (
        "classic",
        "Classic netCDF: the smallest of CDF-1, CDF-2 and CDF-5 that holds the data",
    ),
]);
const MODES: Values = Values::Words(&[
    ("async", "Other threads pack while the program goes on"),
    ("sync", "Each call does its work itself"),
]);
const CORES: Values = Values::Words(&[
    (
        "spare",
        "Cores to which the program has not bound its threads",
    ),
    ("any", "All cores that the process may use"),
]);

const SPEED: &str = "a speed above 0, such as 400MB/s or 2*network";

/// All options.
pub static OPTIONS: [DeclaredOption; 44] = [
    option(
        "goal",
        GOALS,
        "balanced",
        WRITER.and(PLAN),
        "What to optimize the choice of filters for.",
    ),
    form(
        "filters",
        "a chain of filters, such as shuffle+deflate(1), or none",
        "chosen by trial",
        WRITER.and(PLAN),
        "Filters to use, in the order in which they are applied, for example bitshuffle+zstd(5); \
         see docs/filters.md.",
    ),
    option(
        "readable_by",
        READERS,
        "any",
        WRITER.and(PLAN),
        "Who must be able to read the result.",
    ),
    form(
        "precision",
        "a file of rules",
        "all values stay exact",
        WRITER.and(PLAN),
        "Precision of values, and other options by variable: a TOML file (docs/precision.md).",
    )
    .command("Options of the command line override it.")
    .python(
        "Precision",
        "Or a mapping of names or patterns to keys of that page, {\"t2m\": \
         {\"significant_digits\": 4}}.",
    ),
    form(
        "reads",
        "kinds of reads, such as map,series",
        "maps and series alike",
        WRITER.and(PLAN),
        "Reads that you expect, to choose chunk shapes for: map, series, profile, volume, or a \
         hyperslab (time:200/lat:40/lon:60), each with an optional weight (series=2).",
    )
    .python(
        "Reads",
        "Or a list, or a mapping to weights, {\"map\": 1, \"series\": 2}.",
    ),
    option(
        "storage",
        STORAGES,
        "not stated",
        WRITER.and(PLAN),
        "Kind of storage that the file will be read from; it determines the size of chunks.",
    ),
    form(
        "axes",
        "roles of dimensions, such as time=time,lev=level",
        "from the coordinates",
        WRITER.and(PLAN),
        "Roles of dimensions that the coordinates do not tell: time, level, lat, lon or other.",
    )
    .python("Mapping[str, str]", "A mapping, {\"lev\": \"level\"}."),
    form(
        "expected",
        "lengths of unlimited dimensions, such as time=8760",
        "not known",
        WRITER.and(PLAN),
        "Lengths that unlimited dimensions will reach, to choose chunk shapes for.",
    )
    .python("Mapping[str, int]", "A mapping, {\"time\": 8760}."),
    form(
        "most_chunks",
        "a number of chunks, more than 0",
        "65536 if reads or storage are stated",
        PROGRAM.and(PLAN),
        "The most chunks that a variable may have, unless its chunk shape is stated.",
    )
    .python("int", ""),
    form(
        "plan",
        "a plan's file",
        "none",
        WRITER.and(PACK),
        "Use the chunk shapes, filters and rounding that another run chose.",
    )
    .command("`frazil plan --json` writes such a file.")
    .python("WritePlan", "A plan that frazil.plan returned."),
    form(
        "threads",
        "a number from 0 (one for each core) to 4096",
        "0",
        WRITER.and(ALL),
        "Number of threads; 0 means one for each core.",
    )
    .python("int", ""),
    form(
        "memory",
        "bytes, or a number with K, M or G, from 1M to 1048576G",
        "256M",
        WRITER.and(ALL),
        "Memory for chunks in progress, for example 512M.",
    )
    .python("int | str", "A number of bytes, or a text with a unit."),
    switch(
        "overwrite",
        PROGRAM.and(FILES),
        "Replace an existing output file.",
    ),
    // Of writers alone.
    switch(
        "keep_plan",
        WRITER,
        "Store the plan in the file, in the attribute frazil_plan.",
    ),
    option(
        "cores",
        CORES,
        "spare",
        WRITER,
        "Cores for the packing threads: those to which the program has not bound its threads, or \
         any.",
    ),
    option(
        "mode",
        MODES,
        "async",
        WRITER,
        "Whether other threads pack while the program goes on, or each call does its work itself.",
    ),
    switch(
        "durable",
        WRITER,
        "Let each commit wait for the disk, so that it survives a power cut.",
    ),
    form(
        "commit_bytes",
        "bytes, more than 0, or a number with K, M or G, or never",
        "256M",
        WRITER,
        "Commit by itself at the end of a record, once this many bytes were put.",
    )
    .python("int | str", ""),
    form(
        "records_per_sync",
        "a number of records, more than 0",
        "not known",
        WRITER,
        "Number of records that the program writes between two syncs; no chunk then has more \
         records.",
    )
    .python("int", ""),
    DeclaredOption {
        default: "1",
        ..switch(
            "reproducible",
            WRITER,
            "Write the same bytes, whatever the number of ranks is and whichever rank puts what.",
        )
    },
    form(
        "io_ranks",
        "a number of ranks, 0 for none",
        "0",
        WRITER,
        "Number of ranks, at most half of all, that pack and write for the others: the last ones.",
    ),
    form(
        "longest_wait",
        "seconds, more than 0",
        "300",
        WRITER,
        "Seconds that a rank waits for a silent one.",
    ),
    switch(
        "classic_model",
        PROGRAM,
        "Mark the file as one of netCDF's classic model.",
    ),
    form(
        "restart_files",
        "globs of names of files, as dump*,*.r.nc, or none",
        "files that look like it",
        WRITER,
        "Files that a model starts from again: rules for all files leave them exact (docs/precision.md).",
    ),
    switch(
        "precision_is_shared",
        PROGRAM,
        "Allow names in precision rules, reads, axes and expected that the file does not have.",
    ),
    // Of whole files alone.
    form(
        "chunks",
        "auto, keep, or lengths by dimension, such as time=24,lat=64",
        "chosen for the expected reads",
        PLAN,
        "Chunk shapes, for example time=24,lat=64.",
    )
    .command(
        "tas:time=24 applies to the variable tas only. Axis numbers work, too (0=24). You can \
         repeat this option.",
    )
    .python(
        "Literal[\"auto\", \"keep\"] | Mapping[str, Any]",
        "\"keep\" keeps those of the input; {\"time\": 12} states elements by dimension, \
         {\"t2m\": {\"time\": 12}} by variable and dimension.",
    ),
    form(
        "level",
        "a number from 0 (no compression) to 22",
        "chosen by trial",
        PLAN,
        "Compression level; 0 means no compression.",
    )
    .python("int", ""),
    option(
        "shuffle",
        SHUFFLES,
        "auto",
        PLAN,
        "Byte shuffle before compression.",
    )
    .python("bool", "None means by trial."),
    form(
        "weights",
        "weights of size, write, read and energy, such as size=1,write=0.5",
        "none",
        PLAN,
        "Weights of stored bytes, write time, read time and joules, instead of a goal. Only their \
         proportions matter. A weight that you leave out is 0.",
    )
    .python(
        "Mapping[str, float]",
        "A mapping, {\"size\": 1, \"write\": 0.5}.",
    ),
    form(
        "min_write_speed",
        SPEED,
        "none",
        PLAN,
        "Use only filters that one core encodes at least this fast: 400MB/s, or the speed of \
         network, \
         local or shared storage, or a multiple (2*network).",
    )
    .python("float | str", "A number means MB/s."),
    form(
        "min_read_speed",
        SPEED,
        "none",
        PLAN,
        "Use only filters that one core decodes at least this fast.",
    )
    .python("float | str", ""),
    form(
        "ratio_tolerance",
        "a share from 0 to below 1",
        "0.002 for size and archive, else none",
        PLAN,
        "Share by which a ratio may be lower than the best and still count as equal, for example \
         0.03. frazil uses the fastest of equal filters. For the goal energy, the share applies \
         to joules.",
    )
    .command("3% means the same.")
    .python("float", ""),
    form(
        "tree",
        "a file of `frazil train`",
        "frazil's own",
        PLAN,
        "Decision tree that names the filters to try; `frazil train` writes such files.",
    )
    .python("StrPath", ""),
    option("layout", LAYOUTS, "standard", PLAN, "Layout of the file."),
    form(
        "calibration",
        "default, or a file of `frazil calibrate`",
        "the measurements of this machine, if there are any",
        PLAN,
        "Constants for the cost of reads: `default`, or a file that `frazil calibrate` wrote.",
    )
    .python("StrPath", ""),
    switch(
        "checksum",
        PLAN,
        "Add Fletcher-32 checksums. frazil always keeps existing ones.",
    ),
    switch(
        "netcdf_attribute",
        PLAN,
        "Also write netCDF-C's _Quantize... attribute; netCDF-C may then round again when it \
         reads.",
    ),
    switch("dry_run", PACK, "Only plan and predict; write no file."),
    switch(
        "allow_larger",
        PACK,
        "Also write packed files that are not smaller than their inputs. By default, frazil keeps \
         such inputs as they are (docs/format.md).",
    ),
    switch(
        "verify",
        FILES,
        "Compare each result with its input, value by value, before the result gets its name.",
    ),
    switch(
        "history",
        FILES,
        "Add a line with date and command at the top of the global attribute history, as NCO and \
         CDO do.",
    ),
    form(
        "carbon_intensity",
        "grams, 0 or more",
        "480, the world average of 2023",
        PACK,
        "Grams of CO2 per kilowatt-hour, for the energy in reports (docs/energy.md).",
    )
    .python("float", ""),
    switch(
        "break_hard_links",
        FILES,
        "When replacing files in place, also replace those with several hard links; the other \
         names keep \
         the old content.",
    ),
    // Of `unpack` alone.
    option(
        "format",
        FORMATS,
        "netcdf4",
        Users {
            unpack: true,
            ..NOTHING
        },
        "Format of the result.",
    ),
];

/// Entries of `FRAZIL_OPTIONS` that only the I/O package for WRF knows (docs/wrf.md).
pub const WRF_OPTIONS: [&str; 3] = ["append", "commit", "errors"];
