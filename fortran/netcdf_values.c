/* nf90_put_var and nf90_get_var of all types, kinds and ranks. */
#include "region.h"

#include <frazil.h>
#include <frazil_netcdf.h>
#include <stdarg.h>
#include <stdio.h>

typedef enum { PUT, GET } direction;

/* Whether a dimension of a group or of those above it is unlimited. */
static bool is_unlimited(int ncid, int dimid)
{
    int unlimited[NC_MAX_DIMS];
    int number;
    do {
        if (frz_nc_inq_unlimdims(ncid, &number, NULL) != NC_NOERR || number > NC_MAX_DIMS
            || frz_nc_inq_unlimdims(ncid, NULL, unlimited) != NC_NOERR) {
            return false;
        }
        for (int i = 0; i < number; i++) {
            if (unlimited[i] == dimid) {
                return true;
            }
        }
    } while (frz_nc_inq_grp_parent(ncid, &ncid) == NC_NOERR);
    return false;
}

/* Keeps what there is to say about a refusal for frazil_last_message. */
static void say(const char *format, ...)
{
    char words[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    frz_set_last_message(words);
}

/* Why a call asks for more values than the array has: because it leaves the variable, or else
 * because the array is too short, which netcdf-fortran does not see. */
static int explain_shortage(int ncid, int varid, const frz_region *at, direction way)
{
    int dimids[FRZ_MAX_AXES];
    int status = frz_nc_inq_vardimid(ncid, varid, dimids);
    for (int axis = 0; status == NC_NOERR && axis < at->ndims; axis++) {
        const size_t stride = at->has_stride && at->stride[axis] > 0 ? (size_t)at->stride[axis] : 1;
        size_t length;
        if (way == PUT && is_unlimited(ncid, dimids[axis])) {
            continue;
        }
        status = frz_nc_inq_dimlen(ncid, dimids[axis], &length);
        if (status != NC_NOERR) {
            return status;
        }
        /* Elements from the start on that the stride meets. */
        if (at->start[axis] > length
            || at->count[axis] > (length - at->start[axis] + stride - 1) / stride) {
            say("axis %d has length %zu: %zu from %td on leave it", at->ndims - axis, length,
                at->count[axis], (ptrdiff_t)at->start[axis] + 1);
            return at->start[axis] > length ? NC_EINVALCOORDS : NC_EEDGE;
        }
    }
    if (status == NC_NOERR) {
        say("the array has fewer elements than the call asks for");
        return NC_EINVAL;
    }
    return status;
}

/* Presents the values that a call is about. */
static int prepare(int ncid, int varid, const CFI_cdesc_t *values, const frz_given *given,
                   direction way, frz_region *at, frz_packed *packed)
{
    if (at->ndims > FRZ_MAX_AXES) {
        return NC_EMAXDIMS;
    }
    frz_locate(values, given, at);
    const size_t elements = frz_elements_needed(values, at);
    if (elements > frz_element_count(values)) {
        return explain_shortage(ncid, varid, at, way);
    }
    return frz_pack(values, elements, packed) ? NC_NOERR : NC_ENOMEM;
}

static int put_many(int ncid, int varid, const CFI_cdesc_t *values, const frz_given *given, int ndims)
{
    frz_region at;
    frz_packed packed;
    at.ndims = ndims;
    int status = prepare(ncid, varid, values, given, PUT, &at, &packed);
    if (status == NC_NOERR) {
        status = frz_nc_put_array(ncid, varid, at.start, at.count, at.has_stride ? at.stride : NULL,
                                  at.has_map ? at.map : NULL, packed.data, frz_memory_type(values));
        frz_release(&packed);
    }
    return status;
}

static int get_many(int ncid, int varid, CFI_cdesc_t *values, const frz_given *given, int ndims)
{
    frz_region at;
    frz_packed packed;
    at.ndims = ndims;
    int status = prepare(ncid, varid, values, given, GET, &at, &packed);
    if (status == NC_NOERR) {
        status = frz_nc_get_array(ncid, varid, at.start, at.count, at.has_stride ? at.stride : NULL,
                                  at.has_map ? at.map : NULL, packed.data, frz_memory_type(values));
        /* Also after an error: values out of range do not keep the others from arriving. */
        frz_unpack(&packed, values);
        frz_release(&packed);
    }
    return status;
}

static int put(int ncid, int varid, const CFI_cdesc_t *values, const frz_given *given)
{
    const CFI_cdesc_t *start = given->start;
    const int type = frz_memory_type(values);
    size_t index[FRZ_FEW_AXES];
    int ndims, status;
    if (type == NC_NAT) {
        return NC_EBADTYPE;
    }
    if (start != NULL && start->dim[0].extent <= FRZ_FEW_AXES) {
        int done = 0;
        ndims = (int)start->dim[0].extent;
        if (frz_is_one_number(values, given, ndims)) {
            frz_locate_start(start, ndims, index);
            status = frz_nc_put_element(ncid, varid - 1, (size_t)ndims, index, values->base_addr,
                                        type, &done);
            if (status != NC_NOERR || done) {
                return status;
            }
        }
    }
    status = frz_nc_inq_varndims(ncid, varid - 1, &ndims);
    if (status != NC_NOERR) {
        return status;
    }
    if (!frz_is_one_number(values, given, ndims)) {
        return put_many(ncid, varid - 1, values, given, ndims);
    }
    frz_locate_start(start, ndims, index);
    return frz_nc_put_array(ncid, varid - 1, index, FRZ_ONES, NULL, NULL, values->base_addr, type);
}

static int get(int ncid, int varid, CFI_cdesc_t *values, const frz_given *given)
{
    const int type = frz_memory_type(values);
    size_t index[FRZ_FEW_AXES];
    int ndims;
    if (type == NC_NAT) {
        return NC_EBADTYPE;
    }
    const int status = frz_nc_inq_varndims(ncid, varid - 1, &ndims);
    if (status != NC_NOERR) {
        return status;
    }
    if (!frz_is_one_number(values, given, ndims)) {
        return get_many(ncid, varid - 1, values, given, ndims);
    }
    frz_locate_start(given->start, ndims, index);
    return frz_nc_get_array(ncid, varid - 1, index, FRZ_ONES, NULL, NULL, values->base_addr, type);
}

int frz_nf90_put_var(int ncid, int varid, const CFI_cdesc_t *values, const CFI_cdesc_t *start,
                     const CFI_cdesc_t *count, const CFI_cdesc_t *stride, const CFI_cdesc_t *map)
{
    const frz_given given = {start, count, stride, map};
    const int before = frz_set_message_counting(1);
    const int status = put(ncid, varid, values, &given);
    frz_set_message_counting(before);
    return status;
}

int frz_nf90_get_var(int ncid, int varid, CFI_cdesc_t *values, const CFI_cdesc_t *start,
                     const CFI_cdesc_t *count, const CFI_cdesc_t *stride, const CFI_cdesc_t *map)
{
    const frz_given given = {start, count, stride, map};
    const int before = frz_set_message_counting(1);
    const int status = get(ncid, varid, values, &given);
    frz_set_message_counting(before);
    return status;
}
