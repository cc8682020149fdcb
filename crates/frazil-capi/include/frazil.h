/*
 * frazil: writes standard netCDF-4/HDF5 files from running programs, packed in the background.
 *
 *     frz_writer *writer;
 *     int time, temperature;
 *     uint64_t start[1] = {0}, count[1] = {1000};
 *     frz_create("out.nc", NULL, &writer);
 *     frz_add_unlimited_dimension(writer, FRZ_ROOT, "time", 0, &time);
 *     frz_add_variable(writer, FRZ_ROOT, "temperature", FRZ_FLOAT, 1, &time, &temperature);
 *     frz_put(writer, temperature, start, count, NULL, FRZ_FLOAT, values);
 *     frz_close(writer, NULL);
 *
 * Errors: every function returns FRZ_OK (0) or another frz_status. frz_strerror describes a status.
 * frz_last_message describes this thread's last failed call: file, variable, cause and cure. A call
 * that fails does not change its results, unless its description says so. The next call and
 * frz_close return an error of background work; earlier commits stay.
 *
 * Pointers: a pointer may be NULL only if the description says so; otherwise the call returns
 * FRZ_INVALID_ARGUMENT. Arrays have the length in the description. Text is UTF-8 and ends with a
 * NUL; a path has the encoding of the system. The caller keeps the memory that it passes, and
 * frazil does not use it after the call has returned. Each handle has one function that frees it;
 * do not use a freed handle.
 *
 * Numbers: groups, dimensions and variables are numbered over the whole file, each kind from 0.
 * Shapes and positions are in elements, the slowest dimension first, counted from 0.
 *
 * Threads: writers and options share no state. Several threads may use one writer. Several threads
 * may use the same options, as long as none changes them. Do not call any function from a signal
 * handler. In the child of a fork, its parent's writers refuse all calls.
 *
 * This file is generated: `make header`.
 */

#ifndef FRAZIL_H
#define FRAZIL_H

#include <stddef.h>
#include <stdint.h>

/**
 * Version of the header: major number. It changes when the interface breaks.
 */
#define FRZ_VERSION_MAJOR 1

/**
 * Version of the header: minor number.
 */
#define FRZ_VERSION_MINOR 0

/**
 * Version of the header: patch number.
 */
#define FRZ_VERSION_PATCH 0

/**
 * The root group of every file.
 */
#define FRZ_ROOT 0

/**
 * Dimensions that compressed values have at most.
 */
#define FRZ_MAX_RANK 32

/**
 * Status codes. The numbers never change; new ones are added at the end.
 */
typedef enum {
    /**
     * Done.
     */
    FRZ_OK = 0,
    /**
     * An invalid argument.
     */
    FRZ_INVALID_ARGUMENT = 1,
    /**
     * A file, group, dimension or variable that does not exist.
     */
    FRZ_NOT_FOUND = 2,
    /**
     * The operating system refused access.
     */
    FRZ_PERMISSION_DENIED = 3,
    /**
     * The file exists, and overwriting was not requested.
     */
    FRZ_ALREADY_EXISTS = 4,
    /**
     * Any other input/output error.
     */
    FRZ_IO = 5,
    /**
     * The disk or the quota is full.
     */
    FRZ_NO_SPACE = 6,
    /**
     * The file contradicts itself or its format.
     */
    FRZ_CORRUPT = 7,
    /**
     * Valid, but not supported by frazil.
     */
    FRZ_UNSUPPORTED = 8,
    /**
     * A filter that is neither built in nor found as a plugin.
     */
    FRZ_MISSING_FILTER = 9,
    /**
     * One indivisible piece of work is larger than the memory budget.
     */
    FRZ_MEMORY_BUDGET = 10,
    /**
     * Stopped by the user.
     */
    FRZ_INTERRUPTED = 11,
    /**
     * libhdf5 reported an error that fits no other code.
     */
    FRZ_HDF5 = 12,
    /**
     * netCDF-C reported an error that fits no other code.
     */
    FRZ_NETCDF = 13,
    /**
     * A bug in frazil.
     */
    FRZ_INTERNAL = 14,
    /**
     * Verification found a difference.
     */
    FRZ_MISMATCH = 15,
    /**
     * Another process is writing the file.
     */
    FRZ_LOCKED = 16,
    /**
     * The file changed while it was being read.
     */
    FRZ_FILE_CHANGED = 17,
    /**
     * A rounded value differs from its original by more than the bound.
     */
    FRZ_BOUND_EXCEEDED = 18,
} frz_status;

/**
 * Types of elements. The numbers are those of netCDF's `NC_BYTE`, `NC_CHAR`...
 */
typedef enum {
    /**
     * `int8_t`; netCDF's byte.
     */
    FRZ_INT8 = 1,
    /**
     * `char`: one byte of text.
     */
    FRZ_CHAR = 2,
    /**
     * `int16_t`; netCDF's short.
     */
    FRZ_INT16 = 3,
    /**
     * `int32_t`; netCDF's int.
     */
    FRZ_INT32 = 4,
    /**
     * `float`
     */
    FRZ_FLOAT = 5,
    /**
     * `double`
     */
    FRZ_DOUBLE = 6,
    /**
     * `uint8_t`; netCDF's ubyte.
     */
    FRZ_UINT8 = 7,
    /**
     * `uint16_t`; netCDF's ushort.
     */
    FRZ_UINT16 = 8,
    /**
     * `uint32_t`; netCDF's uint.
     */
    FRZ_UINT32 = 9,
    /**
     * `int64_t`
     */
    FRZ_INT64 = 10,
    /**
     * `uint64_t`
     */
    FRZ_UINT64 = 11,
    /**
     * `const char *`: text of any length in UTF-8, ended by a NUL.
     */
    FRZ_STRING = 12,
} frz_type;

/**
 * Outcome of ::frz_recover.
 */
typedef enum {
    /**
     * Nothing was left behind: the file is at its last commit.
     */
    FRZ_CLEAN = 0,
    /**
     * What a commit that had not been decided left behind is removed.
     */
    FRZ_DISCARDED = 1,
    /**
     * A commit that had been decided is complete now.
     */
    FRZ_COMPLETED = 2,
    /**
     * The data of a commit are gone: the file is at the commit before.
     */
    FRZ_TAKEN_BACK = 3,
} frz_recovery;

/**
 * Cores on which packing threads run.
 */
