/* frazil's own calls. */
#include <frazil.h>
#include <stdio.h>
#include <stdlib.h>

#include "output.h"

static frz_writer *writer;
static int variables[FIELDS];
static uint64_t counts[4];

static void check(frz_status status)
{
    if (status != FRZ_OK) {
        fprintf(stderr, "%s\n", frz_last_message());
        exit(1);
    }
}

static void set_filters(int variable, const settings *wanted)
{
    if (wanted->digits > 0) {
        check(frz_set_significant_digits(writer, variable, wanted->digits));
    }
    if (wanted->zstd) {
        check(frz_set_zstd(writer, variable, 1, wanted->shuffle));
    } else if (wanted->deflate > 0) {
        check(frz_set_deflate(writer, variable, wanted->deflate, wanted->shuffle));
    } else {
        check(frz_set_uncompressed(writer, variable));
    }
}

void output_open(const char *path, const size_t shape[3], const settings *wanted)
{
    static const char *const names[3] = {"level", "latitude", "longitude"};
    int dimensions[4];
    frz_options *options = frz_options_new();
    check(frz_options_set_threads(options, wanted->threads));
    check(frz_options_set_memory_bytes(options, (uint64_t)wanted->memory_mib << 20));
    check(frz_options_set_cores(options, wanted->any_core ? FRZ_CORES_ANY : FRZ_CORES_SPARE));
    check(frz_options_set_overwrite(options, 1));
    check(frz_create(path, options, &writer));
    frz_options_free(options);
    check(frz_add_unlimited_dimension(writer, FRZ_ROOT, "time", 0, &dimensions[0]));
    for (int axis = 0; axis < 3; axis++) {
        check(frz_add_dimension(writer, FRZ_ROOT, names[axis], shape[axis], &dimensions[axis + 1]));
        counts[axis + 1] = shape[axis];
    }
    counts[0] = 1;
    for (int i = 0; i < FIELDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "field%d", i);
        check(frz_add_variable(writer, FRZ_ROOT, name, FRZ_FLOAT, 4, dimensions, &variables[i]));
        if (!wanted->is_default) {
            set_filters(variables[i], wanted);
        }
    }
}

void output_put(int field, size_t record, const float *values)
{
    const uint64_t start[4] = {record, 0, 0, 0};
    check(frz_put(writer, variables[field], start, counts, NULL, FRZ_FLOAT, values));
}

void output_close(void)
{
    frz_report report = {.size_bytes = sizeof report};
    check(frz_close(writer, &report));
    fprintf(stderr, "stalled %.3f s, hidden %.3f s, ratio %.3f, spilled %llu bytes\n",
            report.stalled_seconds, report.hidden_seconds, report.ratio,
            (unsigned long long)report.spilled_bytes);
}
