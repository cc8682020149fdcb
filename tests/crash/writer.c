/*
 * The program that is killed: writes records by a fixed script, whose outcome model.py knows.
 *
 *   writer FILE name=number...
 *
 * It prints "synced N" once N records are committed and "closed N" at the end. After the first
 * error it goes on to the end as a careless program would, and prints "error CALL STATUS" for each
 * call that failed and "because FILE|CAUSE" after the first.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frazil.h"
#include "orders.h"

enum { X = 48, Y = 6, HALF = Y / 2, EXTRA_FROM = 2 };
/* Draws of the script, by what they are for; model.py has the same. */
enum { FIELD = 1, ROWS, LATE, EXTRA, HEAD, RECORD, FIRST, COUNT, AGAIN };

static struct order orders[] = {
    {"records", 10},
    {"first", 0},    /* the first record to be written; more than 0: the file is continued */
    {"every", 1},    /* records between syncs */
    {"rewrites", 1}, /* 1: parts of earlier records are written again, and a fixed variable */
    {"strings", 0},  /* 1: a variable of strings, too */
    {"own_chunks", 0}, /* 1: chunks of four records and a third of a row */
    {"threads", 2},
    {"synchronous", 0},
    {"durable", 0},
    {"memory", 64 << 20},
    {"pause", 0}, /* microseconds after each sync */
    /* Not 0: no syncs, the writer commits by itself after so many bytes; every record is written
     * whole before the next. */
    {"own_commits", 0},
    {NULL, 0},
};

static uint64_t order(const char *name) {
    return *order_in(orders, name, strlen(name));
}

static uint32_t draw(uint32_t what, uint32_t record, uint32_t i) {
    uint32_t x = what * 2654435761u + record * 2246822519u + i * 3266489917u;
    x = (x ^ x >> 15) * 2246822519u;
    return x ^ x >> 13;
}

static int failures;

static int did(const char *call, frz_status status) {
    if (status == FRZ_OK)
        return 1;
    printf("error %s %d\n", call, (int)status);
    if (!failures++)
        printf("because %s|%s\n", frz_last_file(), frz_last_cause());
    fflush(stdout);
    return 0;
}

static struct {
    int time, x, y;
    int times, field, rows, late, extra, head, step, label;
} id;

static void lay_out(frz_writer *w, int variable, int rank) {
    const uint64_t shape[] = {4, rank == 3 ? HALF + 1 : X / 3, X / 3};
    if (order("own_chunks"))
        did("set", frz_set_chunk_shape(w, variable, shape));
}

static void define(frz_writer *w) {
    did("define", frz_add_unlimited_dimension(w, FRZ_ROOT, "time", 0, &id.time));
    did("define", frz_add_dimension(w, FRZ_ROOT, "x", X, &id.x));
    did("define", frz_add_dimension(w, FRZ_ROOT, "y", Y, &id.y));
    const int all[] = {id.time, id.y, id.x}, plane[] = {id.time, id.x};
    did("define", frz_add_variable(w, FRZ_ROOT, "time", FRZ_DOUBLE, 1, all, &id.times));
    did("define", frz_add_variable(w, FRZ_ROOT, "field", FRZ_FLOAT, 3, all, &id.field));
    did("define", frz_add_variable(w, FRZ_ROOT, "rows", FRZ_INT32, 2, plane, &id.rows));
    did("define", frz_add_variable(w, FRZ_ROOT, "late", FRZ_INT16, 2, plane, &id.late));
    did("define", frz_add_variable(w, FRZ_ROOT, "head", FRZ_INT32, 1, &id.x, &id.head));
    did("define", frz_add_variable(w, FRZ_ROOT, "step", FRZ_INT32, 0, NULL, &id.step));
    if (order("strings"))
        did("define", frz_add_variable(w, FRZ_ROOT, "label", FRZ_STRING, 1, all, &id.label));
    lay_out(w, id.times, 1);
    lay_out(w, id.field, 3);
    lay_out(w, id.rows, 2);
    lay_out(w, id.late, 2);
}

static void find(frz_writer *w) {
    did("find", frz_find_dimension(w, FRZ_ROOT, "time", &id.time));
    did("find", frz_find_dimension(w, FRZ_ROOT, "x", &id.x));
    did("find", frz_find_variable(w, FRZ_ROOT, "time", &id.times));
    did("find", frz_find_variable(w, FRZ_ROOT, "field", &id.field));
    did("find", frz_find_variable(w, FRZ_ROOT, "rows", &id.rows));
    did("find", frz_find_variable(w, FRZ_ROOT, "late", &id.late));
    did("find", frz_find_variable(w, FRZ_ROOT, "head", &id.head));
    did("find", frz_find_variable(w, FRZ_ROOT, "step", &id.step));
    if (order("strings"))
        did("find", frz_find_variable(w, FRZ_ROOT, "label", &id.label));
    if (order("first") > EXTRA_FROM)
        did("find", frz_find_variable(w, FRZ_ROOT, "extra", &id.extra));
}