typedef enum {
    /**
     * On the cores that the process may use and has not bound its own threads to; if it has bound
     * all, on all of them, where they yield to the program's threads.
     */
    FRZ_CORES_SPARE = 0,
    /**
     * On all cores that the process may use.
     */
    FRZ_CORES_ANY = 1,
} frz_cores;

/**
 * Who must be able to read a file.
 */
typedef enum {
    /**
     * Every netCDF-4 reader since 2008: shuffle, deflate and Fletcher-32 only.
     */
    FRZ_READERS_ANY = 0,
    /**
     * Readers that have the registered filter plugins: frazil also uses Zstandard where it is
     * better.
     */
    FRZ_READERS_PLUGINS = 1,
    /**
     * frazil, and readers that have frazil's own plugins.
     */
    FRZ_READERS_FRAZIL = 2,
} frz_readers;

/**
 * What to optimize the choice of filters for.
 */
typedef enum {
    /**
     * Small files at little cost.
     */
    FRZ_GOAL_BALANCED = 0,
    /**
     * Small files, with filters that encode at least 20 MB/s on one core.
     */
    FRZ_GOAL_SIZE = 1,
    /**
     * The fastest filters that still shrink the data.
     */
    FRZ_GOAL_SPEED = 2,
    /**
     * The smallest files, at any cost.
     */
    FRZ_GOAL_ARCHIVE = 3,
    /**
     * The fewest joules for one write and one read, with filters that still shrink the data.
     */
    FRZ_GOAL_ENERGY = 4,
} frz_goal;

/**
 * Kinds of storage that a file will be read from. They determine the size of chunks.
 */
typedef enum {
    /**
     * Not stated (the default): chunks of about 1 MiB; if reads are stated, chunks for local
     * storage.
     */
    FRZ_STORAGE_ANY = 0,
    /**
     * The machine's own memory or solid-state disk: 16 KiB to 1 MiB.
     */
    FRZ_STORAGE_LOCAL = 1,
    /**
     * A rotating disk: 256 KiB to 1 MiB.
     */
    FRZ_STORAGE_DISK = 2,
    /**
     * A parallel file system: 1 to 4 MiB.
     */
    FRZ_STORAGE_PARALLEL_FS = 3,
    /**
     * An object store: 4 to 16 MiB.
     */
    FRZ_STORAGE_OBJECT_STORE = 4,
} frz_storage;

/**
 * How values are rounded, with netCDF's numbers.
 */
typedef enum {
    /**
     * Clears and sets the trailing mantissa bits in turn; to decimal digits.
     */
    FRZ_BITGROOM = 1,
    /**
     * As many bits for each value as the digits need; to decimal digits.
     */
    FRZ_GRANULAR_BITROUND = 2,
    /**
     * The same number of bits for all values; to bits.
     */
    FRZ_BITROUND = 3,
} frz_quantize;

/**
 * Options for the compression of values in memory. Several threads may use the same options, as
 * long as nothing changes these.
 */
typedef struct frz_compression frz_compression;

/**
 * Options of a writer. Several writers may use the same options, also at the same time, as long as
 * nothing changes these. After ::frz_create has returned, the writer no longer needs them.
 */
typedef struct frz_options frz_options;

/**
 * A netCDF-4 file being written.
 *
 * Several threads may use one writer: their calls run one after the other. After a thread has
 * called ::frz_close or ::frz_abandon, no thread may use the handle. Writers of different files do
 * not wait for each other, except while one of them is in libhdf5.
 */
typedef struct frz_writer frz_writer;

/**
 * Report of a writer.
 */
typedef struct {
    /**
     * Set by the caller before the call: `sizeof(frz_report)`.
     */
    size_t size_bytes;
    /**
     * Seconds that calls waited: for memory, for commits, for the end.
     */
    double stalled_seconds;
    /**
     * Seconds of packing and placing in the background.
     */
    double hidden_seconds;
    /**
     * Bytes given to ::frz_put and similar functions.
     */
    uint64_t raw_bytes;
    /**
     * Bytes of all values in the file, as they are stored.
     */
    uint64_t stored_bytes;
    /**
     * Raw bytes divided by stored bytes; 1 if nothing is stored.
     */
    double ratio;
    /**
     * Bytes written to the scratch file because memory was short.
     */
    uint64_t spilled_bytes;
    /**
     * Chunks placed; a chunk that was packed again counts again.
     */
    uint64_t chunks;
    /**
     * Chunks among these that reuse packed bytes, because they are equal to an earlier chunk or
     * repeat one value.
     */
    uint64_t chunks_reused;
    /**
     * Chunks that hold only fill values and need not be stored.
     */
    uint64_t chunks_omitted;
    /**
     * Bytes of all chunks that were written: more than `stored_bytes` where chunks were written
     * again, because a commit found them incomplete or because their values changed.
     */
    uint64_t written_bytes;
    /**
     * Commits: those of ::frz_sync, those of the writer's own, and that of ::frz_close.
     */
    uint64_t commits;
    /**
     * Variables that shared rules would have rounded, had a model not started from this file again: they
     * are exact.
     */
    uint64_t kept_exact;
} frz_report;

/**
 * Functions through which the processes that write one file exchange messages. `frazil_mpi.c`
 * fills it for MPI; you can fill it for another transport. Messages from one rank to another
 * arrive in the order in which they were sent. Every function returns 0, or another number if it
 * failed. Only the thread that calls frazil calls them, and none may wait for another rank.
 */
typedef struct {
    /**
     * `sizeof(frz_comm)`.
     */
    size_t size_bytes;
    /**
     * Passed to every function.
     */
    void *state;
    /**
     * The number of this process, from 0.
     */
    int rank;
    /**
     * How many processes there are.
     */
    int ranks;
    /**
     * Begins to send `count` bytes to rank `to`; they do not change until `test` says that they
     * were sent. `*request` becomes the argument for `test`.
     */
    int (*send)(void *state, int to, const void *bytes, size_t count, void **request);
    /**
     * `*is_done` becomes 1 if the message was sent (frazil does not ask for this request again),
     * else 0.
     */
    int (*test)(void *state, void *request, int *is_done);
    /**
     * Looks for a message. If there is one, `*is_there` becomes 1, `*from` its sender and `*count`
     * its bytes; else `*is_there` becomes 0.
     */
    int (*probe)(void *state, int *from, size_t *count, int *is_there);
    /**
     * Takes the message that `probe` has found.
     */
    int (*receive)(void *state, int from, void *bytes, size_t count);
    /**
     * Called once, after everything else. `is_orderly` is 0 if some ranks may be gone.
     */
    void (*free)(void *state, int is_orderly);
} frz_comm;

