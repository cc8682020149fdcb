/* Single values into one variable: puts PATH COUNT. netCDF-C, or with -DUSE_FRAZIL_NETCDF the same
 * calls of ours, or with -DUSE_FRAZIL frz_put1_double. Prints seconds of all puts, and of the close. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double value_at(size_t i)
{
    return 280.0 + 1e-3 * (double)(i % 4096) + 1e-6 * (double)(i / 4096);
}

#ifdef USE_FRAZIL
#include <frazil.h>

static frz_writer *writer;
static int variable;

static void check(frz_status status)
{
    if (status != FRZ_OK) {
        fprintf(stderr, "%s\n", frz_last_message());
        exit(1);
    }
}

static void begin(const char *path, size_t count)
{
    int dimension;
    frz_options *options = frz_options_new();
    check(frz_options_set_overwrite(options, 1));
    check(frz_create(path, options, &writer));
    frz_options_free(options);
    check(frz_add_dimension(writer, FRZ_ROOT, "x", count, &dimension));
    check(frz_add_variable(writer, FRZ_ROOT, "v", FRZ_DOUBLE, 1, &dimension, &variable));
}

static void put(size_t i)
{
    const uint64_t start = i;
    check(frz_put1_double(writer, variable, &start, value_at(i)));
}

static void finish(void)
{
    check(frz_close(writer, NULL));
}
#else
#ifdef USE_FRAZIL_NETCDF
#define FRAZIL_NETCDF_NAMES
#include <frazil_netcdf.h>
#else
#include <netcdf.h>
#endif

static int file, variable;

static void check(int status)
{
    if (status != NC_NOERR) {
        fprintf(stderr, "%s\n", nc_strerror(status));
        exit(1);
    }
}

static void begin(const char *path, size_t count)
{
    int dimension;
    check(nc_create(path, NC_NETCDF4, &file));
    check(nc_def_dim(file, "x", count, &dimension));
    check(nc_def_var(file, "v", NC_DOUBLE, 1, &dimension, &variable));
    check(nc_enddef(file));
}

static void put(size_t i)
{
    const double value = value_at(i);
    check(nc_put_var1_double(file, variable, &i, &value));
}

static void finish(void)
{
    check(nc_close(file));
}
#endif

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "puts PATH COUNT\n");
        return 2;
    }
    const size_t count = strtoul(argv[2], NULL, 10);
    begin(argv[1], count);
    const double start = now();
    for (size_t i = 0; i < count; i++) {
        put(i);
    }
    const double done = now();
    finish();
    printf("puts %.6f close %.6f\n", done - start, now() - done);
    return 0;
}
