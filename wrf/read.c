/*
 * read.c: files that the model reads: those of WRF's own netCDF package, classic or netCDF-4, and
 * those of this one. Where several tasks read, each takes its patch.
 */

/* A variable of a file that is open for reading. */
typedef struct {
    int id;
    nc_type type;
    int field_type; /* WRF_REAL and so on */
    int axes;
    size_t shape[MAX_AXES]; /* without time, the slowest first */
} read_variable;

/* The status of WRF for one of netCDF's calls. */
static int netcdf_checked(const wrf_file *file, int status)
{
    return status == NC_NOERR ? NO_ERR : fail(file, "read of", frz_nc_strerror(status));
}

static int read_times(wrf_file *file)
{
    int id, ids[NC_MAX_VAR_DIMS], axes;
    nc_type type;
    size_t length = 0, count = 0;
    int status = netcdf_checked(file, frz_nc_inq_varid(file->ncid, "Times", &id));
    if (status == NO_ERR)
        status = netcdf_checked(file, frz_nc_inq_var(file->ncid, id, NULL, &type, &axes, ids, NULL));
    if (status != NO_ERR)
        return status;
    if (type != NC_CHAR || axes != 2)
        return warn(TYPE_MISMATCH, "Times are not texts", file->path);
    status = netcdf_checked(file, frz_nc_inq_dimlen(file->ncid, ids[0], &count));
    if (status == NO_ERR)
        status = netcdf_checked(file, frz_nc_inq_dimlen(file->ncid, ids[1], &length));
    if (status == NO_ERR && length != DATE_LENGTH)
        status = warn(DATESTR_BAD_LENGTH, "dates have not 19 characters", file->path);
    for (size_t i = 0; i < count && status == NO_ERR; i++) {
        char date[DATE_LENGTH + 1] = "";
        size_t start[2] = {i, 0}, one[2] = {1, DATE_LENGTH};
        status = netcdf_checked(file, frz_nc_get_vara_text(file->ncid, id, start, one, date));
        if (status == NO_ERR)
            status = add_time(file, date);
    }
    return status;
}

static int begin_reading(const char *path, fortran_length length, int *handle)
{
    wrf_file *file;
    int status = new_file(path, length, handle, &file);
    if (status != NO_ERR)
        return status;
    status = netcdf_checked(file, frz_nc_open(file->path, NC_NOWRITE, &file->ncid));
    if (status == NO_ERR) {
        status = read_times(file);
        file->status = NOT_COMMITTED;
        if (status == NO_ERR)
            return NO_ERR;
        frz_nc_close(file->ncid);
    }
    free_file(*handle);
    *handle = 0;
    return status;
}

/* Whether a variable is a field, as opposed to times and metadata that change in time. */
static int is_field_name(const char *name)
{
    return strcmp(name, "Times") != 0 && strncmp(name, "md___", 5) != 0;
}

/* A variable by its name, or by the 31 characters of it that WRF's own package keeps. */
static int find_id(const wrf_file *file, const char *name, int *id)
{
    int status = frz_nc_inq_varid(file->ncid, name, id);
    if (status != NC_NOERR && strlen(name) > SHORT_NAME) {
        char cut[SHORT_NAME + 1];
        memcpy(cut, name, SHORT_NAME);
        cut[SHORT_NAME] = '\0';
        status = frz_nc_inq_varid(file->ncid, cut, id);
    }
    return status;
}

/* What a field is; WRF's own package says of one that is missing that netCDF failed. */
static int inquire_field(const wrf_file *file, const char *name, read_variable *variable)
{
    int ids[NC_MAX_VAR_DIMS], axes = 0;
    if (find_id(file, name, &variable->id) != NC_NOERR)
        return warn(LIBRARY_FAILED, "a variable is not in the file", name);
    int status = netcdf_checked(file, frz_nc_inq_var(file->ncid, variable->id, NULL,
                                                     &variable->type, &axes, ids, NULL));
    if (status != NO_ERR)
        return status;
    if (axes < 1 || axes > MAX_AXES + 1)
        return warn(BAD_VARIABLE_DIM, "a variable has not the dimensions of a field", name);
    variable->axes = axes - 1;
    for (int i = 0; i < variable->axes && status == NO_ERR; i++)
        status = netcdf_checked(
            file, frz_nc_inq_dimlen(file->ncid, ids[i + 1], &variable->shape[i]));
    if (frz_nc_get_att_int(file->ncid, variable->id, "FieldType", &variable->field_type) !=
        NC_NOERR)
        variable->field_type = variable->type == NC_FLOAT    ? WRF_REAL
                               : variable->type == NC_DOUBLE ? WRF_DOUBLE
                                                             : WRF_INTEGER;
    return status;
}

