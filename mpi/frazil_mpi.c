/* What libfrazil needs of MPI: point-to-point messages that nobody waits for. */
#define _POSIX_C_SOURCE 200112L
#include "frazil_mpi.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "frazil_netcdf.h"

enum { TAG = 4711, FAILED = 1, OTHER_MPI = 2, NO_PARALLEL = -114, WRITE_MODE = 1 };

/* The duplicate of a program's communicator. */
struct state {
    MPI_Comm comm;
};

static int send_bytes(void *state, int to, const void *bytes, size_t count, void **request) {
    MPI_Request *sent;

    if (count > INT_MAX) return FAILED;
    sent = malloc(sizeof *sent);
    if (sent == NULL) return FAILED;
    /* MPI-2 has no const here. */
    if (MPI_Isend((void *)bytes, (int)count, MPI_BYTE, to, TAG, ((struct state *)state)->comm,
                  sent) != MPI_SUCCESS) {
        free(sent);
        return FAILED;
    }
    *request = sent;
    return 0;
}

static int test_sent(void *state, void *request, int *is_done) {
    int flag = 0;
    int status = MPI_Test(request, &flag, MPI_STATUS_IGNORE);

    (void)state;
    *is_done = flag != 0;
    if (flag) free(request);
    return status == MPI_SUCCESS ? 0 : FAILED;
}

static int probe(void *state, int *from, size_t *count, int *is_there) {
    MPI_Status status;
    int flag = 0, bytes = 0;

    *is_there = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, ((struct state *)state)->comm, &flag, &status) !=
        MPI_SUCCESS)
        return FAILED;
    if (!flag) return 0;
    if (MPI_Get_count(&status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0) return FAILED;
    *from = status.MPI_SOURCE;
    *count = (size_t)bytes;
    *is_there = 1;
    return 0;
}

/* As MPI_Recv, which keeps its core busy until a long message is here: the sender may need it. */
static int receive(void *state, int from, void *bytes, size_t count) {
    MPI_Request request;
    int is_here = 0;

    if (MPI_Irecv(bytes, (int)count, MPI_BYTE, from, TAG, ((struct state *)state)->comm,
                  &request) != MPI_SUCCESS)
        return FAILED;
    for (;;) {
        if (MPI_Test(&request, &is_here, MPI_STATUS_IGNORE) != MPI_SUCCESS) return FAILED;
        if (is_here) return 0;
        sched_yield();
    }
}

static void release(void *state, int is_orderly) {
    struct state *own = state;
    int is_finalized = 0;

    MPI_Finalized(&is_finalized);
    /* Freeing a communicator may wait for ranks that are gone. */
    if (is_orderly && !is_finalized) MPI_Comm_free(&own->comm);
    free(own);
}

static int connect_comm(MPI_Comm comm, frz_comm *table) {
    struct state *own;

    if (comm == MPI_COMM_NULL) return FAILED;
    own = malloc(sizeof *own);
    if (own == NULL) return FAILED;
    if (MPI_Comm_dup(comm, &own->comm) != MPI_SUCCESS) {
        free(own);
        return FAILED;
    }
    /* Errors come back as status codes, whatever the program chose for its own communicators. */
    MPI_Comm_set_errhandler(own->comm, MPI_ERRORS_RETURN);
    table->size_bytes = sizeof *table;
    table->state = own;
    MPI_Comm_rank(own->comm, &table->rank);
    MPI_Comm_size(own->comm, &table->ranks);
    table->send = send_bytes;
    table->test = test_sent;
    table->probe = probe;
    table->receive = receive;
    table->free = release;
    return 0;
}

/* Whether MPI can be called now. */
static int is_running(void) {
    int is_initialized = 0, is_finalized = 0;

    MPI_Initialized(&is_initialized);
    MPI_Finalized(&is_finalized);
    return is_initialized && !is_finalized;
}

/* Whether the program's MPI is the one that this file was compiled for: their handles differ. */
static int fits(void) {
#if defined(MPI_VERSION) && MPI_VERSION >= 3
    char words[8192 + MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (MPI_Get_library_version(words, &length) != MPI_SUCCESS) return 1;
#if defined(OPEN_MPI)
    return strstr(words, "Open MPI") != NULL;
#elif defined(MPICH_VERSION)
    return strstr(words, "Open MPI") == NULL;
#endif
#endif
    return 1;
}

/* What follows calls libfrazil; frazil_mpi_table.c goes without it. */
#ifndef FRAZIL_MPI_TABLE

static int connect_fortran(int fortran_comm, frz_comm *table) {
    if (!fits()) return OTHER_MPI;
    if (!is_running()) return FAILED;
    return connect_comm(MPI_Comm_f2c((MPI_Fint)fortran_comm), table);
}

#if defined(__GNUC__)
__attribute__((constructor))
#endif
void frz_mpi_register(void) {
    frz_set_connect(connect_fortran);
}

frz_status frz_mpi_create(const char *path, MPI_Comm comm, const frz_options *options,
                          frz_writer **writer) {
    frz_comm table;

    if (!is_running() || connect_comm(comm, &table) != 0) {
        if (writer != NULL) *writer = NULL;
        return FRZ_INVALID_ARGUMENT;
    }
    return frz_create_parallel(path, &table, options, writer);
}

frz_status frz_mpi_append(const char *path, MPI_Comm comm, const frz_options *options,
                          frz_writer **writer) {
    frz_comm table;

    if (!is_running() || connect_comm(comm, &table) != 0) {
        if (writer != NULL) *writer = NULL;
        return FRZ_INVALID_ARGUMENT;
    }
    return frz_append_parallel(path, &table, options, writer);
}

int frz_nc_create_par(const char *path, int cmode, MPI_Comm comm, MPI_Info info, int *ncid) {
    (void)info;
    if (!is_running()) return NO_PARALLEL;
    frz_mpi_register();
    return frz_netcdf_create_parallel(path, cmode, (int)MPI_Comm_c2f(comm), ncid);
}

int frz_nc_open_par(const char *path, int mode, MPI_Comm comm, MPI_Info info, int *ncid) {
    (void)info;
    if (!(mode & WRITE_MODE)) return frz_nc_open(path, mode, ncid);
    if (!is_running()) return NO_PARALLEL;
    frz_mpi_register();
    return frz_netcdf_open_parallel(path, mode, (int)MPI_Comm_c2f(comm), ncid);
}

int frz_nc_var_par_access(int ncid, int varid, int access) {
    return frz_netcdf_var_par_access(ncid, varid, access);
}

#endif
