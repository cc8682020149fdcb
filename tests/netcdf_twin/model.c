/* Makes calls of netCDF's C interface, prints what each returns and hands back, and leaves a file.
 *
 * Built twice, with netCDF-C and with frazil in its place: both must print the same and leave files
 * that ncdump prints alike.
 */
#ifdef WITH_FRAZIL
#define FRAZIL_NETCDF_NAMES
#include <frazil_netcdf.h>
#else
#include <netcdf.h>
#include <netcdf_filter.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes a call and prints its status. */
#define T(call) printf("%s: %d\n", #call, (call))

enum { TIME_LENGTH = 3, Y = 4, X = 5 };

static void print_doubles(const char *name, const double *values, size_t length) {
    printf("%s:", name);
    for (size_t i = 0; i < length; i++) printf(" %.9g", values[i]);
    printf("\n");
}

static void print_ints(const char *name, const int *values, size_t length) {
    printf("%s:", name);
    for (size_t i = 0; i < length; i++) printf(" %d", values[i]);
    printf("\n");
}

static void define_attributes(int ncid, int varid) {
    signed char bytes[] = {-1, 2, 127};
    unsigned char ubytes[] = {0, 200, 255};
    short shorts[] = {-300, 300};
    unsigned short ushorts[] = {1, 65535};
    int ints[] = {-70000, 70000};
    unsigned int uints[] = {4000000000u};
    long longs[] = {-5, 5};
    long long longlongs[] = {-9000000000LL, 9000000000LL};
    unsigned long long ulonglongs[] = {18000000000000000000ULL};
    float floats[] = {1.5f, -2.25f};
    double doubles[] = {3.141592653589793, 1e300};
    const char *strings[] = {"one", "", "three words here"};
    T(nc_put_att_text(ncid, varid, "text", 5, "hello"));
    T(nc_put_att_text(ncid, varid, "empty", 0, ""));
    T(nc_put_att_schar(ncid, varid, "bytes", NC_BYTE, 3, bytes));
    T(nc_put_att_uchar(ncid, varid, "ubytes", NC_UBYTE, 3, ubytes));
    T(nc_put_att_ubyte(ncid, varid, "ubytes_as_short", NC_SHORT, 3, ubytes));
    T(nc_put_att_short(ncid, varid, "shorts", NC_SHORT, 2, shorts));
    T(nc_put_att_ushort(ncid, varid, "ushorts", NC_USHORT, 2, ushorts));
    T(nc_put_att_int(ncid, varid, "ints", NC_INT, 2, ints));
    T(nc_put_att_int(ncid, varid, "ints_as_double", NC_DOUBLE, 2, ints));
    T(nc_put_att_int(ncid, varid, "ints_out_of_range", NC_SHORT, 2, ints));
    T(nc_put_att_int(ncid, varid, "ints_out_of_range", NC_INT, 2, ints));
    T(nc_put_att_uint(ncid, varid, "uints", NC_UINT, 1, uints));
    T(nc_put_att_long(ncid, varid, "longs", NC_INT, 2, longs));
    T(nc_put_att_longlong(ncid, varid, "longlongs", NC_INT64, 2, longlongs));
    T(nc_put_att_ulonglong(ncid, varid, "ulonglongs", NC_UINT64, 1, ulonglongs));
    T(nc_put_att_float(ncid, varid, "floats", NC_FLOAT, 2, floats));
    T(nc_put_att_double(ncid, varid, "doubles", NC_DOUBLE, 2, doubles));
    T(nc_put_att_double(ncid, varid, "as_char", NC_CHAR, 2, doubles));
    int format = 0;
    if (nc_inq_format(ncid, &format) == 0 && format == NC_FORMAT_NETCDF4)
        T(nc_put_att_string(ncid, varid, "strings", 3, strings));
    T(nc_put_att(ncid, varid, "untyped", NC_USHORT, 2, ushorts));
    T(nc_put_att_int(ncid, varid, "to_be_deleted", NC_INT, 1, ints));
    T(nc_put_att_int(ncid, varid, "to_be_renamed", NC_INT, 1, ints));
    T(nc_del_att(ncid, varid, "to_be_deleted"));
    T(nc_del_att(ncid, varid, "to_be_deleted"));
    T(nc_rename_att(ncid, varid, "to_be_renamed", "renamed"));
    T(nc_rename_att(ncid, varid, "to_be_renamed", "again"));
}

