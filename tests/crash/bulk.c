/*
 * Writes much: what a model writes, synced per record or not, or strips across all chunks.
 *
 *   bulk FILE name=number...
 *
 * Prints what frz_close reports, and the most memory that the process ever took.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "frazil.h"
#include "orders.h"

static struct order orders[] = {
    {"records", 30},
    {"levels", 10},
    {"rows", 96},
    {"columns", 192},
    {"fields", 4},  /* of each kind */
    {"every", 0},   /* records between syncs; 0: none */
    {"strips", 0},  /* not 0: one field, all records at a time, so many columns after the other */
    {"passes", 1},  /* over the strips */
    {"memory", 256 << 20},
    {NULL, 0},
};

static uint64_t order(const char *name) {
    return *order_in(orders, name, strlen(name));
}

static void must(frz_status status) {
    if (status == FRZ_OK)
        return;
    fprintf(stderr, "%s\n", frz_last_message());
    exit(1);
}

static uint32_t noise(uint32_t field, uint32_t record, uint32_t i) {
    uint32_t x = field * 2654435761u + record * 2246822519u + i * 3266489917u;
    x = (x ^ x >> 15) * 2246822519u;
    return x ^ x >> 13;
}

/* Fields with an even number are smooth, the others have noise in their last digits. */
static float value(uint32_t field, uint32_t record, uint32_t i, uint32_t columns) {
    double x = i % columns, y = (double)i / columns, t = record + 10.0 * field;
    double smooth = 20.0 * sin(x * 0.0531 + t * 0.117) * cos(y * 0.0317 + t * 0.0713) +
                    5.0 * sin(x * 0.171 - y * 0.137 + t * 0.311) + cos(x * 0.41 + y * 0.37 - t);
    if (field % 2 == 0)
        return (float)(280.0 + smooth);
    return (float)(smooth + (noise(field, record, i) >> 8) * 0x1p-24);
}

static void write_model(frz_writer *w) {
    const uint32_t levels = (uint32_t)order("levels"), columns = (uint32_t)order("columns");
    const uint32_t plane = (uint32_t)order("rows") * columns, fields = (uint32_t)order("fields");
    float *values = malloc((size_t)levels * plane * sizeof *values);
    int d[4], flat[3], variables[2][64], scalars[3];
    must(frz_add_unlimited_dimension(w, FRZ_ROOT, "time", 0, &d[0]));
    must(frz_add_dimension(w, FRZ_ROOT, "z", levels, &d[1]));
    must(frz_add_dimension(w, FRZ_ROOT, "y", order("rows"), &d[2]));
    must(frz_add_dimension(w, FRZ_ROOT, "x", columns, &d[3]));
    flat[0] = d[0], flat[1] = d[2], flat[2] = d[3];
    must(frz_add_variable(w, FRZ_ROOT, "time", FRZ_DOUBLE, 1, d, &scalars[0]));
    must(frz_add_variable(w, FRZ_ROOT, "step", FRZ_INT32, 1, d, &scalars[1]));
    must(frz_add_variable(w, FRZ_ROOT, "energy", FRZ_FLOAT, 1, d, &scalars[2]));
    for (uint32_t f = 0; f < fields; f++) {
        char name[16];
        snprintf(name, sizeof name, "deep%" PRIu32, f);
        must(frz_add_variable(w, FRZ_ROOT, name, FRZ_FLOAT, 4, d, &variables[0][f]));
        snprintf(name, sizeof name, "flat%" PRIu32, f);
        must(frz_add_variable(w, FRZ_ROOT, name, FRZ_FLOAT, 3, flat, &variables[1][f]));
    }
    for (uint32_t record = 0; record < order("records"); record++) {
        const uint64_t at[] = {record, 0, 0, 0};
        must(frz_put1_double(w, scalars[0], at, record * 3600.0));
        must(frz_put1_int32(w, scalars[1], at, (int32_t)record));
        must(frz_put1_float(w, scalars[2], at, value(1, record, 0, columns)));
        for (uint32_t f = 0; f < fields; f++) {
            for (uint32_t i = 0; i < levels * plane; i++)
                values[i] = value(f, record, i, columns);
            const uint64_t deep[] = {1, levels, order("rows"), columns};
            const uint64_t thin[] = {1, order("rows"), columns};
            must(frz_put(w, variables[0][f], at, deep, NULL, FRZ_FLOAT, values));
            must(frz_put(w, variables[1][f], at, thin, NULL, FRZ_FLOAT, values));
        }
        if (order("every") && (record + 1) % order("every") == 0)
            must(frz_sync(w));
    }
    free(values);
}

/* In two passes, every second strip comes first, then those between: no chunk is complete before
 * half of all is put. */
static void write_strips(frz_writer *w) {
    const uint32_t records = (uint32_t)order("records"), columns = (uint32_t)order("columns");
    const uint32_t width = (uint32_t)order("strips");
    float *values = malloc((size_t)records * width * sizeof *values);
    int d[2], strips;
    must(frz_add_dimension(w, FRZ_ROOT, "record", records, &d[0]));
    must(frz_add_dimension(w, FRZ_ROOT, "x", columns, &d[1]));
    must(frz_add_variable(w, FRZ_ROOT, "strips", FRZ_FLOAT, 2, d, &strips));
    const uint32_t passes = (uint32_t)order("passes");
    for (uint32_t pass = 0, x = 0; pass < passes; x += passes * width) {
        if (x >= columns) {
            x = ++pass * width - passes * width;
            continue;
        }
        const uint32_t now = columns - x < width ? columns - x : width;
        for (uint32_t i = 0; i < records * now; i++)
            values[i] = (float)(x + i % now) * 0.5f + (float)(i / now) * 1000.0f;
        const uint64_t start[] = {0, x}, count[] = {records, now};
        must(frz_put(w, strips, start, count, NULL, FRZ_FLOAT, values));
    }
    free(values);
}

/* In bytes. (What wait4 reports may be what the parent took.) */
static uint64_t peak_memory(void) {
    char line[256];
    uint64_t kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %" SCNu64, &kib) == 1)
            break;
    if (status)
        fclose(status);
    return kib * 1024;
}

int main(int count, char **arguments) {
    if (count < 2 || !read_orders(orders, count - 2, arguments + 2)) {
        fprintf(stderr, "usage: bulk FILE name=number...\n");
        return 2;
    }
    frz_options *options = frz_options_new();
    must(frz_options_set_threads(options, 2));
    must(frz_options_set_memory_bytes(options, order("memory")));
    frz_writer *w;
    must(frz_create(arguments[1], options, &w));
    frz_options_free(options);
    order("strips") ? write_strips(w) : write_model(w);
    frz_report report = {.size_bytes = sizeof report};
    must(frz_close(w, &report));
    printf("raw %" PRIu64 "\nstored %" PRIu64 "\nspilled %" PRIu64 "\nchunks %" PRIu64 "\n",
           report.raw_bytes, report.stored_bytes, report.spilled_bytes, report.chunks);
    printf("peak %" PRIu64 "\n", peak_memory());
    return 0;
}
