/*
 * package.c: an I/O package for WRF that writes netCDF-4 files by frazil.
 *
 *     cc -DFRZ_WRF_PREFIX=ext_yyy_ -I<folder of frazil.h> -c package.c
 *
 * makes the routines that WRF's frame/module_io.F calls for one of its io_forms: ext_yyy_ioinit and
 * its like. With -DFRZ_WRF_PARALLEL (and mpicc) every task calls them with its own patch, else one
 * task with the whole field. docs/wrf.md says how it gets into WRF.
 *
 * One translation unit, so that packages of several prefixes can be in one program: nothing but the
 * entry points is visible outside.
 */
#ifndef FRZ_WRF_PREFIX
#define FRZ_WRF_PREFIX ext_frz_
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <frazil.h>
#include <frazil_netcdf.h>
#include <pthread.h>
#ifdef FRZ_WRF_PARALLEL
#include <frazil_mpi.h>
#endif

#include "codes.h"
#include "package.h"

#include "messages.c"
#include "order.c"
#include "options.c"
#include "files.c"
#include "commit.c"
#include "tasks.c"
#include "read.c"
#include "append.c"
#include "create.c"
#include "write.c"
#include "metadata.c"
#include "metadata_in_time.c"
#include "entries.c"
#include "metadata_entries.c"
