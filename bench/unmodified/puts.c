/* Writes records with netCDF's calls and prints the seconds that the calls took.
 *
 *   puts OUTPUT FIELDS RECORDS Y X WORK_MS [CHUNK_T CHUNK_Y CHUNK_X]
 *
 * FIELDS has RECORDS maps of Y x X float32. Each is put after WORK_MS of computation; shuffle and deflate 4. Without
 * a chunk shape the library chooses. */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void must(int status) {
    if (status) {
        fprintf(stderr, "%s\n", nc_strerror(status));
        exit(1);
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A model's work: it keeps its core busy. */
static void compute(double seconds) {
    volatile double waste = 0;
    for (double end = now() + seconds; now() < end;)
        for (int i = 0; i < 1000; i++) waste += i;
}

static int define(const char *path, size_t y, size_t x, char **chunk, int *varid) {
    int nc, dimids[3];
    must(nc_create(path, NC_CLOBBER | NC_NETCDF4, &nc));
    must(nc_def_dim(nc, "time", NC_UNLIMITED, &dimids[0]));
    must(nc_def_dim(nc, "y", y, &dimids[1]));
    must(nc_def_dim(nc, "x", x, &dimids[2]));
    must(nc_def_var(nc, "v", NC_FLOAT, 3, dimids, varid));
    if (chunk) {
        size_t shape[3] = {strtoul(chunk[0], NULL, 10), strtoul(chunk[1], NULL, 10), strtoul(chunk[2], NULL, 10)};
        must(nc_def_var_chunking(nc, *varid, NC_CHUNKED, shape));
    }
    must(nc_def_var_deflate(nc, *varid, 1, 1, 4));
    must(nc_enddef(nc));
    return nc;
}

int main(int argc, char **argv) {
    if (argc != 7 && argc != 10) return 2;
    size_t records = strtoul(argv[3], NULL, 10), y = strtoul(argv[4], NULL, 10), x = strtoul(argv[5], NULL, 10);
    double work = 1e-3 * atof(argv[6]);
    float *values = malloc(records * y * x * sizeof *values);
    FILE *fields = fopen(argv[2], "rb");
    if (!values || !fields || fread(values, sizeof *values * y * x, records, fields) != records) return 2;
    fclose(fields);
    int varid;
    double in_calls = -now();
    int nc = define(argv[1], y, x, argc == 10 ? argv + 7 : NULL, &varid);
    in_calls += now();
    for (size_t record = 0; record < records; record++) {
        compute(work);
        size_t start[3] = {record, 0, 0}, count[3] = {1, y, x};
        double began = now();
        must(nc_put_vara_float(nc, varid, start, count, values + record * y * x));
        in_calls += now() - began;
    }
    double began = now();
    must(nc_close(nc));
    printf("%.4f\n", in_calls + now() - began);
    free(values);
    return 0;
}
