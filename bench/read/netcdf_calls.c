/* Reads a file through netCDF's calls and prints seconds: open and close with all inquiries, all values. */
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

static void attributes(int nc, int varid, int count) {
    char name[NC_MAX_NAME + 1];
    for (int number = 0; number < count; number++) {
        nc_type type;
        size_t length;
        must(nc_inq_attname(nc, varid, number, name));
        must(nc_inq_att(nc, varid, name, &type, &length));
        if (type != NC_CHAR) continue;
        char *text = malloc(length + 1);
        must(nc_get_att_text(nc, varid, name, text));
        free(text);
    }
}

static void inventory(int nc) {
    int dimensions, variables, count, unlimited;
    must(nc_inq(nc, &dimensions, &variables, &count, &unlimited));
    attributes(nc, NC_GLOBAL, count);
    for (int dimid = 0; dimid < dimensions; dimid++) {
        char name[NC_MAX_NAME + 1];
        size_t length;
        must(nc_inq_dim(nc, dimid, name, &length));
    }
    for (int varid = 0; varid < variables; varid++) {
        char name[NC_MAX_NAME + 1];
        int rank, dimids[NC_MAX_VAR_DIMS], storage;
        nc_type type;
        size_t chunks[NC_MAX_VAR_DIMS];
        must(nc_inq_var(nc, varid, name, &type, &rank, dimids, &count));
        must(nc_inq_var_chunking(nc, varid, &storage, chunks));
        attributes(nc, varid, count);
    }
}

/* All values of a variable, one record after the other. */
static void values(int nc, int varid) {
    int rank, dimids[NC_MAX_VAR_DIMS];
    size_t start[NC_MAX_VAR_DIMS] = {0}, count[NC_MAX_VAR_DIMS], records, elements = 1;
    must(nc_inq_varndims(nc, varid, &rank));
    must(nc_inq_vardimid(nc, varid, dimids));
    for (int axis = 0; axis < rank; axis++) {
        must(nc_inq_dimlen(nc, dimids[axis], count + axis));
        if (axis) elements *= count[axis];
    }
    records = rank ? count[0] : 1;
    count[0] = 1;
    float *record = malloc(elements * sizeof *record);
    for (start[0] = 0; start[0] < records; start[0]++) {
        must(nc_get_vara_float(nc, varid, start, count, record));
    }
    free(record);
}

int main(int argc, char **argv) {
    int nc, varid;
    double begin = now();
    must(nc_open(argv[1], NC_NOWRITE, &nc));
    inventory(nc);
    printf("%.6f", now() - begin);
    begin = now();
    if (argc > 2) {
        must(nc_inq_varid(nc, argv[2], &varid));
        values(nc, varid);
    }
    printf(" %.6f\n", now() - begin);
    must(nc_close(nc));
    return 0;
}
