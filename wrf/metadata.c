/*
 * metadata.c: attributes of the file and of its variables. WRF puts them anew with every frame:
 * what comes after the first operation is ignored.
 */

/* Kinds of metadata, one for each of WRF's families of routines. */
enum { KIND_REAL, KIND_DOUBLE, KIND_INTEGER, KIND_LOGICAL, KIND_CHAR };

/* What a call puts or wants: an array of `count` elements, or a Fortran text. */
typedef struct {
    int kind;
    void *data;
    int count;
    fortran_length length; /* of a text */
} metadata;

/* The type in the file of a kind. */
static int kind_type(int kind)
{
    static const int types[] = {FRZ_FLOAT, FRZ_DOUBLE, FRZ_INT32, FRZ_INT32, FRZ_CHAR};
    return types[kind];
}

/* The length of a text without the blanks at its end; a NUL is a character, as for WRF's own
 * package. */
static size_t text_length(const metadata *text)
{
    size_t length = (size_t)text->length;
    while (length > 0 && ((const char *)text->data)[length - 1] == ' ')
        length--;
    return length;
}

/* Logicals as 0 and 1. The lowest bit is the truth for all compilers. To be freed. */
static int *numbers_of(const metadata *given)
{
    const int *truths = given->data;
    int *numbers = malloc((size_t)given->count * sizeof *numbers);
    for (int i = 0; numbers && i < given->count; i++)
        numbers[i] = truths[i] & 1;
    return numbers;
}

/* Puts an attribute of a variable, or of the file where `variable` is -1. */
static frz_status put_attribute(wrf_file *file, int variable, const char *name, int type,
                                size_t length, const void *values)
{
    return variable < 0
               ? frz_put_group_attribute(file->writer, FRZ_ROOT, name, type, length, values)
               : frz_put_attribute(file->writer, variable, name, type, length, values);
}

static int put_metadata(wrf_file *file, int variable, const char *name, const metadata *given)
{
    int type = kind_type(given->kind);
    frz_status status;
    if (given->kind == KIND_CHAR) {
        size_t length = text_length(given);
        /* An empty text of a variable is one NUL, as WRF's own package has it. */
        int is_nul = length == 0 && variable >= 0;
        status = put_attribute(file, variable, name, type, is_nul ? 1 : length,
                               is_nul ? "" : given->data);
    } else if (given->count < 1) {
        return warn(ZERO_LENGTH_PUT, "an attribute of no length", name);
    } else if (given->kind == KIND_LOGICAL) {
        int *numbers = numbers_of(given);
        status = numbers ? put_attribute(file, variable, name, type, (size_t)given->count, numbers)
                         : FRZ_MEMORY_BUDGET;
        free(numbers);
    } else {
        status = put_attribute(file, variable, name, type, (size_t)given->count, given->data);
    }
    return checked(file, "attribute in", status);
}

/* Global attributes. In the training pass nothing is put: WRF says all again with the first frame. */
static int put_global(wrf_file *file, const char *name, const metadata *given)
{
    if (file->status == FOR_READ)
        return warn(WRITE_RONLY_FILE, "the file is open for reading", file->path);
    if (file->status == NOT_COMMITTED || !file->first_operation)
        return NO_ERR;
    if (file->status != FOR_WRITE)
        return warn(FILE_NOT_OPENED, "the file is not open", file->path);
    int status = finish_commit(file);
    file->is_dirty = 1;
    return status == NO_ERR ? put_metadata(file, -1, name, given) : status;
}

/* Attributes of a field, in the training pass. Some packages get them with every frame again. */
static int put_of_variable(wrf_file *file, const char *variable_name, const char *name,
                           const metadata *given)
{
    if (file->status == FOR_READ)
        return warn(WRITE_RONLY_FILE, "the file is open for reading", file->path);
    const file_variable *variable = find_variable(file, variable_name, 0);
    if (!variable)
        return warn(VAR_NF, "an attribute of a field that is not known", variable_name);
    if (file->status != NOT_COMMITTED || variable->is_old)
        return NO_ERR;
    return put_metadata(file, variable->id, name, given);
}

