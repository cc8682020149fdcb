/*
 * append.c: going on with a file that is there, as the option append=1 asks: a run that was killed,
 * and began again from a restart file, finds its dates and writes them anew, then adds more.
 */

/* Takes up the dimensions of the file, in its order. */
static int find_dimensions(wrf_file *file)
{
    int count = 0, status = netcdf_checked(file, frz_nc_inq_ndims(file->ncid, &count));
    for (int i = 0; i < count && status == NO_ERR; i++) {
        char name[NC_MAX_NAME + 1];
        size_t length;
        status = netcdf_checked(file, frz_nc_inq_dim(file->ncid, i, name, &length));
        if (status != NO_ERR || strcmp(name, "Time") == 0)
            continue;
        file_dimension *one =
            grown((void **)&file->dimensions, &file->dimension_count, sizeof *one);
        if (!one)
            return ALLOCATION_ERROR;
        snprintf(one->name, sizeof one->name, "%s", name);
        one->length = length;
        status = checked(file, "dimension in",
                         frz_find_dimension(file->writer, FRZ_ROOT, name, &one->id));
    }
    return status;
}

/* Takes up times and dimensions of a file that is gone on with. */
static int find_contents(wrf_file *file)
{
    frz_status found =
        frz_find_dimension(file->writer, FRZ_ROOT, "Time", &file->time_dimension);
    if (found == FRZ_OK)
        found = frz_find_variable(file->writer, FRZ_ROOT, "Times", &file->times_variable);
    if (found != FRZ_OK)
        return checked(file, "append to", found);
    int status = netcdf_checked(file, frz_nc_open(file->path, NC_NOWRITE, &file->ncid));
    if (status != NO_ERR)
        return status;
    status = read_times(file);
    if (status == NO_ERR)
        status = find_dimensions(file);
    int closed = netcdf_checked(file, frz_nc_close(file->ncid));
    file->ncid = -1;
    return status == NO_ERR ? closed : status;
}

/* Gives a file up that cannot be gone on with: it stays as it was. */
static int give_up(wrf_file *file, const char *name)
{
    char text[NAME_LENGTH + 128];
    snprintf(text, sizeof text,
             "variable %s has another type or shape than the model's: append to another file", name);
    frz_abandon(file->writer);
    file->writer = NULL;
    file->status = NOT_OPENED;
    return fail(file, "append to", text);
}

/* Checks that a variable of the file is what the model tells. */
static int take_up(wrf_file *file, file_variable *variable)
{
    int type = 0, axes = 0;
    uint64_t shape[FRZ_MAX_RANK];
    frz_status status =
        frz_inquire_variable(file->writer, variable->id, &type, &axes, shape);
    if (status != FRZ_OK)
        return checked(file, "append to", status);
    int is_same = type == variable->type && axes == variable->axes + 1;
    for (int i = 0; i < variable->axes && is_same; i++)
        is_same = shape[i + 1] == variable->shape[i];
    variable->is_old = 1;
    return is_same ? NO_ERR : give_up(file, variable->name);
}
