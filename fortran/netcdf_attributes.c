/* Values of attributes, and fill values, of all types and kinds: nf90_put_att, nf90_get_att,
 * nf90_def_var_fill, nf90_inq_var_fill. */
#include "descriptor.h"

#include <frazil_netcdf.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

int frz_nf90_put_att(int ncid, int varid, const CFI_cdesc_t *name, const CFI_cdesc_t *values)
{
    char room[FRZ_TEXT_ROOM];
    const int type = frz_memory_type(values);
    frz_packed packed;
    /* An attribute holds one text. */
    if (type == NC_NAT || (type == NC_CHAR && values->rank > 0)) {
        return NC_EBADTYPE;
    }
    const size_t elements = frz_element_count(values);
    const size_t length = type == NC_CHAR ? frz_trimmed_length(values) : elements;
    const char *c_name = frz_text(name, room);
    if (c_name == NULL) {
        return NC_ENOMEM;
    }
    int status = NC_ENOMEM;
    if (frz_pack(values, elements, &packed)) {
        status = frz_nc_put_att(ncid, varid - 1, c_name, type, length, packed.data);
        frz_release(&packed);
    }
    frz_text_release(c_name, room);
    return status;
}

/* Reads all of an attribute as values of a type. */
static int read_attribute(int ncid, int varid, const char *name, int type, void *values)
{
    switch (type) {
    case NC_BYTE:
        return frz_nc_get_att_schar(ncid, varid, name, values);
    case NC_CHAR:
        return frz_nc_get_att_text(ncid, varid, name, values);
    case NC_SHORT:
        return frz_nc_get_att_short(ncid, varid, name, values);
    case NC_INT:
        return frz_nc_get_att_int(ncid, varid, name, values);
    case NC_INT64:
        return frz_nc_get_att_longlong(ncid, varid, name, values);
    case NC_FLOAT:
        return frz_nc_get_att_float(ncid, varid, name, values);
    case NC_DOUBLE:
        return frz_nc_get_att_double(ncid, varid, name, values);
    default:
        return NC_EBADTYPE;
    }
}

/* A text that netCDF-4 keeps as a string, blank padded. */
static int read_string(int ncid, int varid, const char *name, CFI_cdesc_t *text)
{
    char *string = NULL;
    int status = frz_nc_get_att_string(ncid, varid, name, &string);
    if (status != NC_NOERR) {
        return status;
    }
    const size_t length = string == NULL ? 0 : strlen(string);
    const size_t room = text->elem_len;
    memset(text->base_addr, ' ', room);
    if (length > 0) {
        memcpy(text->base_addr, string, length < room ? length : room);
    }
    status = length > room ? NC_ESTS : NC_NOERR;
    frz_nc_free_string(1, &string);
    return status;
}

/* An attribute of `length` values into an array that has room for them. */
static int read_values(int ncid, int varid, const char *name, size_t length, CFI_cdesc_t *values)
{
    const int type = frz_memory_type(values);
    frz_packed packed;
    if (length > frz_element_count(values)) {
        return NC_EINVAL;
    }
    if (!frz_pack(values, length, &packed)) {
        return NC_ENOMEM;
    }
    const int status = read_attribute(ncid, varid, name, type, packed.data);
    frz_unpack(&packed, values);
    frz_release(&packed);
    return status;
}

/* A text of `length` characters, blank padded. */
static int read_text(int ncid, int varid, const char *name, size_t length, CFI_cdesc_t *text)
{
    memset(text->base_addr, ' ', text->elem_len);
    if (length > text->elem_len) {
        return NC_ESTS;
    }
    return read_attribute(ncid, varid, name, NC_CHAR, text->base_addr);
}

/* Attributes longer than the caller's variable are refused: texts with NC_ESTS, else NC_EINVAL. */
int frz_nf90_get_att(int ncid, int varid, const CFI_cdesc_t *name, CFI_cdesc_t *values)
{
    char room[FRZ_TEXT_ROOM];
    const int type = frz_memory_type(values);
    int stored_type;
    size_t length;
    if (type == NC_NAT || (type == NC_CHAR && values->rank > 0)) {
        return NC_EBADTYPE;
    }
    const char *c_name = frz_text(name, room);
    if (c_name == NULL) {
        return NC_ENOMEM;
    }
    int status = frz_nc_inq_att(ncid, varid - 1, c_name, &stored_type, &length);
    if (status != NC_NOERR) {
        /* Nothing to read. */
    } else if (type != NC_CHAR) {
        status = read_values(ncid, varid - 1, c_name, length, values);
    } else if (stored_type == NC_STRING && length == 1) {
        status = read_string(ncid, varid - 1, c_name, values);
    } else {
        status = read_text(ncid, varid - 1, c_name, length, values);
    }
    frz_text_release(c_name, room);
    return status;
}

/* A number of any type: whole numbers are exact, unsigned ones beyond 2^63 excepted, which no
 * kind of Fortran holds. */
