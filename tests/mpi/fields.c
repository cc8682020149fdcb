/*
 * Writes one file for each line of a list, by netCDF's parallel calls:
 *
 *     fields LIST
 *     path decomposition shuffle quantize_mode digits [filter,parameter,...]
 *
 * All ranks put their parts of the same fields; test_mpi.py knows the values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAZIL_NETCDF_NAMES
#include <frazil_mpi.h>

enum { RECORDS = 4, NY = 30, NX = 44 };

static int rank, ranks;

static void check(int status, const char *what) {
    if (status == 0) return;
    fprintf(stderr, "rank %d: %s: %d %s (%s)\n", rank, what, status, nc_strerror(status),
            frz_last_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

#define CHECK(call) check(call, #call)

/* Who puts an element. */
static int owner(int decomposition, int record, int y, int x) {
    switch (decomposition) {
    case 0: return y * ranks / NY;
    case 1: return x * x * ranks / (NX * NX);
    case 2: return (y + x) % ranks;
    case 3: return (y / 7 * 3 + x / 10) % ranks;
    case 4: return ranks - 1;
    default: return record % ranks;
    }
}

static float value(int record, int y, int x) {
    if ((y + x) % 11 == 0) return -999.0f;
    return 0.25f * (float)((record * 7919 + y * 131 + x * 17) % 1000) + 1.0f / (float)(1 + x);
}

static void define_filter(int ncid, int varid, char *text) {
    unsigned int parameters[16];
    size_t count = 0;
    char *number = strtok(text, ",");
    unsigned int id = (unsigned int)strtoul(number, NULL, 10);

    while ((number = strtok(NULL, ",")) != NULL && count < 16)
        parameters[count++] = (unsigned int)strtoul(number, NULL, 10);
    if (id == 3)
        CHECK(nc_def_var_fletcher32(ncid, varid, NC_FLETCHER32));
    else
        CHECK(nc_def_var_filter(ncid, varid, id, count, parameters));
}

static void put_record(int ncid, const int *varids, int decomposition, int record) {
    float run[NX];

    for (int y = 0; y < NY; y++) {
        for (int x = 0; x < NX;) {
            int own = owner(decomposition, record, y, x), end = x;
            for (; end < NX && owner(decomposition, record, y, end) == own; end++)
                run[end - x] = value(record, y, end);
            if (own == rank) {
                size_t start[3] = {(size_t)record, (size_t)y, (size_t)x};
                size_t count[3] = {1, 1, (size_t)(end - x)};
                CHECK(nc_put_vara_float(ncid, varids[0], start, count, run));
                if (record == 0)
                    CHECK(nc_put_vara_float(ncid, varids[3], start + 1, count + 1, run));
            }
            x = end;
        }
    }
    if (record % ranks == rank) {
        size_t at = (size_t)record, one = 1;
        double time = 0.5 * record;
        char text[32];
        const char *texts = text;
        sprintf(text, "record %d", record);
        CHECK(nc_put_vara_double(ncid, varids[1], &at, &one, &time));
        CHECK(nc_put_vara_string(ncid, varids[2], &at, &one, &texts));
    }
}

static void write_file(char *line) {
    static const int order[RECORDS] = {2, 0, 3, 1};
    int ncid, dimids[3], varids[4], decomposition, shuffle, mode, digits, used = 0;
    size_t chunk[3] = {1, 8, 16};
    float fill = -999.0f;
    char path[1024], *filter;

    if (sscanf(line, "%1023s %d %d %d %d %n", path, &decomposition, &shuffle, &mode, &digits,
               &used) < 5)
        check(-36, line);
    CHECK(nc_create_par(path, NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    CHECK(nc_def_dim(ncid, "time", NC_UNLIMITED, &dimids[0]));
    CHECK(nc_def_dim(ncid, "y", NY, &dimids[1]));
    CHECK(nc_def_dim(ncid, "x", NX, &dimids[2]));
    CHECK(nc_def_var(ncid, "t", NC_FLOAT, 3, dimids, &varids[0]));
    CHECK(nc_def_var(ncid, "time", NC_DOUBLE, 1, dimids, &varids[1]));
    CHECK(nc_def_var(ncid, "names", NC_STRING, 1, dimids, &varids[2]));
    CHECK(nc_def_var(ncid, "area", NC_FLOAT, 2, dimids + 1, &varids[3]));
    CHECK(nc_def_var_chunking(ncid, varids[0], NC_CHUNKED, chunk));
    CHECK(nc_def_var_fill(ncid, varids[0], 0, &fill));
    CHECK(nc_put_att_text(ncid, varids[0], "units", 1, "K"));
    CHECK(nc_put_att_text(ncid, NC_GLOBAL, "title", 6, "fields"));
    if (shuffle) CHECK(nc_def_var_deflate(ncid, varids[0], 1, 0, 0));
    if (mode) CHECK(nc_def_var_quantize(ncid, varids[0], mode, digits));
    filter = strtok(line + used, " \n");
    if (filter != NULL) define_filter(ncid, varids[0], filter);
    CHECK(nc_enddef(ncid));
    CHECK(nc_var_par_access(ncid, varids[0], NC_INDEPENDENT));
    CHECK(nc_var_par_access(ncid, varids[0], NC_COLLECTIVE));
    for (int i = 0; i < RECORDS; i++) {
        put_record(ncid, varids, decomposition, order[i]);
        if (i == 1) CHECK(nc_sync(ncid));
    }
    CHECK(nc_close(ncid));
}

int main(int argc, char **argv) {
    int provided;
    char line[2048];
    FILE *list;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    list = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (list == NULL) check(-36, "fields LIST");
    while (fgets(line, sizeof line, list) != NULL) write_file(line);
    fclose(list);
    MPI_Finalize();
    return 0;
}
