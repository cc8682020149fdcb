/*
 * round_trip FILE: every type, groups, strides, strings, fill values, attributes and settings;
 * reads back what it put, before and after a sync.
 */
#define _POSIX_C_SOURCE 200112L
#include "check.h"

static void every_type(frz_writer *writer, int group)
{
    static const char *names[] = {"int8", "char", "int16", "int32", "float", "double",
                                  "uint8", "uint16", "uint32", "int64", "uint64"};
    uint64_t at[1];
    int i, dim, id[12];

    MUST(frz_add_dimension(writer, group, "pair", 2, &dim));
    for (i = 1; i <= 11; i++)
        MUST(frz_add_variable(writer, group, names[i - 1], i, 1, &dim, &id[i]));
    at[0] = 1;
    MUST(frz_put1_int8(writer, id[FRZ_INT8], at, -5));
    MUST(frz_put1_char(writer, id[FRZ_CHAR], at, 'q'));
    MUST(frz_put1_int16(writer, id[FRZ_INT16], at, -300));
    MUST(frz_put1_int32(writer, id[FRZ_INT32], at, -70000));
    MUST(frz_put1_float(writer, id[FRZ_FLOAT], at, 0.5f));
    MUST(frz_put1_double(writer, id[FRZ_DOUBLE], at, 1e-300));
    MUST(frz_put1_uint8(writer, id[FRZ_UINT8], at, 200));
    MUST(frz_put1_uint16(writer, id[FRZ_UINT16], at, 60000));
    MUST(frz_put1_uint32(writer, id[FRZ_UINT32], at, 4000000000u));
    MUST(frz_put1_int64(writer, id[FRZ_INT64], at, -9000000000));
    MUST(frz_put1_uint64(writer, id[FRZ_UINT64], at, 18000000000000000000u));
}

static void strides(frz_writer *writer)
{
    const uint64_t start[2] = {1, 0}, count[2] = {2, 3}, stride[2] = {2, 2};
    const int32_t put[6] = {1, 2, 3, 4, 5, 6};
    int32_t all[5 * 6], some[6];
    int dims[2], id, i, type, rank;
    uint64_t shape[2];

    MUST(frz_add_unlimited_dimension(writer, FRZ_ROOT, "row", 0, &dims[0]));
    MUST(frz_add_dimension(writer, FRZ_ROOT, "column", 6, &dims[1]));
    MUST(frz_add_variable(writer, FRZ_ROOT, "strided", FRZ_INT32, 2, dims, &id));
    MUST(frz_set_fill_value(writer, id, &put[5]));
    MUST(frz_put(writer, id, start, count, stride, FRZ_INT32, put));
    MUST(frz_inquire_variable(writer, id, &type, &rank, shape));
    CHECK(type == FRZ_INT32 && rank == 2 && shape[0] == 4 && shape[1] == 6);
    MUST(frz_read(writer, id, start, count, stride, FRZ_INT32, some));
    CHECK(memcmp(some, put, sizeof put) == 0);
    MUST(frz_read(writer, id, NULL, NULL, NULL, FRZ_INT32, all));
    for (i = 0; i < 4 * 6; i++) {
        int row = i / 6, column = i % 6;
        int written = row % 2 == 1 && column % 2 == 0;
        CHECK(all[i] == (written ? put[row / 2 * 3 + column / 2] : 6));
    }
}

static void strings(frz_writer *writer)
{
    static const char *const put[3] = {"one", "", "zw\xc3\xb6lf"};
    char *found[3];
    int dim, id, i;

    MUST(frz_add_dimension(writer, FRZ_ROOT, "word", 3, &dim));
    MUST(frz_add_variable(writer, FRZ_ROOT, "words", FRZ_STRING, 1, &dim, &id));
    MUST(frz_put(writer, id, NULL, NULL, NULL, FRZ_STRING, put));
    MUST(frz_read(writer, id, NULL, NULL, NULL, FRZ_STRING, found));
    for (i = 0; i < 3; i++)
        CHECK(strcmp(found[i], put[i]) == 0);
    frz_free_strings(3, found);
    CHECK(found[0] == NULL && found[2] == NULL);
    MUST(frz_put_attribute(writer, id, "choices", FRZ_STRING, 3, put));
}

