/* Reads regions of a float32 variable with libhdf5 itself; as bench/peer_read.py does.
 *
 *   hdf5_read FILE VARIABLE THREADS REGION...
 *
 * A region is "start end" along each of three axes, in one word. Prints a JSON object. */
#define _POSIX_C_SOURCE 200809L
#include <hdf5.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

enum { RANK = 3 };

static void fail(const char *what) {
    fprintf(stderr, "hdf5_read: %s\n", what);
    exit(1);
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Memory of this process by the system's name for it: VmRSS now, VmHWM at its peak. */
static long memory_kib(const char *name) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long found = 0;
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, name, strlen(name))) found = atol(line + strlen(name) + 1);
    if (status) fclose(status);
    return found;
}

struct region {
    const char *text;
    hsize_t start[RANK], count[RANK];
    size_t bytes;
    float *values;
};

static void parse(const char *text, struct region *region) {
    unsigned long long n[2 * RANK];
    if (sscanf(text, "%llu %llu %llu %llu %llu %llu", n, n + 1, n + 2, n + 3, n + 4, n + 5) != 6)
        fail("a region has six numbers");
    region->text = text;
    region->bytes = sizeof(float);
    for (int axis = 0; axis < RANK; axis++) {
        region->start[axis] = n[2 * axis];
        region->count[axis] = n[2 * axis + 1] - n[2 * axis];
        region->bytes *= region->count[axis];
    }
}

static void read_region(hid_t variable, struct region *region) {
    region->values = malloc(region->bytes);
    hid_t memory = H5Screate_simple(RANK, region->count, NULL);
    hid_t file = H5Dget_space(variable);
    if (!region->values ||
        H5Sselect_hyperslab(file, H5S_SELECT_SET, region->start, NULL, region->count, NULL) < 0 ||
        H5Dread(variable, H5T_NATIVE_FLOAT, memory, file, H5P_DEFAULT, region->values) < 0)
        fail("reading fails");
    H5Sclose(memory);
    H5Sclose(file);
}

int main(int count, char **words) {
    if (count < 5) fail("usage: hdf5_read FILE VARIABLE THREADS REGION...");
    int threads = atoi(words[3]), regions_count = count - 4;
    struct region *regions = calloc((size_t)regions_count, sizeof *regions);
    if (!regions) fail("no memory");
    for (int i = 0; i < regions_count; i++) parse(words[4 + i], &regions[i]);
    hbool_t is_safe = 0;
    H5open();
    H5is_library_threadsafe(&is_safe);
    if (threads > 1 && !is_safe) fail("this libhdf5 is not thread-safe");
#pragma omp parallel num_threads(threads)
    { /* Threads have started before the clock does. */
    }
    long before = memory_kib("VmRSS");
    double began = seconds(CLOCK_MONOTONIC);
    hid_t file = H5Fopen(words[1], H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t variable = file < 0 ? -1 : H5Dopen2(file, words[2], H5P_DEFAULT);
    if (variable < 0) fail("the variable cannot be opened");
    double opened = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int i = 0; i < regions_count; i++) read_region(variable, &regions[i]);
    double done = seconds(CLOCK_MONOTONIC);
    printf("{\"open_s\": %.9f, \"read_s\": %.9f, \"cpu_s\": %.9f, \"memory_kib\": %ld, \"crcs\": {",
           opened - began, done - opened, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu,
           memory_kib("VmHWM") - before);
    for (int i = 0; i < regions_count; i++)
        printf("%s\"%s\": %lu", i ? ", " : "", regions[i].text,
               crc32(0, (const Bytef *)regions[i].values, (uInt)regions[i].bytes));
    printf("}}\n");
    H5Dclose(variable);
    H5Fclose(file);
    return 0;
}
