/*
 * entries.c: what frame/module_io.F of WRF calls, but for metadata. Arguments come by reference;
 * the lengths of texts follow behind all others. Each gives a status: 0, or one of codes.h.
 */

/* Begins the file; after it come the fields without values, and open_for_write_commit. */
void ENTRY(open_for_write_begin)(const char *path, const int *comm, const int *io_comm,
                                 const char *description, int *handle, int *status,
                                 fortran_length path_length, fortran_length description_length)
{
    (void)io_comm;
    *status = begin_writing(path, path_length, *comm, description, description_length, handle);
}

void ENTRY(open_for_write_commit)(const int *handle, int *status)
{
    wrf_file *file = file_of(handle);
    if (!file)
        *status = BAD_DATA_HANDLE;
    else if (file->status != NOT_COMMITTED || !file->writer)
        *status = warn(BAD_FILE_STATUS, "the training pass is not on", file->path);
    else
        *status = end_training(file);
}

void ENTRY(open_for_read_begin)(const char *path, const int *comm, const int *io_comm,
                                const char *description, int *handle, int *status,
                                fortran_length path_length, fortran_length description_length)
{
    (void)comm;
    (void)io_comm;
    (void)description;
    (void)description_length;
    *status = begin_reading(path, path_length, handle);
}

void ENTRY(open_for_read_commit)(const int *handle, int *status)
{
    wrf_file *file = file_of(handle);
    *status = file ? NO_ERR : BAD_DATA_HANDLE;
    if (!file)
        return;
    file->status = FOR_READ;
    file->first_operation = 1;
}

void ENTRY(open_for_read)(const char *path, const int *comm, const int *io_comm,
                          const char *description, int *handle, int *status,
                          fortran_length path_length, fortran_length description_length)
{
    ENTRY(open_for_read_begin)
    (path, comm, io_comm, description, handle, status, path_length, description_length);
    if (*status == NO_ERR)
        ENTRY(open_for_read_commit)(handle, status);
}

/* Closes what a file holds of libfrazil, and frees its handle. */
static int close_file(int handle)
{
    wrf_file *file = handles[handle - 1];
    int status = NO_ERR;
    if (file->writer) {
        status = finish_commit(file);
        int closed = written(file, "close", frz_close(file->writer, NULL));
        status = status == NO_ERR ? closed : status;
    }
    if (file->ncid >= 0)
        status = netcdf_checked(file, frz_nc_close(file->ncid));
    free_file(handle);
    return status;
}

void ENTRY(ioclose)(const int *handle, int *status)
{
    *status = file_of(handle) ? close_file(*handle) : BAD_DATA_HANDLE;
}

/* The end of a frame: what was put becomes what survives the end of the model. */
void ENTRY(iosync)(const int *handle, int *status)
{
    wrf_file *file = file_of(handle);
    if (!file)
        *status = BAD_DATA_HANDLE;
    else if (file->status == NOT_COMMITTED)
        *status = warn(FILE_NOT_COMMITTED, "the training pass is still on", file->path);
    else
        *status = file->writer ? commit(file) : NO_ERR;
}

void ENTRY(ioinit)(const char *description, int *status, fortran_length length)
{
    (void)description;
    (void)length;
    is_initialized = 1;
    *status = NO_ERR;
}

/* Closes all that is still open. */
void ENTRY(ioexit)(int *status)
{
    *status = is_initialized ? NO_ERR : IO_NOT_INITIALIZED;
    for (int handle = 1; handle <= MAX_HANDLES; handle++)
        if (handles[handle - 1]) {
            int closed = close_file(handle);
            *status = *status == NO_ERR ? closed : *status;
        }
}

void ENTRY(inquire_opened)(const int *handle, const char *path, int *state, int *status,
                           fortran_length length)
{
    char named[PATH_LENGTH];
    wrf_file *file = file_of(handle);
    to_c(named, sizeof named, path, length);
    *state = file && strcmp(named, file->path) == 0 ? file->status : NOT_OPENED;
    *status = file ? NO_ERR : BAD_DATA_HANDLE;
}

void ENTRY(inquire_filename)(const int *handle, char *path, int *state, int *status,
                             fortran_length length)
{
    wrf_file *file = file_of(handle);
    *state = file ? file->status : NOT_OPENED;
    *status = file ? NO_ERR : BAD_DATA_HANDLE;
    if (file)
        to_fortran(path, length, file->path, strlen(file->path));
}

/* Finds the file and the date of a call. */
static int begin_dated(const int *handle, const char *text, fortran_length length, wrf_file **file,
                       char date[DATE_LENGTH + 1])
{
    int status = read_date(text, length, date);
    *file = file_of(handle);
    return status == NO_ERR && !*file ? BAD_DATA_HANDLE : status;
}

