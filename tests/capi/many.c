/* Many files at a time, or many objects in one: what they take.
 *
 * many files FOLDER COUNT MIB: writes COUNT files together, each with MIB of memory;
 * many variables FILE COUNT: defines COUNT variables of a dimension, puts each, closes;
 * many apart FILE COUNT: the same with a coordinate of its own for each, and in groups.
 */
#include <frazil.h>
#include <frazil_netcdf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MOST_FILES 64
#define RECORDS 5
#define COLUMNS (1 << 20)

static void check(int status, const char *what)
{
    if (status != 0) {
        fprintf(stderr, "%s: %d %s\n", what, status, frz_last_message());
        exit(1);
    }
}

static void nc_check(int status, const char *what)
{
    if (status != 0) {
        fprintf(stderr, "%s: %s\n", what, frz_nc_strerror(status));
        exit(1);
    }
}

/* A number of /proc/self/status. */
static long status_of(const char *form)
{
    char line[256];
    long number = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && number < 0 && fgets(line, sizeof line, status))
        sscanf(line, form, &number);
    if (status)
        fclose(status);
    return number;
}

static long threads(void)
{
    return status_of("Threads: %ld");
}

/* Not that of getrusage, which counts what the process was before it became this program. */
static long peak_kib(void)
{
    return status_of("VmHWM: %ld");
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void files(const char *folder, int count, uint64_t mib)
{
    static frz_writer *writers[MOST_FILES];
    int dimensions[2], variable = 0;
    long most_threads = 0;
    uint32_t state = 1;
    float *values = malloc(COLUMNS * sizeof *values);
    frz_options *options = frz_options_new();
    if (!values || !options || count > MOST_FILES)
        exit(2);
    check(frz_options_set_memory_bytes(options, mib << 20), "memory");
    check(frz_options_set_threads(options, 2), "threads");
    memset(values, 1, COLUMNS * sizeof *values);
    long before = peak_kib();
    for (int file = 0; file < count; file++) {
        char path[512];
        snprintf(path, sizeof path, "%s/many-%d.nc", folder, file);
        check(frz_create(path, options, &writers[file]), path);
        check(frz_add_unlimited_dimension(writers[file], 0, "t", 0, &dimensions[0]), "t");
        check(frz_add_dimension(writers[file], 0, "x", COLUMNS, &dimensions[1]), "x");
        check(frz_add_variable(writers[file], 0, "v", FRZ_FLOAT, 2, dimensions, &variable), "v");
    }
    for (uint64_t record = 0; record < RECORDS; record++)
        for (int file = 0; file < count; file++) {
            uint64_t start[2] = {record, 0}, shape[2] = {1, COLUMNS};
            for (int i = 0; i < COLUMNS; i++) {
                state = state * 1664525U + 1013904223U;
                values[i] = 1e-3F * (float)(state >> 12);
            }
            /* The number by which a reader tells the files apart. */
            values[0] = (float)(file * RECORDS + (int)record);
            check(frz_put(writers[file], variable, start, shape, NULL, FRZ_FLOAT, values), "put");
            if (threads() > most_threads)
                most_threads = threads();
        }
    for (int file = 0; file < count; file++)
        check(frz_close(writers[file], NULL), "close");
    printf("peak_kib %ld\nthreads %ld\n", peak_kib() - before, most_threads);
    frz_options_free(options);
    free(values);
}

static void variables(const char *path, int count, int apart)
{
    int file, dimension, variable, group = 0;
    char name[64];
    float values[4] = {1, 2, 3, 4};
    nc_check(frz_nc_create(path, NC_NETCDF4 | NC_CLOBBER, &file), path);
    nc_check(frz_nc_def_dim(file, "x", 4, &dimension), "x");
    group = file;
    for (int i = 0; i < count; i++) {
        if (apart && i % 64 == 0) {
            snprintf(name, sizeof name, "group%d", i);
            nc_check(frz_nc_def_grp(file, name, &group), name);
        }
        snprintf(name, sizeof name, "v%d", i);
        if (apart)
            nc_check(frz_nc_def_dim(group, name, 4, &dimension), name);
        nc_check(frz_nc_def_var(group, name, NC_FLOAT, 1, &dimension, &variable), name);
        if (!apart)
            nc_check(frz_nc_put_att_text(file, NC_GLOBAL, name, 4, "text"), name);
    }
    nc_check(frz_nc_enddef(file), "enddef");
    for (int i = 0; !apart && i < count; i++) {
        snprintf(name, sizeof name, "v%d", i);
        nc_check(frz_nc_inq_varid(file, name, &variable), name);
        nc_check(frz_nc_put_var_float(file, variable, values), name);
    }
    nc_check(frz_nc_close(file), "close");
    printf("cpu %.3f\n", cpu_seconds());
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "files") == 0)
        files(argv[2], atoi(argv[3]), strtoull(argv[4], NULL, 10));
    else if (argc == 4 && strcmp(argv[1], "variables") == 0)
        variables(argv[2], atoi(argv[3]), 0);
    else if (argc == 4 && strcmp(argv[1], "apart") == 0)
        variables(argv[2], atoi(argv[3]), 1);
    else
        return 2;
    return 0;
}
