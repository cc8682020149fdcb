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
 * Errors: every function returns FRZ_OK (0) or another frz_status. frz_strerror says what a status
 * means; frz_last_message says what happened to which file and variable in this thread's last call
 * that failed, and what to do about it. Results are not touched by a call that fails, but where
 * its description says so. An error of writing in the background comes back from the next call
 * and from frz_close; a commit that was made stays.
 *
 * Pointers: a pointer is NULL only where the description says that it may be; otherwise
 * FRZ_INVALID_ARGUMENT comes back. Arrays have the length that the description says. Text is UTF-8
 * and ends with a NUL; a path has the encoding of the system. What the caller hands in stays the
 * caller's and is not used after the call has returned. Each handle has one function that frees
 * it; a handle that was freed must not be used any more.
 *
 * Numbers: groups, dimensions and variables are numbered over the whole file, each kind from 0.
 * Shapes and positions are in elements, the slowest dimension first, counted from 0.
 *
 * Threads: writers and options have no state in common. A writer may be used by several threads,
 * options by several as long as none changes them. No function may be called from a signal
 * handler. In the child of a fork, its parent's writers refuse all work.
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
 * What became of a call. The numbers never change; new ones come at the end.
 */
typedef enum {
    /**
     * Done.
     */
    FRZ_OK = 0,
    /**
     * An argument that cannot be honoured.
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
     * The file exists and overwriting was not asked for.
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
     * A legal thing that frazil does not do.
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
     * A rounded value lies further from its original than was promised.
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
 * What ::frz_recover found and did.
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
 * Where packing threads run.
 */
typedef enum {
    /**
     * On the cores that the process may use and has not bound its own threads to; if it has bound
     * all, on all of them, where they yield to the program's threads.
     */
    FRZ_CORES_SPARE = 0,
    /**
     * Wherever the system lets them run.
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
     * Readers with the registered filter plugins at hand: Zstandard, too, where it is better.
     */
    FRZ_READERS_PLUGINS = 1,
    /**
     * frazil, and readers with frazil's own plugins at hand.
     */
    FRZ_READERS_FRAZIL = 2,
} frz_readers;

/**
 * What filters are chosen for.
 */
typedef enum {
    /**
     * The lowest level that comes close to the best.
     */
    FRZ_GOAL_BALANCED = 0,
    /**
     * Small files, at a cost that can be borne.
     */
    FRZ_GOAL_SIZE = 1,
    /**
     * Data that are written as fast as can be, and still shrink.
     */
    FRZ_GOAL_SPEED = 2,
    /**
     * The smallest files, whatever writing them costs.
     */
    FRZ_GOAL_ARCHIVE = 3,
    /**
     * The fewest joules for writing once and reading once, of what still shrinks.
     */
    FRZ_GOAL_ENERGY = 4,
} frz_goal;

/**
 * Where a file will lie while it is read: the chunks' size follows it.
 */
typedef enum {
    /**
     * Not stated (the default): chunks of about 1 MiB, or those for local storage where reads are
     * stated.
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
 * How values in memory are compressed. One may serve several threads, as long as nobody changes it
 * meanwhile.
 */
typedef struct frz_compression frz_compression;

/**
 * How a writer works. One may serve several writers, one after the other or several at once, as
 * long as nobody changes it meanwhile; it is not needed any more once ::frz_create has returned.
 */
typedef struct frz_options frz_options;

/**
 * A netCDF-4 file being written.
 *
 * Several threads may use one writer: their calls come one after the other. Once a thread has
 * called ::frz_close or ::frz_abandon, the handle is gone and no thread may use it any more.
 * Writers of different files do not wait for each other, but for the library that keeps the
 * books of HDF5 files.
 */
typedef struct frz_writer frz_writer;

/**
 * What a writer did.
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
     * Seconds of packing and placing that ran behind the caller's back.
     */
    double hidden_seconds;
    /**
     * Bytes handed to ::frz_put and its like.
     */
    uint64_t raw_bytes;
    /**
     * Bytes of all values in the file, as they are stored.
     */
    uint64_t stored_bytes;
    /**
     * Raw bytes by stored bytes; 1 where nothing is stored.
     */
    double ratio;
    /**
     * Bytes written to the scratch file because memory was short.
     */
    uint64_t spilled_bytes;
    /**
     * Chunks placed; a chunk that was packed anew counts again.
     */
    uint64_t chunks;
    /**
     * Of those, chunks equal to one packed before, or of one value repeated, whose packed bytes they took over.
     */
    uint64_t chunks_reused;
    /**
     * Chunks of nothing but fill values that need not be stored.
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
 * How the processes that write a file together reach each other. `frazil_mpi.c` fills it with MPI;
 * whoever has something else may do so as well. Messages from one rank to another arrive in the
 * order in which they were sent. Every function returns 0, or something else if it could not do
 * its work; only the thread that calls frazil calls them, and none may wait for another rank.
 */
typedef struct {
    /**
     * `sizeof(frz_comm)`.
     */
    size_t size_bytes;
    /**
     * Handed to every function.
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
     * Begins to send `count` bytes to rank `to`; they stay as they are until `test` says that they
     * have left. `*request` becomes what `test` is to be asked for.
     */
    int (*send)(void *state, int to, const void *bytes, size_t count, void **request);
    /**
     * `*is_done` becomes 1 if what was sent has left (the request is then not asked for again),
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
 * What a status means, in a few words. Never NULL; the text lives as long as the program.
 * ::frz_last_message says what happened to which file and variable.
 */
const char *frz_strerror(int status);

/**
 * What went wrong in the last call of this thread that failed, in one line: file, variable,
 * cause, and what to do about it. Never NULL; empty if no call failed. Control characters and the
 * like, which a file may bring, are written out in it (`\u{1b}`), so that it may go to a terminal.
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
 * What can be done about it; empty if nothing is known. Lives as long as ::frz_last_message.
 */
const char *frz_last_cure(void);

/**
 * Makes `message` the last message of this thread, for those who build an interface on this one
 * and refuse a call themselves.
 */
frz_status frz_set_last_message(const char *message);

/**
 * Has messages of this thread count as Fortran does, positions from 1 and the fastest axis first, if
 * `from_one` is not 0; else as C does. Returns whether they did so before. For those who build an
 * interface on this one.
 */
int frz_set_message_counting(int from_one);

/**
 * netCDF's words for a status, without what the last call had to say (`frz_nc_strerror` has both):
 * Fortran has 80 characters for them. The text lives as long as the process.
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
 * Replaces all options by those that the environment states, as files of netCDF's calls have them:
 * `FRAZIL_GOAL=size` and its like, and `FRAZIL_OPTIONS=goal=size,threads=4`. Options that the program
 * insists on are set afterwards.
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
 * Packing threads run on these cores and no others: `count` numbers, as the system counts them
 * from 0.
 */
frz_status frz_options_set_core_list(frz_options *options, int count, const int *cores);

/**
 * Bytes that values may take in memory while they are gathered, packed and placed (default:
 * 268435456; 1048576 at least). What does not fit waits in a scratch file beside the output.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for less, or more than any machine has.
 */
frz_status frz_options_set_memory_bytes(frz_options *options, uint64_t bytes);

/**
 * Not 0: every ::frz_sync waits until the disk has it, and survives a power cut. 0 (the default):
 * it survives the end of the process, in whatever way that ends.
 */
frz_status frz_options_set_durable(frz_options *options, int durable);

/**
 * Not 0: all work is done in the calls themselves, on the calling thread; for debugging.
 */
frz_status frz_options_set_synchronous(frz_options *options, int synchronous);

/**
 * Not 0: ::frz_create replaces an existing file. 0 (the default): it refuses.
 */
frz_status frz_options_set_overwrite(frz_options *options, int overwrite);

/**
 * Not 0: the file says that it keeps to netCDF's classic model (no groups, no strings, at most
 * one unlimited dimension).
 */
frz_status frz_options_set_classic_model(frz_options *options, int classic_model);

/**
 * The writer commits by itself when a record is complete and so many bytes were put since the last
 * commit (default: 268435456), for programs that never call ::frz_sync. 0: it never does, unless
 * rewritten chunks would take too much memory.
 */
frz_status frz_options_set_commit_bytes(frz_options *options, uint64_t bytes);

/**
 * Records that the program writes between two calls of ::frz_sync; 0 (the default): not known.
 * Chunks then have no more records, so that a sync finds them complete and writes none twice.
 */
frz_status frz_options_set_records_per_sync(frz_options *options, uint64_t records);

/**
 * How many seconds a rank of a file that several write waits for one of which it hears nothing
 * (default: 300): then the call fails, and says for whom it waited. All ranks say the same.
 */
frz_status frz_options_set_longest_wait(frz_options *options, double seconds);

/**
 * 0: the bytes of a file that several ranks write may depend on which ranks there are and what each
 * of them puts. Chunk shapes that nobody stated then go by the ranks' blocks (::frz_state_block),
 * and ranks write packed chunks at once, not at the next sync. Not 0 (the default): the same bytes
 * for any number of ranks and any decomposition. docs/mpi.md says more.
 */
frz_status frz_options_set_reproducible(frz_options *options, int reproducible);

/**
 * Of the ranks that write a file together the last `io_ranks`, at most half, pack and write for the
 * others, which hand them what they put and go on; 0 (the default): every rank packs and writes what
 * it puts. ::frz_is_io_rank tells which rank is what; docs/mpi.md says what an I/O rank does.
 */
frz_status frz_options_set_io_ranks(frz_options *options,
                                    int io_ranks);

/**
 * Who must be able to read the file: one of ::frz_readers (default: ::FRZ_READERS_ANY). It binds
 * what frazil chooses; a filter that the caller asks for is honoured.
 */
frz_status frz_options_set_readable_by(frz_options *options, int readers);

/**
 * What filters are chosen for, where none are asked for: one of ::frz_goal (default:
 * ::FRZ_GOAL_BALANCED).
 */
frz_status frz_options_set_goal(frz_options *options, int goal);

/**
 * Filters of all variables that ask for none themselves, `shuffle+zstd(3)`, in the order in which
 * they are applied, instead of a choice; NULL: no such filters. docs/filters.md lists them. They
 * must be readable by those that ::frz_options_set_readable_by names; ::frz_create refuses others.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for a text that names no filters.
 */
frz_status frz_options_set_filters(frz_options *options, const char *filters);

/**
 * Reads options from a file: by variable (precision, filters, chunk shapes) and, in `[defaults]`, for all
 * of them (goal, readers, reads): the TOML file that `frazil pack --precision` and ::frz_compression_read read,
 * docs/precision.md. What is asked for of a variable by `frz_set_...`, and ::frz_options_set_filters,
 * override it. The defaults override what was set before this call; calls that follow override them. It
 * may be called for several files: later ones override earlier ones. NULL: no options by variable.
 *
 * Errors: ::FRZ_NOT_FOUND, ::FRZ_PERMISSION_DENIED; ::FRZ_INVALID_ARGUMENT if the file is not understood:
 * ::frz_last_message says which rule. What cannot be honoured of a variable, filters that its readers
 * may lack, is refused by ::frz_add_variable. Rules for the precision of a variable by its name are refused
 * by the first ::frz_put if there is no such variable then: see ::frz_options_set_precision_shared.
 */
frz_status frz_options_read_precision(frz_options *options,
                                      const char *path);

/**
 * Whether the rules that ::frz_options_read_precision reads are for several files (default: 0), so that one
 * file need not have all variables that they name. Else a name that is nowhere counts as a mistake.
 */
frz_status frz_options_set_precision_shared(frz_options *options,
                                            int shared);

/**
 * Chunk shapes, filters and rounding as another run decided them, for all variables that ask for
 * none themselves: `plan` is the JSON text of ::frz_plan. NULL: no plan.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for a text that is no plan; ::frz_last_message says where.
 */
frz_status frz_options_set_plan(frz_options *options, const char *plan);

/**
 * As ::frz_options_set_plan, with the text of a file.
 *
 * Errors: ::FRZ_NOT_FOUND, ::FRZ_PERMISSION_DENIED; as ::frz_options_set_plan.
 */
frz_status frz_options_read_plan(frz_options *options, const char *path);

/**
 * The reads to come, which chunk shapes are to serve: `"map,series=2"`. Each is `map`, `series`,
 * `profile`, `volume` or a hyperslab (`"time:200/lat:40/lon:60"`), with a weight if wanted. NULL
 * (the default): none are stated, and maps and series are balanced in chunks of about 1 MiB.
 *
 * It binds variables whose chunk shape nobody states. Axes are known by the attributes of their
 * coordinate variables that were put before the variable's first value, else by names and order.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT; ::frz_last_message names the read that is not understood.
 */
frz_status frz_options_set_reads(frz_options *options, const char *reads);

/**
 * Where the file will lie while it is read: one of ::frz_storage. It binds variables whose chunk
 * shape nobody states.
 */
frz_status frz_options_set_storage(frz_options *options, int storage);

/**
 * Not 0: what was decided is kept in the file, as the global attribute `frazil_plan` (JSON). 0 (the
 * default): it is not.
 */
frz_status frz_options_set_keep_plan(frz_options *options, int keep_plan);

/**
 * Begins a new, empty netCDF-4 file. Readers can open it from the first ::frz_sync on.
 *
 * `options` may be NULL: the defaults. `*writer` becomes the new handle, to be given to
 * ::frz_close or ::frz_abandon; on an error it becomes NULL.
 *
 * Errors: ::FRZ_ALREADY_EXISTS, ::FRZ_NOT_FOUND (no such folder), ::FRZ_PERMISSION_DENIED,
 * ::FRZ_LOCKED (somebody is writing the file)...
 */
frz_status frz_create(const char *path, const frz_options *options, frz_writer **writer);

/**
 * Opens an existing netCDF-4 file to go on writing it. What a killed writer left behind is
 * brought in order first, as by ::frz_recover.
 *
 * `options` and `writer` as for ::frz_create. Groups, dimensions and variables of the file are
 * found by ::frz_find_group, ::frz_find_dimension and ::frz_find_variable.
 *
 * Errors: ::FRZ_NOT_FOUND, ::FRZ_LOCKED, ::FRZ_CORRUPT, ::FRZ_UNSUPPORTED (what the file holds
 * cannot be continued)...
 */
frz_status frz_append(const char *path, const frz_options *options, frz_writer **writer);

/**
 * Makes everything put so far the state that readers see and that survives the end of this
 * process.
 *
 * Errors: those of writing, also of chunks that were put by earlier calls: ::FRZ_NO_SPACE,
 * ::FRZ_IO... The last commit stays readable.
 */
frz_status frz_sync(frz_writer *writer);

/**
 * Says what was done so far.
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
 * Gives up: the file goes back to its last commit; a new file without any is removed. The handle
 * is freed in any case and must not be used any more.
 */
frz_status frz_abandon(frz_writer *writer);

/**
 * Brings a file back to its last commit after its writer was killed. A file without a journal is
 * left as it is.
 *
 * `*outcome` becomes one of ::frz_recovery; NULL is allowed.
 *
 * Errors: ::FRZ_NOT_FOUND; ::FRZ_LOCKED if its writer is alive; ::FRZ_CORRUPT if the journal is
 * damaged or others changed the file since: then nothing is changed.
 */
frz_status frz_recover(const char *path, int *outcome);

/**
 * Begins a new file that all ranks of `comm` write together: each of them makes this call, with the
 * same options. `comm` is copied; its `free` is called in any case.
 *
 * ::frz_sync, ::frz_close and ::frz_end_definitions are calls that all ranks make; puts never wait
 * for another rank, and any rank may put anything, or nothing. All ranks define the same. Where
 * ranks put values for the same elements between two syncs, those of the highest rank stay. Values
 * are not read back. docs/mpi.md says more.
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
 * Opens an existing netCDF-4 file that all ranks of `comm` go on writing together: as ::frz_append and
 * ::frz_create_parallel.
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
 * Says what knows MPI: `frazil_mpi.c` does it when the program starts, or in `frz_mpi_register`.
 * NULL: nothing does.
 */
void frz_set_connect(frz_connect connect);

/**
 * Compares the definitions of all ranks; for a writer that is alone it does nothing. All ranks call
 * it, or none: ::frz_sync and ::frz_close do the same first.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT if a rank has defined something else; ::frz_last_message names the
 * rank and what differs.
 */
frz_status frz_end_definitions(frz_writer *writer);

/**
 * Whether this rank packs and writes for others (::frz_options_set_io_ranks): `*is_io_rank` becomes
 * 1 or 0.
 *
 * An I/O rank makes the definitions that all make and then calls ::frz_close, which returns when all
 * others have closed; it serves them meanwhile. It may also put, and call ::frz_sync where they do.
 */
frz_status frz_is_io_rank(const frz_writer *writer,
                          int *is_io_rank);

/**
 * Says that this rank will put blocks like this one: `count` elements along each dimension from
 * `start`; what is said of unlimited dimensions does not matter. A rank with several blocks says so
 * of each, one without any says nothing.
 *
 * Where ::frz_options_set_reproducible is off, and nobody states the variable's chunk shape, no
 * border of a block cuts its chunks, if these can be near frazil's own in size. It counts if it is
 * said before ::frz_end_definitions; where nothing is said, the puts before the first sync count.
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
 * `nc_open_par` for a communicator by its Fortran handle: netCDF's status codes. With `NC_WRITE` all
 * ranks go on writing a netCDF-4 file together, `NC_ENOPAR` if nothing knows MPI or the file is a
 * classic one; else every rank reads for itself.
 */
int frz_netcdf_open_parallel(const char *path,
                             int mode,
                             int fortran_comm,
                             int *ncid);

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
 * `expected_length` is how long it will become, as far as the caller knows; 0: unknown. It serves
 * to choose chunk shapes and binds nobody.
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
 * Chunk shape, filters and their effort are frazil's unless one of the functions `frz_set_...`
 * says otherwise before the variable's first values.
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
 * Finds a dimension of a group or of the groups above it by its name; the nearest counts.
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
 * The length of a dimension; of an unlimited one, as of the last put.
 */
frz_status frz_dimension_length(frz_writer *writer, int dimension, uint64_t *length);

/**
 * What a variable is: `*type` becomes one of ::frz_type, `*rank` the number of its dimensions,
 * `shape` their lengths as of the last put. Each of the three may be NULL; `shape` has room for
 * as many elements as the variable has dimensions.
 */
frz_status frz_inquire_variable(frz_writer *writer,
                                int variable,
                                int *type,
                                int *rank,
                                uint64_t *shape);

/**
 * What elements hold that were never written: one element of the variable's own type at `value`.
 *
 * Errors of all functions `frz_set_...`: ::FRZ_INVALID_ARGUMENT for a value that the variable
 * cannot have, or once values were put into it or it is in the file by a ::frz_sync.
 */
frz_status frz_set_fill_value(frz_writer *writer, int variable, const void *value);

/**
 * Elements that were never written hold nothing in particular; netCDF's `NC_NOFILL`.
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
 * 0. A variable has one compressor: ::frz_set_uncompressed takes another away first.
 */
frz_status frz_set_deflate(frz_writer *writer, int variable, int level, int shuffle);

/**
 * Zstandard with this level, -131072 (fast) to 22 (small), after a byte shuffle if `shuffle` is
 * not 0. Readers need its plugin. A variable has one compressor, as for ::frz_set_deflate.
 */
frz_status frz_set_zstd(frz_writer *writer, int variable, int level, int shuffle);

/**
 * A Fletcher-32 checksum with each chunk, beside the compression that was asked for: call it
 * after ::frz_set_deflate, ::frz_set_zstd or ::frz_set_uncompressed.
 */
frz_status frz_set_checksum(frz_writer *writer, int variable);

/**
 * Rounds values to this many decimal digits: 1 to 6 (float), 1 to 15 (double); others are refused.
 * Integers and text stay exact, whatever is stated.
 *
 * Whatever is stated about precision, by this function and the ones below, holds together; fill
 * values, NaN, infinities and zeros are never touched. What was done is written into the file.
 */
frz_status frz_set_significant_digits(frz_writer *writer, int variable, int digits);

/**
 * Rounds values to this many mantissa bits: 1 to 23 (float), 1 to 52 (double).
 */
frz_status frz_set_significant_bits(frz_writer *writer, int variable, int bits);

/**
 * Rounds by this algorithm, one of ::frz_quantize; how far, say ::frz_set_significant_digits
 * (::FRZ_BITGROOM, ::FRZ_GRANULAR_BITROUND) or ::frz_set_significant_bits (::FRZ_BITROUND). Without
 * this call frazil takes what suits the statements.
 */
frz_status frz_set_quantize(frz_writer *writer, int variable, int algorithm);

/**
 * No value errs by more than this, in the variable's units.
 */
frz_status frz_set_absolute_tolerance(frz_writer *writer, int variable, double tolerance);

/**
 * No value errs by more than this share of it, in percent.
 */
frz_status frz_set_relative_tolerance(frz_writer *writer, int variable, double percent);

/**
 * Sets an attribute of a variable, new or in place of one of the same name.
 *
 * `values` holds `length` elements of `type`, one of ::frz_type; for ::FRZ_STRING, pointers to
 * texts. It may be NULL if `length` is 0.
 *
 * Errors: ::FRZ_INVALID_ARGUMENT for a name or a type that is none; `_FillValue` goes by
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
 * Errors: ::FRZ_NOT_FOUND; ::FRZ_INVALID_ARGUMENT for a new name that is in use or none.
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
 * Puts a box of values into a variable. The values are copied: the caller's memory is free when
 * the call returns.
 *
 * `start` (default, if NULL: zeros) and `count` (default: up to the end of each dimension as it
 * is now) have one element for each dimension of the variable, the slowest first. `stride` (default:
 * ones) takes every stride-th element of the variable; `count` counts what is put. An unlimited
 * dimension grows as needed.
 *
 * `values` holds the product of `count` elements, the last dimension varying fastest. `type`, one
 * of ::frz_type, says what they are; it must be the variable's own type. For ::FRZ_STRING, they
 * are pointers to texts.
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
 * Reads a box of values back, those included that no ::frz_sync has committed yet. Elements that
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
 * Frees texts that ::frz_read and others gave, and makes the pointers NULL. NULL is allowed, for `texts`
 * and for each of them.
 */
void frz_free_strings(size_t length,
                      char **texts);

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
 * How a variable lies in the file; before its first values, as it would now.
 *
 * `*chunked` becomes 1, and `shape` the elements of a chunk along each dimension, the slowest
 * first; or it becomes 0 and `shape` is not touched: the values are one run of bytes. `*filters`
 * becomes a text like `shuffle+deflate(4)`, `none` if there are none, or NULL as long as the trial
 * on the first values is to come; free it by ::frz_free_strings with a length of 1. Each of the
 * three may be NULL.
 */
frz_status frz_inquire_storage(frz_writer *writer,
                               int variable,
                               int *chunked,
                               uint64_t *shape,
                               char **filters);

/**
 * What was decided so far, as JSON: chunk shape, filters and rounding of each variable that has
 * values, with the reason. `*plan` becomes a text to be freed by ::frz_free_strings with a length
 * of 1; ::frz_options_set_plan replays it.
 */
frz_status frz_plan(frz_writer *writer, char **plan);

/**
 * Options of compression in memory with their defaults: every bit is kept, ::FRZ_GOAL_BALANCED, any filters. Free them with
 * ::frz_compression_free.
 */
frz_compression *frz_compression_new(void);

/**
 * Frees these options. NULL is allowed.
 */
void frz_compression_free(frz_compression *compression);

/**
 * What filters are chosen for: one of ::frz_goal. `level` is zstd's where it is among them, 1 to
 * 22; 0: as the goal has it. A level leaves no choice for speeds, a tolerance or filters.
 */
frz_status frz_compression_set_goal(frz_compression *compression, int goal, int level);

/**
 * Rounds floats to this many decimal digits: 1 to 6 (float), 1 to 15 (double).
 *
 * Whatever is stated about precision, by this function and the ones below, holds together; NaN,
 * infinities and zeros are never touched. Each rounded value is compared with its original.
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
 * A value that rounding does not touch, and that nothing is rounded to. It may be called for
 * several.
 */
frz_status frz_compression_protect_value(frz_compression *compression, double value);

/**
 * How fast filters must be on one core, in values of so many bytes a second: `"400MB/s"`,
 * `"1.5GB/s"`, or what a network or storage gives, `"network"`, `"local"`, `"shared"`,
 * `"0.5*network"` (docs/filters.md). `encode` is about ::frz_compress, `decode` about
 * ::frz_decompress; NULL: as fast as they are.
 *
 * Speeds are those of a table: the same options give the same bytes on every machine.
 */
frz_status frz_compression_set_speeds(frz_compression *compression,
                                      const char *encode,
                                      const char *decode);

/**
 * Filters whose ratio is lower by no more than `percent` count as equal, and the fastest of them is
 * taken; for ::FRZ_GOAL_ENERGY those with no more joules by it. From 0, which is none, to below 100.
 */
frz_status frz_compression_set_ratio_tolerance(frz_compression *compression,
                                               double percent);

/**
 * These filters instead of a choice, in the order in which they are applied, as docs/filters.md
 * names them: `"lorenzo+shuffle+zstd(9)"`, `"none"`. Among them are shuffle, deflate, lz4, zstd,
 * bitshuffle, pcodec, delta and mafisc. NULL: chosen.
 */
frz_status frz_compression_set_filters(frz_compression *compression, const char *filters);

/**
 * Adds what a file of rules states for the variable of this name or path (`"tas"`, `"/ocean/t"`):
 * the TOML file that `frazil pack --precision` reads, docs/precision.md. What was stated before
 * stands where the file says nothing; where a rule says `lossless` nothing is rounded.
 *
 * Errors: ::FRZ_NOT_FOUND if there is no such file; ::FRZ_INVALID_ARGUMENT if it is not understood:
 * the message says which rule.
 */
frz_status frz_compression_read(frz_compression *compression,
                                const char *path,
                                const char *variable);

/**
 * Bytes that ::frz_compress needs at most for values of a type, one of ::frz_type, and a shape of
 * `rank` dimensions, the slowest first: a little more than the values themselves.
 */
frz_status frz_compress_bound(int value_type, int rank, const uint64_t *shape, size_t *bytes);

/**
 * Compresses values of a type, one of ::frz_type but for ::FRZ_STRING, in this machine's order:
 * an array of `rank` dimensions, at most ::FRZ_MAX_RANK and each shorter than 2^32, the slowest
 * first. `packed` has room for `capacity` bytes (::frz_compress_bound says how many are always
 * enough), and must not overlap the values; `*packed_bytes` becomes their number. `compression` may be
 * NULL: the defaults.
 *
 * Filters are chosen by what they make of the values, on the calling thread. The bytes say
 * themselves what they hold: ::frz_inquire_compressed and ::frz_decompress need nothing else. They
 * are those of a chunk of filter 47103, which docs/format.md specifies; equal values and options give
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
 * What ::frz_compress made its bytes of: type, number of dimensions, shape (room for
 * ::FRZ_MAX_RANK numbers), and bytes of the values. Each of the four may be NULL.
 *
 * Errors: ::FRZ_CORRUPT for bytes that are not of ::frz_compress; ::FRZ_UNSUPPORTED for values in
 * another byte order than this machine's.
 */
frz_status frz_inquire_compressed(const void *packed,
                                  size_t packed_bytes,
                                  int *value_type,
                                  int *rank,
                                  uint64_t *shape,
                                  size_t *value_bytes);

/**
 * Gives back the values that ::frz_compress made its bytes of. `values` has room for `value_bytes`
 * bytes, which must be as many as ::frz_inquire_compressed says.
 *
 * Errors: ::FRZ_CORRUPT for damaged bytes: `values` then means nothing; ::FRZ_UNSUPPORTED as
 * ::frz_inquire_compressed; ::FRZ_INVALID_ARGUMENT for another number of bytes.
 */
frz_status frz_decompress(const void *packed,
                          size_t packed_bytes,
                          void *values,
                          size_t value_bytes);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FRAZIL_H */
