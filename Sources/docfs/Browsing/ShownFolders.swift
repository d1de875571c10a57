import Browse
import Glibc

/// The folders whose content the table shows, and the rows that follow from them.
struct ShownFolders {
    /// What was heard.
    struct News {
        /// Ids of folders that are no longer what they were: removed, moved away, or others of their name. They are to be closed: what is not
        /// shown is followed no longer.
        var gone: Set<String> = []
        /// Ids of rows whose size, time or attributes have changed.
        var touched: Set<String> = []
        var changesRows = false
        var changesStatus = false

        /// Only the time has passed.
        var isNothing: Bool { gone.isEmpty && touched.isEmpty && !changesRows && !changesStatus }
    }

    private let mount: MountedTree
    private let notifications: FolderNotifications
    /// The state of `Documents`: of the whole mount.
    private let whole: OpenStateFile
    /// By id. A folder stands here from when it is shown until it is hidden, or goes.
    private var folders: [String: FollowedFolder] = [:]
    /// The ids of the folders in a folder, in its order. Not there for one that is to be read again.
    private var inner: [String: [String]] = [:]
    /// The ids of folders that were open when the rows were made last.
    private var seen: Set<String> = []
    /// The filter of the last rows, and what it said of documents, by id.
    private var filter: TableFilter?
    private var verdicts: [String: (state: String, isShown: Bool)] = [:]

    init(_ mount: MountedTree) throws {
        self.mount = mount
        notifications = try FolderNotifications()
        whole = try OpenStateFile(ofFolder: mount.documents)
    }

    // MARK: Rows

    /// The rows of the two sections, and of what is open in them; with a filter, of the documents that it shows, in whatever folder.
    ///
    /// - Parameter isEditing: whether each of these has a row for a new document.
    mutating func rows(open: Set<String>, isEditing: Bool, _ filter: TableFilter?) throws -> [TableRow] {
        if filter?.text != self.filter?.text { verdicts = [:] }
        self.filter = filter
        var rows: [TableRow] = []
        var looked: Set<String> = []
        for section in ["local", "cloud"] {
            if let filter {
                rows.append(TableRow(id: section, kind: .section, depth: 0, name: section, isOpen: true))
                try find(filter, in: section, &rows, &looked)
            } else {
                try Self.add(section, depth: 0, open, isEditing, to: &rows) { id in
                    try look(into: id).map { ($0.lines, $1) }
                }
            }
        }
        if filter == nil { looked = Set(rows.filter(\.isOpen).map(\.id)) }
        for id in Array(folders.keys) where !looked.contains(id) { forget(id) }
        seen = open.union(looked)
        return rows
    }

    /// Rows for now, where a folder with very many documents is opened: of such a one its beginning.
    ///
    /// - Returns: nil where there is none; else also the documents of these beginnings, and the folders.
    func firstRows(open: Set<String>) throws -> (rows: [TableRow], beginnings: [TableRow])? {
        guard open.contains(where: { folders[$0] == nil && !seen.contains($0) }) else { return nil }
        var rows: [TableRow] = []
        var begun: Set<String> = []
        for section in ["local", "cloud"] {
            try Self.add(section, depth: 0, open, false, to: &rows) { try firstLook(into: $0, &begun) }
        }
        if begun.isEmpty { return nil }
        return (rows, rows.filter { $0.kind != .document || begun.contains(Self.folder(of: $0.id)) })
    }

    private static func folder(of id: String) -> String { id.lastIndex(of: "/").map { String(id[..<$0]) } ?? "" }

    /// What is shown of a folder at first.
    ///
    /// - Parameter begun: the ids of folders of which only the beginning is.
    private func firstLook(into id: String, _ begun: inout Set<String>) throws -> Content? {
        try DocumentTree.unlessGone(path(id)) { path -> Content in
            if let folder = folders[id] { return (folder.lines, inner[id] ?? []) }
            // What is shown already stays until it is read again.
            if !seen.contains(id), let beginning = try FirstLook(path) {
                begun.insert(id)
                return (beginning.lines, beginning.folders.map(self.id))
            }
            return (try FolderStateLine.read(path), try DocumentTree.folders(in: path).map(self.id))
        }
    }

