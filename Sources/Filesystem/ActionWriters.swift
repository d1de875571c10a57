import Synchronization

/// The open handles of `Documents/.undo` and `.redo` through which something was written.
final class ActionWriters: Sendable {
    private let written = Mutex<Set<UInt64>>([])

    func isFirstWrite(of handle: UInt64) -> Bool { written.withLock { $0.insert(handle).inserted } }

    func remove(_ handle: UInt64) { written.withLock { _ = $0.remove(handle) } }
}