static int settings(frz_writer *writer)
{
    const uint64_t chunk[1] = {100};
    uint64_t i;
    int dim, deflate, plain, rounded, groomed, run;

    MUST(frz_add_dimension(writer, FRZ_ROOT, "x", 1000, &dim));
    MUST(frz_add_variable(writer, FRZ_ROOT, "deflated", FRZ_DOUBLE, 1, &dim, &deflate));
    MUST(frz_set_chunk_shape(writer, deflate, chunk));
    MUST(frz_set_deflate(writer, deflate, 5, 1));
    MUST(frz_set_checksum(writer, deflate));
    MUST(frz_add_variable(writer, FRZ_ROOT, "plain", FRZ_DOUBLE, 1, &dim, &plain));
    MUST(frz_set_chunk_shape(writer, plain, chunk));
    MUST(frz_set_uncompressed(writer, plain));
    MUST(frz_set_big_endian(writer, plain, 1));
    MUST(frz_add_variable(writer, FRZ_ROOT, "rounded", FRZ_FLOAT, 1, &dim, &rounded));
    MUST(frz_set_absolute_tolerance(writer, rounded, 0.01));
    MUST(frz_add_variable(writer, FRZ_ROOT, "groomed", FRZ_FLOAT, 1, &dim, &groomed));
    MUST(frz_set_quantize(writer, groomed, FRZ_BITGROOM));
    MUST(frz_set_significant_digits(writer, groomed, 3));
    MUST_BE(FRZ_INVALID_ARGUMENT, frz_set_quantize(writer, groomed, 4));
    MUST(frz_add_variable(writer, FRZ_ROOT, "run", FRZ_INT32, 1, &dim, &run));
    MUST(frz_set_contiguous(writer, run));
    for (i = 0; i < 1000; i++) {
        MUST(frz_put1_double(writer, deflate, &i, (double)(i / 10)));
        MUST(frz_put1_double(writer, plain, &i, (double)(i / 10)));
        MUST(frz_put1_float(writer, rounded, &i, 280.0f + 0.001234f * (float)i));
        MUST(frz_put1_float(writer, groomed, &i, 280.0f + 0.001234f * (float)i));
        MUST(frz_put1_int32(writer, run, &i, (int32_t)i));
    }
    return deflate;
}

/* Attributes deleted and renamed; what was decided, told in words and as a plan. */
static char *decided(frz_writer *writer, int variable)
{
    char *filters, *plan;
    uint64_t chunk[1] = {0};
    int chunked = -1;

    MUST(frz_put_attribute_text(writer, variable, "wrong", "x"));
    MUST(frz_put_attribute_text(writer, variable, "unit", "m"));
    MUST(frz_delete_attribute(writer, variable, "wrong"));
    MUST(frz_rename_attribute(writer, variable, "unit", "units"));
    MUST_BE(FRZ_NOT_FOUND, frz_delete_attribute(writer, variable, "wrong"));
    MUST(frz_put_group_attribute_text(writer, FRZ_ROOT, "old", "y"));
    MUST(frz_rename_group_attribute(writer, FRZ_ROOT, "old", "new"));
    MUST_BE(FRZ_INVALID_ARGUMENT, frz_rename_group_attribute(writer, FRZ_ROOT, "new", "title"));
    MUST(frz_delete_group_attribute(writer, FRZ_ROOT, "new"));

    MUST(frz_inquire_storage(writer, variable, &chunked, chunk, &filters));
    CHECK(chunked == 1 && chunk[0] == 100);
    CHECK(strcmp(filters, "shuffle+deflate(5)+fletcher32") == 0);
    frz_free_strings(1, &filters);
    MUST(frz_plan(writer, &plan));
    CHECK(strstr(plan, "\"/deflated\"") != NULL && strstr(plan, "\"/rounded\"") != NULL);
    return plan;
}

