/*
 * order.c: from WRF's memory, where a field lies in any order of its axes and inside a halo, to the
 * order of the file, x fastest, then y, then z; and back.
 */

/* How a field lies in memory. */
typedef struct {
    int axes;
    char letters[MAX_AXES + 1]; /* lower case: xzy, xy, xsz, z; empty for a single value */
    int axis_of[MAX_AXES];      /* the axis in memory for each in the file, both fastest first */
    int is_reversed[MAX_AXES];  /* by axis in memory */
} memory_order;

/* A patch of a field in memory, by the file's axes, the fastest first. */
typedef struct {
    const char *origin; /* its first element */
    uint64_t count[MAX_AXES];
    ptrdiff_t step[MAX_AXES]; /* bytes from one element to the next */
    size_t element;           /* bytes */
} memory_patch;

/* All that WRF hands over with a field. */
typedef struct {
    const char *name;
    char *values; /* the memory, halo included */
    int type;     /* WRF_REAL and so on */
    memory_order order;
    const char *axis_names;
    fortran_length axis_name_length;
    const int *domain_start, *domain_end;
    const int *memory_start, *memory_end;
    const int *patch_start, *patch_end;
} wrf_field;

static size_t element_bytes(int field_type) { return field_type == WRF_DOUBLE ? 8 : 4; }

static int is_among(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return 1;
    return 0;
}

/* Axes of space in any order, as opposed to boundary strips, columns and lists. */
static int is_spatial(const char *letters)
{
    static const char *const orders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xy", "yx", 0};
    return is_among(letters, orders);
}

/* Whether tasks share such a field among them; what is not shared, all have. */
static int is_shared_order(const memory_order *order)
{
    return order->letters[0] == 'x' || order->letters[0] == 'y' || is_spatial(order->letters);
}

/* Understands WRF's MemoryOrder: 0, or BAD_MEMORYORDER. */
static int parse_order(const char *text, fortran_length length, memory_order *order)
{
    static const char *const others[] = {"xsz", "xez", "ysz", "yez", "xs", "xe",
                                         "ys",  "ye",  "cc",  "z",   "c",  "0", 0};
    char given[8];
    to_c(given, sizeof given, text, length);
    memset(order, 0, sizeof *order);
    if (strlen(given) > MAX_AXES)
        return BAD_MEMORYORDER;
    for (int i = 0; given[i]; i++)
        order->letters[i] = lower(given[i]);
    order->axes = (int)strlen(given);
    for (int i = 0; i < order->axes; i++)
        order->axis_of[i] = i;
    if (is_among(order->letters, others)) {
        if (order->letters[0] == '0')
            order->axes = 0;
        return NO_ERR;
    }
    if (!is_spatial(order->letters))
        return BAD_MEMORYORDER;
    int filled = 0;
    for (char letter = 'x'; letter <= 'z'; letter++)
        for (int axis = 0; axis < order->axes; axis++)
            if (order->letters[axis] == letter)
                order->axis_of[filled++] = axis;
    /* A capital letter is an axis that runs with the index, a small one runs against it. */
    for (int axis = 0; axis < order->axes; axis++)
        order->is_reversed[axis] = given[axis] >= 'a' && given[axis] <= 'z';
    return NO_ERR;
}

/* The attribute MemoryOrder: three letters in the order of the file. */
static void stored_order(const memory_order *order, char text[MAX_AXES + 1])
{
    memcpy(text, "   ", MAX_AXES + 1);
    if (order->axes == 0)
        text[0] = '0';
    for (int i = 0; i < order->axes; i++) {
        char letter = order->letters[order->axis_of[i]];
        text[i] = (char)(letter - 'a' + 'A');
    }
}

/* Lengths of a box by the file's axes, the fastest first. */
static void lengths_of(const memory_order *order, const int *start, const int *end,
                       int64_t length[MAX_AXES])
{
    for (int i = 0; i < order->axes; i++) {
        int axis = order->axis_of[i];
        length[i] = (int64_t)end[axis] - start[axis] + 1;
    }
}

/* Where the patch lies that goes from `start` to `end` in memory that does from `low` to `high`. */
static void locate(const memory_order *order, const char *field, size_t element, const int *low,
                   const int *high, const int *start, const int *end, memory_patch *patch)
{
    ptrdiff_t stride[MAX_AXES], width = (ptrdiff_t)element;
    patch->origin = field;
    patch->element = element;
    for (int axis = 0; axis < order->axes; axis++) {
        int first = order->is_reversed[axis] ? end[axis] : start[axis];
        stride[axis] = order->is_reversed[axis] ? -width : width;
        patch->origin += width * ((ptrdiff_t)first - low[axis]);
        width *= (ptrdiff_t)high[axis] - low[axis] + 1;
    }
    for (int i = 0; i < MAX_AXES; i++) {
        int is_axis = i < order->axes;
        int axis = is_axis ? order->axis_of[i] : 0;
        patch->count[i] = is_axis ? (uint64_t)((int64_t)end[axis] - start[axis] + 1) : 1;
        patch->step[i] = is_axis ? stride[axis] : 0;
    }
}

/* Whether the patch lies in memory as it does in the file. */
static int lies_as_in_file(const memory_patch *patch)
{
    ptrdiff_t width = (ptrdiff_t)patch->element;
    for (int i = 0; i < MAX_AXES; i++) {
        if (patch->count[i] > 1 && patch->step[i] != width)
            return 0;
        width *= (ptrdiff_t)patch->count[i];
    }
    return 1;
}

/* The part of a patch that is reordered at once: whole rows, as many as fit a core's cache. */
static void block_of(const memory_patch *patch, uint64_t block[MAX_AXES])
{
    uint64_t row = patch->count[0] * patch->element;
    uint64_t rows = row > 0 && row < BLOCK_BYTES ? BLOCK_BYTES / row : 1;
    block[0] = patch->count[0];
    block[1] = rows < patch->count[1] ? rows : patch->count[1];
    uint64_t planes = block[1] > 0 ? rows / block[1] : 1;
    block[2] = block[1] < patch->count[1] || planes < 1 ? 1 : planes;
    if (block[2] > patch->count[2])
        block[2] = patch->count[2];
}

/* One row between memory and the file's order, in the direction that `is_out` says. */
static void move_row(char *memory, ptrdiff_t step, char *row, uint64_t count, size_t element,
                     int is_out)
{
    if (step == (ptrdiff_t)element) {
        memcpy(is_out ? row : memory, is_out ? memory : row, count * element);
        return;
    }
    for (uint64_t i = 0; i < count; i++, memory += step, row += element)
        memcpy(is_out ? row : memory, is_out ? memory : row, element);
}

/* A block of a patch, `at` elements from its first, to or from one run of bytes. */
static void move_block(const memory_patch *patch, const uint64_t at[MAX_AXES],
                       const uint64_t block[MAX_AXES], char *bytes, int is_out)
{
    size_t row = (size_t)block[0] * patch->element;
    char *origin = (char *)patch->origin;
    for (uint64_t k = 0; k < block[2]; k++)
        for (uint64_t j = 0; j < block[1]; j++, bytes += row) {
            char *memory = origin + (ptrdiff_t)(at[2] + k) * patch->step[2] +
                           (ptrdiff_t)(at[1] + j) * patch->step[1];
            move_row(memory, patch->step[0], bytes, block[0], patch->element, is_out);
        }
}
