/* write.c: fields of a frame. */

/* Goes on to the record of this date: the current one, or the next. */
static int enter_record(wrf_file *file, const char *date)
{
    uint64_t start[2], count[2] = {1, DATE_LENGTH};
    if (file->record >= 0 && strcmp(file->times[file->record].date, date) == 0)
        return finish_commit(file);
    /* A new date is the end of the frame before, also where fields were left out of it. */
    int status = file->record >= 0 ? commit(file) : NO_ERR;
    if (status == NO_ERR)
        status = finish_commit(file);
    int again = file->appends ? time_index(file, date) : 0;
    if (status == NO_ERR && !again)
        status = add_time(file, date);
    if (status != NO_ERR)
        return status;
    file->record = again ? again - 1 : file->time_count - 1;
    file->fields_put = 0;
    file->is_dirty = 1;
    if (!file->is_first_task || again)
        return NO_ERR;
    start[0] = (uint64_t)file->record;
    start[1] = 0;
    frz_status put = frz_put(file->writer, file->times_variable, start, count, NULL, FRZ_CHAR, date);
    return written(file, "write to", put);
}

/* Doubles as floats, in place. */
static void narrow(char *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        double wide;
        memcpy(&wide, bytes + 8 * i, 8);
        float value = (float)wide;
        memcpy(bytes + 4 * i, &value, 4);
    }
}

/* Puts a patch, block by block, in the order of the file. `first` is where it begins in the
 * variable, by the file's axes, the fastest first. */
static frz_status put_blocks(wrf_file *file, const file_variable *variable,
                             const memory_patch *patch, const uint64_t first[MAX_AXES],
                             int is_narrowed)
{
    uint64_t block[MAX_AXES], at[MAX_AXES] = {0, 0, 0}, size[MAX_AXES];
    uint64_t start[MAX_AXES + 1] = {(uint64_t)file->record}, count[MAX_AXES + 1] = {1};
    block_of(patch, block);
    char *bytes = malloc(block[0] * block[1] * block[2] * patch->element);
    frz_status status = bytes ? FRZ_OK : FRZ_MEMORY_BUDGET;
    for (at[2] = 0; at[2] < patch->count[2] && status == FRZ_OK; at[2] += block[2])
        for (at[1] = 0; at[1] < patch->count[1] && status == FRZ_OK; at[1] += block[1]) {
            for (int i = 0; i < MAX_AXES; i++) {
                uint64_t left = patch->count[i] - at[i];
                size[i] = block[i] < left ? block[i] : left;
            }
            move_block(patch, at, size, bytes, 1);
            if (is_narrowed)
                narrow(bytes, size[0] * size[1] * size[2]);
            for (int i = 0; i < variable->axes; i++) {
                start[variable->axes - i] = first[i] + at[i];
                count[variable->axes - i] = size[i];
            }
            status =
                frz_put(file->writer, variable->id, start, count, NULL, variable->type, bytes);
        }
    free(bytes);
    return status;
}

/* Puts a patch as it lies in memory. */
static frz_status put_whole(wrf_file *file, const file_variable *variable,
                            const memory_patch *patch, const uint64_t first[MAX_AXES])
{
    uint64_t start[MAX_AXES + 1] = {(uint64_t)file->record}, count[MAX_AXES + 1] = {1};
    for (int i = 0; i < variable->axes; i++) {
        start[variable->axes - i] = first[i];
        count[variable->axes - i] = patch->count[i];
    }
    return frz_put(file->writer, variable->id, start, count, NULL, variable->type, patch->origin);
}

/* Whether this task has something to put of a field. */
static int has_part(const wrf_file *file, const wrf_field *field)
{
    for (int axis = 0; axis < field->order.axes; axis++)
        if (field->patch_end[axis] < field->patch_start[axis])
            return 0;
    if (!IS_PARALLEL || !file->is_shared)
        return 1;
    return is_shared_order(&field->order) ? owns_strip(&field->order) : file->is_first_task;
}

/* Finds this task's part of a field in memory, and where it begins in the variable, by the file's
 * axes, the fastest first. */
