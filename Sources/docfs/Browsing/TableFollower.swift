import Browse
import CLinux
import Glibc
import Synchronization

/// Follows what the table shows: `local`, `cloud`, and the folders that are open in it. Runs on a thread of its own.
///
/// poll(2) on the state of each folder tells of names, states and the order; inotify tells of folders, sizes and times.
final class TableFollower: Sendable {
    private let mount: MountedTree
    private let table: LiveTable
    /// Ids of the rows that are open.
    private let openRows: Mutex<Set<String>>
    /// A pipe. A byte in it says that `openRows` has changed.
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
    }

    deinit {
        close(wake.read)
        close(wake.write)
    }

    /// Opens a row, or closes it.
    func toggle(_ id: String) {
        openRows.withLock { if $0.remove(id) == nil { $0.insert(id) } }
        // A full pipe says it already.
        var byte: UInt8 = 0
        _ = write(wake.write, &byte, 1)
    }

    private final class Folder {
        let state: OpenStateFile
        let watch: Int32
        var lines: [FolderStateLine]
        /// Names, in the order of the folder.
        var folders: [String]

        init(_ path: String, _ notifications: FolderNotifications) throws {
            watch = try notifications.watch(path)
            state = try OpenStateFile(ofFolder: path)
            lines = FolderStateLine.lines(try state.text())
            folders = try Self.folders(in: path)
        }

        func look(_ path: String) throws {
            lines = FolderStateLine.lines(try state.text())
            folders = try Self.folders(in: path)
        }

        private static func folders(in path: String) throws -> [String] {
            try FolderContent.folders(in: path).filter { !$0.hasSuffix(".conflicts") }
        }
    }

    /// Publishes the rows again and again.
    ///
    /// - Throws: `MountHasEnded`.
    func run() throws {
        do { try follow() } catch {
            if access(mount.documents, F_OK) != 0 { throw MountHasEnded(mountpoint: mount.mountpoint) }
            throw error
        }
    }

    private func follow() throws {
        let notifications = try FolderNotifications()
        let whole = try OpenStateFile(ofFolder: mount.documents)
        // By id.
        var folders: [String: Folder] = [:]
        while true {
            let status = self.status(StateText(try whole.text()))
            var rows: [TableRow] = []
            let open = openRows.withLock { $0 }
            var shown: Set<String> = []
            for section in ["local", "cloud"] {
                try add(section, name: section, depth: 0, open, &folders, &shown, notifications, to: &rows)
            }
            for (id, folder) in folders where !shown.contains(id) {
                notifications.forget(folder.watch)
                folders[id] = nil
            }
            table.publish(rows, status: status)
            let hasTransfers = rows.contains { $0.state.contains("progressAvailable") }
            try wait(notifications, whole, &folders, hasTransfers: hasTransfers)
            if hasTransfers { table.touch(Set(rows.filter { $0.state.contains("progressAvailable") }.map(\.id))) }
        }
    }

    /// Adds a folder's row, and if it is open all that is in it. A folder that went away meanwhile is left out.
    private func add(
        _ id: String, name: String, depth: Int, _ open: Set<String>, _ folders: inout [String: Folder],
        _ shown: inout Set<String>, _ notifications: FolderNotifications, to rows: inout [TableRow]
    ) throws {
        let isOpen = open.contains(id)
        let path = mount.documents + "/" + id
        let kind: TableRow.Kind = depth == 0 ? .section : .folder
        guard isOpen else {
            return rows.append(TableRow(id: id, kind: kind, depth: depth, name: name))
        }
        guard let folder = try folders[id] ?? DocumentTree.unlessGone(path, { try Folder($0, notifications) }) else {
            return
        }
        folders[id] = folder
        shown.insert(id)
        rows.append(TableRow(id: id, kind: kind, depth: depth, name: name, isOpen: true))
        for inner in folder.folders {
            try add(
                id + "/" + inner, name: inner, depth: depth + 1, open, &folders, &shown, notifications, to: &rows)
        }
        for line in folder.lines {
            rows.append(
                TableRow(
                    id: id + "/" + line.filename, kind: .document, depth: depth + 1, name: line.displayName,
                    state: [line.indicator, line.state, line.transfer].joined(separator: "\t")))
        }
    }

    /// Waits until something has changed, and looks at the folders concerned.
    private func wait(
        _ notifications: FolderNotifications, _ whole: OpenStateFile, _ folders: inout [String: Folder],
        hasTransfers: Bool
    ) throws {
        let followed = Array(folders)
        let ready = try Polling.wait(
            for: [
                .init(descriptor: wake.read, events: POLLIN),
                .init(descriptor: notifications.descriptor, events: POLLIN),
                .init(descriptor: whole.descriptor, events: POLLPRI),
            ] + followed.map { .init(descriptor: $0.value.state.descriptor, events: POLLPRI) },
            until: hasTransfers ? ContinuousClock.now + .milliseconds(500) : nil)
        var changed = Set(ready.filter { $0 > 2 }.map { followed[$0 - 3].key })
        if ready.contains(0) {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(wake.read, &bytes, bytes.count) == bytes.count {}
        }
        if ready.contains(1) {
            let byWatch = Dictionary(followed.map { ($0.value.watch, $0.key) }) { first, _ in first }
            var touched: Set<String> = []
            for event in try notifications.events() {
                switch event {
                case .folderCame(let watch, _), .folderWent(let watch, _):
                    if let id = byWatch[watch] { changed.insert(id) }
                case .touched(let watch, let name):
                    guard let id = byWatch[watch] else { continue }
                    if let filename = attributeText("user.document.filename", of: "\(mount.documents)/\(id)/\(name)") {
                        touched.insert(id + "/" + filename)
                    }
                case .overflow: changed.formUnion(followed.map(\.key))
                }
            }
            table.touch(touched)
        }
        for id in changed {
            guard let folder = folders[id] else { continue }
            let path = mount.documents + "/" + id
            if try DocumentTree.unlessGone(path, { try folder.look($0) }) == nil {
                notifications.forget(folder.watch)
                folders[id] = nil
            }
        }
        // `Documents` cannot be removed.
        if access(mount.documents, F_OK) != 0 { throw MountHasEnded(mountpoint: mount.mountpoint) }
    }

    private func status(_ state: StateText) -> [String: String] {
        func action(_ key: String) -> String { state[key] == "-" ? "" : state[key] ?? "" }
        return [
            "mountpoint": mount.mountpoint, "connection": state["cloud.connection"] ?? "",
            "pending": state["cloud.pending"] ?? "0", "conflicts": state["cloud.conflicts"] ?? "0",
            "undo": action("undo"), "redo": action("redo"),
        ]
    }
}
