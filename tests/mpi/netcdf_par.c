/*
 * Ranks write one file, by netCDF's own headers and calls; the program knows nothing of frazil.
 *
 *     netcdf_par FILE alone      rank 0 writes all values with nc_create
 *     netcdf_par FILE write      all ranks write with nc_create_par
 *     netcdf_par FILE together   then they read, and append a record
 *
 * With one more argument, the file has a string, too.
 */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call) do { int s = (call); if (s) { \
    fprintf(stderr, "rank %d, line %d: %s: %d %s\n", rank, __LINE__, #call, s, nc_strerror(s)); \
    MPI_Abort(MPI_COMM_WORLD, 1); } } while (0)
#define GIVES(status, call) do { int s = (call); if (s != (status)) { \
    fprintf(stderr, "rank %d, line %d: %s: %d\n", rank, __LINE__, #call, s); \
    MPI_Abort(MPI_COMM_WORLD, 1); } } while (0)

enum { RECORDS = 3, NY = 24, NX = 40 };

static int rank, ranks, is_together, with_strings;

static float value(size_t record, size_t y, size_t x) {
    return (float)(record * 1000 + y * 31 + x % 7) + 0.25f;
}

/* The rows of this rank. */
static void rows(size_t *start, size_t *count) {
    size_t parts = is_together ? (size_t)ranks : 1, part = is_together ? (size_t)rank : 0;

    *start = NY * part / parts;
    *count = NY * (part + 1) / parts - *start;
}

static void put_record(int nc, int varid, size_t record) {
    size_t start[3] = {record, 0, 0}, count[3] = {1, 0, NX};
    static float values[NY * NX];

    rows(start + 1, count + 1);
    for (size_t y = 0; y < count[1]; y++)
        for (size_t x = 0; x < NX; x++) values[y * NX + x] = value(record, start[1] + y, x);
    MUST(nc_put_vara_float(nc, varid, start, count, values));
}

/* What all ranks have put. */
static void check_records(int nc, int varid, size_t records) {
    size_t start[3] = {0, 0, 0}, count[3] = {records, NY, NX};
    static float values[(RECORDS + 1) * NY * NX];

    MUST(nc_get_vara_float(nc, varid, start, count, values));
    for (size_t i = 0; i < records * NY * NX; i++)
        if (values[i] != value(i / (NY * NX), i / NX % NY, i % NX)) GIVES(1, 2);
}

static void write_file(const char *path) {
    int nc, group, dims[3], t, plain, later, filled, names = -1, area;
    size_t start[2] = {0, 0}, count[2] = {0, NX}, one = 0;
    static double cells[NY * NX];
    const char *text = "a name";

    if (is_together) {
        MUST(nc_create_par(path, NC_NETCDF4 | NC_MPIIO, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    } else {
        MUST(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &nc));
    }
    MUST(nc_def_dim(nc, "time", NC_UNLIMITED, dims));
    MUST(nc_def_dim(nc, "y", NY, dims + 1));
    MUST(nc_def_dim(nc, "x", NX, dims + 2));
    MUST(nc_def_var(nc, "t", NC_FLOAT, 3, dims, &t));
    MUST(nc_def_var_chunking(nc, t, NC_CHUNKED, (size_t[]){1, 10, NX}));
    MUST(nc_def_var_deflate(nc, t, 1, 1, 4));
    MUST(nc_put_att_text(nc, t, "units", 1, "K"));
    MUST(nc_def_var(nc, "plain", NC_DOUBLE, 2, dims + 1, &plain));
    MUST(nc_def_var(nc, "filled", NC_SHORT, 2, dims + 1, &filled));
    if (with_strings) MUST(nc_def_var(nc, "names", NC_STRING, 0, NULL, &names));
    MUST(nc_def_grp(nc, "more", &group));
    MUST(nc_def_var(group, "area", NC_INT, 1, dims + 1, &area));
    MUST(nc_put_att_text(nc, NC_GLOBAL, "title", 5, "ranks"));
    MUST(nc_enddef(nc));
    GIVES(is_together ? NC_EINVAL : NC_ENOPAR, nc_var_par_access(nc, t, NC_INDEPENDENT));
    if (is_together) {
        MUST(nc_var_par_access(nc, t, NC_COLLECTIVE));
        MUST(nc_var_par_access(nc, plain, NC_INDEPENDENT));
        MUST(nc_var_par_access(group, area, NC_COLLECTIVE));
    }
    for (size_t record = 0; record < RECORDS - 1; record++) put_record(nc, t, record);
    MUST(nc_sync(nc));
    if (is_together) MPI_Barrier(MPI_COMM_WORLD);
    check_records(nc, t, RECORDS - 1);
    if (is_together) MPI_Barrier(MPI_COMM_WORLD);
    MUST(nc_redef(nc));
    MUST(nc_def_var(nc, "later", NC_BYTE, 1, dims, &later));
    MUST(nc_def_var_chunking(nc, later, NC_CHUNKED, (size_t[]){64}));
    MUST(nc_enddef(nc));
    if (is_together) MUST(nc_var_par_access(nc, later, NC_COLLECTIVE));
    put_record(nc, t, RECORDS - 1);
    rows(start, count);
    for (size_t i = 0; i < count[0] * NX; i++) cells[i] = (double)(start[0] * NX + i);
    MUST(nc_put_vara_double(nc, plain, start, count, cells));
    for (size_t i = 0; i < count[0]; i++) {
        size_t at = start[0] + i;
        int number = (int)at * 3;
        MUST(nc_put_var1_int(group, area, &at, &number));
    }
    /* HDF5 writes none together with other ranks. */
    if (rank == 0 && with_strings) MUST(nc_put_var1_string(nc, names, &one, &text));
    if (rank == 0 || is_together) {
        signed char bytes[RECORDS] = {1, 2, 3};
        size_t from = 0, number = RECORDS;
        MUST(nc_put_vara_schar(nc, later, &from, &number, bytes));
    }
    MUST(nc_close(nc));
}

static void check_values(int nc, size_t records) {
    int t, plain;
    static double cells[NY * NX];

    MUST(nc_inq_varid(nc, "t", &t));
    MUST(nc_inq_varid(nc, "plain", &plain));
    MUST(nc_var_par_access(nc, t, NC_COLLECTIVE));
    check_records(nc, t, records);
    MUST(nc_get_var_double(nc, plain, cells));
    for (size_t i = 0; i < NY * NX; i++)
        if (cells[i] != (double)i) GIVES(3, 4);
}

static void read_and_append(const char *path) {
    int nc, t;

    MUST(nc_open_par(path, NC_NOWRITE | NC_MPIIO, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    check_values(nc, RECORDS);
    GIVES(NC_EINVAL, nc_var_par_access(nc, 0, 7));
    MUST(nc_close(nc));
    MUST(nc_open_par(path, NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    MUST(nc_inq_varid(nc, "t", &t));
    MUST(nc_var_par_access(nc, t, NC_COLLECTIVE));
    put_record(nc, t, RECORDS);
    MUST(nc_close(nc));
    MUST(nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    check_values(nc, RECORDS + 1);
    MUST(nc_close(nc));
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    with_strings = argc > 3;
    is_together = argc > 2 && strcmp(argv[2], "alone") != 0;
    if (is_together || rank == 0) write_file(argv[1]);
    if (is_together && strcmp(argv[2], "together") == 0) read_and_append(argv[1]);
    MPI_Finalize();
    return 0;
}