static int place_field(const file_variable *variable, const wrf_field *field, memory_patch *patch,
                       uint64_t first[MAX_AXES])
{
    const memory_order *order = &field->order;
    for (int axis = 0; axis < order->axes; axis++)
        if (field->patch_start[axis] < field->memory_start[axis] ||
            field->patch_end[axis] > field->memory_end[axis])
            return warn(DIMENSION_ERROR, "the patch is not inside the memory", field->name);
    locate(order, field->values, element_bytes(field->type), field->memory_start,
           field->memory_end, field->patch_start, field->patch_end, patch);
    for (int i = 0; i < order->axes && IS_PARALLEL; i++) {
        int axis = order->axis_of[i];
        int64_t from = (int64_t)field->patch_start[axis] - field->domain_start[axis];
        int64_t end = from + (int64_t)patch->count[i];
        if (from < 0 || end > (int64_t)variable->shape[order->axes - 1 - i])
            return warn(DIMENSION_ERROR, "the patch is not inside the domain", field->name);
        first[i] = (uint64_t)from;
    }
    return NO_ERR;
}

/* Puts this task's part of a field into the current record. */
static int put_field(wrf_file *file, const file_variable *variable, const wrf_field *field,
                     const memory_patch *patch, const uint64_t first[MAX_AXES])
{
    int is_narrowed = field->type == WRF_DOUBLE && variable->type == FRZ_FLOAT;
    frz_status status = lies_as_in_file(patch) && !is_narrowed
                            ? put_whole(file, variable, patch, first)
                            : put_blocks(file, variable, patch, first, is_narrowed);
    return written(file, "write to", status);
}

/* Whether a field is what the training pass told. */
static int is_as_told(const wrf_file *file, const wrf_field *field, const file_variable *variable,
                      const int64_t length[MAX_AXES])
{
    if (!variable)
        return warn(VAR_NF, "a field was not told in the training pass", field->name);
    if (variable->type != stored_type(file, field->type) || variable->axes != field->order.axes)
        return warn(TYPE_MISMATCH, "a field is not of the type that it was told with", field->name);
    for (int i = 0; i < variable->axes; i++)
        if ((uint64_t)length[i] != variable->shape[variable->axes - 1 - i])
            return warn(WRTLEN_NE_DRRUNLEN, "a field has not the length that it was told with",
                        field->name);
    return NO_ERR;
}

/* A field with its values. The last one of a frame commits it: WRF asks only some of its packages
 * for a commit. */
static int write_values(wrf_file *file, const wrf_field *field, const char *date,
                        const int64_t length[MAX_AXES])
{
    memory_patch patch;
    uint64_t first[MAX_AXES] = {0, 0, 0};
    file_variable *variable = find_variable(file, field->name, 0);
    int puts = has_part(file, field);
    int status = is_as_told(file, field, variable, length);
    if (status == NO_ERR && puts)
        status = place_field(variable, field, &patch, first);
    if (status == NO_ERR)
        status = enter_record(file, date);
    if (status != NO_ERR)
        return status;
    file->first_operation = 0;
    file->is_dirty = 1;
    file->fields_put += variable->record != file->record;
    variable->record = file->record;
    if (puts)
        status = put_field(file, variable, field, &patch, first);
    /* All tasks count alike, so that all of them commit, also where one had an error. */
    if (file->fields_put == file->field_count) {
        int committed = commit(file);
        return status == NO_ERR ? committed : status;
    }
    return status;
}

/* A length along x or y that is nothing: WRF's own package ignores such fields. */
static int is_without_extent(const memory_order *order, const int64_t length[MAX_AXES])
{
    return is_spatial(order->letters) && (length[0] < 1 || length[1] < 1);
}

static int write_field(wrf_file *file, const wrf_field *field, const char *date)
{
    int64_t length[MAX_AXES] = {1, 1, 1};
    if (file->status == FOR_READ)
        return warn(WRITE_RONLY_FILE, "the file is open for reading", file->path);
    if (file->status == NOT_OPENED || !file->writer)
        return warn(FILE_NOT_OPENED, "the file is not open", file->path);
    const int *from = IS_PARALLEL ? field->domain_start : field->patch_start;
    const int *to = IS_PARALLEL ? field->domain_end : field->patch_end;
    lengths_of(&field->order, from, to, length);
    if (is_without_extent(&field->order, length)) {
        warn(NO_ERR, "a field without extent is ignored", field->name);
        return NO_ERR;
    }
    if (file->status == FOR_WRITE)
        return write_values(file, field, date, length);
    file->first_operation = 0;
    int status = define_field(file, field->name, field->type, &field->order, field->axis_names,
                              field->axis_name_length, length);
    if (status == NO_ERR && file->is_shared && is_shared_order(&field->order))
        status = state_block(file, &field->order, field->domain_start, field->patch_start,
                             field->patch_end);
    return status;
}
