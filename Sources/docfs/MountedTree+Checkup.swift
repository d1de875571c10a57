import CLinux
import Documents
import Filesystem
import Glibc
import Library
import SystemPackage

/// What a person requests of a mount's synchronization: `docfs check`, `docfs key`.
extension MountedTree {
    private static let pause: UInt32 = 100_000

    /// Requests something and waits for the end of it.
    ///
    /// - Parameter title: of the progress that a terminal shows.
    func answer(to request: CloudCheckup.Request, _ title: String) throws -> CheckupReply {
        try ask(for: request)
        var display = ProgressDisplay(title)
        defer { display.clear() }
        while true {
            let reply = try checkup()
            guard case .running(let progress) = reply else { return reply }
            if let progress { display.show(progress) }
            usleep(Self.pause)
        }
    }

    private func ask(for request: CloudCheckup.Request) throws {
        let word = Array(request.rawValue.utf8)
        if setxattr(mountpoint, MountAttribute.checkup.rawValue, word, word.count, 0) == 0 { return }
        switch errno {
        case EBUSY: throw CommandFailure("a check is under way already; try again when that has ended")
        // Of a release that does not know the word.
        case EINVAL:
            throw CommandFailure("the mount at \(mountpoint) is of an earlier docfs; unmount it and mount again")
        default:
            throw CommandFailure("cannot start that through the mount at \(mountpoint): \(Errno(rawValue: errno))")
        }
    }

    private func checkup() throws -> CheckupReply {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = getxattr(mountpoint, MountAttribute.checkup.rawValue, &bytes, bytes.count)
        guard count > 0, let reply = CheckupReply(String(decoding: bytes.prefix(count), as: UTF8.self)) else {
            throw CommandFailure(
                "cannot read the result of the check from the mount at \(mountpoint): \(Errno(rawValue: errno))")
        }
        return reply
    }
}

extension ProgressDisplay {
    fileprivate mutating func show(_ checkup: CheckupProgress) {
        let (title, unit): (String, Progress.Unit) =
            switch checkup.work {
            case .store: ("checking the store", .percent)
            case .log: ("reading the cloud's log", .entries)
            case .contents: ("looking for contents in the cloud", .documents)
            case .sending: ("sending a missing content", .bytes)
            }
        self.title = title
        show(Progress(done: checkup.done, total: checkup.total, unit: unit))
    }
}
