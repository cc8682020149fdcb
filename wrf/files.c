/* files.c: WRF's handles, and the lists that belong to a file. */

static wrf_file *handles[MAX_HANDLES];
static int is_initialized = 0;

/* The file of a handle, or NULL. */
static wrf_file *file_of(const int *handle)
{
    if (*handle < 1 || *handle > MAX_HANDLES)
        return NULL;
    return handles[*handle - 1];
}

/* A new handle for a file of this name, which Fortran hands over. */
static int new_file(const char *path, fortran_length length, int *handle, wrf_file **file)
{
    *file = NULL;
    if (!is_initialized) {
        say("frazil: " TEXT_OF_VALUE(FRZ_WRF_PREFIX) "ioinit was not called");
        return IO_NOT_INITIALIZED;
    }
    int free_one = 0;
    while (free_one < MAX_HANDLES && handles[free_one])
        free_one++;
    if (free_one == MAX_HANDLES)
        return warn(TOO_MANY_FILES, "too many open files", "");
    wrf_file *made = calloc(1, sizeof *made);
    if (!made)
        return ALLOCATION_ERROR;
    to_c(made->path, sizeof made->path, path, length);
    made->status = NOT_OPENED;
    made->first_operation = 1;
    made->record = -1;
    made->ncid = -1;
    handles[free_one] = made;
    *handle = free_one + 1;
    *file = made;
    return NO_ERR;
}

/* Frees a handle; what it held of libfrazil is closed already. */
static void free_file(int handle)
{
    wrf_file *file = handles[handle - 1];
    handles[handle - 1] = NULL;
    free(file->dimensions);
    free(file->variables);
    free(file->times);
    free(file);
}

/* Room for one more element at the end of a list; NULL if there is no memory. */
static void *grown(void **list, int *count, size_t size)
{
    void *larger = realloc(*list, (size_t)(*count + 1) * size);
    if (!larger)
        return NULL;
    *list = larger;
    void *last = (char *)larger + (size_t)*count * size;
    memset(last, 0, size);
    ++*count;
    return last;
}

static file_variable *find_variable(wrf_file *file, const char *name, int is_metadata)
{
    for (int i = 0; i < file->variable_count; i++) {
        file_variable *one = &file->variables[i];
        if (one->is_metadata == is_metadata && strcmp(one->name, name) == 0)
            return one;
    }
    return NULL;
}

/* Checks a date: 19 characters. */
static int read_date(const char *text, fortran_length length, char date[DATE_LENGTH + 1])
{
    if (trimmed(text, length) != DATE_LENGTH)
        return warn(DATESTR_ERROR, "a date must have 19 characters", "");
    memcpy(date, text, DATE_LENGTH);
    date[DATE_LENGTH] = '\0';
    return NO_ERR;
}

static int add_time(wrf_file *file, const char *date)
{
    date_string *last = grown((void **)&file->times, &file->time_count, sizeof *last);
    if (!last)
        return ALLOCATION_ERROR;
    memcpy(last->date, date, DATE_LENGTH + 1);
    return NO_ERR;
}

/* The number of a date among the file's, from 1; 0 if it is not there. */
static int time_index(const wrf_file *file, const char *date)
{
    for (int i = 0; i < file->time_count; i++)
        if (strcmp(file->times[i].date, date) == 0)
            return i + 1;
    return 0;
}

/* What becomes of a call that reads, in a file of this state. */
static int may_read(const wrf_file *file)
{
    switch (file->status) {
    case FOR_READ:
        return NO_ERR;
    case NOT_COMMITTED:
        return warn(DRYRUN_READ, "read before the end of opening", file->path);
    case FOR_WRITE:
        return warn(READ_WONLY_FILE, "the file is being written", file->path);
    default:
        return warn(FILE_NOT_OPENED, "the file is not open", file->path);
    }
}
