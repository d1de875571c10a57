import CFuse
import Glibc
import Library

/// What the system call behind a lookup is about to do with the name.
///
/// The kernel looks a name up before it creates it, and says nothing of what for: with O_EXCL it
/// even answers EEXIST itself when the lookup finds something. Two rules need to know (see
/// `LookupPurpose`), so for those names we read what the calling thread is doing from
/// /proc/TID/syscall. Where that is not permitted the name is taken to be wanted as it is.
enum CallerPurpose {
    static func read(of request: fuse_req_t) -> LookupPurpose {
        guard let thread = fuse_req_ctx(request)?.pointee.pid, thread > 0 else { return .existing }
        let file = open("/proc/\(thread)/syscall", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return .existing }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count > 0 else { return .existing }
        return purpose(ofCall: String(decoding: bytes.prefix(count), as: UTF8.self))
    }

    /// - Parameter call: the number of a system call and its arguments in hexadecimal.
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
        case _ where SystemCall.creating.contains(number): return .exclusiveCreation
        default: return .existing
        }
    }

    private static func purpose(ofOpenFlags flags: Int32) -> LookupPurpose {
        if flags & O_CREAT == 0 { return .existing }
        return flags & O_EXCL == 0 ? .creation : .exclusiveCreation
    }
}

/// System call numbers: the kernel's ABI, which Glibc's headers do not give to Swift.
private enum SystemCall {
    #if arch(x86_64)
        static let open = 2
        static let creat = 85
        static let openat = 257
        /// mkdir, symlink, mkdirat, symlinkat, mknod, mknodat
        static let creating: Set<Int> = [83, 88, 258, 266, 133, 259]
    #else
        // The generic table, used by arm64 and riscv64: it has no open and no creat.
        static let open = -1
        static let creat = -1
        static let openat = 56
        /// mkdirat, symlinkat, mknodat
        static let creating: Set<Int> = [34, 36, 33]
    #endif
}