/* Half of the rows of a record of `field`. */
static void put_half(frz_writer *w, uint32_t record, uint32_t from) {
    float values[HALF * X];
    for (uint32_t i = 0; i < HALF * X; i++)
        values[i] = (float)(draw(FIELD, record, from * X + i) >> 8) * 0x1p-24f;
    const uint64_t start[] = {record, from, 0}, count[] = {1, HALF, X};
    did("put", frz_put(w, id.field, start, count, NULL, FRZ_FLOAT, values));
}

static void put_row(frz_writer *w, int variable, uint32_t what, uint32_t record) {
    int32_t values[X];
    int16_t narrow[X];
    for (uint32_t i = 0; i < X; i++) {
        narrow[i] = (int16_t)(draw(what, record, i) % 1000);
        values[i] = narrow[i];
    }
    const uint64_t start[] = {record, 0}, count[] = {1, X};
    int is_narrow = what == LATE;
    did("put", frz_put(w, variable, start, count, NULL, is_narrow ? FRZ_INT16 : FRZ_INT32,
                       is_narrow ? (void *)narrow : values));
}

/* Writes a part of an earlier record again, and the whole of a variable without records. */
static void rewrite(frz_writer *w, uint32_t record) {
    int32_t values[X];
    for (uint32_t i = 0; i < X; i++)
        values[i] = (int32_t)draw(HEAD, record, i);
    did("put", frz_put(w, id.head, NULL, NULL, NULL, FRZ_INT32, values));
    if (!record)
        return;
    uint32_t first = draw(FIRST, record, 0) % X;
    const uint64_t start[] = {draw(RECORD, record, 0) % record, first};
    const uint64_t count[] = {1, 1 + draw(COUNT, record, 0) % (X - first)};
    for (uint32_t i = 0; i < count[1]; i++)
        values[i] = (int32_t)draw(AGAIN, record, i);
    did("put", frz_put(w, id.rows, start, count, NULL, FRZ_INT32, values));
}

static void put_attributes(frz_writer *w, uint32_t record) {
    char history[64] = {0};
    int32_t records = (int32_t)record + 1;
    memset(history, 'h', 1 + record % 40);
    did("attribute", frz_put_group_attribute(w, FRZ_ROOT, "records", FRZ_INT32, 1, &records));
    did("attribute", frz_put_group_attribute_text(w, FRZ_ROOT, "history", history));
}

static void put_record(frz_writer *w, uint32_t record) {
    const uint64_t at[] = {record};
    did("put", frz_put1_double(w, id.times, at, 0.25 * record));
    put_half(w, record, 0);
    if (order("own_commits"))
        put_half(w, record, HALF);
    else if (record)
        put_half(w, record - 1, HALF);
    put_row(w, id.rows, ROWS, record);
    /* Records 1, 0, 3, 2... */
    put_row(w, id.late, LATE, order("own_commits") ? record : record ^ 1);
    if (record == EXTRA_FROM) {
        const int plane[] = {id.time, id.x};
        did("define", frz_add_variable(w, FRZ_ROOT, "extra", FRZ_INT32, 2, plane, &id.extra));
        did("attribute", frz_put_attribute_text(w, id.extra, "units", "m"));
        lay_out(w, id.extra, 2);
    }
    if (record >= EXTRA_FROM)
        put_row(w, id.extra, EXTRA, record);
    if (order("rewrites"))
        rewrite(w, record);
    if (order("strings")) {
        char text[32];
        const uint64_t one[] = {1};
        const char *const texts[] = {text};
        snprintf(text, sizeof text, "record %" PRIu32, record);
        did("put", frz_put(w, id.label, at, one, NULL, FRZ_STRING, texts));
    }
    did("put", frz_put1_int32(w, id.step, NULL, (int32_t)record + 1));
    put_attributes(w, record);
}

int main(int count, char **arguments) {
    if (count < 2 || !read_orders(orders, count - 2, arguments + 2)) {
        fprintf(stderr, "usage: writer FILE name=number...\n");
        return 2;
    }
    frz_options *options = frz_options_new();
    frz_options_set_threads(options, (int)order("threads"));
    frz_options_set_synchronous(options, (int)order("synchronous"));
    frz_options_set_durable(options, (int)order("durable"));
    frz_options_set_memory_bytes(options, order("memory"));
    if (order("own_commits"))
        frz_options_set_commit_bytes(options, order("own_commits"));
    frz_writer *w;
    uint32_t first = (uint32_t)order("first"), end = first + (uint32_t)order("records");
    frz_status status = first ? frz_append(arguments[1], options, &w)
                              : frz_create(arguments[1], options, &w);
    frz_options_free(options);
    if (!did("open", status))
        return 1;
    first ? find(w) : define(w);
    for (uint32_t record = first; record < end; record++) {
        put_record(w, record);
        if (order("own_commits") || (record + 1) % order("every"))
            continue;
        if (did("sync", frz_sync(w)))
            printf("synced %" PRIu32 "\n", record + 1);
        fflush(stdout);
        if (order("pause"))
            usleep((useconds_t)order("pause"));
    }
    if (did("close", frz_close(w, NULL)))
        printf("closed %" PRIu32 "\n", end);
    return failures != 0;
}
