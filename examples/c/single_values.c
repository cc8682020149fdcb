/*
 * Writes a series value by value, as a simulation produces it, and says how fast that goes.
 *
 *     single_values FILE [VALUES]
 */
#define _POSIX_C_SOURCE 199309L
#include <frazil.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void must(frz_status status)
{
    if (status == FRZ_OK)
        return;
    fprintf(stderr, "single_values: %s (%s)\n", frz_last_message(), frz_strerror(status));
    exit(EXIT_FAILURE);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    uint64_t values = argc > 2 ? strtoull(argv[2], NULL, 10) : 300000, i;
    frz_writer *writer;
    int step, position;
    double begin, put, closed;

    if (argc < 2) {
        fprintf(stderr, "usage: single_values FILE [VALUES]\n");
        return 2;
    }

    must(frz_create(argv[1], NULL, &writer));
    must(frz_add_unlimited_dimension(writer, FRZ_ROOT, "step", 0, &step));
    must(frz_add_variable(writer, FRZ_ROOT, "position", FRZ_DOUBLE, 1, &step, &position));

    begin = now();
    for (i = 0; i < values; i++)
        must(frz_put1_double(writer, position, &i, 0.25 * (double)(i % 1000)));
    put = now();
    must(frz_close(writer, NULL));
    closed = now();

    printf("%llu values: %.1f million puts a second; close took %.3f s\n",
           (unsigned long long)values, 1e-6 * (double)values / (put - begin), closed - put);
    return EXIT_SUCCESS;
}
