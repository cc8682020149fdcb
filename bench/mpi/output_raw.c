/* The values as they are in memory, record after record, by collective MPI-IO. */
#include "output.h"

static MPI_File file;
static MPI_Datatype part;

static void check(int status)
{
    if (status != MPI_SUCCESS) {
        give_up("MPI-IO failed");
    }
}

void output_open(const char *path, const job *wanted)
{
    int sizes[3], parts[3], starts[3];
    if (wanted->deflate > 0 || wanted->digits > 0) {
        give_up("raw values have no filters");
    }
    for (int axis = 0; axis < 3; axis++) {
        sizes[axis] = (int)wanted->shape[axis];
        parts[axis] = (int)wanted->count[axis];
        starts[axis] = (int)wanted->start[axis];
    }
    check(MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_FLOAT, &part));
    check(MPI_Type_commit(&part));
    check(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                        &file));
    check(MPI_File_set_size(file, 0));
}

void output_put(const job *wanted, int field, size_t record, const float *values)
{
    const MPI_Offset place = (MPI_Offset)record * wanted->fields + field;
    const MPI_Offset bytes = (MPI_Offset)sizeof(float) * (MPI_Offset)wanted->shape[0] *
                             (MPI_Offset)wanted->shape[1] * (MPI_Offset)wanted->shape[2];
    const size_t own = wanted->count[0] * wanted->count[1] * wanted->count[2];
    check(MPI_File_set_view(file, place * bytes, MPI_FLOAT, part, "native", MPI_INFO_NULL));
    check(MPI_File_write_all(file, values, (int)own, MPI_FLOAT, MPI_STATUS_IGNORE));
}

void output_close(void)
{
    check(MPI_File_close(&file));
    check(MPI_Type_free(&part));
}
