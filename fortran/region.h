/* Which part of a variable a call is about. Fortran says it with indices from 1 and the fastest axis
 * first, C with indices from 0 and the slowest axis first: region.c translates, and nothing else. */
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
} frz_wishes;

/* Fills `at`, whose ndims says how many axes the variable has, at most FRZ_MAX_AXES. An axis that
 * is not mentioned begins at 1, has stride 1, and is as long as that axis of `values`. What is
 * said of more axes than the variable has is ignored. */
void frz_locate(const CFI_cdesc_t *values, const frz_wishes *given, frz_region *at);

/* Elements that `values` must have, from the first one on, for all that the region names; SIZE_MAX
 * if no memory has so many. A text is one element and holds one value for each character. */
size_t frz_elements_needed(const CFI_cdesc_t *values, const frz_region *at);

#endif