/**
 * Fills a ::frz_comm for the communicator with this Fortran handle; returns 0, or something else
 * if it cannot.
 */
typedef int (*frz_connect)(int fortran_comm, frz_comm *comm);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, `1.0.0`; of one before a release, `1.0.0-rc.1`. The text lives as long as the program.
 */
const char *frz_version(void);

/**
 * Returns a short description of a status. It is never NULL, and lives as long as the program.
 * ::frz_last_message names the file, the variable and the cause.
 */
const char *frz_strerror(int status);

/**
 * Returns the error of the last failed call of this thread, in one line: file, variable, cause and
 * cure. It is never NULL, and empty if no call failed. Control characters, which a file may
 * contain, are written out (`\u{1b}`), so that you can print it to a terminal.
 *
 * The text belongs to frazil and stays as it is until another call of this thread fails.
 */
const char *frz_last_message(void);

/**
 * The file that ::frz_last_message is about, by its exact name; empty if none. Lives as long as that text.
 */
const char *frz_last_file(void);

/**
 * The variable, group or attribute that ::frz_last_message is about, by its exact name; empty if
 * none. Lives as long as that text.
 */
const char *frz_last_variable(void);

/**
 * The cause alone. Lives as long as ::frz_last_message.
 */
const char *frz_last_cause(void);

/**
 * The cure alone; empty if there is none. Lives as long as ::frz_last_message.
 */
const char *frz_last_cure(void);

/**
 * Makes `message` the last message of this thread. It is for interfaces that are built on this one
 * and refuse a call themselves.
 */
frz_status frz_set_last_message(const char *message);

/**
 * If `from_one` is not 0, messages of this thread count as in Fortran: positions from 1, fastest
 * axis first. Otherwise they count as in C. Returns the setting before. It is for interfaces that
 * are built on this one.
 */
int frz_set_message_counting(int from_one);

/**
 * Returns netCDF's text for a status, without the message of the last call (`frz_nc_strerror`
 * returns both): Fortran has 80 characters for it. The text lives as long as the process.
 */
const char *frz_netcdf_status_words(int status);

/**
 * Options with their defaults. Free them with ::frz_options_free.
 */
frz_options *frz_options_new(void);

/**
 * Frees options. NULL is allowed.
 */
void frz_options_free(frz_options *options);

/**
 * Sets any option of a writer by its name, from text: `frz_options_set(options, "goal", "size")`.
 * docs/options.md lists the names with the values they may have.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT; ::frz_last_message names the option, the value and what is allowed,
 * or the nearest spelling of an unknown name. If the value names a file, those of reading it.
 */
frz_status frz_options_set(frz_options *options,
                           const char *key,
                           const char *value);

/**
 * Sets options from a list, `"goal=size,threads=4"`; with semicolons between them if a value has
 * commas, `"reads=map,series;threads=4"`.
 *
 * Errors: as ::frz_options_set.
 */
frz_status frz_options_set_list(frz_options *options, const char *list);

/**
 * Replaces all options by those of the environment, which netCDF's calls use: `FRAZIL_GOAL=size`
 * and so on, and `FRAZIL_OPTIONS=goal=size,threads=4`. To override the environment, set options
 * after this call.
 *
 * Errors: as ::frz_options_set, with the name of the variable.
 */
frz_status frz_options_read_environment(frz_options *options);

/**
 * Packing threads, 4096 at most; 0 (the default): one for each core that the process may use.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for more, or less than 0.
 */
frz_status frz_options_set_threads(frz_options *options, int threads);

/**
 * Cores of the packing threads: one of ::frz_cores (default: ::FRZ_CORES_SPARE).
 */
frz_status frz_options_set_cores(frz_options *options, int cores);

/**
 * Lets packing threads run on these cores only: `count` numbers, as the system counts them from 0.
 */
frz_status frz_options_set_core_list(frz_options *options, int count, const int *cores);

/**
 * Sets the memory for values that are gathered, packed and placed, in bytes (default: 268435456;
 * at least 1048576). Values that do not fit wait in a scratch file beside the output.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for less, or more than any machine has.
 */
frz_status frz_options_set_memory_bytes(frz_options *options, uint64_t bytes);

/**
 * Not 0: every ::frz_sync waits until the data are on the disk, so that they survive a power cut.
 * 0 (the default): they survive the end of the process, however it ends.
 */
frz_status frz_options_set_durable(frz_options *options, int durable);

/**
 * Not 0: each call does all of its work on the calling thread, for debugging.
 */
frz_status frz_options_set_synchronous(frz_options *options, int synchronous);

/**
 * Not 0: ::frz_create replaces an existing file, which is gone at once: also if the new one is abandoned.
 * 0 (the default): it refuses.
 */
frz_status frz_options_set_overwrite(frz_options *options,
                                     int overwrite);

/**
 * Not 0: the file is marked as one of netCDF's classic model (no groups, no strings, at most one
 * unlimited dimension).
 */
frz_status frz_options_set_classic_model(frz_options *options, int classic_model);

/**
 * Lets the writer commit by itself at the end of a record, once this many bytes were put since the
 * last commit (default: 268435456). This serves programs that never call ::frz_sync. 0: it commits
 * by itself only if rewritten chunks would take too much memory.
 */
frz_status frz_options_set_commit_bytes(frz_options *options, uint64_t bytes);

/**
 * Sets the number of records that the program writes between two calls of ::frz_sync; 0 (the
 * default): not known. No chunk then has more records, so that a sync finds chunks complete and
 * writes none twice.
 */
frz_status frz_options_set_records_per_sync(frz_options *options, uint64_t records);

/**
 * Sets how many seconds a rank waits for a silent rank, if several ranks write one file (default:
 * 300). After that the call fails, and its message names the silent ranks. Set the same number on
 * all ranks.
 */
frz_status frz_options_set_longest_wait(frz_options *options, double seconds);

/**
 * 0: the bytes of a file that several ranks write may depend on the number of ranks and on what
 * each of them puts. Chunk shapes that are not stated then follow the ranks' blocks
 * (::frz_state_block), and ranks write packed chunks at once, not at the next sync. Not 0 (the
 * default): the same bytes for any number of ranks and any decomposition. docs/mpi.md says more.
 */
