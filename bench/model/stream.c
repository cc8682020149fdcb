/* A model in small: computes, then writes FIELDS three-dimensional fields; RECORDS times.
 *
 *   stream OUTPUT FIELDS_FILE LEVELS LATITUDES LONGITUDES RECORDS WORK CORES FILTERS PACKING_THREADS
 *          MEMORY_MIB
 *
 * FIELDS_FILE: raw floats of all records, read before the clock starts. WORK: units of computation
 * for each record on each of CORES cores; a unit takes the same time on every run. FILTERS: words
 * of `none deflate1 gbr3 zstd default any_core` joined by `+`.
 *
 * Prints one line: seconds computed, in put calls, in open and close, all of them; peak memory in
 * KiB beyond what the program had before the first call. */
#define _POSIX_C_SOURCE 200809L
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "output.h"

/* Values of one core's work: they stay in its first cache. */
#define BODY 1024
#define SWEEPS_PER_UNIT 50

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* One unit: a relaxation that no compiler can leave out. */
static void relax(double *body)
{
    for (int sweep = 0; sweep < SWEEPS_PER_UNIT; sweep++) {
        for (int i = 1; i < BODY - 1; i++) {
            body[i] = 0.999 * body[i] + 0.0005 * (body[i - 1] + body[i + 1]);
        }
    }
}

/* The same work on each core, as a time step's loops share a domain. */
static double compute(long units, int cores)
{
    double total = 0;
#pragma omp parallel num_threads(cores) reduction(+ : total)
    {
        double body[BODY];
        for (int i = 0; i < BODY; i++) {
            body[i] = i % 7;
        }
        /* Time steps end with a barrier, as a model's do. */
        for (long unit = 0; unit < units; unit++) {
            relax(body);
            if (unit % 16 == 15) {
#pragma omp barrier
            }
        }
        total += body[BODY / 2];
    }
    return total;
}

static float *read_fields(const char *path, size_t values)
{
    FILE *file = fopen(path, "rb");
    float *fields = malloc(values * sizeof *fields);
    if (file == NULL || fields == NULL || fread(fields, sizeof *fields, values, file) != values) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    return fields;
}

static settings parse(const char *filters, int threads, size_t memory_mib)
{
    settings wanted = {.threads = threads, .memory_mib = memory_mib};
    wanted.zstd = strstr(filters, "zstd") != NULL;
    wanted.deflate = strstr(filters, "deflate1") != NULL;
    wanted.shuffle = wanted.zstd || wanted.deflate;
    wanted.digits = strstr(filters, "gbr3") != NULL ? 3 : 0;
    wanted.is_default = strstr(filters, "default") != NULL;
    wanted.any_core = strstr(filters, "any_core") != NULL;
    return wanted;
}

int main(int argc, char **argv)
{
    if (argc != 12) {
        fprintf(stderr, "eleven arguments: see stream.c\n");
        return 2;
    }
    const size_t shape[3] = {strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10),
                             strtoul(argv[5], NULL, 10)};
    const size_t records = strtoul(argv[6], NULL, 10);
    const long work = strtol(argv[7], NULL, 10);
    const int cores = atoi(argv[8]);
    const settings wanted = parse(argv[9], atoi(argv[10]), strtoul(argv[11], NULL, 10));
    const size_t values = shape[0] * shape[1] * shape[2];
    const float *fields = read_fields(argv[2], records * FIELDS * values);

    double computing = 0, putting = 0;
    double sum = compute(1, cores);
    const long before_kib = peak_kib();
    const double begin = now();
    output_open(argv[1], shape, &wanted);
    double ends = now() - begin;
    for (size_t record = 0; record < records; record++) {
        const double start = now();
        sum += compute(work, cores);
        const double computed = now();
        for (int field = 0; field < FIELDS; field++) {
            output_put(field, record, fields + (record * FIELDS + (size_t)field) * values);
        }
        computing += computed - start;
        putting += now() - computed;
    }
    const double close = now();
    output_close();
    const double end = now();
    ends += end - close;
    printf("computed %.6f put %.6f ends %.6f wall %.6f memory_kib %ld sum %g\n", computing, putting,
           ends, end - begin, peak_kib() - before_kib, sum);
    return 0;
}
