/*
 * codes.h: what WRF's external/ioapi_share says: kinds of fields, states of files, status codes.
 */
#ifndef FRZ_WRF_CODES_H
#define FRZ_WRF_CODES_H

/* States of a file. */
enum {
    NOT_OPENED = 100,
    NOT_COMMITTED = 101, /* the training pass: fields come without values */
    FOR_WRITE = 102,
    FOR_READ = 103,
};

/* Types of fields. */
enum { WRF_REAL = 104, WRF_DOUBLE = 105, WRF_INTEGER = 106, WRF_LOGICAL = 107 };

/* Status codes: 0 is well, others are warnings or errors. */
enum {
    NO_ERR = 0,
    MD_NF = -2,
    TIME_NF = -3,
    TIME_EOF = -4,
    VAR_NF = -5,
    VAR_EOF = -6,
    TOO_MANY_FILES = -7,
    TYPE_MISMATCH = -8,
    WRITE_RONLY_FILE = -9,
    READ_WONLY_FILE = -10,
    FILE_NOT_OPENED = -11,
    TWO_DRYRUNS_1VARIABLE = -12,
    READ_PAST_EOF = -13,
    BAD_DATA_HANDLE = -14,
    WRTLEN_NE_DRRUNLEN = -15,
    COUNT_TOO_LONG = -17,
    DIMENSION_ERROR = -18,
    BAD_MEMORYORDER = -19,
    DIMNAME_REDEFINED = -20,
    CHARSTR_GT_LENDATA = -21,
    ALLOCATION_ERROR = -100,
    BAD_FILE_STATUS = -102,
    BAD_VARIABLE_DIM = -1004,
    MDVAR_DIM_NOT_1D = -1005,
    BAD_DATA_TYPE = -1007,
    FILE_NOT_COMMITTED = -1008,
    IO_NOT_INITIALIZED = -1010,
    DATESTR_BAD_LENGTH = -1014,
    ZERO_LENGTH_READ = -1015,
    DATA_TYPE_NOT_FOUND = -1016,
    DATESTR_ERROR = -1017,
    DRYRUN_READ = -1018,
    ZERO_LENGTH_GET = -1019,
    ZERO_LENGTH_PUT = -1020,
    LIBRARY_FAILED = -1021, /* WRF's WRF_WARN_NETCDF: what libfrazil or netCDF refused */
    LENGTH_LESS_THAN_1 = -1022,
    MORE_DATA_IN_FILE = -1023,
};

#endif
