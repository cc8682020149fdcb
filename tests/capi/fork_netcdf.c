/* fork_netcdf FILE: as fork.c, by netCDF's calls. */
#define _POSIX_C_SOURCE 200809L

#include "check.h"
#include <frazil_netcdf.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROWS 64
#define COLUMNS 20000

static int values[COLUMNS];

static void put_rows(int file, int variable, size_t from, size_t to)
{
    const size_t count[2] = {1, COLUMNS};
    size_t start[2] = {0, 0}, i;

    for (start[0] = from; start[0] < to; start[0]++) {
        for (i = 0; i < COLUMNS; i++)
            values[i] = (int)(start[0] * COLUMNS + i);
        CHECK(frz_nc_put_vara_int(file, variable, start, count, values) == NC_NOERR);
    }
}

static void child(int file, int variable, int call)
{
    const size_t start[2] = {0, 0};
    int value = 0, status = NC_NOERR;

    /* Whatever waits for threads that are not here. */
    alarm(60);
    switch (call) {
    case 0:
        status = frz_nc_close(file);
        break;
    case 1:
        status = frz_nc_abort(file);
        break;
    case 2:
        status = frz_nc_sync(file);
        break;
    case 3:
        status = frz_nc_put_var1_int(file, variable, start, &value);
        break;
    case 4:
        status = frz_nc_get_var1_int(file, variable, start, &value);
        break;
    default:
        status = frz_nc_def_dim(file, "more", 3, &value);
    }
    CHECK(status == NC_EBADID);
    CHECK(strstr(frz_last_message(), "fork") != NULL);
    exit(EXIT_SUCCESS);
}

int main(int argc, char **argv)
{
    int file, dims[2], variable, status, call;
    pid_t pid;

    CHECK(argc == 2);
    CHECK(frz_nc_create(argv[1], NC_NETCDF4, &file) == NC_NOERR);
    CHECK(frz_nc_def_dim(file, "row", NC_UNLIMITED, &dims[0]) == NC_NOERR);
    CHECK(frz_nc_def_dim(file, "column", COLUMNS, &dims[1]) == NC_NOERR);
    CHECK(frz_nc_def_var(file, "table", NC_INT, 2, dims, &variable) == NC_NOERR);
    put_rows(file, variable, 0, ROWS / 2);
    for (call = 0; call < 6; call++) {
        pid = fork();
        CHECK(pid >= 0);
        if (pid == 0)
            child(file, variable, call);
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
    }
    put_rows(file, variable, ROWS / 2, ROWS);
    CHECK(frz_nc_close(file) == NC_NOERR);
    return EXIT_SUCCESS;
}
