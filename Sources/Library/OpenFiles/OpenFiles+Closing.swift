import Catalog
import Dispatch
import Documents
import Synchronization

/// Closing handles, and waiting for closes. A file counts as closed when its last handle is gone and the save that follows from that is
/// done.
extension OpenFiles {
    /// Closes under way, and the threads that wait for them.
    struct Closes {
        fileprivate var underWay: [InodeNumber: Int] = [:]
        fileprivate var waiters: [Waiter] = []
    }

    /// A thread that waits for a file to be closed.
    fileprivate struct Waiter {
        /// Nil stands for every file.
        let inode: InodeNumber?
        let closed = DispatchSemaphore(value: 0)
    }

    /// The longest wait: a release that the kernel has sent already takes less.
    private static let patience = DispatchTimeInterval.milliseconds(10)

    /// The result of `remove`; `finishClosing` must follow it.
    struct Closing {
        let file: OpenFile
        /// Whether this was the last writer, and changes are to be saved.
        let isSaved: Bool
        let isLastHandle: Bool
        let isLastWriter: Bool
        /// Whether a newer version was received while the file was open for writing.
        let isOvertaken: Bool
    }

    func remove(_ number: UInt64, at now: @autoclosure () -> ContinuousClock.Instant) -> Closing? {
        table.withLock { table in
            guard let handle = table.handles.removeValue(forKey: number) else { return nil }
            let file = handle.file
            if let document = file.document, let opener = handle.opener {
                table.held.recordClose(number, of: document, by: opener, at: now())
            }
            let isPlain = table.isPlain(file)
            let closing = file.state.withLock { state in
                state.handles -= 1
                let writer = handle.canWrite ? state.writing.removeWriter() : (isLast: false, isModified: false)
                if state.writing.writers == 0 { state.writable = nil }
                return Closing(
                    file: file, isSaved: writer.isModified && !isPlain, isLastHandle: state.handles == 0,
                    isLastWriter: writer.isLast, isOvertaken: state.isOvertaken)
            }
            if closing.isLastHandle, table.files[file.inode] === file { table.files[file.inode] = nil }
            table.closes.underWay[file.inode, default: 0] += 1
            return closing
        }
    }

    /// All consequences of a `remove` are done.
    func finishClosing(_ closing: Closing) {
        let inode = closing.file.inode
        table.withLock { table in
            let others = table.closes.underWay[inode, default: 0] - 1
            table.closes.underWay[inode] = others > 0 ? others : nil
            let ready = table.closes.waiters.filter { table.isClosed($0.inode) }
            table.closes.waiters.removeAll { waiter in ready.contains { $0.closed === waiter.closed } }
            ready.forEach { $0.closed.signal() }
        }
    }

    /// Whether any file is open, or its close is under way.
    var areAnyOpen: Bool { table.withLock { !$0.isClosed(nil) } }

    func isClosed(_ inode: InodeNumber) -> Bool { table.withLock { $0.isClosed(inode) } }

    /// The number of opens of any file until now; nil while this file is open.
    func opensWhileClosed(_ inode: InodeNumber) -> UInt64? {
        table.withLock { $0.isClosed(inode) ? $0.lastHandle : nil }
    }

    /// Waits for a file to be closed, for a moment at most: it may be kept open.
    ///
    /// - Parameter inode: nil stands for every file.
    func waitForClose(of inode: InodeNumber?) {
        let waiter = Waiter(inode: inode)
        let mustWait = table.withLock { table in
            if table.isClosed(inode) { return false }
            table.closes.waiters.append(waiter)
            return true
        }
        guard mustWait, waiter.closed.wait(timeout: .now() + Self.patience) == .timedOut else { return }
        table.withLock { table in table.closes.waiters.removeAll { $0.closed === waiter.closed } }
    }
}

extension OpenFiles.Table {
    fileprivate func isClosed(_ inode: InodeNumber?) -> Bool {
        guard let inode else { return files.isEmpty && closes.underWay.isEmpty }
        return files[inode] == nil && closes.underWay[inode] == nil
    }
}