static void print_attributes(int ncid, int varid) {
    char name[NC_MAX_NAME + 1], text[100] = "";
    double doubles[16];
    int natts = -1, type = -1, id = -1, ints[16];
    size_t length = 99;
    T(nc_inq_varnatts(ncid, varid, &natts));
    printf("natts %d\n", natts);
    for (int i = 0; i < natts; i++) {
        T(nc_inq_attname(ncid, varid, i, name));
        T(nc_inq_att(ncid, varid, name, &type, &length));
        T(nc_inq_attid(ncid, varid, name, &id));
        printf("attribute %d %d %s: type %d, length %zu\n", i, id, name, type, length);
        if (type == NC_CHAR) {
            memset(text, 0, sizeof text);
            T(nc_get_att_text(ncid, varid, name, text));
            printf("text [%s]\n", text);
            T(nc_get_att_double(ncid, varid, name, doubles));
        } else if (type == NC_STRING) {
            char *strings[8] = {0};
            T(nc_get_att_string(ncid, varid, name, strings));
            for (size_t k = 0; k < length; k++) printf("string [%s]\n", strings[k]);
            T(nc_free_string(length, strings));
        } else {
            T(nc_get_att_double(ncid, varid, name, doubles));
            print_doubles(name, doubles, length);
            T(nc_get_att_text(ncid, varid, name, text));
        }
    }
    short shorts[2] = {7, 7};
    T(nc_get_att_short(ncid, varid, "ints", shorts));
    T(nc_get_att_int(ncid, varid, "shorts", ints));
    print_ints("shorts as int", ints, 2);
    unsigned short ushorts[2] = {0, 0};
    T(nc_get_att(ncid, varid, "untyped", ushorts));
    printf("%d %d\n", ushorts[0], ushorts[1]);
    T(nc_inq_atttype(ncid, varid, "missing", &type));
    T(nc_inq_attlen(ncid, varid, "doubles", &length));
    T(nc_inq_attname(ncid, varid, 99, name));
}

static void put_all_types(int ncid, const int *dimids) {
    static const int types[] = {NC_BYTE,  NC_CHAR, NC_SHORT, NC_INT,   NC_FLOAT,
                                NC_DOUBLE, NC_UBYTE, NC_USHORT, NC_UINT, NC_INT64,
                                NC_UINT64};
    size_t start[] = {0, 0}, count[] = {Y, X};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char name[20];
        int varid = -1;
        double values[Y * X];
        float floats[Y * X];
        long long longs[Y * X];
        short one = 12;
        snprintf(name, sizeof name, "of_type_%d", types[i]);
        T(nc_redef(ncid));
        int status = nc_def_var(ncid, name, types[i], 2, dimids + 1, &varid);
        printf("%s: %d\n", name, status);
        if (status != NC_NOERR) continue;
        T(nc_enddef(ncid));
        for (int k = 0; k < Y * X; k++) {
            values[k] = k + 0.75;
            floats[k] = (float)(k * 3);
            longs[k] = 2 * k;
        }
        T(nc_put_var_double(ncid, varid, values));
        T(nc_put_vara_float(ncid, varid, start, count, floats));
        start[0] = 1;
        count[0] = 2;
        T(nc_put_vara_longlong(ncid, varid, start, count, longs));
        T(nc_put_var1_short(ncid, varid, start, &one));
        start[0] = 0;
        count[0] = Y;
        memset(values, 0, sizeof values);
        T(nc_get_var_double(ncid, varid, values));
        print_doubles(name, values, Y * X);
        signed char bytes[Y * X] = {0};
        T(nc_get_var_schar(ncid, varid, bytes));
        T(nc_get_var_text(ncid, varid, (char *)bytes));
        unsigned long long big[Y * X] = {0};
        T(nc_get_vara_ulonglong(ncid, varid, start, count, big));
        printf("%llu %llu\n", big[0], big[Y * X - 1]);
    }
}

