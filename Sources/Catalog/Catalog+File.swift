import CrashPoints
import Dispatch
import GRDB
import Glibc
import Synchronization

/// The file of the database, and its write-ahead log.
extension Catalog {
    /// Makes every write durable. With `synchronous = NORMAL` a commit survives the end of the process, but a loss of power
    /// only after fsync of the write-ahead log. The log may be opened and closed here: SQLite holds its locks on the
    /// database file, and closing any descriptor of that one would drop them.
    public func synchronize() throws {
        try writeWaiting()
        let log = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard log >= 0 else { throw CatalogError.failed("cannot open the write-ahead log: errno \(errno)") }
        defer { Glibc.close(log) }
        if !Protection.synchronization.isOn { return }
        guard fdatasync(log) == 0 else { throw CatalogError.failed("cannot sync the write-ahead log: errno \(errno)") }
    }

    /// Copies the write-ahead log if it is long and nothing was written since the last call, so that few copies are made while programs
    /// work.
    public func checkpointIfQuiet() throws {
        let isDue = quiet.withLock { quiet in
            defer { quiet.writesWhenLastAsked = quiet.writes }
            return quiet.writes == quiet.writesWhenLastAsked && quiet.writes - quiet.writesAtLastCheckpoint >= 500
        }
        if !isDue { return }
        try writeWaiting()
        let writes = writeCount
        if try log.copy() != nil { quiet.withLock { $0.writesAtLastCheckpoint = writes } }
    }

    private static let writesBetweenLooks = 128

    /// Looks now and then whether the write-ahead log has become long although there was no quiet moment.
    func copyLogIfLong() {
        if !writeCount.isMultiple(of: Self.writesBetweenLooks) { return }
        log.copyIfLong { [self] in
            connection.enter()
            defer { connection.leave() }
            // Of some rows that wait (`writeSomeWaiting`). They go on waiting.
            connection.rollBack()
            try connection.run { db in
                do { try db.checkpoint(.passive) } catch let error as DatabaseError
                    where error.resultCode == .SQLITE_BUSY
                {}
            }
        } failed: { [self] error in
            listener.withLock { $0 }?.logNotCopied(error)
        }
    }

    /// Truncates the write-ahead log.
    ///
    /// - Parameter limit: nothing is done if the log has no more bytes than this.
    public func shrinkLog(to limit: Int) throws {
        var status = stat()
        guard stat(path + "-wal", &status) == 0, status.st_size > limit else { return }
        try log.whileIdle { try checkpoint(.truncate) }
    }

    private func checkpoint(_ mode: Database.CheckpointMode) throws {
        try writeWaiting()
        connection.enter()
        defer { connection.leave() }
        _ = try connection.run { try $0.checkpoint(mode) }
    }

    /// Closes the database as a crash would: the waiting rows are lost.
    package func abandon() throws {
        let result = Result { try log.close() }
        try lock.sync { try connection.close() }
        claim.withLock { $0 = nil }
        try result.get()
    }

    /// Writes the waiting rows, runs a checkpoint, and closes the database.
    ///
    /// - Throws: `CatalogError` if the rows could not be written; the database is closed all the same.
    public func close() throws {
        let results = [Result { try log.close() }, Result { try checkpoint(.truncate) }]
        try connection.close()
        claim.withLock { $0 = nil }
        for result in results { try result.get() }
    }
}
