/* tasks.c: what a task is to the others, where all of them write a file together. */

static frz_status open_alone(wrf_file *file, const frz_options *options)
{
    return file->appends ? frz_append(file->path, options, &file->writer)
                         : frz_create(file->path, options, &file->writer);
}

#ifdef FRZ_WRF_PARALLEL

/* WRF's own: how many tasks there are along x and y. A program without WRF has none. */
extern void wrf_get_nprocx_(int *count) __attribute__((weak));
extern void wrf_get_nprocy_(int *count) __attribute__((weak));
extern void wrf_get_myproc_(int *number) __attribute__((weak));

/*
 * Whether this task owns a boundary strip. WRF hands strips to all tasks, also to those that have
 * nothing to do with this edge of the domain; where the caller knows better, it hands over an empty
 * range.
 */
static int owns_strip(const memory_order *order)
{
    int columns = 0, rows = 0, task = 0;
    int is_strip = order->letters[1] == 's' || order->letters[1] == 'e';
    if (!is_strip || !wrf_get_nprocx_ || !wrf_get_nprocy_ || !wrf_get_myproc_)
        return 1;
    wrf_get_nprocx_(&columns);
    wrf_get_nprocy_(&rows);
    wrf_get_myproc_(&task);
    if (columns < 1 || rows < 1)
        return 1;
    int is_along_x = order->letters[0] == 'x';
    int place = is_along_x ? task % columns : task / columns;
    int last = (is_along_x ? columns : rows) - 1;
    return order->letters[1] == 's' ? place == 0 : place == last;
}

/* Creates the file, or goes on with one that is there. */
static frz_status open_writer(wrf_file *file, int comm, const frz_options *options)
{
    MPI_Comm tasks = MPI_Comm_f2c((MPI_Fint)comm);
    int count = 1, number = 0;
    if (MPI_Comm_size(tasks, &count) != MPI_SUCCESS ||
        MPI_Comm_rank(tasks, &number) != MPI_SUCCESS)
        count = 1;
    file->is_first_task = number == 0;
    file->is_shared = count > 1;
    if (count == 1)
        return open_alone(file, options);
    return file->appends ? frz_mpi_append(file->path, tasks, options, &file->writer)
                         : frz_mpi_create(file->path, tasks, options, &file->writer);
}

#else

static int owns_strip(const memory_order *order)
{
    (void)order;
    return 1;
}

static frz_status open_writer(wrf_file *file, int comm, const frz_options *options)
{
    (void)comm;
    file->is_first_task = 1;
    file->is_shared = 0;
    return open_alone(file, options);
}

#endif

/* Whether lengths come from the domain, which all tasks share, or from the patch: where one task
 * writes alone, its patch is the whole field, or the file is for its patch only. */
#ifdef FRZ_WRF_PARALLEL
static const int IS_PARALLEL = 1;
#else
static const int IS_PARALLEL = 0;
#endif