static void put_slabs(int ncid, int varid) {
    size_t start[3] = {0, 0, 0}, count[3] = {1, Y, X}, index[3] = {2, 3, 4};
    ptrdiff_t stride[3] = {1, 2, 2}, map[3] = {X * Y, 1, Y}, backwards[3] = {1, -1, 1};
    float values[Y * X], back[TIME_LENGTH * Y * X];
    double one = -17.5, two[4] = {1.25, 2.5, 3.75, 5.0}, read[4] = {0};
    for (int i = 0; i < Y * X; i++) values[i] = (float)i / 4;
    T(nc_put_vara_float(ncid, varid, start, count, values));
    start[0] = 1;
    T(nc_put_varm_float(ncid, varid, start, count, NULL, map, values));
    T(nc_put_var1_double(ncid, varid, index, &one));
    start[0] = 0;
    count[1] = 2;
    count[2] = 2;
    T(nc_put_vars_double(ncid, varid, start, count, stride, two));
    T(nc_get_vars_double(ncid, varid, start, count, stride, read));
    print_doubles("strided", read, 4);
    T(nc_put_vars_double(ncid, varid, start, count, backwards, two));
    start[1] = Y - 1;
    T(nc_put_vara_double(ncid, varid, start, count, two));
    start[1] = Y;
    T(nc_put_vara_double(ncid, varid, start, count, two));
    start[1] = Y + 1;
    T(nc_put_vara_double(ncid, varid, start, count, two));
    start[1] = 0;
    stride[1] = 0;
    T(nc_put_vars_double(ncid, varid, start, count, stride, two));
    count[1] = 0;
    T(nc_put_vara_double(ncid, varid, start, count, two));
    T(nc_put_vara_double(ncid, varid, NULL, count, two));
    T(nc_put_var1_double(ncid, 99, index, &one));
    index[1] = 7;
    T(nc_get_var1_double(ncid, varid, index, &one));
    memset(back, 0, sizeof back);
    T(nc_get_var_float(ncid, varid, back));
    double doubles[TIME_LENGTH * Y * X];
    for (int i = 0; i < TIME_LENGTH * Y * X; i++) doubles[i] = back[i];
    print_doubles("all", doubles, TIME_LENGTH * Y * X);
    start[0] = 1;
    count[0] = 1;
    count[1] = Y;
    count[2] = X;
    memset(back, 0, sizeof back);
    T(nc_get_varm_float(ncid, varid, start, count, NULL, map, back));
    for (int i = 0; i < Y * X; i++) doubles[i] = back[i];
    print_doubles("mapped", doubles, Y * X);
}

static void put_strings(int ncid, const int *dimids) {
    const char *rows[] = {"north", "", "south by south-west", "east"};
    const char *west[] = {"west"};
    char *back[Y] = {0};
    size_t index[] = {3};
    int varid = -1;
    /* netCDF-C itself returns one status or another for strings in a classic file. */
    int format = 0;
    if (nc_inq_format(ncid, &format) || format != NC_FORMAT_NETCDF4) return;
    T(nc_def_var(ncid, "names", NC_STRING, 1, dimids + 1, &varid));
    T(nc_put_var_string(ncid, varid, rows));
    T(nc_put_var1_string(ncid, varid, index, west));
    T(nc_get_var_string(ncid, varid, back));
    for (int i = 0; i < Y; i++) printf("[%s]\n", back[i]);
    T(nc_free_string(Y, back));
    T(nc_get_var1_string(ncid, varid, index, back));
    printf("[%s]\n", back[0]);
    T(nc_free_string(1, back));
}

static void use_groups(int ncid) {
    int ocean = -1, deep = -1, found = -1, number = -1, ids[4] = {0}, dimid = -1, varid = -1;
    char name[NC_MAX_NAME + 1] = "";
    size_t length = 0;
    T(nc_def_grp(ncid, "sea", &ocean));
    T(nc_def_grp(ncid, "sea", &deep));
    T(nc_rename_grp(ocean, "ocean"));
    T(nc_def_grp(ocean, "deep", &deep));
    T(nc_inq_grps(ncid, &number, ids));
    printf("groups %d, first is ocean: %d\n", number, ids[0] == ocean);
    T(nc_inq_grp_full_ncid(ncid, "/ocean/deep", &found));
    printf("deep found: %d\n", found == deep);
    T(nc_inq_grp_ncid(ncid, "nowhere", &found));
    T(nc_inq_ncid(ncid, "ocean", &found));
    T(nc_inq_grp_parent(deep, &found));
    printf("parent is ocean: %d\n", found == ocean);
    T(nc_inq_grp_parent(ncid, &found));
    T(nc_inq_grpname(deep, name));
    printf("%s\n", name);
    T(nc_inq_grpname_full(deep, &length, name));
    printf("%s %zu\n", name, length);
    T(nc_def_dim(deep, "level", 2, &dimid));
    T(nc_inq_dimid(deep, "x", &found));
    printf("x is %d, level is %d\n", found, dimid);
    int dimids[] = {dimid, found};
    T(nc_def_var(deep, "temperature", NC_FLOAT, 2, dimids, &varid));
    double values[2 * X] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    T(nc_put_var_double(deep, varid, values));
    T(nc_inq_dimids(deep, &number, ids, 0));
    printf("own dimensions %d\n", number);
    T(nc_inq_dimids(deep, &number, NULL, 1));
    printf("all dimensions %d\n", number);
    T(nc_inq_varids(deep, &number, ids));
    printf("variables %d, first %d\n", number, ids[0]);
    T(nc_close(deep));
}

