import Library
import CFuse
import CLinux
import Logging
import Synchronization
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

/// Writes down why requests are refused, one line each, with operation, inode, names, error number and reason: at the level `debug`, and
/// at `warning`, with the path as well, what tells of the disk that the store is on. It never tells of content or of the values of
/// attributes.
final class RefusalLog: Sendable {
    /// A program that fails on a full disk tries again and again.
    private static let pauseBetweenWarnings = Duration.seconds(60)

    private let logger: Logger
    private let path: @Sendable (fuse_ino_t) -> String?
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let lastWarnings = Mutex<[String: ContinuousClock.Instant]>([:])

    /// - Parameters:
    ///   - instant: the clock by which the same error of one operation is a warning once a minute.
    ///   - path: the path in the store of an inode's file.
    init(
        logger: Logger, instant: @escaping @Sendable () -> ContinuousClock.Instant,
        path: @escaping @Sendable (fuse_ino_t) -> String?
    ) {
        self.logger = logger
        self.instant = instant
        self.path = path
    }

    /// - Parameters:
    ///   - inode: what the request is about.
    ///   - subject: what was asked for. Nothing is computed while nothing is logged.
    func log(_ refusal: Refusal, of inode: fuse_ino_t?, _ subject: () -> Logger.Metadata) {
        let isWarning = refusal.tellsOfDisk
        guard logger.logLevel <= (isWarning ? .warning : .debug) else { return }
        var metadata = subject()
        let errno = Self.name(of: refusal.errno)
        let level = isWarning && isDue(errno, metadata["operation"]) ? Logger.Level.warning : .debug
        if level == .warning, let path = inode.flatMap(path) { metadata["path"] = "\(path.debugDescription)" }
        metadata["errno"] = "\(errno)"
        metadata["reason"] = "\(refusal)"
        logger.log(level: level, "a request was refused", metadata: metadata)
    }

    private func isDue(_ errno: String, _ operation: Logger.MetadataValue?) -> Bool {
        let now = instant()
        return lastWarnings.withLock { last in
            let kind = "\(errno) \(operation ?? "")"
            if let before = last[kind], now - before < Self.pauseBetweenWarnings { return false }
            last[kind] = now
            return true
        }
    }

    /// As manual pages call it.
    private static func name(of error: Errno) -> String {
        strerrorname_np(error.rawValue).map { String(cString: $0) } ?? String(error.rawValue)
    }
}
