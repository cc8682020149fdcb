/*
 * memory: values in memory are compressed and come back; what is damaged or cannot be is refused.
 */
#include "check.h"
#include <math.h>

enum { ROWS = 90, COLUMNS = 180, COUNT = ROWS * COLUMNS };

static const uint64_t shape[2] = {ROWS, COLUMNS};
static float field[COUNT], back[COUNT];

/* Compresses the field; the caller frees what comes back. */
static unsigned char *packed_field(const frz_compression *options, size_t *bytes)
{
    size_t room = 0;
    unsigned char *packed;

    MUST(frz_compress_bound(FRZ_FLOAT, 2, shape, &room));
    CHECK(room >= sizeof field);
    packed = malloc(room);
    CHECK(packed != NULL);
    MUST(frz_compress(options, FRZ_FLOAT, 2, shape, field, packed, room, bytes));
    CHECK(*bytes <= room);
    return packed;
}

static void exact_values(void)
{
    size_t bytes, value_bytes;
    int type, rank;
    uint64_t found[FRZ_MAX_RANK];
    unsigned char *packed = packed_field(NULL, &bytes);

    CHECK(bytes < sizeof field);
    MUST(frz_inquire_compressed(packed, bytes, &type, &rank, found, &value_bytes));
    CHECK(type == FRZ_FLOAT && rank == 2 && found[0] == ROWS && found[1] == COLUMNS);
    CHECK(value_bytes == sizeof field);
    MUST(frz_inquire_compressed(packed, bytes, NULL, NULL, NULL, NULL));
    MUST(frz_decompress(packed, bytes, back, sizeof back));
    CHECK(memcmp(field, back, sizeof field) == 0);
    REFUSED(frz_decompress(packed, bytes, back, sizeof back - 4));
    free(packed);
}

