/* threads FILE: four threads put into one writer, each into its own rows; errors stay apart. */
#include "check.h"
#include <pthread.h>

#define THREADS 4
#define ROWS 200
#define COLUMNS 50

static frz_writer *writer;
static int variable;

static void *work(void *argument)
{
    uint64_t me = *(const uint64_t *)argument, row, column;
    int32_t values[COLUMNS];

    for (row = me; row < ROWS; row += THREADS) {
        const uint64_t count[2] = {1, COLUMNS};
        uint64_t start[2] = {0, 0};

        start[0] = row;
        for (column = 0; column < COLUMNS; column++)
            values[column] = (int32_t)(row * COLUMNS + column);
        MUST(frz_put(writer, variable, start, count, NULL, FRZ_INT32, values));
    }
    /* The message of a thread is its own. */
    MUST_BE(FRZ_INVALID_ARGUMENT, frz_dimension_length(writer, 1000 + (int)me, &row));
    snprintf((char *)values, sizeof values, "number %d", 1000 + (int)me);
    CHECK(strstr(frz_last_message(), (const char *)values) != NULL);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    uint64_t numbers[THREADS], i;
    int dims[2];

    CHECK(argc == 2);
    MUST(frz_create(argv[1], NULL, &writer));
    MUST(frz_add_unlimited_dimension(writer, FRZ_ROOT, "row", ROWS, &dims[0]));
    MUST(frz_add_dimension(writer, FRZ_ROOT, "column", COLUMNS, &dims[1]));
    MUST(frz_add_variable(writer, FRZ_ROOT, "table", FRZ_INT32, 2, dims, &variable));
    for (i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
    }
    for (i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(strcmp(frz_last_message(), "") == 0);
    MUST(frz_close(writer, NULL));
    return EXIT_SUCCESS;
}
