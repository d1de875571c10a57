/* libfuse3 for Swift. Swift imports constants and structs; it cannot import macros, so each macro that docfs uses
 * has a wrapper here. */
#pragma once

#define FUSE_USE_VERSION 314
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <linux/capability.h>
#include <linux/fuse.h>
#include <fuse_lowlevel.h>

/* fuse_session_loop_mt is a macro that chooses the function for FUSE_USE_VERSION. */
static inline int docfs_session_loop_mt(struct fuse_session *session, struct fuse_loop_config *config) {
    return fuse_session_loop_mt(session, config);
}

/* FUSE_BUFVEC_INIT: a vector of one buffer that is `size` bytes at `position` of a file descriptor. */
static inline struct fuse_bufvec docfs_file_buffer(int descriptor, size_t size, off_t position) {
    struct fuse_bufvec vector = FUSE_BUFVEC_INIT(size);
    vector.buf[0].flags = (enum fuse_buf_flags)(FUSE_BUF_IS_FD | FUSE_BUF_FD_SEEK);
    vector.buf[0].fd = descriptor;
    vector.buf[0].pos = position;
    return vector;
}

static inline struct fuse_bufvec docfs_memory_buffer(void *bytes, size_t size) {
    struct fuse_bufvec vector = FUSE_BUFVEC_INIT(size);
    vector.buf[0].mem = bytes;
    return vector;
}

/* FUSE_DEV_IOC_CLONE: another descriptor of a session's device, or -1 with errno. */
static inline int docfs_clone_device(int session) {
    int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    uint32_t number = session;
    if (device >= 0 && ioctl(device, FUSE_DEV_IOC_CLONE, &number) != 0) {
        int error = errno;
        close(device);
        errno = error;
        return -1;
    }
    return device;
}

/* Passthrough: the kernel reads and writes the backing file of an open file by itself. Linux has it since 6.9, but
 * libfuse only since 3.17, so the declarations that are missing stand here. Their layout is the kernel's ABI
 * (linux/fuse.h of 6.9). */

/* In fuse_init_out.flags2: bit 37 of all flags. */
#define DOCFS_INIT_PASSTHROUGH (1 << 5)
/* In fuse_open_out.open_flags. */
#define DOCFS_OPEN_PASSTHROUGH (1 << 7)

struct docfs_open_out {
    uint64_t fh;
    uint32_t open_flags;
    int32_t backing_id;
};

struct docfs_create_out {
    struct fuse_entry_out entry;
    struct docfs_open_out open;
};

struct docfs_backing_map {
    int32_t fd;
    uint32_t flags;
    uint64_t padding;
};

/* Removes CAP_FSETID from the calling thread's effective capabilities, or adds it again.
 * Returns 1 if that changed them, 0 if not, -1 with errno on failure. */
static inline int docfs_set_fsetid(int on) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) != 0) return -1;
    uint32_t bit = 1u << CAP_FSETID;
    uint32_t effective = on ? data[0].effective | (data[0].permitted & bit) : data[0].effective & ~bit;
    if (effective == data[0].effective) return 0;
    data[0].effective = effective;
    return (int)syscall(SYS_capset, &header, data) == 0 ? 1 : -1;
}

/* FUSE_DEV_IOC_BACKING_OPEN: registers a file with the kernel. Returns its id, or -1 with errno.
 * The kernel stores the caller's credentials and writes to the file with them. CAP_FSETID is dropped for the call:
 * without it, a write clears the set-user-id and set-group-id bits, as it does for an ordinary user. */
static inline int docfs_open_backing(int device, int file) {
    struct docfs_backing_map map = {file, 0, 0};
    int dropped = docfs_set_fsetid(0);
    if (dropped < 0) return -1;
    int id = ioctl(device, _IOW(229, 1, struct docfs_backing_map), &map);
    int error = errno;
    if (dropped) docfs_set_fsetid(1);
    errno = error;
    return id;
}

/* FUSE_DEV_IOC_BACKING_CLOSE: releases an id. Open files that use it keep it until they are closed. */
static inline int docfs_close_backing(int device, uint32_t id) {
    return ioctl(device, _IOW(229, 2, uint32_t), &id);
}

/* Sets fuse_init_out.max_stack_depth. Older headers do not name it: it is the word after flags2. */
static inline void docfs_set_stack_depth(struct fuse_init_out *reply, uint32_t depth) {
    ((uint32_t *)(void *)reply)[offsetof(struct fuse_init_out, flags2) / sizeof(uint32_t) + 1] = depth;
}
