/* Makes calls of netCDF's C interface that it refuses, and calls between define and data mode, and
 * prints what each returns.
 *
 *     refusals FILE MODE
 *
 * Built twice, with netCDF-C and with frazil in its place: both must print the same.
 */
#ifdef WITH_FRAZIL
#define FRAZIL_NETCDF_NAMES
#include <frazil_netcdf.h>
#else
#include <netcdf.h>
#include <netcdf_filter.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes a call and prints its status. */
#define T(call) printf("%s: %d\n", #call, (call))

static float f[24];
static int in[24];
static char text[24] = "text";
static const size_t first[3] = {0, 0, 0}, far[3] = {9, 9, 9}, one[3] = {1, 1, 1};
static const size_t many[3] = {1, 99, 1}, nothing[3] = {0, 0, 0}, later[3] = {9, 0, 0};
static const ptrdiff_t each[3] = {1, 1, 1}, none[3] = {0, 1, 1};

/* v(time, y, x) and c(y, x) of floats, t(y, x) of characters. */
enum { V, TEXT, C };

static void types(int nc, const int *dims) {
    const int lost = 77;
    int found, type;
    for (type = -2; type < 20; type++) {
        char name[16];
        snprintf(name, sizeof name, "type%d", type + 2);
        printf("type %d: %d\n", type, nc_def_var(nc, name, type, 1, dims, &found));
    }
    T(nc_def_var(nc, "v", 99, 3, dims, &found));
    T(nc_def_var(nc, "bad name/", 99, 3, dims, &found));
    T(nc_def_var(nc, "lost", 99, 1, &lost, &found));
    T(nc_def_var(nc, "lost", NC_FLOAT, 1, &lost, &found));
    T(nc_def_var(nc, "v", NC_FLOAT, 1, &lost, &found));
    T(nc_def_var(nc, "lost", NC_FLOAT, -1, dims, &found));
    T(nc_def_var(nc, "lost", 0, -1, dims, &found));
}

/* What is wrong with a name is told by every call that brings one. */
static void names(int nc, const int *dims, int mode) {
    static const char *const bad[] = {"", "a/b", "-a", "(b", " a", "a ", ".", "..", "nl\n", "tab\t",
                                      "\x7f", "\xff\xfe", "a%b", "9", "_x", "\xc3\xa9", NULL};
    char longest[300];
    int i, found;
    memset(longest, 'y', sizeof longest);
    longest[257] = '\0';
    for (i = 0; i < 17; i++) {
        const char *name = bad[i] != NULL ? bad[i] : longest;
        printf("name %d\n", i);
        T(nc_def_dim(nc, name, 2, &found));
        T(nc_def_var(nc, name, NC_INT, 1, dims + 1, &found));
        T(nc_put_att_text(nc, NC_GLOBAL, name, 2, "ab"));
        T(nc_rename_dim(nc, 2, name));
        T(nc_rename_var(nc, C, name));
        if (mode == NC_NETCDF4) T(nc_def_grp(nc, name, &found));
        T(nc_rename_dim(nc, 2, "x"));
        T(nc_rename_var(nc, C, "c"));
    }
}

/* Of a call without a name, what else is wrong is told first; of all names, only a new name of a variable stays as
 * it is written. */
static void odd_names(int nc, int mode) {
    char name[NC_MAX_NAME + 1];
    T(nc_put_att_text(9999, 0, NULL, 0, NULL));
    T(nc_put_att_text(nc, 99, NULL, 0, NULL));
    T(nc_put_att_float(nc, 99, NULL, 0, 0, NULL));
    T(nc_get_att_text(9999, 0, NULL, NULL));
    T(nc_get_att_text(nc, 99, NULL, NULL));
    T(nc_get_att_float(nc, 99, NULL, NULL));
    if (mode != NC_NETCDF4) return;
    T(nc_put_att_text(nc, V, NULL, 0, NULL));
    T(nc_put_att_float(nc, NC_GLOBAL, NULL, 0, 0, NULL));
    T(nc_rename_var(nc, C, "e\xcc\x81"));
    T(nc_inq_varname(nc, C, name));
    printf("%zu bytes\n", strlen(name));
    T(nc_rename_var(nc, C, "c"));
}

