import CLinux
import Glibc
import SystemPackage

/// Reports of inotify(7) about folders.
final class FolderNotifications {
    enum Event {
        /// A folder of that name came into the folder, or went away.
        case folderCame(Int32, String)
        case folderWent(Int32, String)
        /// A folder of that name got other attributes.
        case folderTouched(Int32, String)
        /// Something else of that name came, was written, or got other attributes.
        case touched(Int32, String)
        /// The kernel's queue was full: anything may have happened.
        case overflow
    }

    let descriptor: Int32

    init() throws {
        descriptor = inotify_init1(Int32(O_CLOEXEC | O_NONBLOCK))
        guard descriptor >= 0 else { throw CommandFailure("cannot watch folders: \(Errno(rawValue: errno))") }
    }

    deinit { close(descriptor) }

    /// - Returns: the number that events of this folder have.
    func watch(_ folder: String) throws -> Int32 {
        let interest = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB | IN_ONLYDIR
        let number = inotify_add_watch(descriptor, folder, UInt32(interest))
        guard number >= 0 else {
            let hint = errno == ENOSPC ? "; raise fs.inotify.max_user_watches" : ""
            throw CommandFailure("cannot watch the folder \(folder): \(Errno(rawValue: errno))\(hint)")
        }
        return number
    }

    func forget(_ number: Int32) { inotify_rm_watch(descriptor, number) }

    /// The changes since the last call; empty if there were none.
    func events() throws -> [Event] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var events: [Event] = []
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return events }
            guard count > 0 else {
                throw CommandFailure("cannot read what has happened in folders: \(Errno(rawValue: errno))")
            }
            events += Self.parse(buffer[..<count])
        }
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) -> [Event] {
        let header = MemoryLayout<inotify_event>.size
        var events: [Event] = []
        var rest = bytes
        while rest.count >= header {
            let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
            let name = String(decoding: rest.dropFirst(header).prefix(Int(event.len)).prefix { $0 != 0 }, as: UTF8.self)
            if let known = meaning(event.mask, event.wd, name) { events.append(known) }
            rest = rest.dropFirst(header + Int(event.len))
        }
        return events
    }

    private static func meaning(_ mask: UInt32, _ number: Int32, _ name: String) -> Event? {
        func has(_ bits: Int) -> Bool { mask & UInt32(truncatingIfNeeded: bits) != 0 }
        if has(Int(IN_Q_OVERFLOW)) { return .overflow }
        if name.isEmpty { return nil }
        guard has(Int(IN_ISDIR)) else { return .touched(number, name) }
        if has(Int(IN_CREATE | IN_MOVED_TO)) { return .folderCame(number, name) }
        if has(Int(IN_DELETE | IN_MOVED_FROM)) { return .folderWent(number, name) }
        return has(Int(IN_ATTRIB)) ? .folderTouched(number, name) : nil
    }
}
