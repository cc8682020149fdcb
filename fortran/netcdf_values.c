/* nf90_put_var and nf90_get_var of all types, kinds and ranks. Here, and nowhere else, the axes of
 * values change their order and indices their base. */
#include "descriptor.h"

#include <frazil_netcdf.h>
#include <stdint.h>

typedef enum { PUT, GET } direction;

/* What of a variable a call is about, in C's terms. */
typedef struct {
    int ndims;
    size_t start[FRZ_MAX_AXES];
    size_t count[FRZ_MAX_AXES];
    ptrdiff_t stride[FRZ_MAX_AXES];
    ptrdiff_t map[FRZ_MAX_AXES];
    bool has_stride, has_map;
} region;

/* The optional arguments of nf90_put_var and nf90_get_var; NULL where absent. */
typedef struct {
    const CFI_cdesc_t *start, *count, *stride, *map;
} wishes;

/* How many elements along Fortran axis `axis` (from 0) if no count says so: as many as the array
 * has. A text's characters are an axis before the others; an array of texts writes nothing to
 * axes beyond its own, as in netcdf-fortran. */
static size_t default_count(const CFI_cdesc_t *values, int axis)
{
    const bool is_text = values->type == CFI_type_char;
    if (is_text && axis == 0) {
        return values->elem_len;
    }
    axis -= is_text;
    if (axis < values->rank) {
        return (size_t)values->dim[axis].extent;
    }
    return is_text && values->rank > 0 ? 0 : 1;
}

/* Translates the arguments. An axis that is not mentioned begins at 1 and has stride 1; what is
 * given for more axes than the variable has is ignored. */
static int locate(int ncid, int varid, const CFI_cdesc_t *values, const wishes *given, region *at)
{
    ptrdiff_t step = 1;
    const int status = frz_nc_inq_varndims(ncid, varid, &at->ndims);
    if (status != NC_NOERR) {
        return status;
    }
    if (at->ndims > FRZ_MAX_AXES) {
        return NC_EMAXDIMS;
    }
    at->has_stride = given->stride != NULL;
    /* One text has no axes to map. */
    at->has_map = given->map != NULL && !(values->type == CFI_type_char && values->rank == 0);
    for (int axis = 0; axis < at->ndims; axis++) {
        const int c_axis = at->ndims - 1 - axis;
        const size_t extent = default_count(values, axis);
        at->start[c_axis] = (size_t)(frz_integer_at(given->start, axis, 1) - 1);
        at->count[c_axis] = (size_t)frz_integer_at(given->count, axis, (ptrdiff_t)extent);
        if (at->has_stride) {
            at->stride[c_axis] = frz_integer_at(given->stride, axis, 1);
        }
        if (at->has_map) {
            at->map[c_axis] = frz_integer_at(given->map, axis, step);
            step *= (ptrdiff_t)extent;
        }
    }
    return NC_NOERR;
}

/* Values that a call touches in memory, from the first one on; SIZE_MAX if no memory has so many. */
static size_t values_needed(const region *at)
{
    size_t needed = 1;
    size_t last = 0;
    for (int axis = 0; axis < at->ndims; axis++) {
        const size_t count = at->count[axis];
        size_t reach;
        if (count == 0) {
            return 0;
        }
        if (__builtin_mul_overflow(needed, count, &needed)) {
            needed = SIZE_MAX;
        }
        if (!at->has_map) {
            continue;
        }
        if (at->map[axis] < 0 || __builtin_mul_overflow((size_t)at->map[axis], count - 1, &reach)
            || __builtin_add_overflow(last, reach, &last)) {
            return SIZE_MAX;
        }
    }
    return at->has_map ? last + 1 : needed;
}

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

/* Why a call asks for more values than the array has: because it leaves the variable, or else
 * because the array is too short, which netcdf-fortran does not see. */
static int explain_shortage(int ncid, int varid, const region *at, direction way)
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
        if (at->start[axis] > length) {
            return NC_EINVALCOORDS;
        }
        /* Elements from the start on that the stride meets. */
        if (at->count[axis] > (length - at->start[axis] + stride - 1) / stride) {
            return NC_EEDGE;
        }
    }
    return status == NC_NOERR ? NC_EINVAL : status;
}

/* Elements of the array that hold `needed` values: a text holds one for each character. */
static size_t elements_for(const CFI_cdesc_t *values, size_t needed)
{
    if (values->type != CFI_type_char || needed == 0) {
        return needed;
    }
    return values->elem_len == 0 ? SIZE_MAX : (needed - 1) / values->elem_len + 1;
}

/* Presents the values that a call is about. */
static int prepare(int ncid, int varid, const CFI_cdesc_t *values, const wishes *given, region *at,
                   frz_packed *packed, direction way)
{
    if (frz_memory_type(values) == NC_NAT) {
        return NC_EBADTYPE;
    }
    const int status = locate(ncid, varid, values, given, at);
    if (status != NC_NOERR) {
        return status;
    }
    const size_t elements = elements_for(values, values_needed(at));
    if (elements > frz_element_count(values)) {
        return explain_shortage(ncid, varid, at, way);
    }
    return frz_pack(values, elements, packed) ? NC_NOERR : NC_ENOMEM;
}

int frz_nf90_put_var(int ncid, int varid, const CFI_cdesc_t *values, const CFI_cdesc_t *start,
                     const CFI_cdesc_t *count, const CFI_cdesc_t *stride, const CFI_cdesc_t *map)
{
    const wishes given = {start, count, stride, map};
    region at;
    frz_packed packed;
    int status = prepare(ncid, varid - 1, values, &given, &at, &packed, PUT);
    if (status == NC_NOERR) {
        status = frz_nc_put_array(ncid, varid - 1, at.start, at.count,
                                  at.has_stride ? at.stride : NULL, at.has_map ? at.map : NULL,
                                  packed.data, frz_memory_type(values));
        frz_release(&packed);
    }
    return status;
}

int frz_nf90_get_var(int ncid, int varid, CFI_cdesc_t *values, const CFI_cdesc_t *start,
                     const CFI_cdesc_t *count, const CFI_cdesc_t *stride, const CFI_cdesc_t *map)
{
    const wishes given = {start, count, stride, map};
    region at;
    frz_packed packed;
    int status = prepare(ncid, varid - 1, values, &given, &at, &packed, GET);
    if (status == NC_NOERR) {
        status = frz_nc_get_array(ncid, varid - 1, at.start, at.count,
                                  at.has_stride ? at.stride : NULL, at.has_map ? at.map : NULL,
                                  packed.data, frz_memory_type(values));
        /* Also after an error: values out of range do not keep the others from arriving. */
        frz_unpack(&packed, values);
        frz_release(&packed);
    }
    return status;
}
