/*
 * What ranks ask of a file that they write together, and do not get: each line is a call and its
 * status. The file is whole in the end.
 */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <string.h>

#define SAY(call) do { int s = (call); \
    if (rank == ranks - 1) printf("%.*s %d\n", (int)strcspn(#call, "("), #call, s); } while (0)

int main(int argc, char **argv) {
    int rank, ranks, nc, dims[2], v, large, rounded, type, serial, got, same;
    size_t at;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    at = (size_t)rank;
    /* Any format is read. */
    if (rank == 0) {
        nc_create("serial.nc", NC_CLOBBER, &serial);
        nc_def_dim(serial, "x", (size_t)ranks, dims);
        nc_def_var(serial, "v", NC_INT, 1, dims, &v);
        nc_enddef(serial);
        for (int i = 0; i < ranks; i++) {
            size_t place = (size_t)i;
            nc_put_var1_int(serial, v, &place, &i);
        }
        nc_close(serial);
    }
    SAY(nc_open_par("serial.nc", NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    SAY(nc_var_par_access(nc, 0, NC_INDEPENDENT));
    SAY(nc_get_var1_int(nc, 0, &at, &got));
    same = got == rank;
    SAY(!same);
    SAY(nc_close(nc));
    SAY(nc_open_par("serial.nc", NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    SAY(nc_create_par("classic.nc", NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    SAY(nc_create_par("memory.nc", NC_NETCDF4 | NC_DISKLESS, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    SAY(nc_open_par("absent.nc", NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    SAY(nc_open_par("absent.nc", NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    SAY(nc_create_par(argv[1], NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    SAY(nc_def_dim(nc, "x", (size_t)ranks, dims));
    SAY(nc_def_dim(nc, "large", 20000000, dims + 1));
    SAY(nc_def_vlen(nc, "sequence", NC_INT, &type));
    SAY(nc_def_compound(nc, 8, "pair", &type));
    SAY(nc_def_var(nc, "v", NC_INT, 1, dims, &v));
    /* What frazil stores otherwise. */
    SAY(nc_def_var(nc, "large", NC_INT, 1, dims + 1, &large));
    SAY(nc_def_var_chunking(nc, large, NC_CONTIGUOUS, NULL));
    SAY(nc_def_var(nc, "rounded", NC_FLOAT, 1, dims, &rounded));
    SAY(nc_def_var_quantize(nc, rounded, NC_QUANTIZE_BITGROOM, 3));
    SAY(nc_var_par_access(nc, v, 5));
    SAY(nc_var_par_access(nc, 17, NC_COLLECTIVE));
    SAY(nc_enddef(nc));
    SAY(nc_put_var1_int(nc, v, &at, &rank));
    SAY(nc_put_var1_int(nc, rounded, &at, &rank));
    SAY(nc_put_var1_int(nc, large, &at, &rank));
    SAY(nc_get_var1_int(nc, v, &at, &got));
    /* The same process opens it once more: it is as after the last commit, which is none. */
    MPI_Barrier(MPI_COMM_WORLD);
    SAY(nc_sync(nc));
    MPI_Barrier(MPI_COMM_WORLD);
    SAY(nc_open(argv[1], NC_NOWRITE, &serial));
    SAY(nc_get_var1_int(serial, 0, &at, &got));
    same = got == rank;
    SAY(!same);
    SAY(nc_var_par_access(serial, 0, NC_COLLECTIVE));
    SAY(nc_close(serial));
    SAY(nc_close(nc));
    MPI_Finalize();
    return 0;
}
