/* What the rank that gives out addresses does at a sync.
 *
 *   placer OUTPUT CHUNKS SYNCS
 *
 * Before each sync the other ranks put CHUNKS small chunks in all, so that there is next to nothing
 * to pack or to write; rank 0 puts none, unless it is alone. The first sync is left out.
 *
 * Prints one line, medians of the syncs: CPU seconds of rank 0, its seconds; messages and their
 * bytes to rank 0 and from it; and seconds of create and close together. */
#define _POSIX_C_SOURCE 200809L
#include <frazil_mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { ELEMENTS = 16, MEASURES = 6, MOST_SYNCS = 64 };

static int rank, ranks;
/* Messages of frazil on this rank and their bytes since the last sync began. */
static double sent[2];

/* Called by frazil_mpi.c in place of the library's own. */
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    sent[0] += 1;
    sent[1] += count;
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

static void check(frz_status status)
{
    if (status != FRZ_OK) {
        fprintf(stderr, "rank %d: %s\n", rank, frz_last_message());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static frz_writer *begin(const char *path, uint64_t chunks, int *variable)
{
    frz_writer *writer;
    int dimensions[2];
    const uint64_t chunk[2] = {1, ELEMENTS};
    frz_options *options = frz_options_new();
    check(frz_options_set_threads(options, 1));
    check(frz_options_set_overwrite(options, 1));
    check(frz_mpi_create(path, MPI_COMM_WORLD, options, &writer));
    frz_options_free(options);
    check(frz_add_unlimited_dimension(writer, FRZ_ROOT, "time", 0, &dimensions[0]));
    check(frz_add_dimension(writer, FRZ_ROOT, "x", chunks * ELEMENTS, &dimensions[1]));
    check(frz_add_variable(writer, FRZ_ROOT, "v", FRZ_FLOAT, 2, dimensions, variable));
    check(frz_set_chunk_shape(writer, *variable, chunk));
    check(frz_set_deflate(writer, *variable, 1, 1));
    return writer;
}

static void put_own(frz_writer *writer, int variable, uint64_t record, uint64_t chunks)
{
    const uint64_t parts = ranks > 1 ? (uint64_t)ranks - 1 : 1;
    const uint64_t part = ranks > 1 ? (uint64_t)rank - 1 : 0;
    if (ranks > 1 && rank == 0) {
        return;
    }
    const uint64_t from = chunks * part / parts, end = chunks * (part + 1) / parts;
    const uint64_t start[2] = {record, from * ELEMENTS};
    const uint64_t count[2] = {1, (end - from) * ELEMENTS};
    float *values = malloc((size_t)count[1] * sizeof *values + 1);
    for (uint64_t i = 0; i < count[1]; i++) {
        /* No two chunks are the same. */
        values[i] = (float)(record * chunks * ELEMENTS + from * ELEMENTS + i);
    }
    if (count[1] > 0) {
        check(frz_put(writer, variable, start, count, NULL, FRZ_FLOAT, values));
    }
    free(values);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static double found[MEASURES][MOST_SYNCS];
    int provided, variable;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const uint64_t chunks = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
    const int syncs = argc == 4 ? atoi(argv[3]) : 0;
    if (chunks == 0 || syncs < 1 || syncs > MOST_SYNCS) {
        fprintf(stderr, "three arguments: see placer.c\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double ends = -MPI_Wtime();
    frz_writer *writer = begin(argv[1], chunks, &variable);
    ends += MPI_Wtime();
    for (int sync = -1; sync < syncs; sync++) {
        double all[2], mine[2], none[2] = {0, 0};
        put_own(writer, variable, (uint64_t)(sync + 1), chunks);
        MPI_Barrier(MPI_COMM_WORLD);
        sent[0] = sent[1] = 0;
        const double cpu = cpu_seconds(), began = MPI_Wtime();
        check(frz_sync(writer));
        const double values[2] = {cpu_seconds() - cpu, MPI_Wtime() - began};
        mine[0] = sent[0], mine[1] = sent[1];
        MPI_Reduce(rank == 0 ? none : mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (sync >= 0 && rank == 0) {
            const double one[MEASURES] = {values[0], values[1], all[0], all[1], mine[0], mine[1]};
            for (int i = 0; i < MEASURES; i++) {
                found[i][sync] = one[i];
            }
        }
    }
    ends -= MPI_Wtime();
    check(frz_close(writer, NULL));
    ends += MPI_Wtime();
    if (rank == 0) {
        static const char *const names[MEASURES] = {"cpu",      "wall",         "messages_in",
                                                    "bytes_in", "messages_out", "bytes_out"};
        for (int i = 0; i < MEASURES; i++) {
            qsort(found[i], (size_t)syncs, sizeof found[i][0], ascending);
            printf("%s %.9f ", names[i], found[i][syncs / 2]);
        }
        printf("ends %.6f\n", ends);
    }
    MPI_Finalize();
    return 0;
}