static void define_storage(int ncid, const int *dimids) {
    int varid = -1, a = -1, b = -1, c = -1;
    size_t chunk[] = {2, 5}, back[2] = {0, 0}, large[] = {100, 100};
    double fill = -99, fill_back = 0;
    T(nc_def_var(ncid, "packed", NC_DOUBLE, 2, dimids + 1, &varid));
    T(nc_def_var_chunking(ncid, varid, NC_CHUNKED, large));
    T(nc_def_var_chunking(ncid, varid, NC_CHUNKED, chunk));
    T(nc_def_var_deflate(ncid, varid, 1, 1, 12));
    T(nc_def_var_deflate(ncid, varid, 1, 1, 4));
    T(nc_def_var_fletcher32(ncid, varid, 1));
    T(nc_def_var_fill(ncid, varid, 0, &fill));
    T(nc_def_var_endian(ncid, varid, NC_ENDIAN_BIG));
    T(nc_inq_var_chunking(ncid, varid, &a, back));
    printf("%d %zu %zu\n", a, back[0], back[1]);
    T(nc_inq_var_deflate(ncid, varid, &a, &b, &c));
    printf("%d %d %d\n", a, b, c);
    T(nc_inq_var_fletcher32(ncid, varid, &a));
    printf("%d\n", a);
    T(nc_inq_var_endian(ncid, varid, &a));
    printf("%d\n", a);
    T(nc_inq_var_fill(ncid, varid, &a, &fill_back));
    printf("%d %g\n", a, fill_back);
    size_t start[] = {1, 1};
    double value = 5;
    T(nc_put_var1_double(ncid, varid, start, &value));
    T(nc_def_var_deflate(ncid, varid, 0, 1, 1));
    T(nc_def_var_fill(ncid, varid, 0, &fill));
    T(nc_inq_var_quantize(ncid, varid, &a, &b));
    printf("%d\n", a);
    T(nc_def_var(ncid, "rounded", NC_FLOAT, 2, dimids + 1, &varid));
    T(nc_def_var_quantize(ncid, varid, NC_QUANTIZE_GRANULARBR, 9));
    T(nc_def_var_quantize(ncid, varid, NC_QUANTIZE_GRANULARBR, 3));
    T(nc_def_var_deflate(ncid, varid, 0, 1, 1));
    T(nc_inq_var_quantize(ncid, varid, &a, &b));
    printf("%d %d\n", a, b);
    double values[Y * X];
    for (int i = 0; i < Y * X; i++) values[i] = 1.0 / (i + 3);
    T(nc_put_var_double(ncid, varid, values));
}