static int is_real(int field_type) { return field_type == WRF_REAL || field_type == WRF_DOUBLE; }

/* Whether a field can be read as what the model wants: floats and doubles as each other. */
static int is_readable_as(const read_variable *variable, int field_type)
{
    int is_stored_real = variable->type == NC_FLOAT || variable->type == NC_DOUBLE;
    if (is_real(field_type))
        return is_real(variable->field_type) && is_stored_real;
    return variable->field_type == field_type && variable->type == NC_INT;
}

/* Reads a box of a record into memory of its own, in the order of the file. */
static int get_box(const wrf_file *file, const read_variable *variable, int field_type,
                   const size_t *start, const size_t *count, void *bytes)
{
    int id = variable->id, ncid = file->ncid;
    if (field_type == WRF_REAL)
        return frz_nc_get_vara_float(ncid, id, start, count, bytes);
    if (field_type == WRF_DOUBLE)
        return frz_nc_get_vara_double(ncid, id, start, count, bytes);
    return frz_nc_get_vara_int(ncid, id, start, count, bytes);
}

/* Reads a patch of a record and lays it into memory. */
static int get_patch(const wrf_file *file, const read_variable *variable, const wrf_field *field,
                     size_t record, const uint64_t first[MAX_AXES], const memory_patch *patch)
{
    static const uint64_t origin[MAX_AXES] = {0, 0, 0};
    size_t start[MAX_AXES + 1] = {record}, count[MAX_AXES + 1] = {1};
    uint64_t elements = patch->count[0] * patch->count[1] * patch->count[2];
    for (int i = 0; i < variable->axes; i++) {
        int axis = variable->axes - 1 - i;
        start[i + 1] = axis < field->order.axes ? (size_t)first[axis] : 0;
        count[i + 1] = axis < field->order.axes ? (size_t)patch->count[axis] : 1;
    }
    char *bytes = malloc(elements * patch->element);
    if (!bytes)
        return ALLOCATION_ERROR;
    int status =
        netcdf_checked(file, get_box(file, variable, field->type, start, count, bytes));
    if (status == NO_ERR)
        move_block(patch, origin, patch->count, bytes, 0);
    free(bytes);
    return status;
}

/* Checks the patch against what is in the file; `first` becomes where it begins. */
static int place_patch(const read_variable *variable, const wrf_field *field,
                       const int64_t length[MAX_AXES], uint64_t first[MAX_AXES])
{
    const memory_order *order = &field->order;
    for (int i = 0; i < order->axes; i++) {
        int axis = order->axis_of[i];
        int64_t from = IS_PARALLEL ? field->patch_start[axis] - field->domain_start[axis] : 0;
        int64_t stored = (int64_t)variable->shape[order->axes - 1 - i];
        if (length[i] < 1)
            return warn(ZERO_LENGTH_READ, "a field of no length is read", field->name);
        if (from < 0 || from + length[i] > stored)
            return warn(READ_PAST_EOF, "more is read of a field than there is", field->name);
        if (field->patch_start[axis] < field->memory_start[axis] ||
            field->patch_end[axis] > field->memory_end[axis])
            return warn(DIMENSION_ERROR, "the patch is not inside the memory", field->name);
        first[i] = (uint64_t)from;
    }
    return NO_ERR;
}

