/*
 * Some ranks write for the others:
 *
 *     io_ranks PATH COUNT [puts]
 *
 * The last COUNT ranks define and close; the others put rows in turn, with a sync per record, and meet
 * in a barrier of their own between; then they open the file again, for one record more. With `puts` the first rank puts ten budgets while the I/O ranks
 * sleep.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { RECORDS = 6, NY = 24, NX = 2000, BUDGET = 2 << 20 };

static void put(frz_writer *writer, int variable, int record, int y) {
    static float row[NX];
    uint64_t start[3] = {(uint64_t)record, (uint64_t)y, 0}, count[3] = {1, 1, NX};

    for (int x = 0; x < NX; x++) row[x] = (float)((record * 31 + y * 7 + x) % 977);
    CHECK(frz_put(writer, variable, start, count, NULL, FRZ_FLOAT, row));
}

int main(int argc, char **argv) {
    int provided, dimensions[3], variable, is_io_rank, compute, records = RECORDS;
    uint64_t chunk[3] = {1, 5, NX};
    MPI_Comm others;
    frz_options *options = frz_options_new();
    frz_report report;
    frz_writer *writer;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
    compute = ranks - atoi(argv[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank < compute, rank, &others);
    CHECK(frz_options_set_io_ranks(options, atoi(argv[2])));
    CHECK(frz_options_set_longest_wait(options, 20.0));
    CHECK(frz_options_set_memory_bytes(options, BUDGET));
    CHECK(frz_options_set_threads(options, 1));
    CHECK(frz_mpi_create(argv[1], MPI_COMM_WORLD, options, &writer));
    CHECK(frz_add_unlimited_dimension(writer, FRZ_ROOT, "time", 0, &dimensions[0]));
    CHECK(frz_add_dimension(writer, FRZ_ROOT, "y", NY, &dimensions[1]));
    CHECK(frz_add_dimension(writer, FRZ_ROOT, "x", NX, &dimensions[2]));
    CHECK(frz_add_variable(writer, FRZ_ROOT, "v", FRZ_FLOAT, 3, dimensions, &variable));
    CHECK(frz_set_chunk_shape(writer, variable, chunk));
    CHECK(frz_set_deflate(writer, variable, 1, 1));
    CHECK(frz_is_io_rank(writer, &is_io_rank));
    if (is_io_rank != (rank >= compute)) MPI_Abort(MPI_COMM_WORLD, 3);
    report.size_bytes = sizeof report;
    if (argc > 3) records = 10 * BUDGET / (NY * NX * 4);
    if (is_io_rank) {
        if (argc > 3) sleep(2);
        CHECK(frz_close(writer, &report));
    } else if (argc > 3) {
        for (int record = 0; rank == 0 && record < records; record++)
            for (int y = 0; y < NY; y++) put(writer, variable, record, y);
        CHECK(frz_close(writer, &report));
        if (rank == 0 && report.spilled_bytes == 0) MPI_Abort(MPI_COMM_WORLD, 4);
    } else {
        for (int record = 0; record < records; record++) {
            for (int y = rank; y < NY; y += compute) put(writer, variable, record, y);
            MPI_Barrier(others);
            CHECK(frz_sync(writer));
        }
        CHECK(frz_close(writer, &report));
    }
    if (report.raw_bytes != (uint64_t)records * NY * NX * 4) MPI_Abort(MPI_COMM_WORLD, 5);
    if (argc == 3) {
        CHECK(frz_mpi_append(argv[1], MPI_COMM_WORLD, options, &writer));
        CHECK(frz_find_variable(writer, FRZ_ROOT, "v", &variable));
        for (int y = rank; !is_io_rank && y < NY; y += compute) put(writer, variable, records, y);
        CHECK(frz_close(writer, NULL));
    }
    frz_options_free(options);
    MPI_Comm_free(&others);
    MPI_Finalize();
    return 0;
}
