import Glibc
import Library

/// The purpose of the system call behind a lookup: to find the name, to create it, or to create it only if nothing has it
/// yet (O_EXCL).
///
/// The kernel looks a name up before it creates it, and does not say why; with O_EXCL it even answers EEXIST by itself when the lookup
/// finds something. Two rules depend on it: an untitled document must not be in the way of another `Untitled`, and a document
/// may be called like a virtual file (`A.txt.state`). So for these names the calling thread's system call is read from
/// /proc/TID/syscall. Where that is not permitted, the name counts as one that is looked for.
///
/// Without this, creating the second untitled document fails with EEXIST. It costs nothing for other names (Mechanisms).
enum CallerPurpose {
    /// - Parameter thread: the one that asks; 0 if the kernel did not name it.
    static func read(ofThread thread: Int32) -> LookupPurpose {
        guard let call = ThreadFile.read("syscall", ofThread: thread, limit: 256) else { return .existing }
        return purpose(ofCall: String(decoding: call, as: UTF8.self))
    }

    /// - Parameter call: the number of a system call and its arguments in hexadecimal, as /proc/TID/syscall has them.
    static func purpose(ofCall call: String) -> LookupPurpose {
        let words = call.split(separator: " ")
        guard let number = words.first.flatMap({ Int($0) }) else { return .existing }
        func argument(_ index: Int) -> Int32 {
            guard words.count > index + 1 else { return 0 }
            return Int32(truncatingIfNeeded: UInt64(words[index + 1].dropFirst(2), radix: 16) ?? 0)
        }
        switch number {
        case SystemCall.openat: return purpose(ofOpenFlags: argument(2))
        case SystemCall.open: return purpose(ofOpenFlags: argument(1))
        case SystemCall.creat: return .creation
        case _ where SystemCall.exclusivelyCreating.contains(number): return .exclusiveCreation
        default: return .existing
        }
    }

    private static func purpose(ofOpenFlags flags: Int32) -> LookupPurpose {
        if flags & O_CREAT == 0 { return .existing }
        return flags & O_EXCL == 0 ? .creation : .exclusiveCreation
    }
}

/// System call numbers: the kernel's ABI, which Glibc's headers do not give to Swift.
enum SystemCall {
    #if arch(x86_64)
        static let open = 2
        static let creat = 85
        static let openat = 257
        /// mkdir, symlink, mkdirat, symlinkat, mknod, mknodat
        static let exclusivelyCreating: Set<Int> = [83, 88, 258, 266, 133, 259]
    #else
        // The generic table, used by arm64 and riscv64: it has no open and no creat.
        static let open = -1
        static let creat = -1
        static let openat = 56
        /// mkdirat, symlinkat, mknodat
        static let exclusivelyCreating: Set<Int> = [34, 36, 33]
    #endif
}