frz_status frz_options_set_reproducible(frz_options *options, int reproducible);

/**
 * Makes the last `io_ranks` ranks, at most half of all, pack and write for the others. The others
 * send them their values and go on. 0 (the default): every rank packs and writes its own values.
 * ::frz_is_io_rank says whether a rank is one of them; docs/mpi.md describes what an I/O rank
 * does.
 */
frz_status frz_options_set_io_ranks(frz_options *options, int io_ranks);

/**
 * Who must be able to read the file: one of ::frz_readers (default: ::FRZ_READERS_ANY). It limits
 * the filters that frazil chooses, not those that the caller states.
 */
frz_status frz_options_set_readable_by(frz_options *options, int readers);

/**
 * Sets what to optimize the choice of filters for, if none are stated: one of ::frz_goal (default:
 * ::FRZ_GOAL_BALANCED).
 */
frz_status frz_options_set_goal(frz_options *options, int goal);

/**
 * Sets the filters of all variables that state none themselves, in the order in which they are
 * applied: `shuffle+zstd(3)`. NULL: frazil chooses. docs/filters.md lists the filters. The readers
 * that ::frz_options_set_readable_by names must know them; ::frz_create refuses others.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for a text that does not name filters.
 */
frz_status frz_options_set_filters(frz_options *options, const char *filters);

/**
 * Reads options from a file: by variable (precision, filters, chunk shapes) and, in `[defaults]`,
 * for all of them (goal, readers, reads): the TOML file that `frazil pack --precision` and
 * ::frz_compression_read read, docs/precision.md. `frz_set_...` for a variable, and
 * ::frz_options_set_filters, override the file. The defaults in the file override options that
 * were set before this call; later calls override the defaults. You may call it for several files:
 * later ones override earlier ones. NULL: no options by variable.
 *
 * Errors: ::FRZ_NOT_FOUND, ::FRZ_PERMISSION_DENIED; ::FRZ_INVALID_ARGUMENT if the file is invalid:
 * ::frz_last_message names the rule. ::frz_add_variable refuses rules that a variable cannot have,
 * such as filters that its readers may lack. If no variable has the name in a precision rule, the
 * first ::frz_put refuses the rule: see ::frz_options_set_precision_shared.
 */
frz_status frz_options_read_precision(frz_options *options, const char *path);

/**
 * Not 0: the rules of ::frz_options_read_precision are for several files, and one file need not
 * have all variables that they name. 0 (the default): a name that no variable has is an error.
 */
frz_status frz_options_set_precision_shared(frz_options *options, int shared);

/**
 * Uses the chunk shapes, filters and rounding that another run chose, for all variables that state
 * none themselves: `plan` is the JSON text of ::frz_plan. NULL: no plan.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for a text that is not a plan; ::frz_last_message says where.
 */
frz_status frz_options_set_plan(frz_options *options, const char *plan);

/**
 * Same as ::frz_options_set_plan, with the text of a file.
 *
 * Errors: ::FRZ_NOT_FOUND, ::FRZ_PERMISSION_DENIED; as ::frz_options_set_plan.
 */
frz_status frz_options_read_plan(frz_options *options, const char *path);

/**
 * Sets the reads that you expect, to choose chunk shapes for: `"map,series=2"`. Each is `map`,
 * `series`, `profile`, `volume` or a hyperslab (`"time:200/lat:40/lon:60"`), with an optional
 * weight. NULL (the default): frazil balances maps and series in chunks of about 1 MiB.
 *
 * It applies to variables without a stated chunk shape. frazil knows what an axis is from those
 * attributes of its coordinate variable that were set before the variable's first value, else from
 * its name and the order of the axes.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT; ::frz_last_message names the invalid read.
 */
frz_status frz_options_set_reads(frz_options *options, const char *reads);

/**
 * Sets the storage that the file will be read from: one of ::frz_storage. It applies to variables
 * without a stated chunk shape.
 */
frz_status frz_options_set_storage(frz_options *options, int storage);

/**
 * Not 0: the file keeps its plan in the global attribute `frazil_plan` (JSON). 0 (the default): it
 * does not.
 */
frz_status frz_options_set_keep_plan(frz_options *options, int keep_plan);

/**
 * Creates a netCDF-4 file. Readers can open it from the first ::frz_sync on.
 *
 * `options` may be NULL: the defaults. `*writer` becomes the new handle, which you must give to
 * ::frz_close or ::frz_abandon; on an error it becomes NULL.
 *
 * Errors: ::FRZ_ALREADY_EXISTS, ::FRZ_NOT_FOUND (no such folder), ::FRZ_PERMISSION_DENIED,
 * ::FRZ_LOCKED (somebody is writing the file)...
 */
frz_status frz_create(const char *path, const frz_options *options, frz_writer **writer);

/**
 * Opens an existing netCDF-4 file for writing. If a killed writer left the file unfinished, this
 * first recovers it, as ::frz_recover does.
 *
 * `options` and `writer` as for ::frz_create. Find groups, dimensions and variables of the file
 * with ::frz_find_group, ::frz_find_dimension and ::frz_find_variable.
 *
 * Errors: ::FRZ_NOT_FOUND, ::FRZ_LOCKED, ::FRZ_CORRUPT, ::FRZ_UNSUPPORTED (frazil cannot continue
 * this file)...
 */
frz_status frz_append(const char *path, const frz_options *options, frz_writer **writer);

/**
 * Commits: readers see everything put so far, and it survives the end of this process.
 *
 * Errors: those of writing, also of chunks that were put by earlier calls: ::FRZ_NO_SPACE,
 * ::FRZ_IO... The last commit stays readable.
 */
frz_status frz_sync(frz_writer *writer);

/**
 * Reports what the writer has done so far.
 *
 * `report->size_bytes` must be `sizeof(frz_report)`, in the size that the caller was compiled
 * with: later versions append members, and fill only those that the caller knows.
 */
frz_status frz_writer_report(frz_writer *writer, frz_report *report);

/**
 * Commits everything and closes the file. The handle is freed in any case, also on an error, and
 * must not be used any more.
 *
 * `report` may be NULL; else it is filled as by ::frz_writer_report.
 *
 * Errors: as ::frz_sync. The file is then at its last commit.
 */
