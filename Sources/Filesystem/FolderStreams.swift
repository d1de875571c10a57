import Library
import Synchronization

/// The open directories: each shows the snapshot that was taken when its reader began.
final class FolderStreams: Sendable {
    final class Stream: Sendable {
        let names: [ListedName]
        let parent: UInt64

        init(names: [ListedName], parent: UInt64) {
            self.names = names
            self.parent = parent
        }
    }

    private struct Table {
        var streams: [UInt64: Stream?] = [:]
        var last: UInt64 = 0
    }

    private let table = Mutex(Table())

    func add() -> UInt64 {
        table.withLock { table in
            table.last += 1
            table.streams[table.last] = .some(nil)
            return table.last
        }
    }

    subscript(number: UInt64) -> Stream? {
        get { table.withLock { $0.streams[number] ?? nil } }
        set { table.withLock { $0.streams[number] = .some(newValue) } }
    }

    func remove(_ number: UInt64) {
        table.withLock { _ = $0.streams.removeValue(forKey: number) }
    }
}