static int read_field(wrf_file *file, const wrf_field *field, const char *date)
{
    read_variable variable;
    memory_patch patch;
    int64_t length[MAX_AXES] = {1, 1, 1};
    uint64_t first[MAX_AXES] = {0, 0, 0};
    /* Reading in the training pass is allowed, and does nothing. */
    if (file->status == NOT_COMMITTED)
        return NO_ERR;
    int status = may_read(file);
    if (status == NO_ERR)
        status = inquire_field(file, field->name, &variable);
    if (status != NO_ERR)
        return status;
    if (!is_readable_as(&variable, field->type))
        return warn(TYPE_MISMATCH, "a field is of another type in the file", field->name);
    /* Old files have a dimension of length 1 for single values. */
    int is_old_scalar = field->order.axes == 0 && variable.axes == 1 && variable.shape[0] == 1;
    if (variable.axes != field->order.axes && !is_old_scalar)
        return warn(BAD_VARIABLE_DIM, "a field has other dimensions in the file", field->name);
    lengths_of(&field->order, field->patch_start, field->patch_end, length);
    status = place_patch(&variable, field, length, first);
    if (status != NO_ERR)
        return status;
    int record = time_index(file, date);
    if (!record)
        return warn(TIME_NF, "a date is not in the file", date);
    locate(&field->order, field->values, element_bytes(field->type), field->memory_start,
           field->memory_end, field->patch_start, field->patch_end, &patch);
    file->first_operation = 0;
    return get_patch(file, &variable, field, (size_t)record - 1, first, &patch);
}

static int next_time(wrf_file *file, char *date, fortran_length length)
{
    int status = may_read(file);
    if (status != NO_ERR)
        return status;
    if (file->current_time >= file->time_count)
        return TIME_EOF;
    file->current_time++;
    file->current_variable = 0;
    to_fortran(date, length, file->times[file->current_time - 1].date, DATE_LENGTH);
    return NO_ERR;
}

/* Before the first time lies the first time: so does WRF's own package. */
static int previous_time(wrf_file *file, char *date, fortran_length length)
{
    int status = may_read(file);
    if (status != NO_ERR)
        return status;
    if (file->time_count == 0)
        return TIME_EOF;
    if (file->current_time > 0)
        file->current_time--;
    file->current_variable = 0;
    int shown = file->current_time > 1 ? file->current_time : 1;
    to_fortran(date, length, file->times[shown - 1].date, DATE_LENGTH);
    return NO_ERR;
}

static int set_time(wrf_file *file, const char *date)
{
    int status = may_read(file);
    if (status != NO_ERR)
        return status;
    int found = time_index(file, date);
    if (!found)
        return TIME_NF;
    file->current_time = found;
    file->current_variable = 0;
    return NO_ERR;
}

static int next_variable(wrf_file *file, char *name, fortran_length length)
{
    char found[NC_MAX_NAME + 1];
    int count = 0, status = may_read(file);
    if (status == NO_ERR)
        status = netcdf_checked(file, frz_nc_inq_nvars(file->ncid, &count));
    if (status != NO_ERR)
        return status;
    while (file->current_variable < count) {
        status = netcdf_checked(
            file, frz_nc_inq_varname(file->ncid, file->current_variable++, found));
        if (status != NO_ERR)
            return status;
        if (is_field_name(found)) {
            to_fortran(name, length, found, strlen(found));
            return NO_ERR;
        }
    }
    return VAR_EOF;
}

static int variable_info(wrf_file *file, const char *name, int *axes, char *order_text,
                         fortran_length order_length, int *start, int *end)
{
    read_variable variable;
    memory_order order;
    char stored[NAME_LENGTH] = "";
    size_t length = 0;
    int status = may_read(file);
    if (status == NO_ERR)
        status = inquire_field(file, name, &variable);
    if (status != NO_ERR)
        return status;
    if (variable.type != NC_INT && variable.type != NC_FLOAT && variable.type != NC_DOUBLE)
        return warn(BAD_DATA_TYPE, "a variable has no type of a field", name);
    status = frz_nc_inq_attlen(file->ncid, variable.id, "MemoryOrder", &length);
    if (status != NC_NOERR || length >= sizeof stored)
        return warn(LIBRARY_FAILED, "a variable has no MemoryOrder", name);
    status =
        netcdf_checked(file, frz_nc_get_att_text(file->ncid, variable.id, "MemoryOrder", stored));
    if (status == NO_ERR)
        status = parse_order(stored, (fortran_length)length, &order);
    if (status != NO_ERR)
        return status;
    to_fortran(order_text, order_length, stored, length);
    *axes = order.axes;
    for (int i = 0; i < order.axes && i < variable.axes; i++) {
        start[i] = 1;
        end[i] = (int)variable.shape[variable.axes - 1 - i];
    }
    return NO_ERR;
}