frz_status frz_close(frz_writer *writer, frz_report *report);

/**
 * Closes without a commit: the file stays at its last commit; a new file without a commit is
 * removed. The handle is freed in any case and must not be used any more.
 */
frz_status frz_abandon(frz_writer *writer);

/**
 * Brings a file back to its last commit after its writer was killed. Bytes behind that commit,
 * which no reader sees, are removed where the writer left its lock or its journal, unless a
 * program has the file open or may be writing it: then the lock stays, and a later call can
 * remove them.
 *
 * `*outcome` becomes one of ::frz_recovery; NULL is allowed.
 *
 * Errors: ::FRZ_NOT_FOUND; ::FRZ_LOCKED if its writer is alive; ::FRZ_CORRUPT if the journal is
 * damaged or others changed the file since: then nothing is changed. If there is nothing to
 * recover and the file cannot be read, the error is that of reading it. A file whose
 * writer ended before its first commit is clean.
 */
frz_status frz_recover(const char *path, int *outcome);

/**
 * Creates a file that all ranks of `comm` write together. Each of them makes this call, with the
 * same options. `comm` is copied; its `free` is called in any case.
 *
 * All ranks make the calls ::frz_sync, ::frz_close and ::frz_end_definitions. Puts never wait for
 * another rank, and any rank may put anything, or nothing. All ranks make the same definitions. If
 * ranks put values for the same elements between two syncs, those of the highest rank stay. Values
 * cannot be read back. See docs/mpi.md.
 *
 * Errors: as ::frz_create, on all ranks the same; ::FRZ_INTERRUPTED if a rank does not come.
 */
frz_status frz_create_parallel(const char *path,
                               const frz_comm *comm,
                               const frz_options *options,
                               frz_writer **writer);

/**
 * As ::frz_create_parallel, for a communicator of MPI by its Fortran handle.
 *
 * Errors: ::FRZ_UNSUPPORTED if nothing knows MPI: see ::frz_set_connect.
 */
frz_status frz_create_parallel_fortran(const char *path,
                                       int fortran_comm,
                                       const frz_options *options,
                                       frz_writer **writer);

/**
 * Opens an existing netCDF-4 file that all ranks of `comm` continue to write together, as
 * ::frz_append and ::frz_create_parallel do.
 *
 * Errors: as ::frz_append, on all ranks the same; ::FRZ_INTERRUPTED if a rank does not come.
 */
frz_status frz_append_parallel(const char *path,
                               const frz_comm *comm,
                               const frz_options *options,
                               frz_writer **writer);

/**
 * As ::frz_append_parallel, for a communicator of MPI by its Fortran handle.
 *
 * Errors: ::FRZ_UNSUPPORTED if nothing knows MPI: see ::frz_set_connect.
 */
frz_status frz_append_parallel_fortran(const char *path,
                                       int fortran_comm,
                                       const frz_options *options,
                                       frz_writer **writer);

/**
 * Registers the function that connects to MPI. `frazil_mpi.c` calls it when the program starts, or
 * in `frz_mpi_register`. NULL: there is no MPI.
 */
void frz_set_connect(frz_connect connect);

/**
 * Compares the definitions of all ranks; for a writer of one process it does nothing. Either all
 * ranks call it, or none: ::frz_sync and ::frz_close begin with the same comparison.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT if the definitions of a rank differ; ::frz_last_message names the
 * rank and the difference.
 */
frz_status frz_end_definitions(frz_writer *writer);

/**
 * Whether this rank packs and writes for others (::frz_options_set_io_ranks): `*is_io_rank` becomes
 * 1 or 0.
 *
 * An I/O rank makes the same definitions as all ranks, and then calls ::frz_close. That call
 * serves the others and returns when all of them have closed. An I/O rank may also put, and call
 * ::frz_sync when they do.
 */
frz_status frz_is_io_rank(const frz_writer *writer, int *is_io_rank);

/**
 * Says that this rank will put blocks like this one: `count` elements along each dimension from
 * `start`; unlimited dimensions are ignored. A rank with several blocks calls this for each; a
 * rank without blocks does not call it.
 *
 * If ::frz_options_set_reproducible is off and the variable has no stated chunk shape, frazil
 * chooses chunks that no border of a block cuts, unless they would be far from frazil's usual
 * size. Call it before ::frz_end_definitions. If no rank states a block, the puts before the first
 * sync count.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT if the block does not fit the variable.
 */
frz_status frz_state_block(frz_writer *writer,
                           int variable,
                           const uint64_t *start,
                           const uint64_t *count);

/**
 * `nc_create_par` for a communicator by its Fortran handle: netCDF's status codes, `NC_ENOPAR` if
 * nothing knows MPI.
 */
int frz_netcdf_create_parallel(const char *path, int cmode, int fortran_comm, int *ncid);

/**
 * `nc_open_par` for a communicator by its Fortran handle: netCDF's status codes. With `NC_WRITE`
 * all ranks go on writing a netCDF-4 file together, `NC_ENOPAR` if nothing knows MPI or the file
 * is a classic one; otherwise every rank reads for itself.
 */
int frz_netcdf_open_parallel(const char *path, int mode, int fortran_comm, int *ncid);

/**
 * `nc_var_par_access`: `NC_NOERR` for a file that several ranks write or read, `NC_ENOPAR` for another.
 * Independent and collective access are the same: no rank waits for another.
 */
int frz_netcdf_var_par_access(int ncid,
                              int varid,
                              int access);

/**
 * Adds a group to the group `parent` (::FRZ_ROOT: the root group). `*id` becomes its number.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for a name that is in use or that netCDF does not allow.
 */
frz_status frz_add_group(frz_writer *writer, int parent, const char *name, int *id);

/**
 * Adds a dimension of `length` elements to a group. `*id` becomes its number, with which
 * variables of this group and the groups below it can name it.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for a name that is in use or that netCDF does not allow.
 */
frz_status frz_add_dimension(frz_writer *writer,
                             int group,
                             const char *name,
                             uint64_t length,
                             int *id);

/**
 * Adds a dimension that grows as it is written. `*id` becomes its number.
 *
 * `expected_length` is the length that it will reach; 0: unknown. It only helps to choose chunk
 * shapes: the dimension may become longer or shorter.
 *
 * Errors: as ::frz_add_dimension.
 */
