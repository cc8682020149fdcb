/* Which part of a variable a call is about. Fortran says it with indices from 1 and the fastest axis
 * first, C with indices from 0 and the slowest axis first: this file and region.c translate, and nothing else. */
#ifndef FRAZIL_REGION_H
#define FRAZIL_REGION_H

#include "descriptor.h"

/* More axes than any variable has (NC_MAX_VAR_DIMS). */
#define FRZ_MAX_AXES 1024

/* Start, count, stride and memory map along each axis, as C has them. */
typedef struct {
    int ndims;
    size_t start[FRZ_MAX_AXES];
    size_t count[FRZ_MAX_AXES];
    ptrdiff_t stride[FRZ_MAX_AXES];
    ptrdiff_t map[FRZ_MAX_AXES];
    bool has_stride, has_map;
} frz_region;

/* The optional arguments of a Fortran call: vectors of integers, NULL where absent. */
typedef struct {
    const CFI_cdesc_t *start, *count, *stride, *map;
} frz_given;

/* The start of each of a variable's axes in C's terms; `start` may be absent (NULL) or name fewer or
 * more axes than there are. */
static inline void frz_locate_start(const CFI_cdesc_t *start, int ndims, size_t *c_start)
{
    for (int axis = 0; axis < ndims; axis++) {
        c_start[ndims - 1 - axis] = (size_t)(frz_integer_at(start, axis, 1) - 1);
    }
}

/* Whether a call moves one number, to or from one element of a variable with few axes: models that
 * write value by value spend their time here. */
#define FRZ_FEW_AXES 8
static const size_t FRZ_ONES[FRZ_FEW_AXES] = {1, 1, 1, 1, 1, 1, 1, 1};

static inline bool frz_is_one_number(const CFI_cdesc_t *values, const frz_given *given, int ndims)
{
    if (values->type == CFI_type_char || ndims > FRZ_FEW_AXES || given->map != NULL
        || given->stride != NULL) {
        return false;
    }
    if (given->count == NULL) {
        return values->rank == 0;
    }
    for (int axis = 0; axis < ndims; axis++) {
        if (frz_integer_at(given->count, axis, 0) != 1) {
            return false;
        }
    }
    for (int axis = 0; axis < values->rank; axis++) {
        if (values->dim[axis].extent == 0) {
            return false;
        }
    }
    return true;
}

/* Fills `at`, whose ndims says how many axes the variable has, at most FRZ_MAX_AXES. An axis that
 * is not mentioned begins at 1, has stride 1, and is as long as that axis of `values`. What is
 * said of more axes than the variable has is ignored. */
void frz_locate(const CFI_cdesc_t *values, const frz_given *given, frz_region *at);

/* Elements that `values` must have, from the first one on, for all that the region names; SIZE_MAX
 * if no memory has so many. A text is one element and holds one value for each character. */
size_t frz_elements_needed(const CFI_cdesc_t *values, const frz_region *at);

#endif
