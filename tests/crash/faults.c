/*
 * Preloaded into a program (LD_PRELOAD): numbers the changes that it asks of the system for the
 * files in one folder, and at a chosen one kills the program or lets the call fail.
 *
 *   FAULTS_FOLDER  the folder; without it nothing is watched
 *   FAULTS_AT      the number of the chosen call, counted from 1; 0: none
 *   FAULTS_HOW     kill: before the call. half: when half of its bytes are written.
 *                  fail: the call fails, when half of its bytes are written.
 *   FAULTS_ERRNO   the error of a call that fails
 *   FAULTS_LASTING 1: all calls after the chosen one fail too
 *   FAULTS_LOG     a file to which each call adds a line: number, call, file, bytes
 *
 * A full disk (ENOSPC, EDQUOT) does not keep files from being removed: such a call never fails
 * with these.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum how { NOTHING, KILL, HALF, FAIL };

static char folder[4096];
static long chosen;
static enum how how;
static int error_number;
static int is_lasting;
static int log_file = -1;
static atomic_long calls;

#define DESCRIPTORS 4096
#define NAME_BYTES 64
/* By descriptor: the file's name without its folder; "" if it is not watched. */
static char names[DESCRIPTORS][NAME_BYTES];

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

__attribute__((constructor)) static void begin(void) {
    snprintf(folder, sizeof folder, "%s", setting("FAULTS_FOLDER"));
    chosen = atol(setting("FAULTS_AT"));
    error_number = atoi(setting("FAULTS_ERRNO"));
    is_lasting = atoi(setting("FAULTS_LASTING"));
    const char *wanted = setting("FAULTS_HOW");
    how = !strcmp(wanted, "kill") ? KILL
        : !strcmp(wanted, "half") ? HALF
        : !strcmp(wanted, "fail") ? FAIL
                                  : NOTHING;
    const char *log_path = setting("FAULTS_LOG");
    if (*log_path)
        log_file = (int)syscall(SYS_openat, AT_FDCWD, log_path,
                                O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* The name of a file in the folder, "." for the folder; NULL if it is somewhere else. */
static const char *name_in_folder(const char *path) {
    size_t length = strlen(folder);
    if (!length || strncmp(path, folder, length))
        return NULL;
    if (!path[length])
        return ".";
    return path[length] == '/' ? path + length + 1 : NULL;
}

static const char *name_of(int descriptor) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS || !names[descriptor][0])
        return NULL;
    return names[descriptor];
}

static void end_process(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;)
        pause();
}

/* Numbers a call; what is to happen at it. */
static enum how due(const char *call, const char *name, size_t bytes) {
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (log_file >= 0) {
        char line[256];
        int length =
            snprintf(line, sizeof line, "%ld %s %s %zu\n", number, call, name, bytes);
        syscall(SYS_write, log_file, line, (size_t)length);
    }
    int is_hit = chosen && (number == chosen || (is_lasting && number > chosen));
    if (!is_hit || how == NOTHING)
        return NOTHING;
    if (how == KILL || (how == HALF && !bytes))
        end_process();
    if (how == FAIL && !strcmp(call, "unlink") && error_number != EIO)
        return NOTHING;
    return how;
}

/* A call without bytes: 1 if it fails. */
static int fails(const char *call, const char *name) {
    if (name && due(call, name, 0) == FAIL) {
        errno = error_number;
        return 1;
    }
    return 0;
}

static ssize_t put(const char *call, int descriptor, const void *bytes, size_t count,
                   off64_t offset) {
    const char *name = name_of(descriptor);
    enum how what = name ? due(call, name, count) : NOTHING;
    size_t now = what == NOTHING ? count : count / 2;
    ssize_t done = offset < 0 ? syscall(SYS_write, descriptor, bytes, now)
                              : syscall(SYS_pwrite64, descriptor, bytes, now, offset);
    if (what == HALF)
        end_process();
    if (what == FAIL) {
        errno = error_number;
        return -1;
    }
    return done;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    return put("write", descriptor, bytes, count, -1);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return put("write", descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return put("write", descriptor, bytes, count, offset);
}

/* Vectors are written run by run: callers go on after a short write. */
ssize_t writev(int descriptor, const struct iovec *runs, int count) {
    for (int i = 0; i < count; i++)
        if (runs[i].iov_len)
            return put("write", descriptor, runs[i].iov_base, runs[i].iov_len, -1);
    return 0;
}

static ssize_t put_vector(int descriptor, const struct iovec *runs, int count, off64_t offset) {
    for (int i = 0; i < count; i++)
        if (runs[i].iov_len)
            return put("write", descriptor, runs[i].iov_base, runs[i].iov_len, offset);
    return 0;
}

ssize_t pwritev(int descriptor, const struct iovec *runs, int count, off_t offset) {
    return put_vector(descriptor, runs, count, offset);
}

ssize_t pwritev64(int descriptor, const struct iovec *runs, int count, off64_t offset) {
    return put_vector(descriptor, runs, count, offset);
}

int fsync(int descriptor) {
    if (fails("fsync", name_of(descriptor)))
        return -1;
    return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    if (fails("fsync", name_of(descriptor)))
        return -1;
    return (int)syscall(SYS_fdatasync, descriptor);
}

int ftruncate64(int descriptor, off64_t length) {
    if (fails("truncate", name_of(descriptor)))
        return -1;
    return (int)syscall(SYS_ftruncate, descriptor, length);
}

int ftruncate(int descriptor, off_t length) {
    return ftruncate64(descriptor, length);
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
    if (fails("reserve", name_of(descriptor)))
        return -1;
    return (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
}

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    return fallocate64(descriptor, mode, offset, length);
}

int rename(const char *from, const char *to) {
    if (fails("rename", name_in_folder(to)))
        return -1;
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path) {
    if (fails("unlink", name_in_folder(path)))
        return -1;
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static int open_at(int parent, const char *path, int flags, mode_t mode) {
    const char *name = name_in_folder(path);
    if (flags & O_CREAT && fails("create", name))
        return -1;
    int descriptor = (int)syscall(SYS_openat, parent, path, flags, mode);
    if (descriptor >= 0 && descriptor < DESCRIPTORS)
        snprintf(names[descriptor], NAME_BYTES, "%s", name ? name : "");
    return descriptor;
}

#define OPEN(parent, path, flags)                                                                  \
    va_list rest;                                                                                  \
    va_start(rest, flags);                                                                         \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                        \
    va_end(rest);                                                                                  \
    return open_at(parent, path, flags, mode)

int open(const char *path, int flags, ...) {
    OPEN(AT_FDCWD, path, flags);
}

int open64(const char *path, int flags, ...) {
    OPEN(AT_FDCWD, path, flags);
}

int openat(int parent, const char *path, int flags, ...) {
    OPEN(parent, path, flags);
}

int openat64(int parent, const char *path, int flags, ...) {
    OPEN(parent, path, flags);
}

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS)
        names[descriptor][0] = 0;
    return (int)syscall(SYS_close, descriptor);
}
