//! Options of whole files alone.

use super::builders::{FILES, PACK, PLAN, UNPACK, form, number, option, switch};
use crate::declared::{DeclaredOption, Values};

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

const SPEED: &str = "a speed above 0, such as 400MB/s or 2*network";

pub(super) const OF_FILES: [DeclaredOption; 19] = [
    form(
        "chunks",
        "auto, keep, or lengths by dimension, such as time=24,lat=64",
        "chosen for the expected reads",
        PLAN,
        "Chunk shapes, for example time=24,lat=64.",
    )
    .unit("elements")
    .command(
        "tas:time=24 applies to the variable tas only. Axis numbers work, too (0=24). You can \
         repeat this option.",
    )
    .python(
        "Literal[\"auto\", \"keep\"] | Mapping[str, Any]",
        "\"keep\" keeps those of the input; {\"time\": 12} states elements by dimension, \
         {\"t2m\": {\"time\": 12}} by variable and dimension.",
    )
    .details(
        "Dimensions that you leave out keep what frazil chooses. Stated lengths override `reads`, \
         `storage`, `most_chunks`, `layout`, `plan` and rules of `precision`. frazil packs a file \
         with stated lengths even if it becomes larger than its input.",
    ),
    form(
        "level",
        "a number from 0 (no compression) to 22",
        "chosen by trial",
        PLAN,
        "Compression level; 0 means no compression.",
    )
    .python("int", "")
    .details(
        "It is a level of deflate, up to 9; if `readable_by` is plugins or frazil, it is one of zstd, \
         up to 22. A higher level takes more time, and makes the result smaller by less and less. It \
         excludes `goal`, `filters`, `weights`, `tree`, `ratio_tolerance` and both minimum speeds.",
    ),
    option(
        "shuffle",
        SHUFFLES,
        "auto",
        PLAN,
        "Byte shuffle before compression.",
    )
    .python("bool", "None means by trial.")
    .details(
        "Shuffle puts the first bytes of all elements together, then the second bytes, and so on. \
         Most numbers then compress better, some worse. It excludes `filters`, which say themselves \
         whether to shuffle.",
    ),
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
    )
    .details(
        "State weights if no `goal` fits. With size=1,write=0.5, half the size is worth four times \
         the time to write. They exclude `goal`, `level` and `filters`.",
    ),
    form(
        "min_write_speed",
        SPEED,
        "none",
        PLAN,
        "Use only filters that one core encodes at least this fast: 400MB/s, or the speed of \
         network, local or shared storage, or a multiple (2*network).",
    )
    .python("float | str", "A number means MB/s.")
    .details(
        "State it if packing must keep up with a network or with storage. The speeds of filters come \
         from a table, and words such as network mean the same on every machine, unless you state a \
         `calibration`. If no filter is fast enough, frazil stores values without filters. It \
         excludes `level` and `filters`.",
    ),
    form(
        "min_read_speed",
        SPEED,
        "none",
        PLAN,
        "Use only filters that one core decodes at least this fast.",
    )
    .python("float | str", "")
    .details(
        "State it if readers must not wait for decoding, for example shared for a parallel file \
         system. Speeds are those of `min_write_speed`. frazil keeps no slower filters of the input. \
         If no filter is fast enough, it stores values without filters. It excludes `level` and \
         `filters`.",
    ),
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
    .python("float", "")
    .details(
        "State it to trade a little size for speed. If storing without filters is within the share, \
         frazil may choose that. 0 turns the tolerance of `size` and `archive` off. It excludes \
         `level` and `filters`.",
    ),
    form(
        "tree",
        "a file of `frazil train`",
        "frazil's own",
        PLAN,
        "Decision tree that names the filters to try; `frazil train` writes such files.",
    )
    .python("StrPath", "")
    .details(
        "Grow a tree from your own files if they are all alike: fewer filters are then tried. Only \
         filters that your tree names are tried, while frazil's own tree only keeps the likeliest ones \
         in the trials. It excludes `level` and `filters`.",
    ),
    option("layout", LAYOUTS, "standard", PLAN, "Layout of the file.").details(
        "cmip7 stores all metadata before the data, and time and its bounds in one chunk each. The \
         variable that the global attribute variable_id names gets one chunk, or chunks of at least \
         4 MiB. Readers of remote files can then open the file with few requests. `chunks` and `plan` \
         override these chunk shapes. frazil packs a file with this layout even if it becomes larger \
         than its input.",
    ),
    form(
        "calibration",
        "default, or a file of `frazil calibrate`",
        "the measurements of this machine, if there are any",
        PLAN,
        "Constants for the cost of reads: `default`, or a file that `frazil calibrate` wrote.",
    )
    .python("StrPath", "")
    .details(
        "The constants matter for chunk shapes with `reads`, `storage` or `most_chunks`. Words such \
         as network in minimum speeds follow them only if you state this option. With `default`, the \
         choice is the same on every machine.",
    ),
    switch(
        "checksum",
        PLAN,
        "Add Fletcher-32 checksums. frazil always keeps existing ones.",
    )
    .details(
        "Readers then notice a damaged chunk instead of returning wrong values. Checksums take 4 \
         bytes for each chunk, and some time. frazil packs a file with this option even if it becomes \
         larger than its input.",
    ),
    switch(
        "netcdf_attribute",
        PLAN,
        "Also write netCDF-C's _Quantize... attribute; netCDF-C may then round again when it \
         reads.",
    )
    .details(
        "State it only for programs that look for this attribute. It is written for variables that \
         are rounded to bits or digits as netCDF-C does it. If a program reads such a variable with \
         another type, netCDF-C may change its fill value; with an integer type, it may write beyond \
         the program's memory.",
    ),
    switch("dry_run", PACK, "Only plan and predict; write no file.").details(
        "frazil reads the input, decides, and packs samples to predict the size of the result. On the \
         command line you need not name a place for the result. `frazil plan` explains the decisions \
         for one file.",
    ),
    switch(
        "allow_larger",
        PACK,
        "Also write packed files that are not smaller than their inputs. By default, frazil keeps \
         such inputs as they are, except for named results of classic files and for stated forms \
         (docs/format.md).",
    )
    .details(
        "Without it, frazil leaves such a file as it is when it packs in place, and copies it into a \
         folder of results. A result with a name of its own may be larger by 0.5 % and 4 KiB; by more \
         if its input is a classic file, or has filters or an HDF5 format that its readers do not know. \
         Stated chunk shapes, `reads`, `storage`, `most_chunks`, `layout`, `filters`, `plan`, `checksum` \
         and level 0 are such forms: with them, frazil packs the file whatever its size. Files whose \
         values lie in other files, and files marked as written for many readers, are always packed.",
    ),
    switch(
        "verify",
        FILES,
        "Compare each result with its input, value by value, before the result gets its name.",
    )
    .details(
        "frazil reads the result again, which takes additional time. Rounded values must keep their \
         bounds. If a value is wrong, there is no result. Results in place are always compared.",
    ),
    switch(
        "history",
        FILES,
        "Add a line with date and command at the top of the global attribute history, as NCO and \
         CDO do.",
    )
    .details(
        "The line holds the time, so equal runs no longer give equal bytes. A history that is no text \
         in UTF-8, or would get too long, stays as it is, and a notice says so.",
    ),
    number(
        "carbon_intensity",
        ("grams of CO2 per kilowatt-hour", ", 0 or more"),
        "480, the world average of 2023",
        PACK,
        "Grams of CO2 per kilowatt-hour, for the energy in reports (docs/energy.md).",
    )
    .python("float", "")
    .details(
        "It changes what reports say about CO2, and nothing in the file. The figure of your own site \
         is better than the default, for example 350. The command shows energy only with the flag \
         `--energy` or as JSON.",
    ),
    switch(
        "break_hard_links",
        FILES,
        "When replacing files in place, also replace those with several hard links; the other \
         names keep \
         the old content.",
    )
    .details(
        "Without it, frazil refuses to replace such a file, because its other names would not get the \
         new content. It matters only for results in place.",
    ),
    // Of `unpack` alone.
    option("format", FORMATS, "netcdf4", UNPACK, "Format of the result.").details(
        "Use classic for programs that read only netCDF-3. The classic formats have no groups, no \
         types that a program defines and no string variables; a file with any of these is refused, \
         and the error names the first. A string attribute becomes text, and a notice says so.",
    ),
];
