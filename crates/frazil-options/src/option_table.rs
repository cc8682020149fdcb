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
    ("size", "Small files, at a cost that a repack can bear"),
    ("speed", "Fast writing of what still shrinks"),
    ("archive", "The smallest files, whatever writing them costs"),
    (
        "energy",
        "The fewest joules for writing once and reading once, of what still shrinks",
    ),
]);
const READERS: Values = Values::Words(&[
    ("any", "Every netCDF-4 reader"),
    ("netcdf4", "As any"),
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
    ("auto", "Try with and without, take what is smaller"),
    ("on", "Always"),
    ("off", "Never"),
]);
const LAYOUTS: Values = Values::Words(&[
    ("standard", "No special demands"),
    ("cmip7", "What the CMIP7 packing check demands"),
]);
const FORMATS: Values = Values::Words(&[
    ("netcdf4", "netCDF-4/HDF5 without filters"),
    (
        "classic",
        "Classic netCDF: the smallest of CDF-1, CDF-2 and CDF-5 that holds the data",
    ),
]);
const MODES: Values = Values::Words(&[
    ("async", "Threads pack behind the program's back"),
    ("sync", "Each call does its work itself"),
]);
const CORES: Values = Values::Words(&[
    (
        "spare",
        "Those that the program has not bound its threads to",
    ),
    ("any", "Wherever the system lets threads run"),
]);

const SPEED: &str = "a speed above 0, as 400MB/s or 2*network";

