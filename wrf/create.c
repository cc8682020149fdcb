/* create.c: beginning a file, and the training pass, in which WRF tells all fields. */

/* A dimension by its name, new or known; WRF hands over names without a meaning for some. */
static int named_dimension(wrf_file *file, const char *name, uint64_t length, int *id)
{
    for (int i = 0; i < file->dimension_count; i++) {
        file_dimension *one = &file->dimensions[i];
        if (strcmp(one->name, name) != 0)
            continue;
        *id = one->id;
        return one->length == length
                   ? NO_ERR
                   : warn(DIMNAME_REDEFINED, "a dimension has two lengths", name);
    }
    file_dimension *one = grown((void **)&file->dimensions, &file->dimension_count, sizeof *one);
    if (!one)
        return ALLOCATION_ERROR;
    snprintf(one->name, sizeof one->name, "%s", name);
    one->length = length;
    frz_status status = frz_add_dimension(file->writer, FRZ_ROOT, name, length, &one->id);
    *id = one->id;
    return checked(file, "dimension in", status);
}

/* A dimension of this length without a name of its own: any that is there, else DIM0004 or so. */
static int nameless_dimension(wrf_file *file, uint64_t length, int *id)
{
    char name[24];
    for (int i = 0; i < file->dimension_count; i++)
        if (file->dimensions[i].length == length) {
            *id = file->dimensions[i].id;
            return NO_ERR;
        }
    snprintf(name, sizeof name, "DIM%04d", file->dimension_count + 1);
    return named_dimension(file, name, length, id);
}

/* What every file of WRF has: Time, DateStrLen, Times. */
static int define_times(wrf_file *file)
{
    int ids[2];
    frz_status status =
        frz_add_unlimited_dimension(file->writer, FRZ_ROOT, "Time", 0, &file->time_dimension);
    int ours = checked(file, "dimension in", status);
    if (ours == NO_ERR)
        ours = named_dimension(file, "DateStrLen", DATE_LENGTH, &ids[1]);
    if (ours != NO_ERR)
        return ours;
    ids[0] = file->time_dimension;
    status = frz_add_variable(file->writer, FRZ_ROOT, "Times", FRZ_CHAR, 2, ids,
                              &file->times_variable);
    return checked(file, "variable in", status);
}

static int begin_writing(const char *path, fortran_length path_length, int comm,
                         const char *description, fortran_length description_length, int *handle)
{
    char described[1024];
    file_options options;
    wrf_file *file;
    int status = new_file(path, path_length, handle, &file);
    if (status != NO_ERR)
        return status;
    to_c(described, sizeof described, description, description_length);
    status = options_for(described, &options);
    if (status == NO_ERR) {
        file->commits_wait = options.commits_wait;
        file->goes_on = options.goes_on;
        file->is_exact = options.is_exact;
        file->appends = options.appends && !options.is_exact && access(file->path, F_OK) == 0;
        file->real4_output = strstr(described, "REAL_OUTPUT_SIZE=4") != NULL;
        status = checked(file, "open for writing", open_writer(file, comm, options.options));
        frz_options_free(options.options);
    }
    if (status == NO_ERR)
        status = file->appends ? find_contents(file) : define_times(file);
    if (status == NO_ERR) {
        file->status = NOT_COMMITTED;
        return NO_ERR;
    }
    if (file->writer)
        frz_abandon(file->writer);
    free_file(*handle);
    *handle = 0;
    return status;
}

/* The end of the training pass. */
static int end_training(wrf_file *file)
{
    int status = checked(file, "definitions of", frz_end_definitions(file->writer));
    if (status != NO_ERR)
        return status;
    file->status = FOR_WRITE;
    /* A file that is gone on with keeps its attributes. */
    file->first_operation = !file->appends;
    return NO_ERR;
}

/* The type in the file of a field of WRF; 0 if there is none. */
static int stored_type(const wrf_file *file, int field_type)
{
    switch (field_type) {
    case WRF_REAL:
        return FRZ_FLOAT;
    case WRF_DOUBLE:
        return file->real4_output ? FRZ_FLOAT : FRZ_DOUBLE;
    case WRF_INTEGER:
    case WRF_LOGICAL:
        return FRZ_INT32;
    default:
        return 0;
    }
}

