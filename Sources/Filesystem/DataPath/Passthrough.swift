import Backing
import CFuse
import Glibc
import Library
import Synchronization
import SystemPackage

/// The kernel's way of reading and writing an open file's backing file by itself (Linux 6.9), which
/// libfuse knows since 3.17 only. On 3.14 it takes two things: the reply to INIT must ask for it, and
/// so passes through `SessionStream`; and the replies to open and create must name the backing file
/// (`RawReplies`). Registering a file takes CAP_SYS_ADMIN.
final class Passthrough: BackingFiles {
    enum Availability: Sendable, Equatable {
        /// - Parameter device: the session's own, by which backing files are registered. Those of libfuse's
        ///   threads (FUSE_DEV_IOC_CLONE) end with the threads.
        case available(device: Int32)
        case unavailable(reason: String)
    }

    private let state = Mutex(Availability.unavailable(reason: "the mount is not ready"))

    var availability: Availability { state.withLock { $0 } }

    /// Adds to the reply to INIT what libfuse cannot ask for.
    static func request(in reply: UnsafeMutablePointer<fuse_init_out>) {
        // Set-id bits are cleared by us (`Library.removeSetIDBits`). Without it the kernel asks for
        // security.capability before every single write.
        reply.pointee.flags |= UInt32(FUSE_HANDLE_KILLPRIV_V2)
        // Of a kernel that does not know them, the rest are ignored.
        reply.pointee.flags |= UInt32(FUSE_INIT_EXT)
        reply.pointee.flags2 |= UInt32(DOCFS_INIT_PASSTHROUGH)
        docfs_set_stack_depth(reply, 1)
    }

    /// Finds out, once INIT has been answered, whether backing files of the store can be registered.
    func probe(device: Int32, with file: () throws(Refusal) -> Descriptor) {
        let result: Availability
        do throws(Refusal) {
            let file = try file()
            let backing = docfs_open_backing(device, file.number)
            let reason = Errno(rawValue: errno)
            if backing > 0 { _ = docfs_close_backing(device, UInt32(backing)) }
            result = backing > 0 ? .available(device: device) : .unavailable(reason: Self.reason(reason))
        } catch {
            result = .unavailable(reason: "the store cannot be tried: \(error)")
        }
        state.withLock { $0 = result }
    }

    func register(_ file: Descriptor) -> Int32? {
        guard case .available(let device) = availability else { return nil }
        let backing = docfs_open_backing(device, file.number)
        return backing > 0 ? backing : nil
    }

    func unregister(_ backing: Int32) {
        guard case .available(let device) = availability else { return }
        _ = docfs_close_backing(device, UInt32(backing))
    }

    private static func reason(_ error: Errno) -> String {
        switch error {
        case .notPermitted: "it takes the privilege CAP_SYS_ADMIN, as root has it"
        case .tooManySymbolicLinkLevels: "the store lies on a stacked file system, such as overlayfs"
        case .inappropriateIOCTLForDevice, .notSupported, .noFunction, .invalidArgument:
            "the kernel does not have it; Linux 6.9 does"
        default: "the kernel refuses it: \(error)"
        }
    }
}

extension Passthrough.Availability {
    /// For `docfs status`.
    ///
    /// - Parameter noticing: whether writes that the kernel does by itself are noticed, as the cloud needs it.
    func description(noticing: Bool) -> String {
        switch self {
        case .available where noticing: "passthrough"
        case .available:
            "passthrough for local documents; those of the cloud through docfs (it takes Linux 6.13 and a store on a file system with leases)"
        case .unavailable(let reason): "through docfs (no passthrough: \(reason))"
        }
    }
}
