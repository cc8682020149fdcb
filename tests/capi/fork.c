/* fork FILE: the child of a fork is refused by its parent's writer, and the parent goes on. */
#define _POSIX_C_SOURCE 200809L

#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

#define ROWS 64
#define COLUMNS 20000

static int32_t values[COLUMNS];

static void put_rows(frz_writer *writer, int variable, uint64_t from, uint64_t to)
{
    const uint64_t count[2] = {1, COLUMNS};
    uint64_t start[2] = {0, 0}, i;

    for (start[0] = from; start[0] < to; start[0]++) {
        for (i = 0; i < COLUMNS; i++)
            values[i] = (int32_t)(start[0] * COLUMNS + i);
        MUST(frz_put(writer, variable, start, count, NULL, FRZ_INT32, values));
    }
}

static void child(frz_writer *writer, int variable)
{
    const uint64_t start[2] = {0, 0}, count[2] = {1, COLUMNS};
    int more;

    /* Whatever waits for threads that are not here. */
    alarm(60);
    REFUSED(frz_put(writer, variable, start, count, NULL, FRZ_INT32, values));
    CHECK(strstr(frz_last_message(), "fork") != NULL);
    REFUSED(frz_add_dimension(writer, FRZ_ROOT, "more", 3, &more));
    REFUSED(frz_sync(writer));
    REFUSED(frz_close(writer, NULL));
    exit(EXIT_SUCCESS);
}

int main(int argc, char **argv)
{
    frz_writer *writer;
    int dims[2], variable, status;
    pid_t pid;

    CHECK(argc == 2);
    MUST(frz_create(argv[1], NULL, &writer));
    MUST(frz_add_dimension(writer, FRZ_ROOT, "row", ROWS, &dims[0]));
    MUST(frz_add_dimension(writer, FRZ_ROOT, "column", COLUMNS, &dims[1]));
    MUST(frz_add_variable(writer, FRZ_ROOT, "table", FRZ_INT32, 2, dims, &variable));
    put_rows(writer, variable, 0, ROWS / 2);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0)
        child(writer, variable);
    put_rows(writer, variable, ROWS / 2, ROWS);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
    MUST(frz_close(writer, NULL));
    return EXIT_SUCCESS;
}
