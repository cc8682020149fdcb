/* frazil, each rank with one packing thread. */
#include <frazil_mpi.h>

#include <stdio.h>

#include "output.h"

static frz_writer *writer;
static int variables[MOST_FIELDS];

static void check(frz_status status)
{
    if (status != FRZ_OK) {
        give_up(frz_last_message());
    }
}

static void set_filters(int variable, const job *wanted)
{
    if (wanted->digits > 0) {
        check(frz_set_significant_digits(writer, variable, wanted->digits));
        check(frz_set_quantize(writer, variable, FRZ_GRANULAR_BITROUND));
    }
    if (wanted->deflate > 0) {
        check(frz_set_deflate(writer, variable, wanted->deflate, wanted->shuffle));
    } else {
        check(frz_set_uncompressed(writer, variable));
    }
}

void output_open(const char *path, const job *wanted)
{
    static const char *const names[3] = {"level", "latitude", "longitude"};
    int dimensions[4];
    frz_options *options = frz_options_new();
    check(frz_options_set_threads(options, 1));
    check(frz_options_set_memory_bytes(options, (uint64_t)wanted->memory_mib << 20));
    check(frz_options_set_overwrite(options, 1));
    check(frz_mpi_create(path, MPI_COMM_WORLD, options, &writer));
    frz_options_free(options);
    check(frz_add_unlimited_dimension(writer, FRZ_ROOT, "time", wanted->records, &dimensions[0]));
    for (int axis = 0; axis < 3; axis++) {
        check(frz_add_dimension(writer, FRZ_ROOT, names[axis], wanted->shape[axis],
                                &dimensions[axis + 1]));
    }
    for (int i = 0; i < wanted->fields; i++) {
        char name[16];
        snprintf(name, sizeof name, "field%d", i);
        check(frz_add_variable(writer, FRZ_ROOT, name, FRZ_FLOAT, 4, dimensions, &variables[i]));
        if (wanted->chunk[0] > 0) {
            const uint64_t chunk[4] = {wanted->chunk[0], wanted->chunk[1], wanted->chunk[2],
                                       wanted->chunk[3]};
            check(frz_set_chunk_shape(writer, variables[i], chunk));
        }
        if (!wanted->is_default) {
            set_filters(variables[i], wanted);
        }
    }
}

void output_put(const job *wanted, int field, size_t record, const float *values)
{
    const uint64_t start[4] = {record, wanted->start[0], wanted->start[1], wanted->start[2]};
    const uint64_t count[4] = {1, wanted->count[0], wanted->count[1], wanted->count[2]};
    check(frz_put(writer, variables[field], start, count, NULL, FRZ_FLOAT, values));
}

void output_close(void)
{
    check(frz_close(writer, NULL));
}
