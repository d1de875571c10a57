// Kills docfs at the point that a test has chosen (CrashPoint), and switches a protection off (Protection). Loaded before docfs by LD_PRELOAD.
//
// DOCFS_CRASH_PLAN names a file. When the file appears, its number says how many more points are passed. At the next one the process writes the
// point's name to the same path with `.reached`, and gets SIGKILL. DOCFS_WITHOUT names the protection that is off.
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// How many points are still passed; -1 until the file has appeared. Under `lock`.
static long remaining = -1;

static long planned(const char *path) {
    FILE *file = fopen(path, "re");
    if (!file) return -1;
    long count = -1;
    if (fscanf(file, "%ld", &count) != 1) count = -1;
    fclose(file);
    return count;
}

static void end(const char *path, const char *point) {
    char reached[4096];
    snprintf(reached, sizeof reached, "%s.reached", path);
    FILE *file = fopen(reached, "we");
    if (file) {
        fputs(point, file);
        fclose(file);
    }
    kill(getpid(), SIGKILL);
}

void docfs_attack_pass(const char *point) {
    const char *path = getenv("DOCFS_CRASH_PLAN");
    if (!path) return;
    pthread_mutex_lock(&lock);
    if (remaining < 0) remaining = planned(path);
    if (remaining == 0) end(path, point);
    if (remaining > 0) remaining--;
    pthread_mutex_unlock(&lock);
}

bool docfs_attack_is_on(const char *protection) {
    const char *off = getenv("DOCFS_WITHOUT");
    return !off || strcmp(off, protection) != 0;
}
