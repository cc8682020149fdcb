/*
 * package.h: what the parts of the package share.
 */
#ifndef FRZ_WRF_PACKAGE_H
#define FRZ_WRF_PACKAGE_H

/* The hidden length of a CHARACTER argument: size_t of gfortran 8 and later, ifx, nvfortran and
 * flang; a compiler that passes int needs -DFRZ_WRF_LENGTH=int. */
#ifndef FRZ_WRF_LENGTH
#define FRZ_WRF_LENGTH size_t
#endif
typedef FRZ_WRF_LENGTH fortran_length;

#define JOINED(prefix, name) prefix##name##_
#define JOIN(prefix, name) JOINED(prefix, name)
/* The symbol of a Fortran routine of this package: ENTRY(ioinit) is ext_yyy_ioinit_. */
#define ENTRY(name) JOIN(FRZ_WRF_PREFIX, name)

#define TEXT_OF(name) #name
#define TEXT_OF_VALUE(name) TEXT_OF(name)

enum {
    MAX_HANDLES = 1000, /* WRF's own table of files has as many */
    MAX_AXES = 3,       /* of a field, without time */
    DATE_LENGTH = 19,   /* 2000-01-01_00:00:00 */
    NAME_LENGTH = 257, /* netCDF allows 256 bytes */
    PATH_LENGTH = 1024,
    MESSAGE_LENGTH = 2 * PATH_LENGTH + 512,
    SHORT_NAME = 31, /* where WRF's netCDF package cuts names of variables */
    BLOCK_BYTES = 256 * 1024, /* what is reordered at once: stays in a core's second cache */
};

/* Dimensions of the file, but for Time. */
typedef struct {
    char name[NAME_LENGTH];
    uint64_t length;
    int id;
} file_dimension;

/* A field, or metadata that change in time, of a file that is being written. */
typedef struct {
    char name[NAME_LENGTH];
    int is_metadata;
    int type; /* a frz_type */
    int axes;
    uint64_t shape[MAX_AXES]; /* the slowest axis first, without time */
    int id;
    int is_old;     /* it was in the file when this was opened */
    int64_t record; /* the last one that was put */
} file_variable;

/* A text, the contents of a variable of the environment, and so on. */
typedef struct {
    char date[DATE_LENGTH + 1];
} date_string;

/* One handle of WRF. */
typedef struct {
    int status; /* NOT_OPENED and so on */
    int first_operation;
    char path[PATH_LENGTH];

    /* Writing. */
    frz_writer *writer;
    int is_shared;     /* all tasks write it together */
    int is_first_task; /* whether this one puts what all have in common */
    int real4_output;
    int is_exact;      /* the model reads it again, as it does a restart file */
    int appends;       /* the file was there, and is gone on with */
    int time_dimension;
    int times_variable;
    file_dimension *dimensions;
    int dimension_count;
    file_variable *variables;
    int variable_count;
    int field_count; /* variables that are fields */
    int64_t record;  /* the current one, from 0; -1 before the first */
    int fields_put;  /* in the current record */
    int is_dirty;    /* something was put since the last commit */
    int commits_wait;
    int goes_on;       /* the model, after what cannot be written */
    int is_committing; /* behind the model's back */
    pthread_t committer;
    int commit_status; /* a frz_status */
    char commit_message[PATH_LENGTH];

    /* Reading. */
    int ncid;
    int current_time;     /* from 1 */
    int current_variable; /* from 0: the next one */

    date_string *times;
    int time_count;
} wrf_file;

#endif
