/* netCDF's calls: netCDF-C's, or with -DUSE_FRAZIL ours. */
#ifdef USE_FRAZIL
#define FRAZIL_NETCDF_NAMES
#include <frazil_netcdf.h>
#else
#include <netcdf.h>
#include <netcdf_filter.h>
#endif
#include <stdio.h>
#include <stdlib.h>

#include "output.h"

/* H5Z_FILTER_ZSTD */
#define ZSTANDARD 32015

static int file;
static int variables[FIELDS];
static size_t counts[4];

static void check(int status)
{
    if (status != NC_NOERR) {
        fprintf(stderr, "%s\n", nc_strerror(status));
        exit(1);
    }
}

/* Memory, threads: of frazil by FRAZIL_MEMORY and FRAZIL_THREADS. */
void output_open(const char *path, const size_t shape[3], const settings *wanted)
{
    static const char *const names[4] = {"time", "level", "latitude", "longitude"};
    int dimensions[4];
    check(nc_create(path, NC_NETCDF4, &file));
    check(nc_def_dim(file, names[0], NC_UNLIMITED, &dimensions[0]));
    for (int axis = 0; axis < 3; axis++) {
        check(nc_def_dim(file, names[axis + 1], shape[axis], &dimensions[axis + 1]));
        counts[axis + 1] = shape[axis];
    }
    counts[0] = 1;
    for (int i = 0; i < FIELDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "field%d", i);
        check(nc_def_var(file, name, NC_FLOAT, 4, dimensions, &variables[i]));
        if (wanted->is_default) {
            continue;
        }
        if (wanted->digits > 0) {
            check(nc_def_var_quantize(file, variables[i], NC_QUANTIZE_GRANULARBR, wanted->digits));
        }
        /* Asked for in every case: no compression is a request as well. */
        check(nc_def_var_deflate(file, variables[i], wanted->shuffle, wanted->deflate > 0,
                                 wanted->deflate));
        if (wanted->zstd) {
            const unsigned level = 1;
            check(nc_def_var_filter(file, variables[i], ZSTANDARD, 1, &level));
        }
    }
    check(nc_enddef(file));
}

void output_put(int field, size_t record, const float *values)
{
    const size_t start[4] = {record, 0, 0, 0};
    check(nc_put_vara_float(file, variables[field], start, counts, values));
}

void output_close(void)
{
    check(nc_close(file));
}
