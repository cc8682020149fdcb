#include "descriptor.h"

#include <stdlib.h>
#include <string.h>

static bool is_assumed_size(const CFI_cdesc_t *values)
{
    return values->rank > 0 && values->dim[values->rank - 1].extent < 0;
}

size_t frz_element_count(const CFI_cdesc_t *values)
{
    size_t count = 1;
    if (is_assumed_size(values)) {
        return FRZ_UNKNOWN;
    }
    for (int axis = 0; axis < values->rank; axis++) {
        count *= (size_t)values->dim[axis].extent;
    }
    return count;
}

/* How many leading axes lie side by side in memory, and the elements they span. */
static int contiguous_axes(const CFI_cdesc_t *values, size_t *elements)
{
    int axis = 0;
    *elements = 1;
    while (axis < values->rank) {
        const CFI_dim_t *dim = &values->dim[axis];
        if (dim->extent != 1 && dim->sm != (ptrdiff_t)(*elements * values->elem_len)) {
            break;
        }
        *elements *= (size_t)dim->extent;
        axis++;
    }
    return axis;
}

/* Copies `packed->elements` elements between the array and `packed->copy`, run by run. */
static void copy_runs(const CFI_cdesc_t *values, const frz_packed *packed, bool into_array)
{
    size_t run;
    const int inner = contiguous_axes(values, &run);
    size_t left = packed->elements * values->elem_len;
    const size_t run_bytes = run * values->elem_len;
    CFI_index_t index[CFI_MAX_RANK] = {0};
    char *in_array = values->base_addr;
    char *in_copy = packed->copy;

    while (left > 0) {
        const size_t bytes = left < run_bytes ? left : run_bytes;
        memcpy(into_array ? in_array : in_copy, into_array ? in_copy : in_array, bytes);
        in_copy += bytes;
        left -= bytes;
        for (int axis = inner; axis < values->rank; axis++) {
            const CFI_dim_t *dim = &values->dim[axis];
            in_array += dim->sm;
            if (++index[axis] < dim->extent) {
                break;
            }
            in_array -= dim->sm * dim->extent;
            index[axis] = 0;
        }
    }
}

bool frz_pack(const CFI_cdesc_t *values, size_t elements, frz_packed *packed)
{
    /* Something to point to where there is nothing: empty arrays may have no address. */
    static char nothing[8];
    size_t run;

    packed->copy = NULL;
    packed->elements = elements;
    packed->data = elements == 0 ? nothing : values->base_addr;
    if (elements <= 1 || is_assumed_size(values)
        || contiguous_axes(values, &run) == values->rank) {
        return true;
    }
    /* No larger than the array, whose bytes fit into memory. */
    packed->copy = malloc(elements * values->elem_len);
    if (packed->copy == NULL) {
        return false;
    }
    packed->data = packed->copy;
    copy_runs(values, packed, false);
    return true;
}

void frz_unpack(const frz_packed *packed, CFI_cdesc_t *values)
{
    if (packed->copy != NULL) {
        copy_runs(values, packed, true);
    }
}

void frz_release(frz_packed *packed)
{
    free(packed->copy);
    packed->copy = NULL;
}

size_t frz_trimmed_length(const CFI_cdesc_t *text)
{
    const char *bytes = text->base_addr;
    size_t length = text->elem_len;
    while (length > 0 && bytes[length - 1] == ' ') {
        length--;
    }
    return length;
}

const char *frz_text(const CFI_cdesc_t *text, char room[FRZ_TEXT_ROOM])
{
    const size_t length = frz_trimmed_length(text);
    char *copy = length < FRZ_TEXT_ROOM ? room : malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text->base_addr, length);
        copy[length] = '\0';
    }
    return copy;
}

void frz_text_release(const char *text, const char *room)
{
    if (text != room) {
        free((void *)text);
    }
}
