/*
 * frazil_mpi.h: netCDF-4 files that the processes of an MPI program write together.
 *
 *     #include <frazil_mpi.h>
 *     frz_mpi_create("out.nc", MPI_COMM_WORLD, NULL, &writer);
 *     ... the same definitions on every rank, any puts on any rank ...
 *     frz_close(writer, NULL);
 *
 * Compile frazil_mpi.c with the program's own mpicc, or link with the library made of it by
 * `make -C mpi CC=mpicc`. libfrazil itself knows no MPI: one of it serves every MPI.
 *
 * MPI_THREAD_FUNNELED is enough: only the thread that calls frazil calls MPI. docs/mpi.md says what
 * the ranks must do together, and what is each rank's own affair.
 */
#ifndef FRAZIL_MPI_H
#define FRAZIL_MPI_H

#include <mpi.h>

#include "frazil.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Begins a new file that all ranks of `comm` write together; all of them make this call, with the
 * same options (NULL: the defaults). frazil works on a duplicate of `comm`. Close the file before
 * MPI_Finalize.
 *
 * Errors: as frz_create_parallel; FRZ_INVALID_ARGUMENT if MPI is not initialized.
 */
frz_status frz_mpi_create(const char *path, MPI_Comm comm, const frz_options *options,
                          frz_writer **writer);

/*
 * Opens an existing file that all ranks of `comm` go on writing together, as frz_append.
 */
frz_status frz_mpi_append(const char *path, MPI_Comm comm, const frz_options *options,
                          frz_writer **writer);

/* nc_create_par: netCDF's status codes. The hints of `info` go unheeded. */
int frz_nc_create_par(const char *path, int cmode, MPI_Comm comm, MPI_Info info, int *ncid);

/*
 * nc_open_par: every rank reads for itself; with NC_WRITE all go on writing the file together.
 */
int frz_nc_open_par(const char *path, int mode, MPI_Comm comm, MPI_Info info, int *ncid);

/* nc_var_par_access: independent and collective access are the same. */
int frz_nc_var_par_access(int ncid, int varid, int access);

/*
 * Makes MPI known to libfrazil: the Fortran modules can then create files with a communicator. It
 * happens by itself where this file's object is part of the program; a static library needs a call.
 */
void frz_mpi_register(void);

#ifdef __cplusplus
}
#endif

#ifdef FRAZIL_NETCDF_NAMES
#include "frazil_netcdf.h"
#define nc_create_par frz_nc_create_par
#define nc_open_par frz_nc_open_par
#define nc_var_par_access frz_nc_var_par_access
#endif

#ifndef NC_INDEPENDENT
#define NC_INDEPENDENT 0
#endif
#ifndef NC_COLLECTIVE
#define NC_COLLECTIVE 1
#endif

#endif