/* A second file by the plan of the first, which chunks of 100 elements tell. */
static void replay(const char *path, const char *plan)
{
    frz_options *options = frz_options_new();
    frz_writer *writer;
    uint64_t i, chunk[1] = {0};
    char *filters;
    int dim, id;

    MUST(frz_options_set_plan(options, plan));
    MUST(frz_options_set_keep_plan(options, 1));
    MUST(frz_options_set_readable_by(options, FRZ_READERS_PLUGINS));
    MUST(frz_options_set_commit_bytes(options, 0));
    MUST(frz_options_set_records_per_sync(options, 4));
    MUST(frz_options_set_overwrite(options, 1));
    MUST(frz_create(path, options, &writer));
    frz_options_free(options);
    MUST(frz_add_dimension(writer, FRZ_ROOT, "x", 1000, &dim));
    MUST(frz_add_variable(writer, FRZ_ROOT, "deflated", FRZ_DOUBLE, 1, &dim, &id));
    for (i = 0; i < 1000; i++)
        MUST(frz_put1_double(writer, id, &i, (double)i));
    MUST(frz_inquire_storage(writer, id, NULL, chunk, &filters));
    CHECK(chunk[0] == 100 && strcmp(filters, "shuffle+deflate(5)+fletcher32") == 0);
    frz_free_strings(1, &filters);
    MUST(frz_close(writer, NULL));
}

/* Filters as a file of rules states them; those that a variable asks for go before. */
/* Options by their names; the file shows that they reached the writer. */
static void options_by_name(const char *path)
{
    static const uint64_t start[1] = {0}, count[1] = {20000};
    static float values[20000];
    frz_options *options = frz_options_new();
    frz_writer *writer;
    char *filters;
    int i, dim, variable;

    for (i = 0; i < 20000; i++)
        values[i] = (float)(i % 777) * 0.25f;
    MUST(frz_options_set(options, "filters", "deflate(3)"));
    MUST(frz_options_set_list(options, "overwrite=1;threads=1; reads=map,series"));
    MUST_BE(FRZ_INVALID_ARGUMENT, frz_options_set(options, "goal", "small"));
    CHECK(strstr(frz_last_message(), "the option goal is \"small\"; it must be balanced") != NULL);
    MUST_BE(FRZ_INVALID_ARGUMENT, frz_options_set(options, "gaol", "size"));
    CHECK(strstr(frz_last_message(), "is `goal` meant?") != NULL);
    MUST_BE(FRZ_INVALID_ARGUMENT, frz_options_set_list(options, "durable"));
    CHECK(strstr(frz_last_message(), "option=value") != NULL);
    MUST(frz_create(path, options, &writer));
    MUST(frz_add_dimension(writer, FRZ_ROOT, "x", 20000, &dim));
    MUST(frz_add_variable(writer, FRZ_ROOT, "v", FRZ_FLOAT, 1, &dim, &variable));
    MUST(frz_put(writer, variable, start, count, NULL, FRZ_FLOAT, values));
    MUST(frz_sync(writer));
    MUST(frz_inquire_storage(writer, variable, NULL, NULL, &filters));
    CHECK(strcmp(filters, "deflate(3)") == 0);
    frz_free_strings(1, &filters);
    MUST(frz_close(writer, NULL));
    setenv("FRAZIL_OPTIONS", "filters=gzip", 1);
    MUST_BE(FRZ_INVALID_ARGUMENT, frz_options_read_environment(options));
    CHECK(strstr(frz_last_message(), "FRAZIL_OPTIONS") != NULL);
    setenv("FRAZIL_OPTIONS", "filters=none", 1);
    MUST(frz_options_read_environment(options));
    /* Nobody asked that an existing file be replaced. */
    MUST_BE(FRZ_ALREADY_EXISTS, frz_create(path, options, &writer));
    unsetenv("FRAZIL_OPTIONS");
    frz_options_free(options);
}