frz_status frz_add_unlimited_dimension(frz_writer *writer,
                                       int group,
                                       const char *name,
                                       uint64_t expected_length,
                                       int *id);

/**
 * Adds a variable to a group. `*id` becomes its number. Variables can be added at any time, also
 * after values were put and synced.
 *
 * `type` is one of ::frz_type. `dimensions` holds the numbers of `rank` dimensions of this group
 * or the groups above it, the slowest first; it may be NULL if `rank` is 0: a scalar.
 *
 * frazil chooses chunk shape, filters and levels, unless you set them with `frz_set_...` before
 * the variable's first values.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for a name that is in use or that netCDF does not allow, an
 * unknown type or dimension.
 */
frz_status frz_add_variable(frz_writer *writer,
                            int group,
                            const char *name,
                            int type,
                            int rank,
                            const int *dimensions,
                            int *id);

/**
 * Finds a group in the group `parent` by its name.
 *
 * Errors: ::FRZ_NOT_FOUND.
 */
frz_status frz_find_group(frz_writer *writer, int parent, const char *name, int *id);

/**
 * Finds a dimension of a group, or of the nearest group above it, by its name.
 *
 * Errors: ::FRZ_NOT_FOUND.
 */
frz_status frz_find_dimension(frz_writer *writer, int group, const char *name, int *id);

/**
 * Finds a variable of a group by its name.
 *
 * Errors: ::FRZ_NOT_FOUND.
 */
frz_status frz_find_variable(frz_writer *writer, int group, const char *name, int *id);

/**
 * Returns the length of a dimension. An unlimited one has the length as of the last put.
 */
frz_status frz_dimension_length(frz_writer *writer, int dimension, uint64_t *length);

/**
 * Describes a variable: `*type` becomes one of ::frz_type, `*rank` the number of its dimensions,
 * `shape` their lengths as of the last put. Each of the three may be NULL; `shape` has room for as
 * many elements as the variable has dimensions.
 */
frz_status frz_inquire_variable(frz_writer *writer,
                                int variable,
                                int *type,
                                int *rank,
                                uint64_t *shape);

/**
 * Sets the value of elements that are never written: one element of the variable's own type at
 * `value`.
 *
 * Errors of all functions `frz_set_...`: ::FRZ_INVALID_ARGUMENT for a value that the variable
 * cannot have, or once values were put into it or it is in the file by a ::frz_sync.
 */
frz_status frz_set_fill_value(frz_writer *writer, int variable, const void *value);

/**
 * Leaves elements that are never written undefined, as netCDF's `NC_NOFILL` does.
 */
frz_status frz_set_no_fill(frz_writer *writer, int variable);

/**
 * Not 0: the elements are stored big-endian. 0 (the default): little-endian. Values are put and
 * read in this machine's order either way.
 */
frz_status frz_set_big_endian(frz_writer *writer, int variable, int big_endian);

/**
 * Chunks of this shape: elements along each dimension, the slowest first, each at least 1.
 */
frz_status frz_set_chunk_shape(frz_writer *writer, int variable, const uint64_t *shape);

/**
 * One run of bytes: no chunks, no filters, no unlimited dimension.
 */
frz_status frz_set_contiguous(frz_writer *writer, int variable);

/**
 * No compression, no shuffle.
 */
frz_status frz_set_uncompressed(frz_writer *writer, int variable);

/**
 * Deflate (zlib) with this level, 1 (fast) to 9 (small), after a byte shuffle if `shuffle` is not
 * 0. A variable has one compressor: to replace another one, call ::frz_set_uncompressed first.
 */
frz_status frz_set_deflate(frz_writer *writer, int variable, int level, int shuffle);

/**
 * Zstandard with this level, -131072 (fast) to 22 (small), after a byte shuffle if `shuffle` is
 * not 0. Readers need its plugin. A variable has one compressor, as for ::frz_set_deflate.
 */
frz_status frz_set_zstd(frz_writer *writer, int variable, int level, int shuffle);

/**
 * Adds a Fletcher-32 checksum to each chunk, in addition to the requested compression: call it
 * after ::frz_set_deflate, ::frz_set_zstd or ::frz_set_uncompressed.
 */
frz_status frz_set_checksum(frz_writer *writer, int variable);

/**
 * Rounds values to this many decimal digits: 1 to 6 (float), 1 to 15 (double); others are refused.
 * Integers and text always stay exact.
 *
 * If you state precision with several of this and the following functions, all of them apply. Fill
 * values, NaN, infinities and zeros are never rounded. The file states what was done.
 */
frz_status frz_set_significant_digits(frz_writer *writer, int variable, int digits);

/**
 * Rounds values to this many mantissa bits: 1 to 23 (float), 1 to 52 (double).
 */
frz_status frz_set_significant_bits(frz_writer *writer, int variable, int bits);

/**
 * Sets the rounding algorithm, one of ::frz_quantize. State how far it rounds with
 * ::frz_set_significant_digits (::FRZ_BITGROOM, ::FRZ_GRANULAR_BITROUND) or
 * ::frz_set_significant_bits (::FRZ_BITROUND). By default frazil chooses the algorithm that fits.
 */
frz_status frz_set_quantize(frz_writer *writer, int variable, int algorithm);

/**
 * Sets the largest error of any value, in the variable's units.
 */
frz_status frz_set_absolute_tolerance(frz_writer *writer, int variable, double tolerance);

/**
 * Sets the largest error of any value, in percent of the value.
 */
frz_status frz_set_relative_tolerance(frz_writer *writer, int variable, double percent);

/**
 * Sets an attribute of a variable. It replaces an existing one of the same name.
 *
 * `values` holds `length` elements of `type`, one of ::frz_type; for ::FRZ_STRING, pointers to
 * texts. It may be NULL if `length` is 0.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for an invalid name or type; set `_FillValue` with
 * ::frz_set_fill_value.
 */
frz_status frz_put_attribute(frz_writer *writer,
                             int variable,
                             const char *name,
                             int type,
                             size_t length,
                             const void *values);

/**
 * Sets an attribute of a variable to a text that a NUL ends, as ::FRZ_CHAR.
 */
frz_status frz_put_attribute_text(frz_writer *writer,
                                  int variable,
                                  const char *name,
                                  const char *text);

/**
 * Sets an attribute of a group; of ::FRZ_ROOT: a global one. Values as for ::frz_put_attribute.
 */
