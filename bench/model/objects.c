/* Many variables of one dimension: seconds for definitions, puts and closing.
 *
 * objects FILE COUNT; netCDF-C's calls, or frazil's with USE_FRAZIL_NETCDF.
 */
#ifdef USE_FRAZIL_NETCDF
#define FRAZIL_NETCDF_NAMES
#include <frazil_netcdf.h>
#else
#include <netcdf.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void check(int status)
{
    if (status != NC_NOERR) {
        fprintf(stderr, "%s\n", nc_strerror(status));
        exit(1);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int file, dimension, variable, count = atoi(argv[2]);
    float values[10] = {1, 2};
    char name[32];
    double began = now();
    check(nc_create(argv[1], NC_NETCDF4 | NC_CLOBBER, &file));
    check(nc_def_dim(file, "x", 10, &dimension));
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "v%d", i);
        check(nc_def_var(file, name, NC_FLOAT, 1, &dimension, &variable));
        check(nc_put_att_text(file, variable, "units", 1, "K"));
    }
    check(nc_enddef(file));
    double defined = now();
    for (int i = 0; i < count; i++)
        check(nc_put_var_float(file, i, values));
    double put = now();
    check(nc_close(file));
    printf("defined %.4f put %.4f closed %.4f\n", defined - began, put - defined, now() - put);
    return 0;
}