/* How a variable is stored, with values that no file can have. */
static void storage(int nc, const int *dims) {
    size_t chunk[3] = {1, 3, 4};
    int id, digits;
    T(nc_def_var(nc, "stored", NC_FLOAT, 3, dims, &id));
    T(nc_def_var_deflate(nc, id, 0, 1, -1));
    T(nc_def_var_deflate(nc, id, 0, 1, 10));
    T(nc_def_var_chunking(nc, id, NC_CONTIGUOUS, NULL));
    T(nc_def_var_chunking(nc, id, 7, chunk));
    chunk[2] = 5;
    T(nc_def_var_chunking(nc, id, NC_CHUNKED, chunk));
    for (digits = -1; digits < 18; digits++) {
        /* Before version 4.9.3, netCDF-C took 7 digits of a float for possible. */
        if (digits == 7) continue;
        printf("digits %d: %d\n", digits, nc_def_var_quantize(nc, id, NC_QUANTIZE_BITGROOM, digits));
    }
    T(nc_def_var_quantize(nc, id, NC_QUANTIZE_BITROUND, 23));
    T(nc_def_var_quantize(nc, id, NC_QUANTIZE_BITROUND, 24));
    T(nc_def_var_quantize(nc, id, 9, 3));
    T(nc_def_var_quantize(nc, TEXT, NC_QUANTIZE_BITGROOM, 3));
    T(nc_def_var_quantize(nc, id, NC_NOQUANTIZE, 0));
}

static void compact(int nc) {
    size_t shape[2] = {7, 7};
    int storage = -7;
    T(nc_def_var_chunking(nc, C, NC_COMPACT, NULL));
    T(nc_inq_var_chunking(nc, C, &storage, shape));
    printf("storage %d\n", storage);
}

/* Text for numbers and numbers for text are refused before anything else is looked at. */
static void text_and_numbers(int nc) {
    T(nc_put_vara_text(nc, V, far, one, text));
    T(nc_put_vara_float(nc, TEXT, far, one, f));
    T(nc_get_vara_text(nc, V, far, one, text));
    T(nc_get_vara_float(nc, TEXT, far, one, f));
    T(nc_get_vara_float(nc, TEXT, first, many, f));
    T(nc_put_vara_float(nc, TEXT, first, many, f));
    T(nc_put_var1_float(nc, TEXT, far, f));
    T(nc_get_var1_float(nc, TEXT, far, f));
    T(nc_get_var1_text(nc, V, far, text));
    T(nc_put_var1_text(nc, V, far, text));
    T(nc_put_vars_float(nc, TEXT, far, one, none, f));
    T(nc_get_vars_float(nc, TEXT, far, one, none, f));
    T(nc_get_vars_float(nc, TEXT, far, one, each, f));
    T(nc_put_varm_float(nc, TEXT, far, one, none, each, f));
    T(nc_get_varm_float(nc, TEXT, far, one, none, each, f));
    T(nc_get_varm_float(nc, TEXT, far, one, each, each, f));
    T(nc_put_vars_text(nc, V, first, one, none, text));
    T(nc_get_vars_text(nc, V, first, one, none, text));
    T(nc_put_var_float(nc, TEXT, f));
    T(nc_get_var_float(nc, TEXT, f));
    T(nc_get_var_text(nc, V, text));
    T(nc_put_var_text(nc, C, text));
}

