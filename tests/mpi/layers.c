/*
 * Chunks that all ranks share: each puts a band of rows of every layer, and a layer is a chunk.
 *
 *     layers PATH
 *
 * Rank 0 prints how many of the ranks have memory open that they share.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { LAYERS = 6, ROWS = 401, COLUMNS = 509 };

/* Whether this process has memory open that other ranks may have open, too. */
static int shares_memory(void) {
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    int found = 0;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char target[256] = "";
        if (readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) > 0)
            found |= strstr(target, "memfd:frazil-ranks") != NULL;
    }
    if (folder != NULL) closedir(folder);
    return found;
}

static void put_band(frz_writer *writer, int variable, int layer) {
    static float band[ROWS * COLUMNS];
    int first = rank * ROWS / ranks, end = (rank + 1) * ROWS / ranks;
    uint64_t start[3] = {(uint64_t)layer, (uint64_t)first, 0};
    uint64_t count[3] = {1, (uint64_t)(end - first), COLUMNS};

    for (int y = first; y < end; y++)
        for (int x = 0; x < COLUMNS; x++)
            band[(y - first) * COLUMNS + x] = (float)((layer * 7919 + y * 131 + x * 17) % 1000);
    CHECK(frz_put(writer, variable, start, count, NULL, FRZ_FLOAT, band));
}

int main(int argc, char **argv) {
    static const uint64_t lengths[3] = {LAYERS, ROWS, COLUMNS}, chunk[3] = {1, ROWS, COLUMNS};
    static const char *const names[3] = {"z", "y", "x"};
    int provided, dimensions[3], variable, shares, all;
    frz_options *options = frz_options_new();
    frz_writer *writer;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
    CHECK(frz_options_set_threads(options, 1));
    CHECK(frz_options_set_memory_bytes(options, 64 << 20));
    CHECK(frz_mpi_create(argv[1], MPI_COMM_WORLD, options, &writer));
    frz_options_free(options);
    shares = shares_memory();
    MPI_Reduce(&shares, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d ranks share memory\n", all);
    for (int axis = 0; axis < 3; axis++)
        CHECK(frz_add_dimension(writer, FRZ_ROOT, names[axis], lengths[axis], &dimensions[axis]));
    CHECK(frz_add_variable(writer, FRZ_ROOT, "v", FRZ_FLOAT, 3, dimensions, &variable));
    CHECK(frz_set_chunk_shape(writer, variable, chunk));
    CHECK(frz_set_deflate(writer, variable, 1, 1));
    for (int layer = 0; layer < LAYERS; layer++) {
        put_band(writer, variable, layer);
        if (layer == 2) CHECK(frz_sync(writer));
    }
    CHECK(frz_close(writer, NULL));
    if (shares_memory()) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    return 0;
}