    /// The documents in a folder, and the ids of the folders in it.
    private typealias Content = (lines: [FolderStateLine], folders: [String])

    /// Adds a folder's row, and if it is open all that is in it.
    ///
    /// - Parameter look: what is in a folder; nil for one that went away meanwhile, which is left out.
    private static func add(
        _ id: String, depth: Int, _ open: Set<String>, _ isEditing: Bool, to rows: inout [TableRow],
        _ look: (String) throws -> Content?
    ) throws {
        guard open.contains(id) else { return rows.append(folderRow(id, depth: depth, isOpen: false)) }
        guard let (lines, folders) = try look(id) else { return }
        rows.append(folderRow(id, depth: depth, isOpen: true))
        for id in folders { try add(id, depth: depth + 1, open, isEditing, to: &rows, look) }
        rows += lines.map { row($0, in: id, depth: depth + 1) }
        if isEditing { rows.append(TableRow(forNewIn: id, depth: depth + 1)) }
    }

    private static func folderRow(_ id: String, depth: Int, isOpen: Bool) -> TableRow {
        let name = id.split(separator: "/").last.map(String.init) ?? id
        return TableRow(id: id, kind: depth == 0 ? .section : .folder, depth: depth, name: name, isOpen: isOpen)
    }

    /// Adds the documents of a folder and of those in it that the filter shows.
    private mutating func find(
        _ filter: TableFilter, in id: String, _ rows: inout [TableRow], _ looked: inout Set<String>
    ) throws {
        guard let (folder, innerFolders) = try look(into: id) else { return }
        looked.insert(id)
        for id in innerFolders { try find(filter, in: id, &rows, &looked) }
        for line in folder.lines {
            let row = Self.row(line, in: id, depth: 1)
            if try isShown(line, row.id, filter) { rows.append(row) }
        }
    }

    private mutating func isShown(_ line: FolderStateLine, _ id: String, _ filter: TableFilter) throws -> Bool {
        if let verdict = verdicts[id], verdict.state == line.text { return verdict.isShown }
        let isShown = try filter.shows(line, at: path(id), in: id.prefix { $0 != "/" })
        verdicts[id] = (line.text, isShown)
        return isShown
    }

    private static func row(_ line: FolderStateLine, in folder: String, depth: Int) -> TableRow {
        TableRow(
            id: folder + "/" + line.filename, kind: .document, depth: depth, name: line.displayName, state: line.text)
    }

    /// Follows a folder from now on.
    ///
    /// - Returns: the folder, and the ids of those in it; nil if it has gone.
    private mutating func look(into id: String) throws -> (FollowedFolder, [String])? {
        let found = try DocumentTree.unlessGone(path(id)) { path in
            (
                try folders[id] ?? FollowedFolder(path, notifications),
                try inner[id] ?? DocumentTree.folders(in: path).map(self.id)
            )
        }
        guard let found else {
            forget(id)
            return nil
        }
        (folders[id], inner[id]) = found
        return found
    }

    private func path(_ id: String) -> String { mount.documents + "/" + id }

    private func id(_ path: String) -> String { String(path.dropFirst(mount.documents.count + 1)) }

    private mutating func forget(_ id: String) {
        if !verdicts.isEmpty { verdicts = verdicts.filter { !$0.key.hasPrefix(id + "/") } }
        inner[id] = nil
        if let folder = folders.removeValue(forKey: id) { notifications.forget(folder.watch) }
    }

