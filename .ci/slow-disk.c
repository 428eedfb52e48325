// Stands before the system's open and write. In the folder that HALYARD_SLOW_DISK names a file is made when the file
// FOLDER.may-open is there, and written to when FOLDER.may-write is: a disk that hangs until a test says otherwise.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_bool slow[4096];

static void wait_for(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%s", getenv("HALYARD_SLOW_DISK"), name);
    while (access(path, F_OK) != 0) usleep(1000);
}

static int (*next_open)(const char *, int, ...);
static ssize_t (*next_write)(int, const void *, size_t);

__attribute__((constructor)) static void find(void) {
    next_open = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    next_write = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
}

static int opened(const char *path, int flags, mode_t mode) {
    if (!next_open) find();
    const char *folder = getenv("HALYARD_SLOW_DISK");
    size_t length = folder ? strlen(folder) : 0;
    int is_slow = folder && (flags & O_CREAT) && strncmp(path, folder, length) == 0 && path[length] == '/';
    if (is_slow) wait_for("may-open");
    int descriptor = next_open(path, flags, mode);
    if (descriptor >= 0 && descriptor < 4096) slow[descriptor] = is_slow;
    return descriptor;
}

#define MODE \
    mode_t mode = 0; \
    if (flags & O_CREAT) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

int open(const char *path, int flags, ...) { MODE return opened(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened(path, flags, mode); }

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (!next_write) find();
    if (descriptor >= 0 && descriptor < 4096 && slow[descriptor]) wait_for("may-write");
    return next_write(descriptor, bytes, count);
}
