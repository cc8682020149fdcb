//! Options of writers and of whole files.

use super::builders::{ALL, FILES, PACK, PLAN, PROGRAM, WRITER, form, number, option, switch};
use crate::declared::{DeclaredOption, Values};

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

pub(super) const SHARED: [DeclaredOption; 13] = [
    option(
        "goal",
        GOALS,
        "balanced",
        WRITER.and(PLAN),
        "What to optimize the choice of filters for.",
    )
    .details(
        "frazil tries filters on a part of each variable, and takes those that serve the goal best. \
         `size` and `archive` take longer to choose and to pack. `filters`, `level` and `weights` \
         replace it; `pack` and `plan` refuse it beside them. Filters that a program states for a \
         variable override it.",
    ),
    form(
        "filters",
        "a chain of filters, such as shuffle+deflate(1), or none",
        "chosen by trial",
        WRITER.and(PLAN),
        "Filters to use, in the order in which they are applied, for example bitshuffle+zstd(5); \
         see docs/filters.md.",
    )
    .details(
        "State filters if you know which ones you want: frazil then makes no choice. They replace \
         `goal`, `level`, `shuffle` and `weights`; `pack` and `plan` refuse them beside these. \
         `readable_by` must allow every filter: zstd(5) needs `plugins`. frazil leaves out a filter \
         that has no meaning for the elements of a variable. `none` stores values without filters.",
    ),
    option(
        "readable_by",
        READERS,
        "any",
        WRITER.and(PLAN),
        "Who must be able to read the result.",
    )
    .details(
        "More filters make smaller files, but readers must know them. `plugins` also allows zstd, \
         LZ4, bitshuffle and others; `frazil` also allows pcodec, delta and MAFISC. Readers without \
         these filters cannot read the values; `frazil plugin-path` prints the folder of the plugins \
         that they need. frazil refuses `filters` that the stated readers may lack.",
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
    )
    .details(
        "Rules name variables by patterns such as `Q*`, and state how exactly their values are kept. \
         They may also state filters and chunk shapes. A section `[defaults]` may state `goal`, \
         `readable_by`, `reads` and other options; what is stated beside the file overrides these. \
         frazil keeps coordinates and flags exact, unless a rule has `force = true`.",
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
    )
    .details(
        "frazil computes what each read costs with each chunk shape, and takes the shape that keeps \
         every read near its lowest cost. With `map,series=2`, a series may be half as far from its \
         lowest cost as a map. Such chunks can make a file larger than its input. `chunks`, and chunk \
         shapes that a program states, override it.",
    ),
    option(
        "storage",
        STORAGES,
        "not stated",
        WRITER.and(PLAN),
        "Kind of storage that the file will be read from; it determines the size of chunks.",
    )
    .details(
        "Where a request costs much, larger chunks are better: as a rule, 4 to 16 MiB in an object \
         store, and 4 KiB to 1 MiB on a local disk. If you state no `reads`, chunks then serve maps, series and \
         profiles. `chunks`, and chunk shapes that a program states, override it.",
    ),
    form(
        "axes",
        "roles of dimensions, such as time=time,lev=level",
        "from the coordinates",
        WRITER.and(PLAN),
        "Roles of dimensions that the coordinates do not tell: time, level, lat, lon or other.",
    )
    .python("Mapping[str, str]", "A mapping, {\"lev\": \"level\"}.")
    .details(
        "frazil finds out what a dimension is from the attributes of its coordinate, then from its \
         name, then from its place. `frazil plan` prints what it found; state a role if that is \
         wrong, for example k=level. Roles matter only with `reads`, `storage` or `most_chunks`.",
    ),
    form(
        "expected",
        "lengths of unlimited dimensions, such as time=8760",
        "not known",
        WRITER.and(PLAN),
        "Lengths that unlimited dimensions will reach, to choose chunk shapes for.",
    )
    .unit("elements")
    .python("Mapping[str, int]", "A mapping, {\"time\": 8760}.")
    .details(
        "State them if the file is still short: time=8760 means a year of hourly records. Without it, \
         `pack` and `plan` go by the current length, and writers by a guess. `pack` and `plan` \
         use it only with `reads`, `storage` or `most_chunks`.",
    ),
    number(
        "most_chunks",
        ("chunks", ", more than 0"),
        "65536 if reads or storage are stated",
        PROGRAM.and(PLAN),
        "The most chunks that a variable may have, unless its chunk shape is stated.",
    )
    .python("int", "")
    .details(
        "A variable that would have more chunks gets larger ones than its `storage` suggests. If you \
         state no `reads`, chunks then serve maps, series and profiles. With 4096, the \
         index of chunks stays small.",
    ),
    form(
        "plan",
        "a plan's file",
        "none",
        WRITER.and(PACK),
        "Use the chunk shapes, filters and rounding that another run chose.",
    )
    .command("`frazil plan --json` writes such a file.")
    .python("WritePlan", "A plan that frazil.plan returned.")
    .details(
        "It gives all files of a stream or an ensemble the same storage, whatever their values are. \
         You may edit the file. `chunks`, rules of `precision` that concern a variable, and what a \
         program states for a variable override it. If you state `readable_by`, frazil refuses a \
         plan with filters that those readers lack.",
    ),
    number(
        "threads",
        ("threads", " from 0 (one for each core) to 4096"),
        "0",
        WRITER.and(ALL),
        "Number of threads; 0 means one for each core.",
    )
    .python("int", "")
    .details(
        "Only cores that the process may use count, so the limits of a batch job hold. By default, \
         the result has the same bytes for any number. All files that a run packs, or that a process writes, share \
         the threads.",
    ),
    number(
        "memory",
        ("bytes", ", or one with K, M or G, from 1M to 1048576G"),
        "256M",
        WRITER.and(ALL),
        "Memory for chunks in progress, for example 512M.",
    )
    .python("int | str", "A number, or a text with K, M or G.")
    .details(
        "All files that a run packs, or that a process writes, share it. Writers move chunks that do \
         not fit to a scratch file beside the output, and limit a chunk whose shape is stated to an \
         eighth of it. `pack` and `unpack` fail if one piece of work needs more. Programs that put \
         single values all over large fields need more memory than others.",
    ),
    switch(
        "overwrite",
        PROGRAM.and(FILES),
        "Replace an existing output file.",
    )
    .details(
        "Without it, an existing file is an error. `pack` and `unpack` replace the old file once the \
         new one is complete. A writer removes the old file at once, as netCDF-C does.",
    ),
];
