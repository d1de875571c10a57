import Dispatch
import GRDB
import GRDBSQLite
import Glibc
import Synchronization

/// Copies SQLite's write-ahead log into the database, by a connection of its own: while one copies, which takes as long as the disk does, nobody else
/// can use it, and the other one reads and writes.
final class LogCopier: Sendable {
    private let path: String
    private let state = Mutex(State.unopened)
    private let thread = DispatchQueue(label: "docfs.catalog.log", qos: .utility)
    private let isScheduled = Atomic<Bool>(false)

    private enum State {
        case unopened
        case open(DatabaseQueue)
        case closed
    }

    /// Bytes of the log from which on it is copied although there is no quiet moment.
    private let longest: Int
    /// So many frames of the log are copied in a moment. A frame holds a page of the database.
    private static let few = 500
    private static let mostRounds = 4
    /// After a failure it rests: on a full disk each attempt fails.
    private static let rest = DispatchTimeInterval.seconds(10)

    /// How much of the log there was when a copy began, and how much of that is copied, in frames.
    struct Progress {
        let length: Int
        let copied: Int
    }

    init(path: String, longest: Int) {
        self.path = path
        self.longest = longest
    }

    /// Makes SQLite lock a database for this process as a whole, and keep the index of the log in memory: several connections of this process can use
    /// the database, and no other process can.
    static let locksForProcess: Bool = {
        // It cannot be turned off any more when SQLite is in use.
        _ = MemoryCount.isOff
        guard let files = sqlite3_vfs_find("unix-excl") else { return false }
        return sqlite3_vfs_register(files, 1) == SQLITE_OK
    }()

    /// Copies what the log has now, on this thread.
    ///
    /// - Returns: nil if somebody else is copying, or it is closed.
    /// - Throws: `DatabaseError`.
    func copy() throws -> Progress? {
        try state.withLock { state in
            guard let queue = try opened(&state) else { return nil }
            do {
                let (length, copied) = try queue.inDatabase { try $0.checkpoint(.passive) }
                return Progress(length: length, copied: copied)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY { return nil }
        }
    }

    /// Runs `body` while nothing is copied here.
    func whileIdle(_ body: () throws -> Void) throws { try state.withLock { _ in try body() } }

    /// Copies a log that has become long, on a thread of its own, until little is written during a copy.
    ///
    /// - Parameter finish: copies the rest while nobody writes, so that SQLite begins the log anew.
    func copyIfLong(finish: @escaping @Sendable () throws -> Void, failed: @escaping @Sendable (any Error) -> Void) {
        var status = stat()
        guard stat(path + "-wal", &status) == 0, status.st_size > longest,
            !isScheduled.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        thread.async { [self] in
            do {
                if try copyInRounds() { try finish() }
                isScheduled.store(false, ordering: .releasing)
            } catch {
                failed(error)
                thread.asyncAfter(deadline: .now() + Self.rest) { [self] in
                    isScheduled.store(false, ordering: .releasing)
                }
            }
        }
    }

    /// - Returns: false if somebody else is copying, or it is closed.
    private func copyInRounds() throws -> Bool {
        var copied = 0
        for _ in 0..<Self.mostRounds {
            guard let progress = try copy() else { return false }
            let written = progress.length - copied
            copied = progress.copied
            // During the round before.
            if written <= Self.few { break }
        }
        return true
    }

    /// Waits for the copy that is under way; there is no other. After it, the connection that `finish` uses may be closed, too.
    func close() throws {
        defer { thread.sync {} }
        try state.withLock { state in
            defer { state = .closed }
            if case .open(let queue) = state { try queue.close() }
        }
    }

    private func opened(_ state: inout State) throws -> DatabaseQueue? {
        switch state {
        case .closed: return nil
        case .open(let queue): return queue
        case .unopened:
            var configuration = Configuration()
            configuration.label = "docfs.catalog.log"
            configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = NORMAL") }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            state = .open(queue)
            return queue
        }
    }
}
