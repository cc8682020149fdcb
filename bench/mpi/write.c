/* The ranks of a model write RECORDS records of FIELDS three-dimensional fields into one file.
 *
 *   write OUTPUT FIELDS_FILE FIELDS RECORDS LEVELS LATITUDES LONGITUDES AXIS CHUNKS FILTERS
 *         MEMORY_MIB
 *
 * FIELDS_FILE: raw floats of all records; each rank reads its part before the clock starts. AXIS:
 * 2 for bands of latitude, 3 for bands of longitude, one a rank. CHUNKS: `default`, `layer` (one
 * level of one field) or `decomposition` (what one rank has of one field). FILTERS: words of
 * `none deflate1 noshuffle gbr3 nbits14 nbits20 default` joined by `+`; nbits rounds as the GFS
 * model does, before the values are put and within the time that is measured.
 *
 * Prints one line: seconds in puts and from open to close on the rank that took longest, CPU
 * seconds of all ranks, and the most memory in KiB that a rank took beyond what it had before. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "output.h"

static int rank, ranks;

void give_up(const char *what)
{
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static double cpu_seconds(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

/* This rank's band of one axis; the first ranks have one more where it does not divide. */
static void take_part(job *wanted, int axis)
{
    const size_t length = wanted->shape[axis], parts = (size_t)ranks, own = (size_t)rank;
    const size_t least = length / parts, more = length % parts;
    memcpy(wanted->count, wanted->shape, sizeof wanted->count);
    wanted->start[axis] = own * least + (own < more ? own : more);
    wanted->count[axis] = least + (own < more ? 1 : 0);
}

static void take_chunks(job *wanted, int axis, const char *chunks)
{
    const size_t parts = (size_t)ranks;
    if (strcmp(chunks, "default") == 0) {
        return;
    }
    wanted->chunk[0] = 1;
    memcpy(wanted->chunk + 1, wanted->shape, sizeof wanted->shape);
    if (strcmp(chunks, "layer") == 0) {
        wanted->chunk[1] = 1;
    } else if (strcmp(chunks, "decomposition") == 0) {
        wanted->chunk[axis + 1] = (wanted->shape[axis] + parts - 1) / parts;
    } else {
        give_up("chunks are default, layer or decomposition");
    }
}

static size_t values_of(const size_t shape[3])
{
    return shape[0] * shape[1] * shape[2];
}

/* This rank's part of all fields of all records, one after the other. */
static float *read_fields(const char *path, const job *wanted)
{
    const int outer = (int)wanted->records * wanted->fields;
    const int sizes[4] = {outer, (int)wanted->shape[0], (int)wanted->shape[1],
                          (int)wanted->shape[2]};
    const int parts[4] = {outer, (int)wanted->count[0], (int)wanted->count[1],
                          (int)wanted->count[2]};
    const int starts[4] = {0, (int)wanted->start[0], (int)wanted->start[1],
                           (int)wanted->start[2]};
    const size_t values = (size_t)outer * values_of(wanted->count);
    float *fields = malloc(values * sizeof *fields);
    MPI_Datatype part;
    MPI_File file;
    MPI_Status status;
    int count = 0;

    MPI_Type_create_subarray(4, sizes, parts, starts, MPI_ORDER_C, MPI_FLOAT, &part);
    MPI_Type_commit(&part);
    if (fields == NULL || MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL,
                                        &file) != MPI_SUCCESS) {
        give_up("the fields cannot be opened");
    }
    MPI_File_set_view(file, 0, MPI_FLOAT, part, "native", MPI_INFO_NULL);
    if (MPI_File_read_all(file, fields, (int)values, MPI_FLOAT, &status) == MPI_SUCCESS) {
        MPI_Get_count(&status, MPI_FLOAT, &count);
    }
    if ((size_t)count != values) {
        give_up("the fields cannot be read");
    }
    MPI_File_close(&file);
    MPI_Type_free(&part);
    return fields;
}

/* As the GFS model: to a grid of 2^bits values over the range of the field, on all ranks. */
static void round_over_range(float *values, size_t count, int bits)
{
    float ends[2] = {-INFINITY, -INFINITY}, offset, scale;
    for (size_t i = 0; i < count; i++) {
        ends[0] = fmaxf(ends[0], -values[i]);
        ends[1] = fmaxf(ends[1], values[i]);
    }
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
    offset = -ends[0];
    scale = (ends[1] - offset) / (float)((1 << bits) - 1);
    if (scale <= 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = scale * roundf((values[i] - offset) / scale) + offset;
    }
}

static int bits_of(const char *filters)
{
    const char *word = strstr(filters, "nbits");
    return word == NULL ? 0 : atoi(word + 5);
}

static void parse(job *wanted, const char *filters)
{
    wanted->deflate = strstr(filters, "deflate1") != NULL;
    wanted->shuffle = wanted->deflate && strstr(filters, "noshuffle") == NULL;
    wanted->digits = strstr(filters, "gbr3") != NULL ? 3 : 0;
    wanted->is_default = strstr(filters, "default") != NULL;
}

static void write_all(const char *path, const job *wanted, float *fields, int bits)
{
    const size_t values = values_of(wanted->count);
    struct rusage before, after;
    double times[2], most[2], cpu, all_cpu;
    long memory, most_memory;

    MPI_Barrier(MPI_COMM_WORLD);
    getrusage(RUSAGE_SELF, &before);
    const double begin = MPI_Wtime();
    output_open(path, wanted);
    const double opened = MPI_Wtime();
    for (size_t record = 0; record < wanted->records; record++) {
        for (int field = 0; field < wanted->fields; field++) {
            float *own = fields + (record * (size_t)wanted->fields + (size_t)field) * values;
            if (bits > 0) {
                round_over_range(own, values, bits);
            }
            output_put(wanted, field, record, own);
        }
    }
    const double put = MPI_Wtime();
    output_close();
    /* Before ranks wait for each other: MPI waits with a busy core. */
    getrusage(RUSAGE_SELF, &after);
    times[0] = put - opened;
    times[1] = MPI_Wtime() - begin;
    cpu = cpu_seconds(&after) - cpu_seconds(&before);
    memory = after.ru_maxrss - before.ru_maxrss;
    MPI_Reduce(times, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&cpu, &all_cpu, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&memory, &most_memory, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("put %.6f wall %.6f cpu %.6f memory_kib %ld\n", most[0], most[1], all_cpu,
               most_memory);
    }
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 12) {
        give_up("eleven arguments: see write.c");
    }
    job wanted = {.fields = atoi(argv[3]), .records = strtoul(argv[4], NULL, 10)};
    for (int axis = 0; axis < 3; axis++) {
        wanted.shape[axis] = strtoul(argv[5 + axis], NULL, 10);
    }
    const int axis = atoi(argv[8]) - 1;
    if (wanted.fields > MOST_FIELDS || axis < 0 || axis > 2 ||
        wanted.shape[axis] < (size_t)ranks) {
        give_up("too many fields, or no such axis, or an axis shorter than there are ranks");
    }
    take_part(&wanted, axis);
    take_chunks(&wanted, axis, argv[9]);
    parse(&wanted, argv[10]);
    wanted.memory_mib = strtoul(argv[11], NULL, 10);
    float *fields = read_fields(argv[2], &wanted);
    write_all(argv[1], &wanted, fields, bits_of(argv[10]));
    free(fields);
    MPI_Finalize();
    return 0;
}