static void places(int nc) {
    T(nc_put_vara_float(nc, 99, far, one, f));
    T(nc_get_vara_float(nc, 99, far, one, f));
    T(nc_put_vars_float(nc, V, first, one, none, f));
    T(nc_put_vars_float(nc, V, far, one, none, f));
    T(nc_get_vars_float(nc, V, far, one, none, f));
    T(nc_get_vars_float(nc, C, first, one, none, f));
    T(nc_get_vara_float(nc, V, later, one, f));
    T(nc_get_vara_float(nc, V, later, nothing, f));
    T(nc_get_var1_float(nc, V, later, f));
    T(nc_get_vars_float(nc, V, later, one, each, f));
    T(nc_get_vara_float(nc, V, far, one, f));
    T(nc_get_vara_float(nc, V, far, nothing, f));
    T(nc_get_var1_float(nc, V, far, f));
    T(nc_get_vars_float(nc, V, far, one, each, f));
    T(nc_get_vara_float(nc, C, far, one, f));
    T(nc_get_var1_float(nc, C, far, f));
    T(nc_put_vara_float(nc, V, NULL, one, f));
    T(nc_get_vara_float(nc, V, NULL, one, f));
    T(nc_put_vara_float(nc, V, first, one, f));
    T(nc_put_vara_float(nc, V, far, one, f));
    T(nc_put_vara_float(nc, V, first, many, f));
}

static void modes(int nc, const int *dims) {
    int id = 99, before;
    T(nc_def_dim(nc, "z", 2, &id));
    T(nc_redef(nc));
    T(nc_redef(nc));
    T(nc_def_dim(nc, "zz", 2, &id));
    T(nc_def_var(nc, "w", NC_INT, 1, &dims[1], &id));
    T(nc_put_vara_int(nc, id, first, one, in));
    T(nc_get_vara_int(nc, id, first, one, in));
    T(nc_sync(nc));
    T(nc_enddef(nc));
    T(nc_enddef(nc));
    T(nc_put_vara_int(nc, id, first, one, in));
    T(nc_enddef(nc));
    T(nc_redef(nc));
    T(nc_put_att_int(nc, V, "late", NC_INT, 1, in));
    T(nc_enddef(nc));
    T(nc_put_att_int(nc, V, "later", NC_INT, 1, in));
    T(nc_enddef(nc));
    T(nc_put_var_int(nc, id, in));
    T(nc_enddef(nc));
    T(nc_def_var(nc, "w2", NC_INT, 1, &dims[1], &id));
    T(nc_enddef(nc));
    T(nc_put_vara_int(nc, id, first, one, in));
    T(nc_enddef(nc));
    T(nc_rename_var(nc, id, "w3"));
    T(nc_enddef(nc));
    T(nc_sync(nc));
    T(nc_enddef(nc));
    T(nc__enddef(nc, 0, 4, 0, 4));
    T(nc_set_fill(nc, NC_NOFILL, &before));
    T(nc_del_att(nc, V, "late"));
    T(nc_enddef(nc));
}

