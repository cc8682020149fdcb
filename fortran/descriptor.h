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

/* An element count that is not known: the array is of assumed size. */
#define FRZ_UNKNOWN SIZE_MAX

/* The netCDF number of a Fortran type and kind; 0 (NC_NAT) for what netCDF has no type for, such
 * as logical, complex and derived types. */
int frz_memory_type(const CFI_cdesc_t *values);

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

/* The i-th element (from 0) of a vector of integers of four or eight bytes; `otherwise` beyond its end or if it
 * is absent (NULL). */
ptrdiff_t frz_integer_at(const CFI_cdesc_t *vector, size_t i, ptrdiff_t otherwise);

/* A Fortran text without trailing blanks, ended by NUL, in `room` or, if it is longer, in memory
 * that frz_text_release gives back; NULL if memory is short. */
#define FRZ_TEXT_ROOM 257
const char *frz_text(const CFI_cdesc_t *text, char room[FRZ_TEXT_ROOM]);
void frz_text_release(const char *text, const char *room);

/* Bytes of a Fortran text without its trailing blanks. */
size_t frz_trimmed_length(const CFI_cdesc_t *text);

#endif