/* Precision of a variable that is not there is refused with the first value, unless requests are shared. */
static void request_of_nobody(const char *path, const char *requests, frz_options *options,
                           const float *values)
{
    static const uint64_t start[1] = {0}, count[1] = {20000};
    frz_writer *writer;
    FILE *file = fopen(requests, "w");
    int dim, variable, shared;

    CHECK(file != NULL);
    CHECK(fputs("[defaults]\ngoal = \"sizee\"\n", file) >= 0);
    CHECK(fclose(file) == 0);
    MUST_BE(FRZ_INVALID_ARGUMENT, frz_options_read_precision(options, requests));
    CHECK(strstr(frz_last_message(), "goal is \"sizee\"; it must be balanced") != NULL);
    CHECK(strstr(frz_last_message(), "`size`") != NULL);
    file = fopen(requests, "w");
    CHECK(file != NULL);
    CHECK(fputs("[defaults]\ngoal = \"size\"\n[variables.v2]\nlossless = true\n", file) >= 0);
    CHECK(fclose(file) == 0);
    MUST(frz_options_read_precision(options, NULL));
    MUST(frz_options_read_precision(options, requests));
    for (shared = 0; shared < 2; shared++) {
        MUST(frz_options_set_precision_shared(options, shared));
        MUST(frz_create(path, options, &writer));
        MUST(frz_add_dimension(writer, FRZ_ROOT, "x", 20000, &dim));
        MUST(frz_add_variable(writer, FRZ_ROOT, "v1", FRZ_FLOAT, 1, &dim, &variable));
        MUST_BE(shared ? FRZ_OK : FRZ_INVALID_ARGUMENT,
                frz_put(writer, variable, start, count, NULL, FRZ_FLOAT, values));
        CHECK(shared || strstr(frz_last_message(), "`v1`") != NULL);
        MUST_BE(shared ? FRZ_OK : FRZ_INVALID_ARGUMENT, frz_close(writer, NULL));
    }
}

static void request(const char *path, const char *requests)
{
    static const uint64_t start[1] = {0}, count[1] = {20000};
    static float values[20000];
    frz_options *options = frz_options_new();
    frz_writer *writer;
    FILE *file = fopen(requests, "w");
    char *filters;
    int i, dim, requested, own, refused;

    CHECK(file != NULL);
    CHECK(fputs("[[rule]]\nvariables = [\"v*\"]\nfilters = \"shuffle+deflate(3)\"\n"
                "[[rule]]\nvariables = [\"w\"]\nfilters = \"lz4\"\n", file) >= 0);
    CHECK(fclose(file) == 0);
    for (i = 0; i < 20000; i++)
        values[i] = (float)(i % 777) * 0.25f;
    MUST_BE(FRZ_NOT_FOUND, frz_options_read_precision(options, "/nowhere/requests.toml"));
    MUST(frz_options_read_precision(options, requests));
    MUST(frz_options_set_overwrite(options, 1));
    MUST(frz_create(path, options, &writer));
    MUST(frz_add_dimension(writer, FRZ_ROOT, "x", 20000, &dim));
    MUST(frz_add_variable(writer, FRZ_ROOT, "v1", FRZ_FLOAT, 1, &dim, &requested));
    MUST(frz_add_variable(writer, FRZ_ROOT, "v2", FRZ_FLOAT, 1, &dim, &own));
    MUST_BE(FRZ_INVALID_ARGUMENT, frz_add_variable(writer, FRZ_ROOT, "w", FRZ_FLOAT, 1, &dim, &refused));
    CHECK(strstr(frz_last_message(), "readers with filter plugins") != NULL);
    for (i = 0; i < 2; i++) {
        const uint64_t chunk[1] = {5000};
        MUST(frz_set_chunk_shape(writer, i == 0 ? requested : own, chunk));
    }
    MUST(frz_set_deflate(writer, own, 8, 0));
    MUST(frz_put(writer, requested, start, count, NULL, FRZ_FLOAT, values));
    MUST(frz_put(writer, own, start, count, NULL, FRZ_FLOAT, values));
    MUST(frz_inquire_storage(writer, requested, NULL, NULL, &filters));
    CHECK(strcmp(filters, "shuffle+deflate(3)") == 0);
    frz_free_strings(1, &filters);
    MUST(frz_inquire_storage(writer, own, NULL, NULL, &filters));
    CHECK(strcmp(filters, "deflate(8)") == 0);
    frz_free_strings(1, &filters);
    MUST(frz_close(writer, NULL));
    request_of_nobody(path, requests, options, values);
    MUST(frz_options_read_precision(options, NULL));
    frz_options_free(options);
}

