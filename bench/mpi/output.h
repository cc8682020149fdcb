/* What the ranks write with: one of output_*.c. Every function ends the job on an error, and all
 * ranks call each of them with the same settings. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <mpi.h>
#include <stddef.h>

#define MOST_FIELDS 16

typedef struct {
    int fields;
    size_t records;
    size_t shape[3];  /* of one field of one record: level, latitude, longitude */
    size_t start[3];  /* this rank's part of it */
    size_t count[3];
    size_t chunk[4];  /* of time, level, latitude, longitude; chunk[0] 0: the library's own */
    int deflate;      /* level; 0: none */
    int shuffle;
    int digits;       /* of Granular BitRound; 0: none */
    int is_default;   /* no word about filters (frazil only) */
    size_t memory_mib; /* that frazil may use on each rank */
} job;

/* Begins a file with `fields` variables (time, level, latitude, longitude). */
void output_open(const char *path, const job *wanted);
/* Writes this rank's part of one field of one record. The values stay until output_close. */
void output_put(const job *wanted, int field, size_t record, const float *values);
void output_close(void);

/* Ends the whole job. */
void give_up(const char *what);

#endif
