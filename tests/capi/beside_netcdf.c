/*
 * beside_netcdf OURS THEIRS: one process writes with frazil and with the system's netCDF-C, both
 * files open at once; each library keeps to its own libhdf5.
 */
#include "check.h"
#include <netcdf.h>

#define N 5000

int main(int argc, char **argv)
{
    static float values[N], found[N];
    frz_writer *writer;
    int ncid, nc_dim, nc_var, dim, var, i;

    CHECK(argc == 3);
    for (i = 0; i < N; i++)
        values[i] = (float)(i % 77) * 0.5f;
    MUST(frz_create(argv[1], NULL, &writer));
    CHECK(nc_create(argv[2], NC_NETCDF4 | NC_CLOBBER, &ncid) == NC_NOERR);
    MUST(frz_add_dimension(writer, FRZ_ROOT, "x", N, &dim));
    CHECK(nc_def_dim(ncid, "x", N, &nc_dim) == NC_NOERR);
    MUST(frz_add_variable(writer, FRZ_ROOT, "v", FRZ_FLOAT, 1, &dim, &var));
    CHECK(nc_def_var(ncid, "v", NC_FLOAT, 1, &nc_dim, &nc_var) == NC_NOERR);
    CHECK(nc_def_var_deflate(ncid, nc_var, 1, 1, 4) == NC_NOERR);
    MUST(frz_put(writer, var, NULL, NULL, NULL, FRZ_FLOAT, values));
    CHECK(nc_put_var_float(ncid, nc_var, values) == NC_NOERR);
    MUST(frz_sync(writer));
    CHECK(nc_close(ncid) == NC_NOERR);
    MUST(frz_close(writer, NULL));

    CHECK(nc_open(argv[1], NC_NOWRITE, &ncid) == NC_NOERR);
    CHECK(nc_inq_varid(ncid, "v", &nc_var) == NC_NOERR);
    CHECK(nc_get_var_float(ncid, nc_var, found) == NC_NOERR);
    CHECK(memcmp(values, found, sizeof values) == 0);
    CHECK(nc_close(ncid) == NC_NOERR);
    printf("%s\n", nc_inq_libvers());
    return EXIT_SUCCESS;
}
