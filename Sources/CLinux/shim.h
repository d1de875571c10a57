/* System calls and constants of Linux that Swift's Glibc module leaves out: glibc declares them only with _GNU_SOURCE,
 * or in headers that the module does not include. They are declared as in their manual pages. Nothing else belongs
 * in this file. */
#pragma once

#include <dirent.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <sched.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/xattr.h>

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags);
ssize_t copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned int flags);
int fallocate(int descriptor, int mode, off_t offset, off_t length);
ssize_t splice(int in, off_t *in_offset, int out, off_t *out_offset, size_t length, unsigned int flags);
int syncfs(int descriptor);
int sync_file_range(int descriptor, off_t offset, off_t length, unsigned int flags);
pid_t gettid(void);
int sched_getaffinity(pid_t thread, size_t length, cpu_set_t *processors);
int tgkill(pid_t process, pid_t thread, int signal);
int unshare(int flags);
int close_range(unsigned int first, unsigned int last, int flags);
long syscall(long number, ...);
int pidfd_open(pid_t process, unsigned int flags);
int pidfd_send_signal(int process, int signal, void *information, unsigned int flags);
const char *strerrorname_np(int error);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

#define POSIX_SPAWN_SETSID 0x80
#define RENAME_NOREPLACE 1u
#define RENAME_EXCHANGE 2u
#define SEEK_HOLE 4
#define AT_EMPTY_PATH 0x1000
#define O_PATH 010000000
#define O_NOATIME 01000000
/* The only one of these that differs between processors (glibc, bits/fcntl.h). */
#if defined(__aarch64__)
#define O_DIRECT 0200000
#else
#define O_DIRECT 040000
#endif
#define FALLOC_FL_KEEP_SIZE 1
#define SYNC_FILE_RANGE_WRITE 2u
#define CLONE_FILES 0x400
#define F_SETSIG 10
#define F_SETLEASE 1024

/* utimensat(2): UTIME_OMIT keeps a time as it is, UTIME_NOW sets it to the current time. */
enum { UTIME_NOW = (1L << 30) - 1, UTIME_OMIT = (1L << 30) - 2 };

/* The name in a directory entry. Swift would copy the whole field of 256 bytes, and so read past the end of an entry,
 * which is only as long as its name needs. */
static inline const char *docfs_dirent_name(const struct dirent *entry) { return entry->d_name; }

/* openat2(2), for which glibc has no function. Opens a path below a folder. Fails if the path leaves the folder or
 * contains a symbolic link. */
static inline int docfs_openat2(
    int folder, const char *path, unsigned long long flags, unsigned long long mode, unsigned long long resolve
) {
    struct open_how how = {0};
    how.flags = flags;
    how.mode = mode;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | resolve;
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

/* As above; fails also if the path crosses into another mount. `flags` must not contain O_CREAT. */
static inline int docfs_open_beneath(int folder, const char *path, unsigned long long flags) {
    return docfs_openat2(folder, path, flags, 0, RESOLVE_NO_XDEV);
}

/* As docfs_open_beneath, but may cross into other mounts. `mode` is for a file that O_CREAT makes, else 0. */
static inline int docfs_open_linkless(int folder, const char *path, unsigned long long flags, unsigned int mode) {
    return docfs_openat2(folder, path, flags, mode, 0);
}

/* statx(2) with the kernel's structures. linux/stat.h is not included: it redefines macros of glibc's headers. */
struct docfs_statx_time { long long seconds; unsigned int nanoseconds; int unused; };
struct docfs_statx {
    unsigned int mask, block_size;
    unsigned long long attributes;
    unsigned int links, owner, group;
    unsigned short mode, unused;
    unsigned long long inode, size, blocks, attributes_mask;
    struct docfs_statx_time accessed, born, changed, modified;
    unsigned long long rest[16];
};
enum { DOCFS_STATX_BASIC = 0x7ff, DOCFS_STATX_BORN = 0x800 };

static inline int docfs_statx(int folder, const char *path, int flags, struct docfs_statx *status) {
    return (int)syscall(SYS_statx, folder, path, flags, DOCFS_STATX_BASIC | DOCFS_STATX_BORN, status);
}

/* prctl(2) with PR_SET_DUMPABLE 0: no core file, and no other process of the user reads this one's memory. */
static inline int docfs_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