/* Whether what is stored can be read as this kind: reals as each other, else the type itself. */
static int is_kind_of(nc_type stored, int kind)
{
    if (kind == KIND_REAL || kind == KIND_DOUBLE)
        return stored == NC_FLOAT || stored == NC_DOUBLE;
    return stored == (nc_type)kind_type(kind);
}

/* Gives the caller `length` elements of `values`, as many as there is room for. */
static int hand_over(const metadata *wanted, const void *values, size_t length, int *out_count)
{
    size_t room = (size_t)(wanted->count > 0 ? wanted->count : 0);
    size_t copied = length < room ? length : room;
    size_t size = wanted->kind == KIND_DOUBLE ? 8 : 4;
    memcpy(wanted->data, values, copied * size);
    if (wanted->kind == KIND_LOGICAL)
        for (size_t i = 0; i < copied; i++)
            ((int *)wanted->data)[i] = ((const int *)values)[i] == 1;
    *out_count = (int)copied;
    return length > room ? MORE_DATA_IN_FILE : NO_ERR;
}

/* A text for the caller, filled with blanks; a NUL in it stays one, as in WRF's own package. */
static int hand_over_text(const metadata *wanted, const char *text, size_t length)
{
    return to_fortran(wanted->data, wanted->length, text, length) ? NO_ERR : CHARSTR_GT_LENDATA;
}

static int get_values(const wrf_file *file, int variable, const char *name, int kind, void *values)
{
    switch (kind) {
    case KIND_REAL:
        return frz_nc_get_att_float(file->ncid, variable, name, values);
    case KIND_DOUBLE:
        return frz_nc_get_att_double(file->ncid, variable, name, values);
    case KIND_CHAR:
        return frz_nc_get_att_text(file->ncid, variable, name, values);
    default:
        return frz_nc_get_att_int(file->ncid, variable, name, values);
    }
}

/* An attribute of a variable, or of the file where `variable` is NC_GLOBAL. */
static int get_metadata(const wrf_file *file, int variable, const char *name,
                        const metadata *wanted, int *out_count)
{
    nc_type type;
    size_t length;
    if (frz_nc_inq_att(file->ncid, variable, name, &type, &length) != NC_NOERR)
        return warn(LIBRARY_FAILED, "an attribute is not in the file", name);
    if (!is_kind_of(type, wanted->kind))
        return warn(TYPE_MISMATCH, "an attribute is of another type in the file", name);
    if (length < 1)
        return warn(LENGTH_LESS_THAN_1, "an attribute is empty in the file", name);
    char *values = malloc(length * 8);
    if (!values)
        return ALLOCATION_ERROR;
    int status = netcdf_checked(file, get_values(file, variable, name, wanted->kind, values));
    if (status == NO_ERR)
        status = wanted->kind == KIND_CHAR ? hand_over_text(wanted, values, length)
                                           : hand_over(wanted, values, length, out_count);
    free(values);
    return status;
}

static int get_global(const wrf_file *file, const char *name, const metadata *wanted,
                      int *out_count)
{
    /* In the training pass nothing is read. */
    if (file->status == NOT_COMMITTED)
        return NO_ERR;
    int status = may_read(file);
    return status == NO_ERR ? get_metadata(file, NC_GLOBAL, name, wanted, out_count) : status;
}

static int get_of_variable(const wrf_file *file, const char *variable_name, const char *name,
                           const metadata *wanted, int *out_count)
{
    int id, status = may_read(file);
    if (status != NO_ERR)
        return status;
    if (find_id(file, variable_name, &id) != NC_NOERR)
        return warn(LIBRARY_FAILED, "a variable is not in the file", variable_name);
    return get_metadata(file, id, name, wanted, out_count);
}