static void print_file(int ncid) {
    int ndims = -1, nvars = -1, natts = -1, unlimited = -1, format = -1, ids[8] = {0}, number = 0;
    T(nc_inq(ncid, &ndims, &nvars, &natts, &unlimited));
    printf("%d dimensions, %d variables, %d attributes, unlimited %d\n", ndims, nvars, natts,
           unlimited);
    T(nc_inq_format(ncid, &format));
    T(nc_inq_unlimdims(ncid, &number, ids));
    printf("format %d, %d unlimited, first %d\n", format, number, ids[0]);
    for (int i = 0; i < ndims; i++) {
        char name[NC_MAX_NAME + 1];
        size_t length = 0;
        T(nc_inq_dim(ncid, i, name, &length));
        printf("dimension %s %zu\n", name, length);
    }
    for (int i = 0; i < nvars; i++) {
        char name[NC_MAX_NAME + 1];
        int type = -1, rank = -1, dimids[8] = {0};
        T(nc_inq_var(ncid, i, name, &type, &rank, dimids, &natts));
        /* Whether what tells of rounding is among them before the file is opened again depends on the version. */
        int attid = -1;
        if (nc_inq_attid(ncid, i, "_QuantizeGranularBitRoundNumberOfSignificantDigits", &attid) == 0) natts--;
        printf("variable %s: type %d, %d attributes", name, type, natts);
        print_ints(" dimensions", dimids, (size_t)rank);
        T(nc_inq_varid(ncid, name, &type));
        printf("%d\n", type);
    }
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "model.nc";
    int mode = argc > 2 ? atoi(argv[2]) : NC_NETCDF4;
    int ncid = -1, dimids[3] = {-1, -1, -1}, field = -1, scalar = -1, old = -1, dimid = -1;
    size_t length = 0;
    char name[NC_MAX_NAME + 1];
    double value = 42.5;

    printf("%d\n", nc_open("does/not/exist.nc", NC_NOWRITE, &ncid) != 0);
    printf("%d\n", nc_create(path, mode, &ncid));
    T(nc_def_dim(ncid, "time", NC_UNLIMITED, &dimids[0]));
    T(nc_def_dim(ncid, "y", Y, &dimids[1]));
    T(nc_def_dim(ncid, "y", Y, &dimid));
    T(nc_def_dim(ncid, "bad/name", Y, &dimid));
    T(nc_def_dim(ncid, "columns", X, &dimids[2]));
    T(nc_rename_dim(ncid, dimids[2], "x"));
    T(nc_def_var(ncid, "field", NC_FLOAT, 3, dimids, &field));
    T(nc_def_var(ncid, "field", NC_FLOAT, 3, dimids, &scalar));
    T(nc_def_var(ncid, "scalar", NC_DOUBLE, 0, NULL, &scalar));
    T(nc_def_var(ncid, "wrong", 55, 0, NULL, &old));
    define_attributes(ncid, NC_GLOBAL);
    define_attributes(ncid, field);
    T(nc_copy_att(ncid, field, "doubles", ncid, scalar));
    T(nc_set_fill(ncid, NC_FILL, &old));
    printf("%d\n", old);
    T(nc_enddef(ncid));
    T(nc_put_var_double(ncid, scalar, &value));
    put_slabs(ncid, field);
    put_all_types(ncid, dimids);
    T(nc_redef(ncid));
    define_storage(ncid, dimids);
    /* Puts may have ended it already, which netCDF-C's releases report differently. */
    printf("%d\n", nc_enddef(ncid) == NC_EBADID);
    T(nc_sync(ncid));
    T(nc_redef(ncid));
    put_strings(ncid, dimids);
    use_groups(ncid);
    T(nc_rename_var(ncid, scalar, "answer"));
    T(nc_sync(ncid));
    T(nc_inq_dimlen(ncid, dimids[0], &length));
    printf("%zu\n", length);
    T(nc_inq_dimname(ncid, dimids[2], name));
    printf("%s\n", name);
    print_file(ncid);
    print_attributes(ncid, field);
    T(nc_close(ncid));
    T(nc_close(ncid));
    T(nc_inq(ncid, NULL, NULL, NULL, NULL));

    printf("%d\n", nc_open(path, NC_NOWRITE, &ncid));
    print_file(ncid);
    print_attributes(ncid, NC_GLOBAL);
    printf("%d\n", nc_put_var_double(ncid, scalar, &value) != NC_NOERR);
    T(nc_get_var_double(ncid, scalar, &value));
    printf("%g\n", value);
    T(nc_def_dim(ncid, "late", 3, &dimid));
    T(nc_close(ncid));

    printf("%d\n", nc_open(path, NC_WRITE, &ncid));
    T(nc_put_att_text(ncid, NC_GLOBAL, "history", 8, "appended"));
    size_t index[] = {3, 0, 0};
    T(nc_put_var1_double(ncid, field, index, &value));
    T(nc_inq_dimlen(ncid, dimids[0], &length));
    printf("%zu\n", length);
    T(nc_close(ncid));
    printf("%d\n", nc_create(path, mode | NC_NOCLOBBER, &ncid));
    return 0;
}
