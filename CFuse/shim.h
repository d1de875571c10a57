/* libfuse3 as Swift sees it. Constants and structs import as they are; macros do not, so each that is
 * needed has a wrapper here. */
#pragma once

#define FUSE_USE_VERSION 314
#include <errno.h>
#include <stddef.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <linux/capability.h>
#include <linux/fuse.h>
#include <fuse_lowlevel.h>

/* fuse_session_loop_mt is a macro that picks the symbol of the API version. */
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

/* What the kernel has had since 6.9 and libfuse since 3.17 only: passthrough, in which the kernel reads
 * and writes an open file's backing file by itself. The layouts are the kernel's ABI
 * (linux/fuse.h of 6.9). */

/* Of fuse_init_out.flags2: bit 37 of the flags. */
#define DOCFS_INIT_PASSTHROUGH (1 << 5)
/* Of fuse_open_out.open_flags. */
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

/* Takes CAP_FSETID out of the calling thread's effective set, or puts it in again. */
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

/* FUSE_DEV_IOC_BACKING_OPEN: registers a file; its id, or -1 with errno.
 * The kernel writes to it with the credentials of this moment. Without CAP_FSETID among them it takes set-id bits away as
 * for any writer without privilege, also if they were set after the file was opened. */
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

/* FUSE_DEV_IOC_BACKING_CLOSE: an id that an open file uses stays until that is closed. */
static inline int docfs_close_backing(int device, uint32_t id) {
    return ioctl(device, _IOW(229, 2, uint32_t), &id);
}

/* fuse_init_out.max_stack_depth, which older headers have as the first of the unused words. */
static inline void docfs_set_stack_depth(struct fuse_init_out *reply, uint32_t depth) {
    ((uint32_t *)(void *)reply)[offsetof(struct fuse_init_out, flags2) / sizeof(uint32_t) + 1] = depth;
}
