/* What the programs that ranks run share: who this rank is, and an end for all if a call fails. */
#include <stdio.h>

#include <frazil_mpi.h>

static int rank, ranks;

static void check(frz_status status, const char *what) {
    if (status == FRZ_OK) return;
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, frz_last_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

#define CHECK(call) check(call, #call)
