import Library
import CFuse
import CLinux
import Logging
import SystemPackage

/// A request as the log shows it.
///
/// The names are the kernel's: they end when the callback of the request returns.
struct RequestSubject {
    let operation: StaticString
    var inode: fuse_ino_t?
    var name: UnsafePointer<CChar>?
    var newInode: fuse_ino_t?
    var newName: UnsafePointer<CChar>?

    /// Names are quoted, so that none can look like a line of the log.
    var description: Logger.Metadata {
        var description: Logger.Metadata = ["operation": "\(operation)"]
        if let inode { description["inode"] = "\(inode)" }
        if let name { description["name"] = Self.quoted(name) }
        if let newInode { description["newInode"] = "\(newInode)" }
        if let newName { description["newName"] = Self.quoted(newName) }
        return description
    }

    private static func quoted(_ name: UnsafePointer<CChar>) -> Logger.MetadataValue {
        "\(String(decoding: bytes(name), as: UTF8.self).debugDescription)"
    }
}

/// Writes down why requests are refused: one line each at the level `debug`, with operation, inode, names, error number
/// and reason. It never tells of content or of the values of attributes.
struct RefusalLog: Sendable {
    let logger: Logger

    var isOn: Bool { logger.logLevel <= .debug }

    /// - Parameter subject: what was asked for. Nothing is computed while the log is off.
    func log(_ refusal: Refusal, of subject: () -> Logger.Metadata) {
        guard isOn else { return }
        var metadata = subject()
        metadata["errno"] = "\(Self.name(of: refusal.errno))"
        metadata["reason"] = "\(refusal)"
        logger.debug("a request was refused", metadata: metadata)
    }

    /// As manual pages call it.
    private static func name(of error: Errno) -> String {
        strerrorname_np(error.rawValue).map { String(cString: $0) } ?? String(error.rawValue)
    }
}