/* Chunks that serve maps are maps, and those for an object store are large. */
static void serve_reads(const char *path)
{
    static const uint64_t start[3] = {0, 0, 0}, count[3] = {1, 100, 120};
    static float values[100 * 120];
    const char *names[3] = {"time", "lat", "lon"};
    int storage, i, id, dims[3];

    for (storage = FRZ_STORAGE_LOCAL; storage <= FRZ_STORAGE_OBJECT_STORE; storage += 3) {
        frz_options *options = frz_options_new();
        frz_writer *writer;
        uint64_t chunk[3] = {0};
        MUST(frz_options_set_overwrite(options, 1));
        MUST(frz_options_set_reads(options, "map"));
        MUST(frz_options_set_storage(options, storage));
        MUST(frz_create(path, options, &writer));
        frz_options_free(options);
        MUST(frz_add_unlimited_dimension(writer, FRZ_ROOT, names[0], 1000, &dims[0]));
        for (i = 1; i < 3; i++)
            MUST(frz_add_dimension(writer, FRZ_ROOT, names[i], count[i], &dims[i]));
        MUST(frz_add_variable(writer, FRZ_ROOT, "v", FRZ_FLOAT, 3, dims, &id));
        MUST(frz_put(writer, id, start, count, NULL, FRZ_FLOAT, values));
        MUST(frz_inquire_storage(writer, id, NULL, chunk, NULL));
        CHECK(chunk[1] == 100 && chunk[2] == 120);
        CHECK(storage == FRZ_STORAGE_LOCAL ? chunk[0] == 1 : chunk[0] > 80);
        MUST(frz_close(writer, NULL));
    }
}

int main(int argc, char **argv)
{
    const int16_t numbers[3] = {-1, 0, 1};
    frz_options *options = frz_options_new();
    frz_writer *writer, *second;
    frz_report report;
    int group, inner, found, outcome = -1;
    uint64_t length;
    char *plan, second_path[4096], requests_path[4096];

    CHECK(argc == 2);
    MUST(frz_options_set_threads(options, 2));
    MUST(frz_options_set_memory_bytes(options, 64u << 20));
    MUST(frz_options_set_overwrite(options, 1));
    MUST(frz_options_set_durable(options, 1));
    MUST(frz_create(argv[1], options, &writer));
    frz_options_free(options);
    MUST(frz_put_group_attribute_text(writer, FRZ_ROOT, "title", "round trip"));
    MUST(frz_put_group_attribute(writer, FRZ_ROOT, "numbers", FRZ_INT16, 3, numbers));
    MUST(frz_put_group_attribute(writer, FRZ_ROOT, "nothing", FRZ_DOUBLE, 0, NULL));
    MUST(frz_add_group(writer, FRZ_ROOT, "model", &group));
    MUST(frz_add_group(writer, group, "ocean", &inner));
    every_type(writer, group);
    MUST(frz_find_dimension(writer, inner, "pair", &found));
    MUST(frz_dimension_length(writer, found, &length));
    CHECK(length == 2);
    strides(writer);
    MUST(frz_sync(writer));
    MUST_BE(FRZ_LOCKED, frz_append(argv[1], NULL, &second));
    strings(writer);
    plan = decided(writer, settings(writer));

    report.size_bytes = sizeof report;
    MUST(frz_close(writer, &report));
    CHECK(report.raw_bytes > 0 && report.stored_bytes > 0 && report.chunks > 0);
    CHECK(report.written_bytes >= report.stored_bytes && report.commits == 2);
    snprintf(second_path, sizeof second_path, "%s.again", argv[1]);
    replay(second_path, plan);
    snprintf(second_path, sizeof second_path, "%s.served", argv[1]);
    serve_reads(second_path);
    snprintf(second_path, sizeof second_path, "%s.requested", argv[1]);
    snprintf(requests_path, sizeof requests_path, "%s.requests.toml", argv[1]);
    request(second_path, requests_path);
    snprintf(second_path, sizeof second_path, "%s.named", argv[1]);
    options_by_name(second_path);
    frz_free_strings(1, &plan);
    MUST(frz_recover(argv[1], &outcome));
    CHECK(outcome == FRZ_CLEAN);
    puts("read back what was put");
    return EXIT_SUCCESS;
}
