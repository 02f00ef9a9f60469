/* Writes down what a process does to the files of one folder, in order: for tests/prove/power.py, which then plays power
 * cuts on it. To be preloaded (LD_PRELOAD); POWER_FOLDER names the folder, POWER_LOG the file to write to.
 *
 * A record is a line "OP NAME OFFSET LENGTH\n" and LENGTH octets: W written, T truncated to OFFSET, S synced (`.`: the
 * folder itself), U unlinked. Reads and maps are of no interest: what is mapped here is the WAL's index, which no recovery believes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int out = -1;
static const char *folder;

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, name)

static ssize_t raw_write(int fd, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    return real(fd, data, size);
}

static void note(char op, const char *name, off_t at, const void *data, size_t size) {
    char line[600];
    pthread_mutex_lock(&lock);
    int n = snprintf(line, sizeof line, "%c %s %lld %zu\n", op, name, (long long)at, size);
    if (raw_write(out, line, n) != n || (size && raw_write(out, data, size) != (ssize_t)size)) abort();
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void) {
    folder = getenv("POWER_FOLDER");
    const char *log = getenv("POWER_LOG");
    REAL(int, "open64", const char *, int, ...);
    if (folder && log) out = real(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* The name inside the folder of an open file, or NULL for any other. */
static const char *named(int fd, char *path) {
    char link[64];
    if (out < 0) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    size_t length = strlen(folder);
    if (n < (ssize_t)length) return NULL;
    path[n] = 0;
    if (!strcmp(path, folder)) return "."; /* syncing the folder makes unlinking durable */
    return strncmp(path, folder, length) || path[length] != '/' ? NULL : path + length + 1;
}

static ssize_t written(int fd, const void *data, ssize_t done, off_t at) {
    char path[PATH_MAX];
    const char *name = done > 0 ? named(fd, path) : NULL;
    if (name) note('W', name, at, data, done);
    return done;
}

ssize_t write(int fd, const void *data, size_t size) {
    char path[PATH_MAX];
    off_t at = named(fd, path) ? lseek(fd, 0, SEEK_CUR) : 0;
    return written(fd, data, raw_write(fd, data, size), at);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    return written(fd, data, real(fd, data, size, at), at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
    return written(fd, data, real(fd, data, size, at), at);
}

static int cut(int fd, off_t size, int done) {
    char path[PATH_MAX];
    const char *name = done ? NULL : named(fd, path);
    if (name) note('T', name, size, NULL, 0);
    return done;
}
int ftruncate(int fd, off_t size) { REAL(int, "ftruncate", int, off_t); return cut(fd, size, real(fd, size)); }
int ftruncate64(int fd, off_t size) { REAL(int, "ftruncate64", int, off_t); return cut(fd, size, real(fd, size)); }

static int synced(int fd, int done) {
    char path[PATH_MAX];
    const char *name = done ? NULL : named(fd, path);
    if (name) note('S', name, 0, NULL, 0);
    return done;
}
int fsync(int fd) { REAL(int, "fsync", int); return synced(fd, real(fd)); }
int fdatasync(int fd) { REAL(int, "fdatasync", int); return synced(fd, real(fd)); }

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    size_t length = folder ? strlen(folder) : 0;
    if (out >= 0 && !strncmp(path, folder, length) && path[length] == '/') note('U', path + length + 1, 0, NULL, 0);
    return real(path);
}
