/* Fortran arguments of any type, kind and rank, as C sees them.
 *
 * Fortran hands over a descriptor (ISO_Fortran_binding.h) of a dummy argument that is declared
 * `type(*), dimension(..)`. descriptor.c reads types, shapes and texts from it, and brings elements
 * side by side in memory. */
#ifndef FRAZIL_DESCRIPTOR_H
#define FRAZIL_DESCRIPTOR_H

#include <ISO_Fortran_binding.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An element count that is not known: the array is of assumed size. */
#define FRZ_UNKNOWN SIZE_MAX

/* The netCDF number of a Fortran type and kind; 0 (NC_NAT) for what netCDF has no type for, such
 * as logical, complex and derived types. Here, not in descriptor.c, like all that a call with one
 * value needs. */
static inline int frz_memory_type(const CFI_cdesc_t *values)
{
    enum { NAT = 0, BYTE = 1, CHAR = 2, SHORT = 3, INT = 4, FLOAT = 5, DOUBLE = 6, INT64 = 10 };
    switch (values->type) {
    case CFI_type_int8_t:
        return BYTE;
    case CFI_type_int16_t:
        return SHORT;
    case CFI_type_int32_t:
        return INT;
    case CFI_type_int64_t:
        return INT64;
    case CFI_type_float:
        return FLOAT;
    case CFI_type_double:
        return DOUBLE;
    case CFI_type_char:
        return CHAR;
    default:
        return NAT;
    }
}

/* Elements of the array, 1 for a scalar; FRZ_UNKNOWN for an array of assumed size. */
size_t frz_element_count(const CFI_cdesc_t *values);

/* The leading elements of an array one after another in memory. */
typedef struct {
    /* Where they lie: in the array itself, or in `copy`. Never NULL. */
    void *data;
    /* Memory of our own for elements that do not lie side by side in the array; else NULL. */
    void *copy;
    size_t elements;
} frz_packed;

/* Presents at least the first `elements` elements side by side, in array element order; false if
 * memory is short. */
bool frz_pack(const CFI_cdesc_t *values, size_t elements, frz_packed *packed);

/* Writes what changed back into the array, if it was copied. */
void frz_unpack(const frz_packed *packed, CFI_cdesc_t *values);

/* Gives the memory back. */
void frz_release(frz_packed *packed);

/* The i-th element (from 0) of a vector of integers of four or eight bytes; `otherwise` beyond its
 * end or if it is absent (NULL). */
static inline ptrdiff_t frz_integer_at(const CFI_cdesc_t *vector, size_t i, ptrdiff_t otherwise)
{
    if (vector == NULL || (CFI_index_t)i >= vector->dim[0].extent) {
        return otherwise;
    }
    const char *element = (const char *)vector->base_addr + (ptrdiff_t)i * vector->dim[0].sm;
    return vector->elem_len == sizeof(int64_t) ? (ptrdiff_t)*(const int64_t *)element
                                               : *(const int32_t *)element;
}

/* A Fortran text without trailing blanks, ended by NUL, in `room` or, if it is longer, in memory
 * that frz_text_release gives back; NULL if memory is short. */
#define FRZ_TEXT_ROOM 257
const char *frz_text(const CFI_cdesc_t *text, char room[FRZ_TEXT_ROOM]);
void frz_text_release(const char *text, const char *room);

/* Bytes of a Fortran text without its trailing blanks. */
size_t frz_trimmed_length(const CFI_cdesc_t *text);

#endif
