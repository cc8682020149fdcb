//! Options of writers alone.

use super::builders::{PROGRAM, WRITER, form, number, option, switch};
use crate::declared::{DeclaredOption, Values};

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

pub(super) const WRITERS: [DeclaredOption; 12] = [
    switch(
        "keep_plan",
        WRITER,
        "Store the plan in the file, in the attribute frazil_plan.",
    )
    .details(
        "The plan records the chunk shapes, filters and rounding that were decided, as JSON. frazil's \
         reader then keeps in memory the chunks for which the plan names a cache.",
    ),
    option(
        "cores",
        CORES,
        "spare",
        WRITER,
        "Cores for the packing threads: those to which the program has not bound its threads, or \
         any.",
    )
    .details(
        "frazil looks at the program's threads when the first file is created or opened for writing. \
         If they are bound to all cores, the packing threads share these cores at a lower priority. \
         With `any`, they run wherever the system lets them, at normal priority.",
    ),
    option(
        "mode",
        MODES,
        "async",
        WRITER,
        "Whether other threads pack while the program goes on, or each call does its work itself.",
    )
    .details(
        "`async` hides packing behind the program's own work. `sync` helps to debug; calls then take \
         longer, and `threads` has no effect.",
    ),
    switch(
        "durable",
        WRITER,
        "Let each commit wait for the disk, so that it survives a power cut.",
    )
    .details(
        "Without it, a commit survives the end of the program, but not that of the machine. Each \
         commit then waits for the data and for the journal; what that costs depends on the file \
         system. It needs a disk that keeps what it has confirmed.",
    ),
    number(
        "commit_bytes",
        ("bytes", ", or one with K, M or G, more than 0, or never"),
        "256M",
        WRITER,
        "Commit by itself at the end of a record, once this many bytes were put.",
    )
    .python("int | str", "")
    .details(
        "A killed program loses what it put after the last commit: with 64M, that is less, but it \
         commits more often. With `never`, only the program's syncs and the close commit, unless \
         rewritten values take too much memory. Files that several ranks write together are \
         committed only at sync and close, whatever is stated here.",
    ),
    number(
        "records_per_sync",
        ("records", ", more than 0"),
        "not known",
        WRITER,
        "Number of records that the program writes between two syncs, to choose chunk shapes for.",
    )
    .python("int", "")
    .details(
        "A chunk that several syncs fill is packed and written again at each of them. So longer \
         chunks are cut to these records, but not below 16 KiB. By default, frazil learns the number at the first \
         sync. Chunk shapes that the program states stay as they are.",
    ),
    DeclaredOption {
        default: "1",
        ..switch(
            "reproducible",
            WRITER,
            "Write the same bytes, whatever the number of ranks is and whichever rank puts what.",
        )
    }
    .details(
        "It matters only for a new file that several MPI ranks write together. With 0, chunks follow \
         the blocks of the ranks, and ranks write packed chunks before the sync. This hides writing \
         behind the program. Between two syncs the file is then sparse, so do not use it on file \
         systems without holes.",
    ),
    number(
        "io_ranks",
        ("ranks", ", 0 for none"),
        "0",
        WRITER,
        "Number of ranks, at most half of all, that pack and write for the others: the last ones.",
    )
    .details(
        "It matters only if several MPI ranks write a file together. The other ranks have no packing \
         threads, and a put of theirs never waits. An I/O rank needs enough `memory` for what its \
         ranks put between two syncs; `memory` must be the same on all ranks. The file has the same \
         bytes as without I/O ranks.",
    ),
    number(
        "longest_wait",
        ("seconds", ", more than 0"),
        "300",
        WRITER,
        "Seconds that a rank waits for a silent one.",
    )
    .details(
        "It matters only if several MPI ranks write a file together. If a rank has died or hangs, the \
         others then fail with an error that names it, and the file stays at its last commit. State \
         more, for example 1800, if one rank may come to a sync much later than the others.",
    ),
    switch(
        "classic_model",
        PROGRAM,
        "Mark the file as one of netCDF's classic model.",
    )
    .details(
        "Such a file has one group, at most one unlimited dimension, and values of byte, char, short, \
         int, float or double. A definition of anything else is an error. Programs that call netCDF \
         state it by the mode of nc_create instead.",
    ),
    form(
        "restart_files",
        "globs of names of files, as dump*,*.r.nc, or none",
        "files that look like it",
        WRITER,
        "Files that a model starts from again: rules for all files leave them exact (docs/precision.md).",
    )
    .details(
        "By default, frazil knows them by their names, their folders and their titles. Stated globs \
         replace that list; they are compared with names without folders. A rule with `force = true` \
         rounds such files all the same.",
    ),
    switch(
        "precision_is_shared",
        PROGRAM,
        "Allow names in precision rules, reads, axes and expected that the file does not have.",
    )
    .details(
        "State it if the same rules serve several files with different variables. Otherwise a name \
         that the file lacks is an error, because it may be misspelled. Rules then leave \
         the files of `restart_files` exact. It always holds for rules from the environment, and for files that \
         several ranks write together.",
    ),
];
