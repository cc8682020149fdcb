/* Checks for the C programs of these tests: they say where they failed, and stop. */
#ifndef CHECK_H
#define CHECK_H

#include <frazil.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);       \
            exit(EXIT_FAILURE);                                                   \
        }                                                                         \
    } while (0)

/* A call that must end with a status. */
#define MUST_BE(wanted, call)                                                     \
    do {                                                                          \
        int status_ = (int)(call);                                                \
        if (status_ != (int)(wanted)) {                                           \
            fprintf(stderr, "%s:%d: %s\n    gave %d (%s), not %d; message: %s\n", \
                    __FILE__, __LINE__, #call, status_, frz_strerror(status_),    \
                    (int)(wanted), frz_last_message());                           \
            exit(EXIT_FAILURE);                                                   \
        }                                                                         \
    } while (0)

#define MUST(call) MUST_BE(FRZ_OK, call)
#define REFUSED(call) MUST_BE(FRZ_INVALID_ARGUMENT, call)

#endif
