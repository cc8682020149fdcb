/*
 * bad_input FOLDER: whatever is handed in, a status and a message come back, and the writer goes
 * on working.
 */
#include "check.h"
#include <limits.h>
#include <math.h>

static char path[4096];

static const char *in(const char *folder, const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void null_handles(void)
{
    uint64_t zero[1] = {0}, length;
    frz_report report;
    double value = 0;
    int id;

    report.size_bytes = sizeof report;
    REFUSED(frz_sync(NULL));
    REFUSED(frz_close(NULL, NULL));
    REFUSED(frz_abandon(NULL));
    REFUSED(frz_writer_report(NULL, &report));
    REFUSED(frz_add_group(NULL, FRZ_ROOT, "g", &id));
    REFUSED(frz_add_dimension(NULL, FRZ_ROOT, "d", 1, &id));
    REFUSED(frz_add_unlimited_dimension(NULL, FRZ_ROOT, "d", 0, &id));
    REFUSED(frz_add_variable(NULL, FRZ_ROOT, "v", FRZ_INT32, 0, NULL, &id));
    REFUSED(frz_find_variable(NULL, FRZ_ROOT, "v", &id));
    REFUSED(frz_dimension_length(NULL, 0, &length));
    REFUSED(frz_inquire_variable(NULL, 0, NULL, NULL, NULL));
    REFUSED(frz_set_deflate(NULL, 0, 1, 1));
    REFUSED(frz_set_fill_value(NULL, 0, &value));
    REFUSED(frz_put_attribute_text(NULL, 0, "a", "b"));
    REFUSED(frz_put(NULL, 0, zero, zero, NULL, FRZ_DOUBLE, &value));
    REFUSED(frz_put1_double(NULL, 0, zero, value));
    REFUSED(frz_read(NULL, 0, zero, zero, NULL, FRZ_DOUBLE, &value));
    REFUSED(frz_plan(NULL, NULL));
    REFUSED(frz_inquire_storage(NULL, 0, NULL, NULL, NULL));
    REFUSED(frz_delete_attribute(NULL, 0, "a"));
    REFUSED(frz_rename_group_attribute(NULL, 0, "a", "b"));
    REFUSED(frz_options_set_plan(NULL, "{}"));
    REFUSED(frz_options_read_precision(NULL, "requests.toml"));
    REFUSED(frz_options_set_reads(NULL, "map"));
    REFUSED(frz_options_set_storage(NULL, FRZ_STORAGE_DISK));
    REFUSED(frz_options_set(NULL, "goal", "size"));
    REFUSED(frz_options_set_list(NULL, "goal=size"));
    REFUSED(frz_options_read_environment(NULL));
    REFUSED(frz_options_set_threads(NULL, 1));
    frz_options_free(NULL);
    frz_free_strings(3, NULL);
    CHECK(strcmp(frz_last_cause(), "`options` is NULL") == 0);
}

static void files_that_cannot_be(const char *folder)
{
    frz_writer *writer = (frz_writer *)path;
    frz_options *options = frz_options_new();
    FILE *file;
    int outcome;

    REFUSED(frz_options_set_reads(options, "map,no such read"));
    CHECK(strstr(frz_last_cause(), "no such read") != NULL);
    REFUSED(frz_options_set_storage(options, 5));
    MUST_BE(FRZ_OK, frz_options_set_reads(options, NULL));
    REFUSED(frz_create(NULL, NULL, &writer));
    CHECK(writer == NULL);
    REFUSED(frz_create("", NULL, &writer));
    REFUSED(frz_create(in(folder, "a.nc"), NULL, NULL));
    MUST_BE(FRZ_NOT_FOUND, frz_create(in(folder, "no/folder/a.nc"), NULL, &writer));
    CHECK(writer == NULL);
    CHECK(strstr(frz_last_file(), "no/folder/a.nc") != NULL);
    CHECK(strstr(frz_last_message(), frz_last_cause()) != NULL);
    MUST_BE(FRZ_NOT_FOUND, frz_append(in(folder, "none.nc"), NULL, &writer));
    MUST_BE(FRZ_NOT_FOUND, frz_recover(in(folder, "none.nc"), &outcome));

    file = fopen(in(folder, "text.nc"), "w");
    CHECK(file != NULL && fputs("no HDF5 file\n", file) >= 0 && fclose(file) == 0);
    MUST_BE(FRZ_ALREADY_EXISTS, frz_create(path, NULL, &writer));
    CHECK(frz_append(path, NULL, &writer) != FRZ_OK && writer == NULL);

    REFUSED(frz_options_set_threads(options, -1));
    REFUSED(frz_options_set_threads(options, 100000));
    CHECK(strstr(frz_last_cause(), "4096") != NULL);
    REFUSED(frz_options_set_memory_bytes(options, 0));
    REFUSED(frz_options_set_memory_bytes(options, 1));
    REFUSED(frz_options_set_memory_bytes(options, UINT64_MAX));
    frz_options_free(options);
}

/* Names that netCDF does not allow, and its readers cannot read. */
static void names(frz_writer *writer, int dim, int scalar)
{
    const char *const bad[] = {".", "..", "-a", "(b", " a", "a ", "nl\n", "tab\t", "\x7f", NULL};
    char longest[258];
    int i, id = -7;

    memset(longest, 'y', 257);
    longest[257] = '\0';
    for (i = 0; i < 10; i++) {
        const char *name = bad[i] != NULL ? bad[i] : longest;
        REFUSED(frz_add_group(writer, FRZ_ROOT, name, &id));
        REFUSED(frz_add_dimension(writer, FRZ_ROOT, name, 5, &id));
        REFUSED(frz_add_variable(writer, FRZ_ROOT, name, FRZ_INT32, 1, &dim, &id));
        REFUSED(frz_put_attribute_text(writer, scalar, name, "text"));
        REFUSED(frz_put_group_attribute_text(writer, FRZ_ROOT, name, "text"));
    }
    CHECK(id == -7 && strstr(frz_last_cause(), "257 bytes") != NULL);
}

static void definitions(frz_writer *writer, int dim, int scalar)
{
    int id = -7, two[2];

    two[0] = dim;
    two[1] = 99;
    REFUSED(frz_add_group(writer, FRZ_ROOT, NULL, &id));
    REFUSED(frz_add_group(writer, FRZ_ROOT, "g", NULL));
    REFUSED(frz_add_group(writer, 1, "g", &id));
    REFUSED(frz_add_group(writer, -1, "g", &id));
    REFUSED(frz_add_group(writer, FRZ_ROOT, "a/b", &id));
    REFUSED(frz_add_group(writer, FRZ_ROOT, "", &id));
    REFUSED(frz_add_group(writer, FRZ_ROOT, "\xff\xfe", &id));
    REFUSED(frz_add_dimension(writer, FRZ_ROOT, "x", 5, &id));
    REFUSED(frz_add_dimension(writer, FRZ_ROOT, "n", 0, &id));
    REFUSED(frz_add_dimension(writer, FRZ_ROOT, "n", (uint64_t)-3, &id));
    CHECK(strstr(frz_last_cause(), "-3") != NULL);
    REFUSED(frz_add_dimension(writer, FRZ_ROOT, "n", (uint64_t)1 << 62, &id));
    REFUSED(frz_add_unlimited_dimension(writer, FRZ_ROOT, "n", (uint64_t)1 << 62, &id));
    names(writer, dim, scalar);
    REFUSED(frz_add_variable(writer, FRZ_ROOT, "w", 0, 0, NULL, &id));
    REFUSED(frz_add_variable(writer, FRZ_ROOT, "w", 13, 0, NULL, &id));
    REFUSED(frz_add_variable(writer, FRZ_ROOT, "w", FRZ_INT32, -1, NULL, &id));
    REFUSED(frz_add_variable(writer, FRZ_ROOT, "w", FRZ_INT32, 1, NULL, &id));
    REFUSED(frz_add_variable(writer, FRZ_ROOT, "w", FRZ_INT32, 2, two, &id));
    REFUSED(frz_add_variable(writer, FRZ_ROOT, "scalar", FRZ_INT32, 0, NULL, &id));
    MUST_BE(FRZ_NOT_FOUND, frz_find_group(writer, FRZ_ROOT, "none", &id));
    MUST_BE(FRZ_NOT_FOUND, frz_find_dimension(writer, FRZ_ROOT, "none", &id));
    MUST_BE(FRZ_NOT_FOUND, frz_find_variable(writer, FRZ_ROOT, "none", &id));
    CHECK(id == -7);
    REFUSED(frz_dimension_length(writer, 99, NULL));
    REFUSED(frz_inquire_variable(writer, INT_MAX, &id, NULL, NULL));
    REFUSED(frz_put_attribute_text(writer, 99, "a", "b"));
    REFUSED(frz_put_attribute_text(writer, scalar, "a", NULL));
    REFUSED(frz_put_attribute_text(writer, scalar, "_FillValue", "b"));
    CHECK(strstr(frz_last_cure(), "frz_set_fill_value") != NULL);
    REFUSED(frz_put_attribute(writer, scalar, "a", FRZ_DOUBLE, 1, NULL));
    REFUSED(frz_put_attribute(writer, scalar, "a", 77, 1, "x"));
    REFUSED(frz_put_attribute(writer, scalar, "a", FRZ_DOUBLE, SIZE_MAX, "x"));
}

static void settings(frz_writer *writer, int series)
{
    uint64_t none[1] = {0}, one[1] = {1}, huge[1] = {1000};

    REFUSED(frz_set_deflate(writer, 99, 1, 1));
    REFUSED(frz_set_deflate(writer, series, 0, 1));
    REFUSED(frz_set_deflate(writer, series, 10, 1));
    REFUSED(frz_set_zstd(writer, series, 23, 0));
    REFUSED(frz_set_checksum(writer, series));
    MUST(frz_set_zstd(writer, series, 3, 1));
    REFUSED(frz_set_deflate(writer, series, 4, 1));
    CHECK(strstr(frz_last_variable(), "series") != NULL);
    CHECK(strstr(frz_last_cure(), "frz_set_uncompressed") != NULL);
    MUST(frz_set_uncompressed(writer, series));
    REFUSED(frz_set_fill_value(writer, series, NULL));
    REFUSED(frz_set_chunk_shape(writer, series, NULL));
    REFUSED(frz_set_chunk_shape(writer, series, none));
    REFUSED(frz_set_chunk_shape(writer, series, huge));
    CHECK(strstr(frz_last_cause(), "longer than the dimension") != NULL);
    REFUSED(frz_set_significant_digits(writer, series, 0));
    REFUSED(frz_set_significant_digits(writer, series, 16));
    REFUSED(frz_set_significant_digits(writer, series, 40));
    CHECK(strstr(frz_last_cause(), "1 to ") != NULL);
    REFUSED(frz_set_significant_bits(writer, series, 53));
    REFUSED(frz_set_significant_bits(writer, series, 99));
    REFUSED(frz_set_absolute_tolerance(writer, series, HUGE_VAL));
    REFUSED(frz_set_significant_bits(writer, series, -3));
    REFUSED(frz_set_absolute_tolerance(writer, series, 0.0));
    REFUSED(frz_set_relative_tolerance(writer, series, -1.0));
    MUST(frz_put1_double(writer, series, none, 1.5));
    REFUSED(frz_set_chunk_shape(writer, series, one));
}

static void values(frz_writer *writer, int series, int scalar, int text)
{
    uint64_t start[1] = {0}, count[1] = {1}, four[1] = {4}, many[1], zero[1] = {0};
    double value = 2.5, room[4];
    const char *words[1] = {NULL};

    many[0] = UINT64_MAX;
    REFUSED(frz_put(writer, -1, start, count, NULL, FRZ_DOUBLE, &value));
    REFUSED(frz_put(writer, 99, start, count, NULL, FRZ_DOUBLE, &value));
    REFUSED(frz_put(writer, series, start, count, NULL, FRZ_FLOAT, &value));
    CHECK(strstr(frz_last_cause(), "double") != NULL);
    REFUSED(frz_put(writer, series, start, count, NULL, 99, &value));
    REFUSED(frz_put(writer, series, start, count, NULL, FRZ_DOUBLE, NULL));
    REFUSED(frz_put(writer, series, start, four, NULL, FRZ_DOUBLE, &value));
    REFUSED(frz_put(writer, series, four, count, NULL, FRZ_DOUBLE, &value));
    REFUSED(frz_put(writer, series, start, many, NULL, FRZ_DOUBLE, &value));
    REFUSED(frz_put(writer, series, many, count, NULL, FRZ_DOUBLE, &value));
    REFUSED(frz_put(writer, series, start, count, zero, FRZ_DOUBLE, &value));
    REFUSED(frz_put(writer, series, start, NULL, count, FRZ_DOUBLE, &value));
    REFUSED(frz_put1_double(writer, series, NULL, value));
    REFUSED(frz_put1_double(writer, series, four, value));
    REFUSED(frz_put1_int32(writer, series, start, 3));
    REFUSED(frz_put(writer, text, NULL, NULL, NULL, FRZ_STRING, words));
    REFUSED(frz_read(writer, series, start, four, NULL, FRZ_DOUBLE, room));
    REFUSED(frz_read(writer, series, start, count, NULL, FRZ_DOUBLE, NULL));
    MUST(frz_put(writer, series, NULL, zero, NULL, FRZ_DOUBLE, NULL));
    MUST(frz_put1_int32(writer, scalar, NULL, 42));
}

static void reports(frz_writer *writer)
{
    frz_report report;

    report.size_bytes = 8;
    REFUSED(frz_writer_report(writer, NULL));
    REFUSED(frz_writer_report(writer, &report));
    CHECK(report.size_bytes == 8);
    report.size_bytes = sizeof report;
    MUST(frz_writer_report(writer, &report));
}

int main(int argc, char **argv)
{
    frz_writer *writer;
    frz_report report;
    int dim, series, scalar, text;

    CHECK(argc == 2);
    CHECK(strcmp(frz_last_message(), "") == 0);
    CHECK(strcmp(frz_strerror(FRZ_OK), frz_strerror(FRZ_IO)) != 0);
    CHECK(strcmp(frz_strerror(-5), frz_strerror(1000)) == 0);
    null_handles();
    files_that_cannot_be(argv[1]);

    MUST(frz_create(in(argv[1], "good.nc"), NULL, &writer));
    MUST(frz_add_dimension(writer, FRZ_ROOT, "x", 3, &dim));
    MUST(frz_add_variable(writer, FRZ_ROOT, "series", FRZ_DOUBLE, 1, &dim, &series));
    MUST(frz_add_variable(writer, FRZ_ROOT, "scalar", FRZ_INT32, 0, NULL, &scalar));
    MUST(frz_add_variable(writer, FRZ_ROOT, "text", FRZ_STRING, 0, NULL, &text));
    definitions(writer, dim, scalar);
    settings(writer, series);
    values(writer, series, scalar, text);
    reports(writer);

    /* A handle that is closed with a bad report is closed all the same. */
    report.size_bytes = 0;
    REFUSED(frz_close(writer, &report));
    puts("refused what had to be");
    return EXIT_SUCCESS;
}
