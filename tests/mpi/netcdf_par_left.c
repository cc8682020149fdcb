/*
 * Ranks that do not close their files, by netCDF's own calls. Each line is what one rank is told.
 *
 *     netcdf_par_left abort    all ranks drop files that they have just created, and close the last
 *     netcdf_par_left one      the last rank drops a file that the others close
 *     netcdf_par_left exit     the last rank ends without a close, after a sync
 */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static int begun(const char *path) {
    int nc, dim, v, status;

    status = nc_create_par(path, NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &nc);
    if (status) {
        printf("create %d\n", status);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    nc_def_dim(nc, "x", (size_t)ranks, &dim);
    nc_def_var(nc, "v", NC_INT, 1, &dim, &v);
    return nc;
}

static void put(int nc, int value) {
    size_t at = (size_t)rank;

    if (nc_put_var1_int(nc, 0, &at, &value)) printf("put\n");
}

int main(int argc, char **argv) {
    int nc;

    (void)argc;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(argv[1], "abort") == 0) {
        for (int i = 0; i < 20; i++) printf("abort %d\n", nc_abort(begun("dropped.nc")));
        nc = begun("out.nc");
        put(nc, rank);
        printf("close %d\n", nc_close(nc));
    } else if (strcmp(argv[1], "one") == 0) {
        nc = begun("out.nc");
        if (rank == ranks - 1) printf("abort %d\n", nc_abort(nc));
        else printf("close %d\n", nc_close(nc));
        nc = begun("next.nc");
        put(nc, rank);
        printf("close %d\n", nc_close(nc));
    } else {
        nc = begun("out.nc");
        put(nc, rank);
        printf("sync %d\n", nc_sync(nc));
        fflush(stdout);
        put(nc, 100);
        if (rank < ranks - 1) printf("close %d\n", nc_close(nc));
        fflush(stdout);
        /* Open MPI and MPICH end all ranks where one ends without MPI_Finalize. */
        MPI_Finalize();
        exit(0);
    }
    MPI_Finalize();
    return 0;
}