static void goals_and_tolerances(void)
{
    size_t exact, rounded, smallest, i;
    frz_compression *options = frz_compression_new();

    free(packed_field(NULL, &exact));
    MUST(frz_compression_set_goal(options, FRZ_GOAL_ARCHIVE, 0));
    free(packed_field(options, &smallest));
    CHECK(smallest <= exact);
    MUST(frz_compression_set_absolute_tolerance(options, 0.01));
    MUST(frz_compression_protect_value(options, -999.0));
    unsigned char *packed = packed_field(options, &rounded);
    CHECK(rounded < smallest);
    MUST(frz_decompress(packed, rounded, back, sizeof back));
    CHECK(back[7] == -999.0f);
    for (i = 0; i < COUNT; i++)
        CHECK(fabs((double)field[i] - (double)back[i]) <= 0.01);
    free(packed);

    REFUSED(frz_compression_set_goal(options, 5, 0));
    REFUSED(frz_compression_set_goal(options, FRZ_GOAL_SIZE, 23));
    REFUSED(frz_compression_set_significant_digits(options, 0));
    REFUSED(frz_compression_set_significant_digits(options, 16));
    REFUSED(frz_compression_set_significant_bits(options, 53));
    REFUSED(frz_compression_set_significant_bits(options, -1));
    REFUSED(frz_compression_set_absolute_tolerance(options, -0.5));
    REFUSED(frz_compression_set_relative_tolerance(options, NAN));
    MUST(frz_compression_set_significant_digits(options, 5));
    MUST(frz_compression_set_significant_bits(options, 12));
    MUST(frz_compression_set_relative_tolerance(options, 1.0));
    frz_compression_free(options);
    frz_compression_free(NULL);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    CHECK(file != NULL);
    CHECK(fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
}

/* What filters must be like: by calls, and by a file of rules. */
static void demands(const char *file)
{
    static const char *rules = "[[rule]]\nvariables = [\"*\"]\nmin_write_speed = \"2GB/s\"\n"
                               "[[rule]]\nvariables = [\"tas\"]\nabsolute_tolerance = 0.01\n"
                               "[[rule]]\nvariables = [\"raw\"]\nfilters = \"none\"\n"
                               "[[rule]]\nvariables = [\"foreign\"]\nfilters = \"bzip2\"\n";
    size_t smallest, quick, near, rounded, raw, room, bytes;
    unsigned char *packed;
    frz_compression *options = frz_compression_new();

    write_text(file, rules);
    MUST(frz_compress_bound(FRZ_FLOAT, 2, shape, &room));
    MUST(frz_compression_set_goal(options, FRZ_GOAL_ARCHIVE, 0));
    MUST(frz_compression_set_speeds(options, "1MB/s", NULL));
    free(packed_field(options, &smallest));
    MUST(frz_compression_set_speeds(options, "network", "0.5*local"));
    free(packed_field(options, &quick));
    CHECK(smallest <= quick && quick < sizeof field);
    MUST(frz_compression_set_speeds(options, NULL, NULL));
    MUST(frz_compression_set_ratio_tolerance(options, 30.0));
    packed = packed_field(options, &near);
    MUST(frz_decompress(packed, near, back, sizeof back));
    CHECK(memcmp(field, back, sizeof field) == 0);
    CHECK(0.7 * (double)near <= 1.02 * (double)smallest);
    free(packed);
    MUST(frz_compression_set_filters(options, "lorenzo+shuffle+zstd(3)"));
    packed = packed_field(options, &bytes);
    MUST(frz_decompress(packed, bytes, back, sizeof back));
    CHECK(memcmp(field, back, sizeof field) == 0);
    free(packed);
    MUST(frz_compression_set_filters(options, NULL));
    MUST(frz_compression_set_ratio_tolerance(options, 0.0));

    MUST(frz_compression_read(options, file, "tas"));
    free(packed_field(options, &rounded));
    CHECK(rounded < quick);
    frz_compression_free(options);
    options = frz_compression_new();
    MUST(frz_compression_read(options, file, "/group/raw"));
    free(packed_field(options, &raw));
    CHECK(raw == room);
    MUST(frz_compression_read(options, file, "foreign"));
    packed = malloc(room);
    REFUSED(frz_compress(options, FRZ_FLOAT, 2, shape, field, packed, room, &bytes));
    free(packed);

    REFUSED(frz_compression_set_speeds(options, "fast", NULL));
    REFUSED(frz_compression_set_speeds(options, NULL, "0MB/s"));
    REFUSED(frz_compression_set_ratio_tolerance(options, 100.0));
    REFUSED(frz_compression_set_ratio_tolerance(options, NAN));
    REFUSED(frz_compression_set_filters(options, "zip"));
    REFUSED(frz_compression_read(options, file, NULL));
    write_text(file, "[[rule]]\nvariables = [\"*\"]\nmin_write_speed = 0\n");
    REFUSED(frz_compression_read(options, file, "tas"));
    CHECK(remove(file) == 0);
    MUST_BE(FRZ_NOT_FOUND, frz_compression_read(options, file, "tas"));
    frz_compression_free(options);
}

static void every_type(void)
{
    static const int sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    const uint64_t count[1] = {200};
    unsigned char values[1600], packed[2000], found[1600];
    size_t bytes, room;
    int type, told;

    for (type = FRZ_INT8; type <= FRZ_UINT64; type++) {
        size_t i, length = 200 * (size_t)sizes[type];
        for (i = 0; i < length; i++)
            values[i] = (unsigned char)(i / 16);
        MUST(frz_compress_bound(type, 1, count, &room));
        CHECK(room <= sizeof packed);
        MUST(frz_compress(NULL, type, 1, count, values, packed, sizeof packed, &bytes));
        MUST(frz_inquire_compressed(packed, bytes, &told, NULL, NULL, NULL));
        CHECK(told == type);
        MUST(frz_decompress(packed, bytes, found, length));
        CHECK(memcmp(values, found, length) == 0);
    }
    MUST(frz_compress(NULL, FRZ_DOUBLE, 0, NULL, values, packed, sizeof packed, &bytes));
    MUST(frz_decompress(packed, bytes, found, 8));
    REFUSED(frz_compress(NULL, FRZ_STRING, 1, count, values, packed, sizeof packed, &bytes));
    REFUSED(frz_compress(NULL, 77, 1, count, values, packed, sizeof packed, &bytes));
    REFUSED(frz_compress(NULL, FRZ_INT8, 33, count, values, packed, sizeof packed, &bytes));
    REFUSED(frz_compress(NULL, FRZ_INT8, -1, count, values, packed, sizeof packed, &bytes));
    REFUSED(frz_compress(NULL, FRZ_INT8, 1, count, NULL, packed, sizeof packed, &bytes));
    REFUSED(frz_compress(NULL, FRZ_INT8, 1, count, values, packed, 20, &bytes));
    REFUSED(frz_compress(NULL, FRZ_INT8, 1, count, values, NULL, 2000, &bytes));
    REFUSED(frz_compress(NULL, FRZ_INT8, 1, count, values, packed, 2000, NULL));
    REFUSED(frz_compress_bound(FRZ_INT8, 1, NULL, &room));
}

static void damaged_bytes(void)
{
    size_t bytes, at;
    unsigned char *packed = packed_field(NULL, &bytes);

    MUST_BE(FRZ_CORRUPT, frz_decompress("nothing of the kind", 19, back, sizeof back));
    MUST_BE(FRZ_CORRUPT, frz_decompress(NULL, 0, back, sizeof back));
    MUST_BE(FRZ_CORRUPT, frz_decompress(packed, bytes - 1, back, sizeof back));
    /* Whatever is changed, an answer comes back. */
    for (at = 0; at < bytes; at += 1 + at / 40) {
        packed[at] ^= 0x5a;
        (void)frz_decompress(packed, bytes, back, sizeof back);
        (void)frz_inquire_compressed(packed, bytes, NULL, NULL, NULL, NULL);
        packed[at] ^= 0x5a;
    }
    MUST(frz_decompress(packed, bytes, back, sizeof back));
    free(packed);
}

int main(int argc, char **argv)
{
    int i;

    CHECK(argc == 2);
    for (i = 0; i < COUNT; i++) {
        /* Digits that no filter foresees stand behind those that matter. */
        uint32_t noise = (uint32_t)i * 2654435761u >> 20;

        field[i] = 280.0f + 0.37f * (float)(i / COLUMNS) + 1e-6f * (float)noise;
    }
    field[7] = -999.0f;
    exact_values();
    goals_and_tolerances();
    demands(argv[1]);
    every_type();
    damaged_bytes();
    puts("done");
    return EXIT_SUCCESS;
}
