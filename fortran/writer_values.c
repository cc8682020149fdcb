/* Values for the module frazil: frazil_put, frazil_read, attributes and fill values of all types,
 * kinds and ranks. */
#include "region.h"

#include <frazil.h>
#include <stdint.h>

/* What only this layer refuses; the module frazil gives the numbers names and words. */
enum { NO_SUCH_TYPE = -1, ARRAY_TOO_SHORT = -2, TOO_MANY_AXES = -3 };

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "C's sizes are frazil's");

/* One number of the variable's own type: frazil compares. */
static int put_one(frz_writer *writer, int variable, const CFI_cdesc_t *value, const uint64_t *index)
{
    const void *bytes = value->base_addr;
    switch (frz_memory_type(value)) {
    case FRZ_INT8:
        return frz_put1_int8(writer, variable, index, *(const int8_t *)bytes);
    case FRZ_INT16:
        return frz_put1_int16(writer, variable, index, *(const int16_t *)bytes);
    case FRZ_INT32:
        return frz_put1_int32(writer, variable, index, *(const int32_t *)bytes);
    case FRZ_INT64:
        return frz_put1_int64(writer, variable, index, *(const int64_t *)bytes);
    case FRZ_FLOAT:
        return frz_put1_float(writer, variable, index, *(const float *)bytes);
    case FRZ_DOUBLE:
        return frz_put1_double(writer, variable, index, *(const double *)bytes);
    default:
        return NO_SUCH_TYPE;
    }
}

/* Presents the values that a call is about. That their type is the variable's own is for frazil
 * to say. */
static int prepare(const CFI_cdesc_t *values, const frz_given *given, frz_region *at,
                   frz_packed *packed)
{
    if (at->ndims > FRZ_MAX_AXES) {
        return TOO_MANY_AXES;
    }
    frz_locate(values, given, at);
    const size_t elements = frz_elements_needed(values, at);
    if (elements > frz_element_count(values)) {
        return ARRAY_TOO_SHORT;
    }
    return frz_pack(values, elements, packed) ? FRZ_OK : FRZ_MEMORY_BUDGET;
}

static const uint64_t *stride_of(const frz_region *at)
{
    return at->has_stride ? (const uint64_t *)at->stride : NULL;
}

/* How many axes a variable has, if `values` are of a type that can be put into one. */
static int count_axes(frz_writer *writer, int variable, const CFI_cdesc_t *values, int *ndims)
{
    if (frz_memory_type(values) == 0) {
        return NO_SUCH_TYPE;
    }
    return frz_inquire_variable(writer, variable, NULL, ndims, NULL);
}

static int put_many(frz_writer *writer, int variable, const CFI_cdesc_t *values,
                    const frz_given *given, int ndims)
{
    frz_region at;
    frz_packed packed;
    at.ndims = ndims;
    int status = prepare(values, given, &at, &packed);
    if (status == FRZ_OK) {
        status = frz_put(writer, variable, (uint64_t *)at.start, (uint64_t *)at.count, stride_of(&at),
                         frz_memory_type(values), packed.data);
        frz_release(&packed);
    }
    return status;
}

static int put(frz_writer *writer, int variable, const CFI_cdesc_t *values, const frz_given *given)
{
    size_t index[FRZ_FEW_AXES];
    int ndims;
    const int status = count_axes(writer, variable, values, &ndims);
    if (status != FRZ_OK) {
        return status;
    }
    if (!frz_is_one_number(values, given, ndims)) {
        return put_many(writer, variable, values, given, ndims);
    }
    frz_locate_start(given->start, ndims, index);
    return put_one(writer, variable, values, (uint64_t *)index);
}

int frz_fortran_put(frz_writer *const *writer, int variable, const CFI_cdesc_t *values,
                    const CFI_cdesc_t *start, const CFI_cdesc_t *count, const CFI_cdesc_t *stride)
{
    const frz_given given = {start, count, stride, NULL};
    const int before = frz_set_message_counting(1);
    const int status = put(*writer, variable, values, &given);
    frz_set_message_counting(before);
    return status;
}

int frz_fortran_read(frz_writer *const *writer, int variable, CFI_cdesc_t *values,
                     const CFI_cdesc_t *start, const CFI_cdesc_t *count, const CFI_cdesc_t *stride)
{
    const frz_given given = {start, count, stride, NULL};
    const int before = frz_set_message_counting(1);
    frz_region at;
    frz_packed packed;
    int status = count_axes(*writer, variable, values, &at.ndims);
    if (status == FRZ_OK) {
        status = prepare(values, &given, &at, &packed);
    }
    if (status == FRZ_OK) {
        status = frz_read(*writer, variable, (uint64_t *)at.start, (uint64_t *)at.count,
                          stride_of(&at), frz_memory_type(values), packed.data);
        frz_unpack(&packed, values);
        frz_release(&packed);
    }
    frz_set_message_counting(before);
    return status;
}

/* An attribute of a variable, or of a group if there is no variable. */
static int put_attribute(frz_writer *writer, int owner, bool is_group, const CFI_cdesc_t *name,
                         const CFI_cdesc_t *values)
{
    char room[FRZ_TEXT_ROOM];
    const int type = frz_memory_type(values);
    frz_packed packed;
    if (type == 0 || (type == FRZ_CHAR && values->rank > 0)) {
        return NO_SUCH_TYPE;
    }
    const size_t elements = frz_element_count(values);
    const size_t length = type == FRZ_CHAR ? frz_trimmed_length(values) : elements;
    const char *c_name = frz_text(name, room);
    int status = FRZ_MEMORY_BUDGET;
    if (c_name == NULL) {
        return status;
    }
    if (frz_pack(values, elements, &packed)) {
        status = is_group ? frz_put_group_attribute(writer, owner, c_name, type, length, packed.data)
                          : frz_put_attribute(writer, owner, c_name, type, length, packed.data);
        frz_release(&packed);
    }
    frz_text_release(c_name, room);
    return status;
}

int frz_fortran_put_attribute(frz_writer *const *writer, int variable, const CFI_cdesc_t *name,
                              const CFI_cdesc_t *values)
{
    return put_attribute(*writer, variable, false, name, values);
}

int frz_fortran_put_group_attribute(frz_writer *const *writer, int group, const CFI_cdesc_t *name,
                                    const CFI_cdesc_t *values)
{
    return put_attribute(*writer, group, true, name, values);
}

/* The value must be of the variable's own type. */
int frz_fortran_set_fill_value(frz_writer *const *writer, int variable, const CFI_cdesc_t *value)
{
    int type;
    const int status = frz_inquire_variable(*writer, variable, &type, NULL, NULL);
    if (status != FRZ_OK) {
        return status;
    }
    return type == frz_memory_type(value) ? (int)frz_set_fill_value(*writer, variable, value->base_addr)
                                          : NO_SUCH_TYPE;
}
