import CLinux
@preconcurrency import Dispatch  // Sources are safe to use from any thread, and not marked so.
import Glibc

/// inotify(7) reports objects that this machine creates. Objects that another machine creates on a share are not reported;
/// polling finds them.
extension DirectoryStore {
    public var quickestPoll: Duration { .milliseconds(100) }

    public func watch(_ prefix: ObjectKey, _ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        // A store that cannot be watched is polled, and the poll reports the error.
        guard let root = try? openRoot(), (try? requireMarker(in: root)) != nil else { return nil }
        // There is nothing to watch before the first object is there.
        guard let folder = try? makeFolder(prefix.components, in: root) else { return nil }
        // IN_NONBLOCK and IN_CLOEXEC by their other names: how Swift sees those depends on what else is imported.
        let queue = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        guard queue >= 0 else { return nil }
        let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF)
        // By the descriptor: a path could lead through a link by now.
        guard withExtendedLifetime(folder, { inotify_add_watch(queue, "/proc/self/fd/\(folder.number)", events) }) >= 0
        else {
            close(queue)
            return nil
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: queue)
        source.setEventHandler {
            var events = [UInt8](repeating: 0, count: 4096)
            while Glibc.read(queue, &events, events.count) > 0 {}
            onChange()
        }
        source.setCancelHandler { close(queue) }
        source.activate()
        return StoreWatch { source.cancel() }
    }
}
