import Browse
import Glibc
import Synchronization

/// Follows what the table shows: `local`, `cloud`, and the folders that are open in it. Runs on a thread of its own.
///
/// poll(2) on the state of each folder tells of names, states and the order; inotify tells of folders, sizes and times.
final class TableFollower: Sendable {
    /// How often a page hears of the progress of transfers.
    private static let progressInterval = Duration.milliseconds(500)

    private let mount: MountedTree
    private let table: LiveTable
    /// Ids of the rows that are open.
    private let openRows: Mutex<Set<String>>
    private let editing = Mutex(false)
    private let filter = Mutex<TableFilter?>(nil)
    /// Why the last filter was given up; empty if it was not.
    private let filterProblem = Mutex("")
    /// Of the rows for now, by id, until all rows are there.
    private let preparedDetails = Mutex<[String: RowDetails]>([:])
    /// A pipe. A byte in it says that `openRows`, `editing` or `filter` has changed.
    private let wake: (read: Int32, write: Int32)

    init(_ mount: MountedTree, _ table: LiveTable) throws {
        self.mount = mount
        self.table = table
        openRows = Mutex(["local", "cloud"])
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw CommandFailure("cannot follow \(mount.mountpoint): \(String(cString: strerror(errno)))")
        }
        for end in ends {
            // Programs that are started meanwhile must not hold it, and nobody waits to write.
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wake = (ends[0], ends[1])
        DescriptorLimit.raise()
    }

    deinit {
        close(wake.read)
        close(wake.write)
    }

    /// Opens a row, or closes it. While a filter is on, no folder is shown.
    func toggle(_ id: String) {
        if filter.withLock({ $0 != nil }) { return }
        openRows.withLock { if $0.remove(id) == nil { $0.insert(id) } }
        makeRowsAnew()
    }

    /// Begins the edit mode, or ends it.
    func setEditing(_ isEditing: Bool) {
        editing.withLock { $0 = isEditing }
        makeRowsAnew()
    }

    /// Shows only documents of which a text is true, or all.
    func setFilter(_ text: String) throws(QueryError) {
        let new = try TableFilter(text)
        filter.withLock { $0 = new }
        filterProblem.withLock { $0 = "" }
        makeRowsAnew()
    }

    /// The details of a row that stands in the place of all of them; nil for any other.
    func prepared(_ row: TableRow) -> RowDetails? { preparedDetails.withLock { $0[row.id] } }

    private func makeRowsAnew() {
        // A full pipe says it already.
        var byte: UInt8 = 0
        _ = write(wake.write, &byte, 1)
    }

    /// Publishes the rows again and again.
    ///
    /// - Throws: `MountHasEnded`.
    func run() throws {
        do {
            var shown = try ShownFolders(mount)
            while true {
                let isEditing = editing.withLock { $0 }
                if !isEditing, filter.withLock({ $0 == nil }),
                    let first = try shown.firstRows(open: openRows.withLock { $0 })
                {
                    // Reading the rest holds up whoever asks the mount for anything.
                    let details = first.beginnings.map {
                        ($0.id, RowDetails(of: $0, at: mount.documents + "/" + $0.id))
                    }
                    preparedDetails.withLock { $0 = Dictionary(details) { first, _ in first } }
                    table.publish(first.rows)
                }
                let rows = try rows(&shown, isEditing)
                preparedDetails.withLock { $0 = [:] }
                table.publish(rows)
                let transfers = Set(rows.filter { $0.state.contains("progressAvailable") }.map(\.id))
                try follow(&shown, transfers)
            }
        } catch {
            if access(mount.documents, F_OK) != 0 { throw MountHasEnded(mountpoint: mount.mountpoint) }
            throw error
        }
    }

    /// A filter follows all folders. Where the system allows no more of that, it is given up, and what was open is shown.
    private func rows(_ shown: inout ShownFolders, _ isEditing: Bool) throws -> [TableRow] {
        let open = openRows.withLock { $0 }
        if let filter = filter.withLock({ $0 }) {
            do { return try shown.rows(open: open, isEditing: isEditing, filter) } catch {
                filterProblem.withLock { $0 = (error as? CommandFailure)?.message ?? "\(error)" }
                self.filter.withLock { $0 = nil }
            }
        }
        return try shown.rows(open: open, isEditing: isEditing, nil)
    }

    /// The keys are those of `page.js`.
    private func status(_ shown: ShownFolders) throws -> [String: String] {
        var status = try shown.status()
        if editing.withLock({ $0 }) { status["editing"] = "yes" }
        status["filter"] = filter.withLock { $0?.text }
        status["filterProblem"] = filterProblem.withLock { $0 }
        return status
    }

    /// Returns when the rows are to be made anew. What changes in a row that the row does not say is told at once.
    private func follow(_ shown: inout ShownFolders, _ transfers: Set<String>) throws {
        while true {
            let status = try status(shown)
            table.publish(status: status)
            // How much is left to send is told by nothing but the state.
            let isSending = status["connection"] == "online" && status["unsent"].map { $0 != "0" } ?? false
            let isUnderWay = isSending || !transfers.isEmpty
            let news = try shown.wait(
                or: wake.read, until: isUnderWay ? ContinuousClock.now + Self.progressInterval : nil)
            openRows.withLock { open in
                open = open.filter { id in !news.gone.contains { id == $0 || id.hasPrefix($0 + "/") } }
            }
            table.touch(news.touched.union(news.isNothing ? transfers : []))
            if news.changesRows { return }
            // `Documents` cannot be removed.
            if access(mount.documents, F_OK) != 0 { throw MountHasEnded(mountpoint: mount.mountpoint) }
        }
    }
}