frz_status frz_put_group_attribute(frz_writer *writer,
                                   int group,
                                   const char *name,
                                   int type,
                                   size_t length,
                                   const void *values);

/**
 * Sets an attribute of a group to a text that a NUL ends, as ::FRZ_CHAR.
 */
frz_status frz_put_group_attribute_text(frz_writer *writer,
                                        int group,
                                        const char *name,
                                        const char *text);

/**
 * Deletes an attribute of a variable.
 *
 * Errors: ::FRZ_NOT_FOUND.
 */
frz_status frz_delete_attribute(frz_writer *writer, int variable, const char *name);

/**
 * Gives an attribute of a variable another name.
 *
 * Errors: ::FRZ_NOT_FOUND; ::FRZ_INVALID_ARGUMENT for a new name that is in use or invalid.
 */
frz_status frz_rename_attribute(frz_writer *writer,
                                int variable,
                                const char *name,
                                const char *new_name);

/**
 * Deletes an attribute of a group; of ::FRZ_ROOT: a global one.
 *
 * Errors: ::FRZ_NOT_FOUND.
 */
frz_status frz_delete_group_attribute(frz_writer *writer, int group, const char *name);

/**
 * Gives an attribute of a group another name.
 *
 * Errors: as ::frz_rename_attribute.
 */
frz_status frz_rename_group_attribute(frz_writer *writer,
                                      int group,
                                      const char *name,
                                      const char *new_name);

/**
 * Puts a box of values into a variable. The call copies the values: you may reuse their memory
 * when it returns.
 *
 * `start` (default, if NULL: zeros) and `count` (default: up to the end of each dimension as it is
 * now) have one element for each dimension of the variable, the slowest first. `stride` (default:
 * ones) puts into every stride-th element of the variable; `count` is the number of elements put.
 * An unlimited dimension grows as needed.
 *
 * `values` holds the product of `count` elements, the last dimension varying fastest. `type`, one
 * of ::frz_type, is their type, which must be the variable's own type. For ::FRZ_STRING, they are
 * pointers to texts.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for another type or a box that is not within the dimensions;
 * also those of chunks that were put by earlier calls: ::FRZ_NO_SPACE, ::FRZ_IO...
 */
frz_status frz_put(frz_writer *writer,
                   int variable,
                   const uint64_t *start,
                   const uint64_t *count,
                   const uint64_t *stride,
                   int type,
                   const void *values);

/**
 * Reads a box of values back, including values that no ::frz_sync has committed yet. Elements that
 * were never written hold the fill value.
 *
 * Arguments as for ::frz_put; `values` has room for the product of `count` elements. For
 * ::FRZ_STRING, they become pointers to texts, to be freed by ::frz_free_strings.
 *
 * Errors: as ::frz_put; a box beyond the present length of an unlimited dimension is an error.
 */
frz_status frz_read(frz_writer *writer,
                    int variable,
                    const uint64_t *start,
                    const uint64_t *count,
                    const uint64_t *stride,
                    int type,
                    void *values);

/**
 * Frees texts that ::frz_read and other functions returned, and sets the pointers to NULL. NULL is
 * allowed, for `texts` and for each of them.
 */
void frz_free_strings(size_t length, char **texts);

/**
 * Puts one character at `start`, which has one element for each dimension of the variable, the
 * slowest first, and may be NULL for a scalar. The variable's type must be ::FRZ_CHAR.
 *
 * These functions make single values cheap: loops over elements need no buffers of their own.
 * Errors: as ::frz_put.
 */
frz_status frz_put1_char(frz_writer *writer, int variable, const uint64_t *start, char value);

/**
 * Puts one value of a variable of type ::FRZ_INT8; as ::frz_put1_char.
 */
frz_status frz_put1_int8(frz_writer *writer, int variable, const uint64_t *start, int8_t value);

/**
 * Puts one value of a variable of type ::FRZ_UINT8; as ::frz_put1_char.
 */
frz_status frz_put1_uint8(frz_writer *writer, int variable, const uint64_t *start, uint8_t value);

/**
 * Puts one value of a variable of type ::FRZ_INT16; as ::frz_put1_char.
 */
frz_status frz_put1_int16(frz_writer *writer, int variable, const uint64_t *start, int16_t value);

/**
 * Puts one value of a variable of type ::FRZ_UINT16; as ::frz_put1_char.
 */
frz_status frz_put1_uint16(frz_writer *writer, int variable, const uint64_t *start, uint16_t value);

/**
 * Puts one value of a variable of type ::FRZ_INT32; as ::frz_put1_char.
 */
frz_status frz_put1_int32(frz_writer *writer, int variable, const uint64_t *start, int32_t value);

/**
 * Puts one value of a variable of type ::FRZ_UINT32; as ::frz_put1_char.
 */
frz_status frz_put1_uint32(frz_writer *writer, int variable, const uint64_t *start, uint32_t value);

/**
 * Puts one value of a variable of type ::FRZ_INT64; as ::frz_put1_char.
 */
frz_status frz_put1_int64(frz_writer *writer, int variable, const uint64_t *start, int64_t value);

/**
 * Puts one value of a variable of type ::FRZ_UINT64; as ::frz_put1_char.
 */
frz_status frz_put1_uint64(frz_writer *writer, int variable, const uint64_t *start, uint64_t value);

/**
 * Puts one value of a variable of type ::FRZ_FLOAT; as ::frz_put1_char.
 */
frz_status frz_put1_float(frz_writer *writer, int variable, const uint64_t *start, float value);

/**
 * Puts one value of a variable of type ::FRZ_DOUBLE; as ::frz_put1_char.
 */
frz_status frz_put1_double(frz_writer *writer, int variable, const uint64_t *start, double value);

/**
 * Returns how a variable is stored in the file, or how it would be stored if its first values came
 * now.
 *
 * `*chunked` becomes 1, and `shape` the elements of a chunk along each dimension, the slowest
 * first; or it becomes 0 and `shape` is not touched: the values are one run of bytes. `*filters`
 * becomes a text like `shuffle+deflate(4)`, `none` if there are none, or NULL before the trial on
 * the first values. Free it with ::frz_free_strings and a length of 1. Each of the three may be
 * NULL.
 */
frz_status frz_inquire_storage(frz_writer *writer,
                               int variable,
                               int *chunked,
                               uint64_t *shape,
                               char **filters);

