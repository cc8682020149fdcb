/*
 * Goes on with a file that write_records made: more records, and a variable that it did not have.
 *
 *     append FILE
 *
 * A file whose writer was killed is brought to its last commit first.
 */
#include <frazil.h>
#include <stdio.h>
#include <stdlib.h>

static void must(frz_status status)
{
    if (status == FRZ_OK)
        return;
    fprintf(stderr, "append: %s (%s)\n", frz_last_message(), frz_strerror(status));
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    const float missing = -999.0f;
    frz_writer *writer;
    int dim, time, temperature, rain, rank;
    uint64_t shape[3], count[3] = {1, 0, 0}, start[3] = {0, 0, 0}, i, cells;
    float *last;

    if (argc < 2) {
        fprintf(stderr, "usage: append FILE\n");
        return 2;
    }

    must(frz_append(argv[1], NULL, &writer));
    must(frz_find_dimension(writer, FRZ_ROOT, "time", &dim));
    must(frz_find_variable(writer, FRZ_ROOT, "time", &time));
    must(frz_find_variable(writer, FRZ_ROOT, "temperature", &temperature));
    must(frz_inquire_variable(writer, temperature, NULL, &rank, shape));
    if (rank != 3 || shape[0] == 0) {
        fprintf(stderr, "append: %s is not a file of write_records\n", argv[1]);
        return EXIT_FAILURE;
    }

    /* The last record once more, a degree warmer. */
    count[1] = shape[1];
    count[2] = shape[2];
    cells = shape[1] * shape[2];
    last = malloc(cells * sizeof *last);
    if (last == NULL)
        return EXIT_FAILURE;
    start[0] = shape[0] - 1;
    must(frz_read(writer, temperature, start, count, NULL, FRZ_FLOAT, last));
    for (i = 0; i < cells; i++)
        last[i] += 1.0f;
    start[0] = shape[0];
    must(frz_put(writer, temperature, start, count, NULL, FRZ_FLOAT, last));
    must(frz_put1_double(writer, time, start, (double)shape[0]));
    free(last);

    /* A variable along the same time; records that nobody writes hold the fill value. */
    must(frz_add_variable(writer, FRZ_ROOT, "rain", FRZ_FLOAT, 1, &dim, &rain));
    must(frz_set_fill_value(writer, rain, &missing));
    must(frz_put_attribute_text(writer, rain, "units", "kg m-2"));
    must(frz_put1_float(writer, rain, start, 2.5f));

    must(frz_close(writer, NULL));
    return EXIT_SUCCESS;
}
