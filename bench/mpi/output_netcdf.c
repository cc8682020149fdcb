/* netCDF-C on one rank, or with -DPARALLEL on all: parallel HDF5, collective writes. */
#include <netcdf.h>
#ifdef PARALLEL
#include <netcdf_par.h>
#endif

#include <stdio.h>

#include "output.h"

static int file;
static int variables[MOST_FIELDS];

static void check(int status)
{
    if (status != NC_NOERR) {
        give_up(nc_strerror(status));
    }
}

static void create(const char *path)
{
#ifdef PARALLEL
    check(nc_create_par(path, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
#else
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 1) {
        give_up("netCDF-C without parallel HDF5 writes from one rank");
    }
    check(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &file));
#endif
}

static void set_storage(int variable, const job *wanted)
{
    if (wanted->chunk[0] > 0) {
        check(nc_def_var_chunking(file, variable, NC_CHUNKED, wanted->chunk));
    }
    if (wanted->digits > 0) {
        check(nc_def_var_quantize(file, variable, NC_QUANTIZE_GRANULARBR, wanted->digits));
    }
    if (wanted->deflate > 0) {
        check(nc_def_var_deflate(file, variable, wanted->shuffle, 1, wanted->deflate));
    }
#ifdef PARALLEL
    /* What filters, and unlimited dimensions, ask for. */
    check(nc_var_par_access(file, variable, NC_COLLECTIVE));
#endif
}

void output_open(const char *path, const job *wanted)
{
    static const char *const names[4] = {"time", "level", "latitude", "longitude"};
    int dimensions[4], before;
    create(path);
    /* As the GFS model: all values will be written. */
    check(nc_set_fill(file, NC_NOFILL, &before));
    check(nc_def_dim(file, names[0], NC_UNLIMITED, &dimensions[0]));
    for (int axis = 0; axis < 3; axis++) {
        check(nc_def_dim(file, names[axis + 1], wanted->shape[axis], &dimensions[axis + 1]));
    }
    for (int i = 0; i < wanted->fields; i++) {
        char name[16];
        snprintf(name, sizeof name, "field%d", i);
        check(nc_def_var(file, name, NC_FLOAT, 4, dimensions, &variables[i]));
        set_storage(variables[i], wanted);
    }
    check(nc_enddef(file));
}

void output_put(const job *wanted, int field, size_t record, const float *values)
{
    const size_t start[4] = {record, wanted->start[0], wanted->start[1], wanted->start[2]};
    const size_t count[4] = {1, wanted->count[0], wanted->count[1], wanted->count[2]};
    check(nc_put_vara_float(file, variables[field], start, count, values));
}

void output_close(void)
{
    check(nc_close(file));
}