static void read_only(int nc, const int *dims) {
    const char *string[1] = {"a"};
    const unsigned level = 1;
    int id, before;
    T(nc_get_vara_float(nc, V, later, one, f));
    T(nc_get_var1_float(nc, V, later, f));
    /* For netCDF-4, netCDF-C leaves the refusal of these six to HDF5 before version 4.9.3. */
    T(nc_put_vara_float(nc, V, first, one, f));
    T(nc_put_var_float(nc, C, f));
    T(nc_put_var1_float(nc, V, first, f));
    T(nc_put_vars_float(nc, C, first, one, each, f));
    T(nc_put_varm_float(nc, C, first, one, each, each, f));
    T(nc_put_vara_int(nc, C, first, one, in));
    T(nc_put_vara_text(nc, V, first, one, text));
    T(nc_put_vara_float(nc, TEXT, far, one, f));
    T(nc_put_vara_float(nc, 99, first, one, f));
    T(nc_put_att_int(nc, V, "new", NC_INT, 1, in));
    T(nc_put_att_text(nc, NC_GLOBAL, "new", 2, "ab"));
    T(nc_put_att_int(nc, 99, "new", NC_INT, 1, in));
    T(nc_put_att_string(nc, V, "new", 1, string));
    T(nc_put_vara_string(nc, V, first, one, string));
    T(nc_del_att(nc, V, "later"));
    T(nc_del_att(nc, V, "none"));
    T(nc_rename_att(nc, V, "later", "l"));
    T(nc_rename_att(nc, V, "none", "l"));
    T(nc_def_dim(nc, "new", 2, &id));
    T(nc_def_dim(nc, "y", 2, &id));
    T(nc_def_var(nc, "new", NC_INT, 1, &dims[1], &id));
    T(nc_def_var(nc, "v", NC_INT, 1, &dims[1], &id));
    T(nc_def_var(nc, "new", 99, 1, &dims[1], &id));
    T(nc_rename_var(nc, V, "vv"));
    T(nc_rename_var(nc, V, "c"));
    T(nc_rename_dim(nc, 1, "yy"));
    T(nc_rename_dim(nc, 1, "x"));
    T(nc_redef(nc));
    T(nc_enddef(nc));
    T(nc_sync(nc));
    T(nc_set_fill(nc, NC_NOFILL, &before));
    T(nc_def_grp(nc, "g", &id));
    T(nc_rename_grp(nc, "g"));
    T(nc_def_var_fill(nc, V, 0, f));
    T(nc_def_var_fill(nc, 99, 0, f));
    T(nc_def_var_deflate(nc, V, 1, 1, 1));
    T(nc_def_var_deflate(nc, 99, 1, 1, 1));
    T(nc_def_var_chunking(nc, C, NC_CONTIGUOUS, NULL));
    T(nc_def_var_endian(nc, V, NC_ENDIAN_BIG));
    T(nc_def_var_fletcher32(nc, V, 1));
    T(nc_def_var_quantize(nc, V, 1, 3));
    T(nc_def_var_szip(nc, V, 32, 8));
    T(nc_def_var_filter(nc, V, 1, 1, &level));
    T(nc_set_var_chunk_cache(nc, V, 1000, 10, 0.5f));
}

int main(int argc, char **argv) {
    int nc, dims[3], id;
    if (argc != 3) return 2;
    const char *path = argv[1];
    const int mode = atoi(argv[2]);
    T(nc_create(path, mode, &nc));
    T(nc_def_dim(nc, "time", NC_UNLIMITED, &dims[0]));
    T(nc_def_dim(nc, "y", 3, &dims[1]));
    T(nc_def_dim(nc, "x", 4, &dims[2]));
    T(nc_def_var(nc, "v", NC_FLOAT, 3, dims, &id));
    T(nc_def_var(nc, "t", NC_CHAR, 2, dims + 1, &id));
    T(nc_def_var(nc, "c", NC_FLOAT, 2, dims + 1, &id));
    types(nc, dims);
    names(nc, dims, mode);
    odd_names(nc, mode);
    if (mode & NC_NETCDF4) storage(nc, dims);
    if (mode & NC_NETCDF4) compact(nc);
    T(nc_put_vara_float(nc, V, first, one, f));
    T(nc_get_vara_float(nc, V, first, one, f));
    T(nc_put_vara_text(nc, V, far, one, text));
    T(nc_enddef(nc));
    T(nc_enddef(nc));
    text_and_numbers(nc);
    places(nc);
    modes(nc, dims);
    T(nc_close(nc));

    T(nc_open(path, NC_WRITE, &nc));
    T(nc_enddef(nc));
    T(nc_put_vara_float(nc, TEXT, far, one, f));
    T(nc_redef(nc));
    T(nc_put_vara_float(nc, C, first, one, f));
    T(nc_enddef(nc));
    T(nc_close(nc));

    T(nc_open(path, NC_NOWRITE, &nc));
    read_only(nc, dims);
    T(nc_abort(nc));
    return 0;
}