/// All options.
pub static OPTIONS: [DeclaredOption; 44] = [
    option(
        "goal",
        GOALS,
        "balanced",
        WRITER.and(PLAN),
        "What filters are chosen for.",
    ),
    form(
        "filters",
        "a chain of filters, as shuffle+deflate(1) or none",
        "chosen by trial",
        WRITER.and(PLAN),
        "These filters, in the order in which they are applied, instead of a choice, for example \
         bitshuffle+zstd(5); see docs/filters.md.",
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
        "every bit is kept",
        WRITER.and(PLAN),
        "How exactly values are kept, and other options by variable: a TOML file (docs/precision.md).",
    )
    .command("Words of the command line override it.")
    .python(
        "Precision",
        "Or a mapping of names or patterns to keys of that page, {\"t2m\": {\"significant_digits\": 4}}.",
    ),
    form(
        "reads",
        "reads to come, as map,series",
        "maps and series alike",
        WRITER.and(PLAN),
        "Reads to come, which chunk shapes serve: map, series, profile, volume, or a hyperslab \
         (time:200/lat:40/lon:60), each with a weight if wanted (series=2).",
    )
    .python("Reads", "Or a list, or a mapping to weights, {\"map\": 1, \"series\": 2}."),
    option(
        "storage",
        STORAGES,
        "not stated",
        WRITER.and(PLAN),
        "Where files will lie while they are read: the size of chunks follows it.",
    ),
    form(
        "axes",
        "roles of dimensions, as time=time,lev=level",
        "found out from coordinates",
        WRITER.and(PLAN),
        "What dimensions are, where it is not to be found out: time, level, lat, lon or other.",
    )
    .python("Mapping[str, str]", "A mapping, {\"lev\": \"level\"}."),
    form(
        "expected",
        "lengths of unlimited dimensions, as time=8760",
        "not known",
        WRITER.and(PLAN),
        "Lengths that unlimited dimensions will get: chunk shapes take them into account.",
    )
    .python("Mapping[str, int]", "A mapping, {\"time\": 8760}."),
    form(
        "most_chunks",
        "a number of chunks, more than 0",
        "65536 where reads or storage are stated",
        PROGRAM.and(PLAN),
        "The most chunks of a variable whose shape nobody states.",
    )
    .python("int", ""),
    form(
        "plan",
        "a plan's file",
        "none",
        WRITER.and(PACK),
        "Chunk shapes, filters and rounding as another run decided them.",
    )
    .command("`frazil plan --json` writes such a file.")
    .python("WritePlan", "What frazil.plan returned."),
    form(
        "threads",
        "a number from 0 (one for each core) to 4096",
        "0",
        WRITER.and(ALL),
        "Threads; 0 means one for each core.",
    )
    .python("int", ""),
    form(
        "memory",
        "bytes, or a number with K, M or G, from 1M to 1048576G",
        "256M",
        WRITER.and(ALL),
        "Memory for chunks on their way, for example 512M.",
    )
    .python("int", "A number of bytes."),
    switch(
        "overwrite",
        PROGRAM.and(FILES),
        "Replace an existing output file.",
    ),
    // Of writers alone.
    switch(
        "keep_plan",
        WRITER,
        "Keeps what was decided in the file, as the attribute frazil_plan.",
    ),
    option(
        "cores",
        CORES,
        "spare",
        WRITER,
        "Cores of the packing threads: those that the program has not bound its threads to, or any.",
    ),
    option(
        "mode",
        MODES,
        "async",
        WRITER,
        "Whether threads pack behind the program's back, or each call does its work itself.",
    ),
    switch(
        "durable",
        WRITER,
        "Whether a commit waits for the disk, and so survives a power cut.",
    ),
    form(
        "commit_bytes",
        "bytes, more than 0, or a number with K, M or G, or never",
        "256M",
        WRITER,
        "The writer commits by itself when a record is complete and so many bytes were put.",
    )
    .python("int | str", ""),
    form(
        "records_per_sync",
        "a number of records, more than 0",
        "not known",
        WRITER,
        "Records that the program writes between two syncs: chunks then have no more.",
    )
    .python("int", ""),
    DeclaredOption {
        default: "1",
        ..switch(
            "reproducible",
            WRITER,
            "Whether ranks write the same bytes, however many they are and whatever each puts.",
        )
    },
    form(
        "io_ranks",
        "a number of ranks, 0 for none",
        "0",
        WRITER,
        "The last ranks, at most half, that pack and write for the others.",
    ),
    form(
        "longest_wait",
        "seconds, more than 0",
        "300",
        WRITER,
        "How long a rank waits for one of which it hears nothing.",
    ),
    switch(
        "classic_model",
        PROGRAM,
        "Whether the file says that it keeps to netCDF's classic model.",
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
        "Whether a file may lack variables that rules for precision name, and dimensions of reads, axes and expected.",
    ),
    // Of whole files alone.
    form(
        "chunks",
        "auto, keep, or extents by dimension, as time=24,lat=64",
        "by the reads to come",
        PLAN,
        "Chunk shapes, for example time=24,lat=64.",
    )
    .command(
        "With a variable, tas:time=24, for that one, else for all that have the dimension; axis \
         numbers serve too (0=24); may be repeated.",
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
        "Compression level, 0 for none.",
    )
    .python("int", ""),
    option(
        "shuffle",
        SHUFFLES,
        "auto",
        PLAN,
        "Byte shuffle before compression.",
    )
    .python("bool", "By trial if left out."),
    form(
        "weights",
        "weights of size, write, read and energy, as size=1,write=0.5",
        "none",
        PLAN,
        "How much stored bytes, time to write, time to read and joules count, in place of a goal; \
         only proportions matter, and what is not named does not count.",
    )
    .python("Mapping[str, float]", "A mapping, {\"size\": 1, \"write\": 0.5}."),
    form(
        "min_write_speed",
        SPEED,
        "none",
        PLAN,
        "Only filters that one core encodes as fast as that: 400MB/s, or what network, local or \
         shared storage gives (2*network too).",
    )
    .python("float | str", "A number means MB/s."),
    form(
        "min_read_speed",
        SPEED,
        "none",
        PLAN,
        "Only filters that one core decodes as fast as that.",
    )
    .python("float | str", ""),
    form(
        "ratio_tolerance",
        "a share from 0 to below 1",
        "that of the goal",
        PLAN,
        "Filters whose ratio is lower by no more than this count as equal, and the fastest of them \
         is taken, for example 0.03; for the goal energy those with no more joules by it.",
    )
    .command("3% means the same.")
    .python("float", ""),
    form(
        "tree",
        "a file of `frazil train`",
        "frazil's own",
        PLAN,
        "Decision tree that names the filters to try, as `frazil train` writes it.",
    )
    .python("StrPath", ""),
    option("layout", LAYOUTS, "standard", PLAN, "Layout profile."),
    form(
        "calibration",
        "default, or a file of `frazil calibrate`",
        "what that measured on this machine, if it did",
        PLAN,
        "Constants of what reading costs: `default`, or a file of `frazil calibrate`.",
    )
    .python("StrPath", ""),
    switch(
        "checksum",
        PLAN,
        "Add Fletcher-32 checksums; existing ones are always kept.",
    ),
    switch(
        "netcdf_attribute",
        PLAN,
        "Also write netCDF-C's _Quantize... attribute; netCDF-C then may round again on reading.",
    ),
    switch(
        "dry_run",
        PACK,
        "Plan and predict only; nothing is written.",
    ),
    switch(
        "allow_larger",
        PACK,
        "Also write packed files that are not smaller than their inputs, which are kept as they are \
         otherwise; to an output that is named: those that are larger.",
    ),
    switch(
        "verify",
        FILES,
        "Compare each result with its input, value by value, before it gets its name.",
    ),
    switch(
        "history",
        FILES,
        "Put a line with date and command before the global attribute history, as NCO and CDO do.",
    ),
    form(
        "carbon_intensity",
        "grams, 0 or more",
        "480, the world's electricity of 2023",
        PACK,
        "Grams of CO2 a kilowatt-hour, for the energy in reports (docs/energy.md).",
    )
    .python("float", ""),
    switch(
        "break_hard_links",
        FILES,
        "In place: also replace files with several hard links; the other names keep the old content.",
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
