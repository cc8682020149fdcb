/* What the model writes with: one of output_*.c. Every function ends the program on an error. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stddef.h>

#define FIELDS 8

typedef struct {
    int deflate; /* level; 0: none */
    int shuffle;
    int zstd;    /* whether, at level 1 */
    int digits;  /* of Granular BitRound; 0: none */
    int is_default; /* no word about filters */
    int threads; /* that pack, where there are any */
    int any_core; /* whether these threads may run where the model's are bound */
    size_t memory_mib;
} settings;

/* Begins a file with FIELDS variables (time, level, latitude, longitude). */
void output_open(const char *path, const size_t shape[3], const settings *wanted);
/* Writes one field of one record. */
void output_put(int field, size_t record, const float *values);
void output_close(void);

#endif
