#include "region.h"

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

void frz_locate(const CFI_cdesc_t *values, const frz_given *given, frz_region *at)
{
    ptrdiff_t step = 1;
    frz_locate_start(given->start, at->ndims, at->start);
    at->has_stride = given->stride != NULL;
    /* One text has no axes to map. */
    at->has_map = given->map != NULL && !(values->type == CFI_type_char && values->rank == 0);
    for (int axis = 0; axis < at->ndims; axis++) {
        const int c_axis = at->ndims - 1 - axis;
        const size_t extent = default_count(values, axis);
        at->count[c_axis] = (size_t)frz_integer_at(given->count, axis, (ptrdiff_t)extent);
        if (at->has_stride) {
            at->stride[c_axis] = frz_integer_at(given->stride, axis, 1);
        }
        if (at->has_map) {
            at->map[c_axis] = frz_integer_at(given->map, axis, step);
            step *= (ptrdiff_t)extent;
        }
    }
}

/* Values that a call touches in memory, from the first one on; SIZE_MAX if no memory has so many. */
static size_t values_needed(const frz_region *at)
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

size_t frz_elements_needed(const CFI_cdesc_t *values, const frz_region *at)
{
    const size_t needed = values_needed(at);
    if (values->type != CFI_type_char || needed == 0) {
        return needed;
    }
    return values->elem_len == 0 ? SIZE_MAX : (needed - 1) / values->elem_len + 1;
}
