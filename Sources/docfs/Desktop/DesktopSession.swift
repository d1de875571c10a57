import Dispatch
import Foundation
import Glibc
import Library
import Logging
import Synchronization

/// Tells the desktop of a mount's troubles while it lasts.
struct DesktopSession {
    private static let interval = DispatchTimeInterval.seconds(5)

    private let queue = DispatchQueue(label: "docfs.desktop", qos: .utility)
    private let timer: any DispatchSourceTimer

    /// - Returns: nil where there is no desktop: no message bus of a session.
    init?(_ library: Library, mountpoint: String, logger: Logger) {
        let environment = ProcessInfo.processInfo.environment
        let bus = environment["XDG_RUNTIME_DIR"].map { $0 + "/bus" }
        let hasBus = environment["DBUS_SESSION_BUS_ADDRESS"] != nil || bus.map { access($0, F_OK) == 0 } == true
        guard hasBus else { return nil }
        let watch = DesktopWatch(library, mountpoint: mountpoint, logger: logger)
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: Self.interval, leeway: .seconds(1))
        timer.setEventHandler { watch.look() }
        timer.resume()
    }

    /// Returns when no look is under way any more.
    func stop() {
        timer.cancel()
        queue.sync {}
    }
}

/// Looks at a mount's state, and has notify-send (org.freedesktop.Notifications) say what is to be told.
private final class DesktopWatch: Sendable {
    private let library: Library
    private let logger: Logger
    private let notices: Mutex<DesktopNotices>

    init(_ library: Library, mountpoint: String, logger: Logger) {
        self.library = library
        self.logger = logger
        notices = Mutex(DesktopNotices(mountpoint: mountpoint))
    }

    func look() {
        let facts: DesktopNotices.Facts
        do { facts = try Self.facts(of: library) } catch {
            return logger.debug("the desktop cannot be told: \(error)")
        }
        let now = Double(DispatchTime.now().uptimeNanoseconds) / 1e9
        if let notice = notices.withLock({ $0.next(facts, now: now) }) { send(notice) }
    }

    private static func facts(of library: Library) throws -> DesktopNotices.Facts {
        DesktopNotices.Facts(
            storeError: library.diskError, connection: library.connection, pending: try library.pendingCount(),
            conflicts: try library.documentsInConflict())
    }

    /// A desktop that shows no messages is no failure of the mount.
    private func send(_ notice: DesktopNotice) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // The body may be read as markup, a name may hold anything.
        process.arguments = ["notify-send", "--app-name=docfs", "--", notice.title, notice.body.withoutMarkup]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch {
            logger.debug("the desktop cannot be told: \(error)")
        }
    }
}

extension String {
    fileprivate var withoutMarkup: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
