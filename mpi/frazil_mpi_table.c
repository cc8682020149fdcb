/*
 * What frazil's netCDF library loads to reach the MPI of a program: it fills tables of functions, and
 * calls nothing of libfrazil. That library is loaded so that nobody sees its names.
 *
 * Compiled with the program's mpicc, it lies beside libfrazil as libfrazil_mpi_table.so.
 */
#define FRAZIL_MPI_TABLE
#include "frazil_mpi.c"

/* 0; 1: MPI cannot be called now, or not with this communicator; 2: it is another MPI. */
int frz_mpi_table(MPI_Comm comm, frz_comm *table);
int frz_mpi_table_fortran(int comm, frz_comm *table);
/* Returns when all ranks have called it. */
int frz_mpi_meet(MPI_Comm comm);
int frz_mpi_meet_fortran(int comm);

int frz_mpi_table(MPI_Comm comm, frz_comm *table) {
    if (!fits()) return OTHER_MPI;
    if (!is_running()) return FAILED;
    return connect_comm(comm, table);
}

int frz_mpi_table_fortran(int comm, frz_comm *table) {
    if (!fits()) return OTHER_MPI;
    if (!is_running()) return FAILED;
    return connect_comm(MPI_Comm_f2c((MPI_Fint)comm), table);
}

int frz_mpi_meet(MPI_Comm comm) {
    if (!fits()) return OTHER_MPI;
    if (!is_running() || comm == MPI_COMM_NULL) return FAILED;
    return MPI_Barrier(comm) == MPI_SUCCESS ? 0 : FAILED;
}

int frz_mpi_meet_fortran(int comm) {
    if (!fits()) return OTHER_MPI;
    if (!is_running()) return FAILED;
    return frz_mpi_meet(MPI_Comm_f2c((MPI_Fint)comm));
}