typedef struct {
    bool is_real;
    int64_t whole;
    double real;
} number;

#define READ_AS(type_, part, flag)                                                                \
    do {                                                                                          \
        type_ value_;                                                                             \
        memcpy(&value_, bytes, sizeof value_);                                                    \
        *found = (number){.is_real = (flag), .part = value_};                                     \
    } while (0)

static int read_number(int type, const void *bytes, number *found)
{
    switch (type) {
    case NC_BYTE:
        READ_AS(int8_t, whole, false);
        break;
    case NC_CHAR:
    case NC_UBYTE:
        READ_AS(uint8_t, whole, false);
        break;
    case NC_SHORT:
        READ_AS(int16_t, whole, false);
        break;
    case NC_USHORT:
        READ_AS(uint16_t, whole, false);
        break;
    case NC_INT:
        READ_AS(int32_t, whole, false);
        break;
    case NC_UINT:
        READ_AS(uint32_t, whole, false);
        break;
    case NC_INT64:
    case NC_UINT64:
        READ_AS(int64_t, whole, false);
        break;
    case NC_FLOAT:
        READ_AS(float, real, true);
        break;
    case NC_DOUBLE:
        READ_AS(double, real, true);
        break;
    default:
        return NC_EBADTYPE;
    }
    return NC_NOERR;
}

static double as_real(const number *n)
{
    return n->is_real ? n->real : (double)n->whole;
}

/* The bits of a whole number of `size` bytes. A number fits if it does with or without a sign: a
 * program says 200 or -56 for the same byte, for Fortran has no unsigned kinds. */
static int write_whole(const number *n, size_t size, void *bytes)
{
    int64_t whole = n->whole;
    const int bits = (int)size * 8;
    if (n->is_real) {
        if (!(n->real >= -0x1p63 && n->real < 0x1p63) || n->real != trunc(n->real)) {
            return NC_ERANGE;
        }
        whole = (int64_t)n->real;
    }
    if (bits < 64 && (whole < -((int64_t)1 << (bits - 1)) || whole >= (int64_t)1 << bits)) {
        return NC_ERANGE;
    }
    const int8_t byte = (int8_t)whole;
    const int16_t half = (int16_t)whole;
    const int32_t word = (int32_t)whole;
    memcpy(bytes, size == 1 ? (const void *)&byte : size == 2 ? (const void *)&half
           : size == 4 ? (const void *)&word : (const void *)&whole, size);
    return NC_NOERR;
}

static int write_number(int type, const number *n, void *bytes)
{
    const double real = as_real(n);
    const float single = (float)real;
    switch (type) {
    case NC_BYTE:
    case NC_CHAR:
    case NC_UBYTE:
        return write_whole(n, 1, bytes);
    case NC_SHORT:
    case NC_USHORT:
        return write_whole(n, 2, bytes);
    case NC_INT:
    case NC_UINT:
        return write_whole(n, 4, bytes);
    case NC_INT64:
    case NC_UINT64:
        return write_whole(n, 8, bytes);
    case NC_FLOAT:
        if (isfinite(real) && !isfinite(single)) {
            return NC_ERANGE;
        }
        memcpy(bytes, &single, sizeof single);
        return NC_NOERR;
    case NC_DOUBLE:
        memcpy(bytes, &real, sizeof real);
        return NC_NOERR;
    default:
        return NC_EBADTYPE;
    }
}

/* The fill value may be of another type than the variable: it is converted. netcdf-fortran takes
 * its bits instead. */
int frz_nf90_def_var_fill(int ncid, int varid, int no_fill, const CFI_cdesc_t *fill)
{
    unsigned char bytes[8];
    number value;
    int type;
    if (no_fill != 0) {
        return frz_nc_def_var_fill(ncid, varid - 1, no_fill, NULL);
    }
    int status = frz_nc_inq_vartype(ncid, varid - 1, &type);
    if (status == NC_NOERR) {
        status = read_number(frz_memory_type(fill), fill->base_addr, &value);
    }
    if (status == NC_NOERR) {
        status = write_number(type, &value, bytes);
    }
    return status == NC_NOERR ? frz_nc_def_var_fill(ncid, varid - 1, no_fill, bytes) : status;
}

/* The fill value is converted to the type of the caller's variable. */
int frz_nf90_inq_var_fill(int ncid, int varid, int *no_fill, CFI_cdesc_t *fill)
{
    unsigned char bytes[8];
    number value;
    int type;
    int status = frz_nc_inq_vartype(ncid, varid - 1, &type);
    if (status != NC_NOERR) {
        return status;
    }
    if (type > NC_UINT64) {
        return frz_nc_inq_var_fill(ncid, varid - 1, no_fill, NULL);
    }
    status = frz_nc_inq_var_fill(ncid, varid - 1, no_fill, bytes);
    if (status == NC_NOERR) {
        status = read_number(type, bytes, &value);
    }
    return status == NC_NOERR ? write_number(frz_memory_type(fill), &value, fill->base_addr) : status;
}
