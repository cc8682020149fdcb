/*
 * Preloaded into a program (LD_PRELOAD): makes reads and writes of files slow, or never end, as on a
 * storage that hangs or in a library that loops.
 *
 * FRAZIL_TEST_CALL  pread, pwrite or read: the call that is concerned
 * FRAZIL_TEST_MARK  a file that is made when that call is made for the first time
 * FRAZIL_TEST_MS    milliseconds that each of these calls takes; negative: for ever
 * FRAZIL_TEST_FLIP  instead: the bits of the middle byte of the first large write that are changed
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_BYTES = 512, LARGE_BYTES = 4096 };

static void sleep_ms(long ms) {
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0) {}
}

static void delay(const char *call, int file, size_t bytes) {
    const char *wanted = getenv("FRAZIL_TEST_CALL");
    const char *mark = getenv("FRAZIL_TEST_MARK");
    const char *time = getenv("FRAZIL_TEST_MS");
    struct stat facts;
    if (!wanted || !mark || !time || strcmp(wanted, call) != 0 || bytes < LEAST_BYTES)
        return;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
        return;
    close(open(mark, O_CREAT | O_WRONLY, 0600));
    if (atol(time) < 0)
        for (;;)
            sleep_ms(1000);
    sleep_ms(atol(time));
}

ssize_t pread64(int file, void *buffer, size_t bytes, off64_t at) {
    ssize_t (*real)(int, void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pread64");
    delay("pread", file, bytes);
    return real(file, buffer, bytes, at);
}

ssize_t read(int file, void *buffer, size_t bytes) {
    ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
    delay("read", file, bytes);
    return real(file, buffer, bytes);
}

ssize_t pwrite64(int file, const void *buffer, size_t bytes, off64_t at) {
    static atomic_flag done = ATOMIC_FLAG_INIT;
    ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
    const char *flip = getenv("FRAZIL_TEST_FLIP");
    delay("pwrite", file, bytes);
    if (flip && bytes >= LARGE_BYTES && !atomic_flag_test_and_set(&done)) {
        char *changed = malloc(bytes);
        memcpy(changed, buffer, bytes);
        changed[bytes / 2] ^= (char)atol(flip);
        ssize_t written = real(file, changed, bytes, at);
        free(changed);
        return written;
    }
    return real(file, buffer, bytes, at);
}
