/*
 * metadata_in_time.c: metadata that change in time, of which each is a variable of its own: times of
 * boundary values, for example.
 */

/* What WRF's own package calls metadata of the file as a whole. */
#define WHOLE_FILE "E_X_T_D_O_M_A_I_N_M_E_T_A_DATA_"

/* The name of the variable, as WRF's own package makes it. */
static void name_in_time(const char *element, const char *variable, char name[NAME_LENGTH])
{
    snprintf(name, NAME_LENGTH, "md___%.180s%.31s", element, variable);
    for (char *letter = name; *letter; letter++)
        *letter = *letter == '-' || *letter == ':' ? '_' : lower(*letter);
}

/* Elements along the dimension that is not time. */
static size_t length_in_time(const metadata *given)
{
    if (given->kind == KIND_CHAR)
        return (size_t)given->length;
    return given->count > 0 ? (size_t)given->count : 0;
}

static int define_in_time(wrf_file *file, const char *name, const metadata *given)
{
    file_variable like = {.record = -1};
    int ids[MAX_AXES] = {0};
    if (find_variable(file, name, 1))
        return TWO_DRYRUNS_1VARIABLE;
    snprintf(like.name, sizeof like.name, "%s", name);
    like.is_metadata = 1;
    like.type = kind_type(given->kind);
    like.axes = 1;
    like.shape[0] = length_in_time(given);
    int status = nameless_dimension(file, like.shape[0], &ids[0]);
    return status == NO_ERR ? add_variable(file, &like, ids) : status;
}

static int put_record(wrf_file *file, const file_variable *variable, const metadata *given)
{
    uint64_t start[2] = {(uint64_t)file->record, 0}, count[2] = {1, length_in_time(given)};
    int *numbers = given->kind == KIND_LOGICAL ? numbers_of(given) : NULL;
    if (given->kind == KIND_LOGICAL && !numbers)
        return ALLOCATION_ERROR;
    const void *values = numbers ? numbers : given->data;
    frz_status status =
        frz_put(file->writer, variable->id, start, count, NULL, variable->type, values);
    free(numbers);
    return written(file, "write to", status);
}

static int put_in_time(wrf_file *file, const char *name, const char *date, const metadata *given)
{
    size_t length = length_in_time(given);
    if (file->status == FOR_READ)
        return warn(WRITE_RONLY_FILE, "the file is open for reading", file->path);
    if (file->status == NOT_OPENED)
        return warn(FILE_NOT_OPENED, "the file is not open", file->path);
    if (length < 1)
        return warn(ZERO_LENGTH_PUT, "metadata of no length", name);
    if (file->status == NOT_COMMITTED)
        return define_in_time(file, name, given);
    const file_variable *variable = find_variable(file, name, 1);
    if (!variable)
        return warn(MD_NF, "metadata that were not told in the training pass", name);
    if (length > variable->shape[0])
        return warn(COUNT_TOO_LONG, "metadata are longer than they were told", name);
    if (variable->type != kind_type(given->kind))
        return warn(TYPE_MISMATCH, "metadata are not of the type that they were told with", name);
    int status = enter_record(file, date);
    if (status != NO_ERR)
        return status;
    file->is_dirty = 1;
    return file->is_first_task ? put_record(file, variable, given) : NO_ERR;
}

static int get_record(const wrf_file *file, int id, const size_t start[2], const size_t count[2],
                      int kind, void *values)
{
    switch (kind) {
    case KIND_REAL:
        return frz_nc_get_vara_float(file->ncid, id, start, count, values);
    case KIND_DOUBLE:
        return frz_nc_get_vara_double(file->ncid, id, start, count, values);
    case KIND_CHAR:
        return frz_nc_get_vara_text(file->ncid, id, start, count, values);
    default:
        return frz_nc_get_vara_int(file->ncid, id, start, count, values);
    }
}

/* The variable of metadata, and how many elements it has. */
static int inquire_in_time(const wrf_file *file, const char *name, int kind, int *id,
                           size_t *length)
{
    int ids[NC_MAX_VAR_DIMS], axes;
    nc_type type;
    if (frz_nc_inq_varid(file->ncid, name, id) != NC_NOERR)
        return warn(LIBRARY_FAILED, "metadata are not in the file", name);
    int status =
        netcdf_checked(file, frz_nc_inq_var(file->ncid, *id, NULL, &type, &axes, ids, NULL));
    if (status != NO_ERR)
        return status;
    if (!is_kind_of(type, kind))
        return warn(TYPE_MISMATCH, "metadata are of another type in the file", name);
    if (axes != 2)
        return warn(MDVAR_DIM_NOT_1D, "metadata have other dimensions in the file", name);
    return netcdf_checked(file, frz_nc_inq_dimlen(file->ncid, ids[1], length));
}

static int get_in_time(const wrf_file *file, const char *name, const char *date,
                       const metadata *wanted, int *out_count)
{
    int id;
    size_t length;
    if (wanted->kind != KIND_CHAR && wanted->count < 1)
        return warn(ZERO_LENGTH_GET, "metadata of no length", name);
    int status = may_read(file);
    if (status == NO_ERR)
        status = inquire_in_time(file, name, wanted->kind, &id, &length);
    if (status != NO_ERR)
        return status;
    int record = time_index(file, date);
    if (!record)
        return warn(TIME_NF, "a date is not in the file", date);
    size_t start[2] = {(size_t)record - 1, 0}, count[2] = {1, length};
    char *values = malloc(length * 8 + 1);
    if (!values)
        return ALLOCATION_ERROR;
    status = netcdf_checked(file, get_record(file, id, start, count, wanted->kind, values));
    if (status == NO_ERR)
        status = wanted->kind == KIND_CHAR ? hand_over_text(wanted, values, length)
                                           : hand_over(wanted, values, length, out_count);
    free(values);
    return status;
}