/**
 * Returns the plan so far, as JSON: chunk shape, filters and rounding of each variable that has
 * values, with reasons. `*plan` becomes a text that you free with ::frz_free_strings and a length
 * of 1. ::frz_options_set_plan uses it.
 */
frz_status frz_plan(frz_writer *writer, char **plan);

/**
 * Creates options for compression in memory, with their defaults: exact values,
 * ::FRZ_GOAL_BALANCED, any filters. Free them with ::frz_compression_free.
 */
frz_compression *frz_compression_new(void);

/**
 * Frees these options. NULL is allowed.
 */
void frz_compression_free(frz_compression *compression);

/**
 * Sets what to optimize the choice of filters for: one of ::frz_goal. `level` is the level of
 * zstd, if it is among the filters, 1 to 22; 0: the goal chooses. With a level you cannot state
 * speeds, a tolerance or filters.
 */
frz_status frz_compression_set_goal(frz_compression *compression, int goal, int level);

/**
 * Rounds floats to this many decimal digits: 1 to 6 (float), 1 to 15 (double).
 *
 * If you state precision with several of this and the following functions, all of them apply. NaN,
 * infinities and zeros are never rounded. frazil compares each rounded value with its original.
 */
frz_status frz_compression_set_significant_digits(frz_compression *compression, int digits);

/**
 * Rounds floats to this many mantissa bits: 1 to 23 (float), 1 to 52 (double).
 */
frz_status frz_compression_set_significant_bits(frz_compression *compression, int bits);

/**
 * Rounds floats by this much at most.
 */
frz_status frz_compression_set_absolute_tolerance(frz_compression *compression, double tolerance);

/**
 * Rounds floats by this much at most, in percent of each value.
 */
frz_status frz_compression_set_relative_tolerance(frz_compression *compression, double percent);

/**
 * Protects a value: frazil does not round it, and rounds no value to it. You can call this for
 * several values.
 */
frz_status frz_compression_protect_value(frz_compression *compression, double value);

/**
 * Sets how fast filters must be on one core: `"400MB/s"`, `"1.5GB/s"`, or the speed of a network
 * or storage: `"network"`, `"local"`, `"shared"`, `"0.5*network"` (docs/filters.md). `encode` is
 * for ::frz_compress, `decode` for ::frz_decompress; NULL: no limit.
 *
 * The speeds of filters come from a table, so the same options give the same bytes on every
 * machine.
 */
frz_status frz_compression_set_speeds(frz_compression *compression,
                                      const char *encode,
                                      const char *decode);

/**
 * Sets by how many percent a ratio may be lower than the best and still count as equal, from 0
 * (none) to below 100. frazil uses the fastest of equal filters. For ::FRZ_GOAL_ENERGY the
 * tolerance applies to joules.
 */
frz_status frz_compression_set_ratio_tolerance(frz_compression *compression, double percent);

/**
 * Sets the filters, in the order in which they are applied: `"lorenzo+shuffle+zstd(9)"`, `"none"`
 * (docs/filters.md). Possible are shuffle, deflate, lz4, zstd, bitshuffle, pcodec, delta and
 * mafisc. NULL: frazil chooses.
 */
frz_status frz_compression_set_filters(frz_compression *compression, const char *filters);

/**
 * Adds what a file of rules states for the variable of this name or path (`"tas"`, `"/ocean/t"`):
 * the TOML file that `frazil pack --precision` reads, docs/precision.md. Where the file says
 * nothing, earlier settings stay. If a rule says `lossless`, frazil rounds nothing.
 *
 * Errors: ::FRZ_NOT_FOUND if there is no such file; ::FRZ_INVALID_ARGUMENT if it is invalid: the
 * message names the rule.
 */
frz_status frz_compression_read(frz_compression *compression,
                                const char *path,
                                const char *variable);

/**
 * Returns the most bytes that ::frz_compress needs for values of a type, one of ::frz_type, and a
 * shape of `rank` dimensions, the slowest first: a little more than the values themselves.
 */
frz_status frz_compress_bound(int value_type, int rank, const uint64_t *shape, size_t *bytes);

/**
 * Compresses values of a type, one of ::frz_type except ::FRZ_STRING, in this machine's order: an
 * array of `rank` dimensions, at most ::FRZ_MAX_RANK and each shorter than 2^32, the slowest
 * first. `packed` has room for `capacity` bytes (::frz_compress_bound returns a number that is
 * always sufficient), and must not overlap the values; `*packed_bytes` becomes their number.
 * `compression` may be NULL: the defaults.
 *
 * frazil tries filters on the values and chooses, on the calling thread. The bytes describe their
 * own contents: ::frz_inquire_compressed and ::frz_decompress need nothing else. They have the
 * format of a chunk of filter 47103, which docs/format.md specifies. Equal values and options give
 * equal bytes.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for options that the values cannot have, or if `capacity` is too
 * small; ::FRZ_BOUND_EXCEEDED if rounding broke a bound: a bug.
 */
frz_status frz_compress(const frz_compression *compression,
                        int value_type,
                        int rank,
                        const uint64_t *shape,
                        const void *values,
                        void *packed,
                        size_t capacity,
                        size_t *packed_bytes);

/**
 * Describes the values in bytes of ::frz_compress: type, number of dimensions, shape (room for
 * ::FRZ_MAX_RANK numbers), and bytes of the values. Each of the four may be NULL.
 *
 * Errors: ::FRZ_CORRUPT for bytes that ::frz_compress did not write; ::FRZ_UNSUPPORTED for values
 * in another byte order than this machine's.
 */
frz_status frz_inquire_compressed(const void *packed,
                                  size_t packed_bytes,
                                  int *value_type,
                                  int *rank,
                                  uint64_t *shape,
                                  size_t *value_bytes);

/**
 * Decompresses bytes of ::frz_compress. `values` has room for `value_bytes` bytes, exactly the
 * number that ::frz_inquire_compressed returns.
 *
 * Errors: ::FRZ_CORRUPT for damaged bytes: the contents of `values` are then undefined;
 * ::FRZ_UNSUPPORTED as ::frz_inquire_compressed; ::FRZ_INVALID_ARGUMENT for another number of
 * bytes.
 */
frz_status frz_decompress(const void *packed,
                          size_t packed_bytes,
                          void *values,
                          size_t value_bytes);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FRAZIL_H */