void ENTRY(set_time)(const int *handle, const char *date_text, int *status, fortran_length length)
{
    char date[DATE_LENGTH + 1];
    wrf_file *file;
    *status = begin_dated(handle, date_text, length, &file, date);
    if (*status == NO_ERR)
        *status = set_time(file, date);
}

void ENTRY(get_next_time)(const int *handle, char *date, int *status, fortran_length length)
{
    wrf_file *file = file_of(handle);
    *status = file ? next_time(file, date, length) : BAD_DATA_HANDLE;
}

void ENTRY(get_previous_time)(const int *handle, char *date, int *status, fortran_length length)
{
    wrf_file *file = file_of(handle);
    *status = file ? previous_time(file, date, length) : BAD_DATA_HANDLE;
}

void ENTRY(get_next_var)(const int *handle, char *name, int *status, fortran_length length)
{
    wrf_file *file = file_of(handle);
    *status = file ? next_variable(file, name, length) : BAD_DATA_HANDLE;
}

/* As WRF calls it: without the type that its own netCDF package declares before the status. */
void ENTRY(get_var_info)(const int *handle, const char *name, int *axes, char *order,
                         const char *stagger, int *start, int *end, int *status,
                         fortran_length name_length, fortran_length order_length,
                         fortran_length stagger_length)
{
    char named[NAME_LENGTH];
    wrf_file *file = file_of(handle);
    (void)stagger;
    (void)stagger_length;
    to_c(named, sizeof named, name, name_length);
    *status = file ? variable_info(file, named, axes, order, order_length, start, end)
                   : BAD_DATA_HANDLE;
}

/* What write_field and read_field have in common: a field, from their arguments. */
static int describe_call(const char *order, fortran_length order_length, wrf_field *field)
{
    int status = parse_order(order, order_length, &field->order);
    return status == NO_ERR ? status : warn(status, "an unknown MemoryOrder", field->name);
}

void ENTRY(write_field)(const int *handle, const char *date_text, const char *name, void *values,
                        const int *type, const int *comm, const int *io_comm, const int *domain,
                        const char *order, const char *stagger, const char *axis_names,
                        const int *domain_start, const int *domain_end, const int *memory_start,
                        const int *memory_end, const int *patch_start, const int *patch_end,
                        int *status, fortran_length date_length, fortran_length name_length,
                        fortran_length order_length, fortran_length stagger_length,
                        fortran_length axis_name_length)
{
    char date[DATE_LENGTH + 1], named[NAME_LENGTH];
    wrf_file *file;
    wrf_field field = {.name = named,
                       .values = values,
                       .type = *type,
                       .axis_names = axis_names,
                       .axis_name_length = axis_name_length,
                       .domain_start = domain_start,
                       .domain_end = domain_end,
                       .memory_start = memory_start,
                       .memory_end = memory_end,
                       .patch_start = patch_start,
                       .patch_end = patch_end};
    (void)comm, (void)io_comm, (void)domain, (void)stagger, (void)stagger_length;
    to_c(named, sizeof named, name, name_length);
    *status = describe_call(order, order_length, &field);
    if (*status == NO_ERR)
        *status = begin_dated(handle, date_text, date_length, &file, date);
    if (*status == NO_ERR)
        *status = write_field(file, &field, date);
}

void ENTRY(read_field)(const int *handle, const char *date_text, const char *name, void *values,
                       const int *type, const int *comm, const int *io_comm, const int *domain,
                       const char *order, const char *stagger, const char *axis_names,
                       const int *domain_start, const int *domain_end, const int *memory_start,
                       const int *memory_end, const int *patch_start, const int *patch_end,
                       int *status, fortran_length date_length, fortran_length name_length,
                       fortran_length order_length, fortran_length stagger_length,
                       fortran_length axis_name_length)
{
    char date[DATE_LENGTH + 1], named[NAME_LENGTH];
    wrf_file *file;
    wrf_field field = {.name = named,
                       .values = values,
                       .type = *type,
                       .domain_start = domain_start,
                       .domain_end = domain_end,
                       .memory_start = memory_start,
                       .memory_end = memory_end,
                       .patch_start = patch_start,
                       .patch_end = patch_end};
    (void)comm, (void)io_comm, (void)domain, (void)stagger, (void)stagger_length;
    (void)axis_names, (void)axis_name_length;
    to_c(named, sizeof named, name, name_length);
    *status = describe_call(order, order_length, &field);
    if (*status == NO_ERR)
        *status = begin_dated(handle, date_text, date_length, &file, date);
    if (*status == NO_ERR)
        *status = read_field(file, &field, date);
}