/* Adds a variable to the file and to the list of it; `ids` are its dimensions but for Time. */
static int add_variable(wrf_file *file, const file_variable *like, const int ids[MAX_AXES])
{
    int all[MAX_AXES + 1] = {file->time_dimension, 0, 0, 0};
    memcpy(all + 1, ids, MAX_AXES * sizeof *ids);
    file_variable *one = grown((void **)&file->variables, &file->variable_count, sizeof *one);
    if (!one)
        return ALLOCATION_ERROR;
    *one = *like;
    one->record = -1;
    file->field_count += !one->is_metadata;
    if (file->appends && frz_find_variable(file->writer, FRZ_ROOT, one->name, &one->id) == FRZ_OK)
        return take_up(file, one);
    frz_status status = frz_add_variable(file->writer, FRZ_ROOT, one->name, one->type,
                                         one->axes + 1, all, &one->id);
    return checked(file, "variable in", status);
}

/* Says to the other tasks which block this one will put, so that chunks may follow the blocks. */
static int state_block(wrf_file *file, const memory_order *order, const int *domain_start,
                       const int *patch_start, const int *patch_end)
{
    const file_variable *variable = &file->variables[file->variable_count - 1];
    uint64_t start[MAX_AXES + 1] = {0}, count[MAX_AXES + 1] = {1};
    for (int i = 0; i < order->axes; i++) {
        int axis = order->axis_of[order->axes - 1 - i];
        if (patch_end[axis] < patch_start[axis])
            return NO_ERR;
        start[i + 1] = (uint64_t)(patch_start[axis] - domain_start[axis]);
        count[i + 1] = (uint64_t)(patch_end[axis] - patch_start[axis] + 1);
    }
    return checked(file, "block in", frz_state_block(file->writer, variable->id, start, count));
}

/* The attributes that tell WRF what a field is. */
static int describe_field(wrf_file *file, const memory_order *order, int field_type)
{
    char stored[MAX_AXES + 1];
    const file_variable *variable = &file->variables[file->variable_count - 1];
    if (variable->is_old)
        return NO_ERR;
    int number = field_type == WRF_DOUBLE && file->real4_output ? WRF_REAL : field_type;
    frz_status status =
        frz_put_attribute(file->writer, variable->id, "FieldType", FRZ_INT32, 1, &number);
    stored_order(order, stored);
    if (status == FRZ_OK)
        status = frz_put_attribute(file->writer, variable->id, "MemoryOrder", FRZ_CHAR, 3, stored);
    return checked(file, "attribute in", status);
}

/* The training pass: a field by its name, type and dimensions. `names` are those of the axes in
 * memory, `length` those in the file, the fastest first. */
static int define_field(wrf_file *file, const char *name, int field_type,
                        const memory_order *order, const char *names, fortran_length name_length,
                        const int64_t length[MAX_AXES])
{
    file_variable like = {.record = -1};
    int ids[MAX_AXES] = {0}, status = NO_ERR;
    if (find_variable(file, name, 0))
        return warn(TWO_DRYRUNS_1VARIABLE, "a field is told twice", name);
    snprintf(like.name, sizeof like.name, "%s", name);
    like.type = stored_type(file, field_type);
    like.axes = order->axes;
    if (!like.type)
        return warn(DATA_TYPE_NOT_FOUND, "a field has no type that can be written", name);
    /* In the order of WRF's own package, the fastest axis first, which numbers the dimensions. */
    for (int i = 0; i < order->axes && status == NO_ERR; i++) {
        char axis_name[NAME_LENGTH];
        int place = order->axes - 1 - i;
        to_c(axis_name, sizeof axis_name, names + (size_t)order->axis_of[i] * (size_t)name_length,
             name_length);
        like.shape[place] = (uint64_t)length[i];
        status = axis_name[0] ? named_dimension(file, axis_name, (uint64_t)length[i], &ids[place])
                              : nameless_dimension(file, (uint64_t)length[i], &ids[place]);
    }
    if (status == NO_ERR)
        status = add_variable(file, &like, ids);
    return status == NO_ERR ? describe_field(file, order, field_type) : status;
}
