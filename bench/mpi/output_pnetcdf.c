/* PnetCDF: classic netCDF (CDF-5), uncompressed. Puts are posted and carried out together, which is
 * how it is fastest. */
#include <pnetcdf.h>

#include <stdio.h>

#include "output.h"

static int file;
static int variables[MOST_FIELDS];

static void check(int status)
{
    if (status != NC_NOERR) {
        give_up(ncmpi_strerror(status));
    }
}

void output_open(const char *path, const job *wanted)
{
    static const char *const names[4] = {"time", "level", "latitude", "longitude"};
    int dimensions[4];
    if (wanted->deflate > 0 || wanted->digits > 0) {
        give_up("PnetCDF has no filters");
    }
    check(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
    check(ncmpi_def_dim(file, names[0], NC_UNLIMITED, &dimensions[0]));
    for (int axis = 0; axis < 3; axis++) {
        check(ncmpi_def_dim(file, names[axis + 1], (MPI_Offset)wanted->shape[axis],
                            &dimensions[axis + 1]));
    }
    for (int i = 0; i < wanted->fields; i++) {
        char name[16];
        snprintf(name, sizeof name, "field%d", i);
        check(ncmpi_def_var(file, name, NC_FLOAT, 4, dimensions, &variables[i]));
    }
    check(ncmpi_enddef(file));
}

void output_put(const job *wanted, int field, size_t record, const float *values)
{
    const MPI_Offset start[4] = {(MPI_Offset)record, (MPI_Offset)wanted->start[0],
                                 (MPI_Offset)wanted->start[1], (MPI_Offset)wanted->start[2]};
    const MPI_Offset count[4] = {1, (MPI_Offset)wanted->count[0], (MPI_Offset)wanted->count[1],
                                 (MPI_Offset)wanted->count[2]};
    check(ncmpi_iput_vara_float(file, variables[field], start, count, values, NULL));
    if (field + 1 == wanted->fields) {
        check(ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL));
    }
}

void output_close(void)
{
    check(ncmpi_close(file));
}
