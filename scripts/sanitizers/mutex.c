// Tells ThreadSanitizer of a lock that it cannot see: Swift's Mutex waits in libswiftSynchronization, which is not instrumented, and the kernel
// hands the lock over (FUTEX_LOCK_PI). Without this, what a contended Mutex protects counts as a data race. Loaded by LD_PRELOAD; the
// uncontended way is compiled into the code that locks, so it needs nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// Swift's names of _MutexHandle._lockSlow(_:) and _unlockSlow(). The mutex is passed as `self`.
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

SWIFT void lockSlow(uint32_t thread, SELF void *mutex) __asm__(LOCK_SLOW);
SWIFT void unlockSlow(SELF void *mutex) __asm__(UNLOCK_SLOW);

SWIFT void lockSlow(uint32_t thread, SELF void *mutex) {
    typedef SWIFT void (*Lock)(uint32_t, SELF void *);
    ((Lock)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT void unlockSlow(SELF void *mutex) {
    typedef SWIFT void (*Unlock)(SELF void *);
    __tsan_release(mutex);
    ((Unlock)dlsym(RTLD_NEXT, UNLOCK_SLOW))(mutex);
}
