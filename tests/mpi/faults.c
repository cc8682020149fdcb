/*
 * What goes wrong among ranks:
 *
 *     faults PATH WHAT [follow]
 *
 * Every rank puts and commits a record of its own, and then WHAT happens. Prints what frazil says.
 * With `follow` packed chunks are written before the commit.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

enum { ROW = 20000, BUDGET = 2 << 20 };

static frz_status put(frz_writer *writer, int variable, int record) {
    static float row[ROW];
    uint64_t start[2] = {(uint64_t)record, 0}, count[2] = {1, ROW};

    for (int x = 0; x < ROW; x++) row[x] = (float)((record * 31 + x) % 977);
    return frz_put(writer, variable, start, count, NULL, FRZ_FLOAT, row);
}

/* From now on this rank's files can only be so long, as on a full disk. */
static void fill_disk(rlim_t bytes) {
    struct rlimit limit = {bytes, bytes};

    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) abort();
}

static void say(const char *call, frz_status status) {
    char text[1024];
    int length = snprintf(text, sizeof text, "rank %d: %s: %d %s\n", rank, call, (int)status,
                          status == FRZ_OK ? "" : frz_last_message());
    /* At once, and as one line. */
    if (write(STDOUT_FILENO, text, (size_t)length) < 0) abort();
}

int main(int argc, char **argv) {
    int provided, time, x, variable;
    const char *what;
    frz_options *options = frz_options_new();
    frz_writer *writer;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
    what = argv[2];
    CHECK(frz_options_set_reproducible(options, argc == 3));
    CHECK(frz_options_set_longest_wait(options, 3.0));
    CHECK(frz_options_set_memory_bytes(options, BUDGET));
    CHECK(frz_options_set_threads(options, 1));
    CHECK(frz_mpi_create(argv[1], MPI_COMM_WORLD, options, &writer));
    frz_options_free(options);
    CHECK(frz_add_unlimited_dimension(writer, FRZ_ROOT, "time", 0, &time));
    CHECK(frz_add_dimension(writer, FRZ_ROOT, "x", ROW, &x));
    {
        int dimensions[2];
        uint64_t chunk[2] = {1, ROW};
        dimensions[0] = time;
        dimensions[1] = x;
        CHECK(frz_add_variable(writer, FRZ_ROOT, "v", FRZ_FLOAT, 2, dimensions, &variable));
        CHECK(frz_set_chunk_shape(writer, variable, chunk));
        CHECK(frz_set_deflate(writer, variable, 1, 1));
    }
    if (argc > 3) CHECK(frz_end_definitions(writer));
    /* Space is lent to ranks that write more than a few chunks. */
    for (int record = rank; record < (argc > 3 ? 40 * ranks : ranks); record += ranks)
        CHECK(put(writer, variable, record));
    CHECK(frz_sync(writer));
    if (argc > 3) ranks *= 40;

    if (strcmp(what, "barrier") == 0) {
        /* Rank 0 sits in a call of the model's own while rank 1 puts ten budgets. */
        if (rank == 1)
            for (int record = 0; record < 10 * BUDGET / ROW / 4; record++)
                CHECK(put(writer, variable, ranks + record));
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(frz_close(writer, NULL));
        MPI_Finalize();
        return 0;
    }
    if (strcmp(what, "full") == 0) {
        frz_status status = FRZ_OK;
        if (rank == 1) fill_disk(65536);
        /* Rank 1 may hear of it here already. */
        for (int record = 0; record < 400 && status == FRZ_OK; record++)
            status = put(writer, variable, ranks + 400 * rank + record);
        say("close", frz_close(writer, NULL));
        MPI_Finalize();
        return 0;
    }
    CHECK(put(writer, variable, ranks + rank));
    if (argc > 3)
        for (int record = 0; record < 400; record++)
            CHECK(put(writer, variable, ranks + 400 * rank + record));
    if (strcmp(what, "kill") == 0 && rank == 1) raise(SIGKILL);
    if (strcmp(what, "leave") == 0 && rank == 1) {
        CHECK(frz_abandon(writer));
    } else if (strcmp(what, "late") == 0 && rank == 1) {
        sleep(6);
        say("close", frz_close(writer, NULL));
    } else if (strcmp(what, "define") == 0) {
        if (rank == 1) CHECK(frz_add_dimension(writer, FRZ_ROOT, "odd", 5, &x));
        say("end", frz_end_definitions(writer));
        say("close", frz_close(writer, NULL));
    } else {
        say("close", frz_close(writer, NULL));
    }
    if (strcmp(what, "kill") == 0) _exit(0);
    MPI_Finalize();
    return 0;
}
