// Simulates a disk that hangs until a test allows it to continue. It replaces the system's open, write, pread and
// ftruncate. In the folder that HALYARD_SLOW_DISK names, a file is created when the file FOLDER.may-open exists. It is
// written when FOLDER.may-write exists, read when FOLDER.may-read exists, and truncated when FOLDER.may-truncate exists.
// While a call waits, the file FOLDER.may-open.waits exists, and so on. No file of the folder is cached (preadv2).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_bool slow[4096];

static int is_slow(int descriptor) { return descriptor >= 0 && descriptor < 4096 && slow[descriptor]; }

static void wait_for(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%s", getenv("HALYARD_SLOW_DISK"), name);
    if (access(path, F_OK) == 0) return;
    char waiting[4096];
    snprintf(waiting, sizeof waiting, "%s.waits", path);
    close(creat(waiting, 0600));
    while (access(path, F_OK) != 0) usleep(1000);
}

static int (*next_open)(const char *, int, ...);
static ssize_t (*next_write)(int, const void *, size_t);
static ssize_t (*next_pread)(int, void *, size_t, off_t);
static ssize_t (*next_preadv2)(int, const struct iovec *, int, off_t, int);
static int (*next_ftruncate)(int, off_t);

__attribute__((constructor)) static void find(void) {
    next_open = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    next_write = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    next_pread = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread64");
    next_preadv2 = (ssize_t(*)(int, const struct iovec *, int, off_t, int))dlsym(RTLD_NEXT, "preadv64v2");
    next_ftruncate = (int (*)(int, off_t))dlsym(RTLD_NEXT, "ftruncate64");
}

static int opened(const char *path, int flags, mode_t mode) {
    if (!next_open) find();
    const char *folder = getenv("HALYARD_SLOW_DISK");
    size_t length = folder ? strlen(folder) : 0;
    int is_inside = folder && strncmp(path, folder, length) == 0 && path[length] == '/';
    if (is_inside && (flags & O_CREAT)) wait_for("may-open");
    int descriptor = next_open(path, flags, mode);
    if (descriptor >= 0 && descriptor < 4096) slow[descriptor] = is_inside;
    return descriptor;
}

#define MODE \
    mode_t mode = 0; \
    if (flags & O_CREAT) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

int open(const char *path, int flags, ...) { MODE return opened(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened(path, flags, mode); }

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (!next_write) find();
    if (is_slow(descriptor)) wait_for("may-write");
    return next_write(descriptor, bytes, count);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off_t offset) {
    if (!next_pread) find();
    if (is_slow(descriptor)) wait_for("may-read");
    return next_pread(descriptor, bytes, count, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    return pread64(descriptor, bytes, count, offset);
}

ssize_t preadv64v2(int descriptor, const struct iovec *parts, int count, off_t offset, int flags) {
    if (!next_preadv2) find();
    if (is_slow(descriptor) && (flags & RWF_NOWAIT)) {
        errno = EAGAIN;
        return -1;
    }
    return next_preadv2(descriptor, parts, count, offset, flags);
}

ssize_t preadv2(int descriptor, const struct iovec *parts, int count, off_t offset, int flags) {
    return preadv64v2(descriptor, parts, count, offset, flags);
}

int ftruncate64(int descriptor, off_t length) {
    if (!next_ftruncate) find();
    if (is_slow(descriptor)) wait_for("may-truncate");
    return next_ftruncate(descriptor, length);
}

int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }
