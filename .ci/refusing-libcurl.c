// Makes libcurl refuse every third transfer, as it does without memory. It replaces the system's dlsym, through which the
// engine finds the functions of libcurl.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static int (*next_add)(void *, void *);
static atomic_int count;

static int add(void *multi, void *easy) {
    return atomic_fetch_add(&count, 1) % 3 == 2 ? 3 /* CURLM_OUT_OF_MEMORY */ : next_add(multi, easy);
}

void *dlsym(void *handle, const char *name) {
    static void *(*next)(void *, const char *);
    const char *versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    for (int i = 0; i < 3 && !next; i++) next = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    void *symbol = next(handle, name);
    if (symbol == NULL || strcmp(name, "curl_multi_add_handle") != 0) return symbol;
    next_add = (int (*)(void *, void *))symbol;
    return (void *)add;
}