    /// The keys are those of `page.js`.
    func status() throws -> [String: String] {
        let state = StateText(try whole.text())
        func action(_ key: String) -> String { state[key] == "-" ? "" : state[key] ?? "" }
        var status = [
            "mountpoint": mount.mountpoint, "connection": state["cloud.connection"] ?? "",
            "pending": state["cloud.pending"] ?? "0", "conflicts": state["cloud.conflicts"] ?? "0",
            "undo": action("undo"), "redo": action("redo"), "preferred": state["preferred"] ?? "",
        ]
        status["unsent"] = state["cloud.unsent"]
        status["problem"] = state["cloud.error"]
        status["room"] = state["cloud.room"]
        status["disk"] = state["store.error"]
        status["findings"] = state["check.findings"]
        status["trash"] = state["trash"]?.prefix { $0 != " " }.description
        var disk = statvfs()
        if statvfs(mount.documents, &disk) == 0 {
            let (free, isTooMuch) = UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
            status["free"] = String(isTooMuch ? UInt64(Int64.max) : free)
        }
        status["moving"] = state["preferred.moving"]
        let stayed = state.pairs.filter { $0.key == "preferred.stayed" }.map(\.value)
        if !stayed.isEmpty { status["stayed"] = stayed.joined(separator: "\n") }
        return status
    }

    // MARK: Waiting

    /// Waits until something has changed, a byte can be read from `wake`, or the deadline has passed.
    mutating func wait(or wake: Int32, until deadline: ContinuousClock.Instant?) throws -> News {
        let followed = Array(folders)
        let ready = try Polling.wait(
            for: [
                .init(descriptor: wake, events: POLLIN), .init(descriptor: notifications.descriptor, events: POLLIN),
                .init(descriptor: whole.descriptor, events: POLLPRI),
            ] + followed.map { .init(descriptor: $0.value.state.descriptor, events: POLLPRI) }, until: deadline)
        var news = News()
        news.changesRows = ready.contains { $0 == 0 || $0 > 2 }
        news.changesStatus = ready.contains(2)
        if ready.contains(0) { Self.drain(wake) }
        let changed = ready.filter { $0 > 2 }.map { followed[$0 - 3] }
        // First what inotify says: a folder that has gone is not looked at, whatever has its name now.
        if ready.contains(1) { try hear(&news) }
        if filter != nil, !news.touched.isEmpty {
            for id in news.touched { verdicts[id] = nil }
            news.changesRows = true
        }
        for (id, folder) in changed where folders[id] === folder {
            inner[id] = nil
            // Where its state cannot be read any more, the next rows open what stands there.
            do { folder.lines = try folder.readLines() } catch { forget(id) }
        }
        return news
    }

    private static func drain(_ pipe: Int32) {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(pipe, &bytes, bytes.count) == bytes.count {}
    }

    private mutating func hear(_ news: inout News) throws {
        for event in try notifications.events() {
            switch event {
            case .folderCame(let watch, let name), .folderWent(let watch, let name):
                guard let parent = id(watch) else { continue }
                news.changesRows = true
                let gone = parent + "/" + name
                news.gone.insert(gone)
                inner[parent] = nil
                // At once: somebody may open the row of that name before the rows are made anew.
                for id in Array(folders.keys) where id == gone || id.hasPrefix(gone + "/") { forget(id) }
            case .touched(let watch, let name):
                guard let parent = id(watch),
                    let filename = attributeText("user.document.filename", of: path(parent + "/" + name))
                else { continue }
                news.touched.insert(parent + "/" + filename)
            case .folderTouched(let watch, let name):
                if let parent = id(watch) { news.touched.insert(parent + "/" + name) }
            case .overflow:
                news.changesRows = true
                // Anything may have happened: everything is opened anew.
                verdicts = [:]
                for (id, folder) in folders { news.touched.formUnion(folder.lines.map { id + "/" + $0.filename }) }
                for id in Array(folders.keys) { forget(id) }
            }
        }
    }

    private func id(_ watch: Int32) -> String? { folders.first { $0.value.watch == watch }?.key }
}
