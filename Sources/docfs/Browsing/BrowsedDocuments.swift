import Browse
import CLinux
import Documents
import Foundation
import Glibc
import SystemPackage

/// Does in the mount what a page asks for, through its files and attributes, as the other commands do.
final class BrowsedDocuments: BrowsedMount {
    private let mount: MountedTree
    private let follower: TableFollower
    private let abandoned = AbandonedDocuments()

    init(_ mount: MountedTree, _ follower: TableFollower) {
        self.mount = mount
        self.follower = follower
    }

    func toggle(_ row: TableRow) { if row.kind == .section || row.kind == .folder { follower.toggle(row.id) } }

    func setEditing(_ isEditing: Bool) { follower.setEditing(isEditing) }

    func setFilter(_ text: String) throws(BrowseRefusal) {
        do throws(QueryError) { try follower.setFilter(text) } catch { throw BrowseRefusal("\(error)") }
    }

    private func path(_ row: TableRow) -> String { mount.documents + "/" + row.id }

    // MARK: Details

    func details(of rows: [TableRow]) -> [RowDetails] {
        rows.map { follower.prepared($0) ?? RowDetails(of: $0, at: path($0)) }
    }

    // MARK: Actions

    func perform(_ action: BrowseAction) throws(BrowseRefusal) {
        try refusing { try carryOut(action) }
    }

    /// Whatever is thrown becomes one line for a person.
    private func refusing<Value>(_ body: () throws -> Value) throws(BrowseRefusal) -> Value {
        do { return try body() } catch {
            throw (error as? BrowseRefusal) ?? BrowseRefusal((error as? CommandFailure)?.message ?? "\(error)")
        }
    }

    private func carryOut(_ action: BrowseAction) throws {
        switch action {
        case .undo(let count): try perform(.undo, count)
        case .redo(let count): try perform(.redo, count)
        case .restoreFromTrash(let key): try restoreFromTrash(key)
        case .emptyTrash: try mount.emptyTrash()
        case .prefer(let cloud): try mount.prefer(cloud ? .cloud : .local)
        case .open(let row):
            try DesktopProgram.open(CloudDocument(path: path(row)).shownPath, called: row.name.printable)
        case .download(let rows):
            for document in try rows.flatMap({ try CloudDocument.all(at: path($0)) }) {
                if let error = document.requestContent() { throw BrowseRefusal(document.refusal(of: error)) }
            }
        case .freeUp(let rows):
            for document in try rows.flatMap({ try CloudDocument.all(at: path($0)) }) {
                if let reason = document.evict() { throw BrowseRefusal(document.refusal(toLeaveBecause: reason)) }
            }
        case .keep(let rows, true): for row in rows { try CloudDocument(path: path(row)).beKept() }
        case .keep(let rows, false): for row in rows { try CloudDocument(path: path(row)).beReleased() }
        case .rename(let row, let name): try rename(row, to: name)
        case .resolve(let row, let choice, let seen): try resolve(row, choice, seen)
        case .restore(let row, let version): try restore(row, version)
        case .delete(let rows): for row in rows { try delete(row) }
        case .move(let rows, let folder): for row in rows { try move(row, into: folder) }
        case .place(let rows, let document, let side): try place(rows, beside: document, side)
        case .create(let folder, let name): try create(name, in: folder)
        }
    }

    private func perform(_ direction: ActionDirection, _ actions: ActionCount) throws {
        if let last = actions.last {
            let listed = try mount.actions(direction).dropFirst(actions.count - 1).first
            guard listed?.name == last.name, listed?.time == last.time else {
                throw BrowseRefusal("something else was done meanwhile; look at the list again")
            }
        }
        for _ in 0..<actions.count { _ = try mount.perform(direction) }
    }

    private func resolve(_ row: TableRow, _ choice: ConflictChoice, _ seen: SeenContents) throws {
        let versions = try DocumentVersions(of: path(row))
        var status = stat()
        guard stat(versions.path, &status) == 0 else { throw refusal(row, Self.lastError) }
        let present = SeenContents(
            conflicts: Set(versions.conflicts.map(\.name)), size: Int64(status.st_size),
            modified: status.st_mtim.tv_sec)
        guard present == seen else { throw refusal(row, "it has changed meanwhile; look at it again") }
        switch choice {
        case .current: try Resolving(versions).keepCurrent()
        case .all: _ = try Resolving(versions).keepAll()
        case .version(let name): try Resolving(versions).keep(try versions.version(.conflict, name))
        }
    }

    private func restore(_ row: TableRow, _ version: VersionReference) throws {
        let versions = try DocumentVersions(of: path(row))
        let chosen = try versions.version(version.kind.listed, version.name)
        if chosen.kind == .version { try waitUntilHere(row) }
        try versions.restore(chosen)
    }

    /// Reading to its end fetches all of it.
    private func waitUntilHere(_ row: TableRow) throws {
        if CloudDocument(path: path(row)).isCurrent { return }
        let content = try open(row, nil)
        // It was open for reading: nothing can be lost.
        defer { try? content.file.close() }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while try buffer.withUnsafeMutableBytes({ try content.file.read(into: $0) }) > 0 {}
    }

    private func restoreFromTrash(_ key: String) throws {
        guard let document = try mount.trash().first(where: { $0.key == key }) else {
            throw BrowseRefusal("it is no longer in the trash")
        }
        try mount.restoreFromTrash(document)
    }

    private func delete(_ row: TableRow) throws {
        guard row.kind == .document || row.kind == .folder else { throw refusal(row, "it stays") }
        do { try FileManager.default.removeItem(atPath: path(row)) } catch {
            throw refusal(row, Self.reason(of: error))
        }
    }

    private static func reason(of error: any Error) -> String {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        return underlying.map { String(cString: strerror(Int32($0.code))) } ?? "\(error)"
    }

    private func move(_ row: TableRow, into folder: TableRow) throws {
        guard row.kind == .document || row.kind == .folder else { throw refusal(row, "it keeps its place") }
        guard folder.kind == .section || folder.kind == .folder else { throw refusal(folder, "it is no folder") }
        var entry = try EntryPath(path(row), called: row.name.printable)
        if entry.folder == path(folder) { return try entry.place(.to(Int.max)) }
        try entry.move(to: path(folder))
    }

    private func place(_ rows: [TableRow], beside document: TableRow, _ side: DropTarget.Side) throws {
        let neighbour = try EntryPath(path(document))
        var entries: [EntryPath] = []
        for row in rows where row.id != document.id {
            var entry = try EntryPath(path(row), called: row.name.printable)
            try entry.requireNoSorting(of: neighbour.folder)
            try entry.move(to: neighbour.folder)
            entries.append(entry)
        }
        if entries.count == 1 {
            return try entries[0].place(side == .before ? .before(neighbour.name) : .after(neighbour.name))
        }
        try FolderOrderFile(of: neighbour.folder).put(entries.map(\.name), side == .before, neighbour.name)
    }

    /// A name without an extension is that of a text.
    private func create(_ name: String, in folder: TableRow) throws {
        guard folder.kind == .section || folder.kind == .folder else { throw refusal(folder, "it is no folder") }
        let name = DocumentName(splitting: try EntryName(name))
        let pathExtension = name.pathExtension.isEmpty ? "txt" : name.pathExtension
        _ = try NewDocument(name: name.displayName, pathExtension: pathExtension).make(in: path(folder))
    }

    private func rename(_ row: TableRow, to name: String) throws {
        guard row.kind != .section else { throw refusal(row, "it keeps its name") }
        if row.kind == .document {
            let value = Array(name.utf8)
            if setxattr(path(row), "user.displayName", value, value.count, 0) != 0 {
                throw refusal(row, Self.lastError)
            }
            return
        }
        let parent = path(row).lastIndex(of: "/").map { String(path(row)[..<$0]) } ?? ""
        guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
            throw refusal(row, "that is no name")
        }
        if renameat2(AT_FDCWD, path(row), AT_FDCWD, parent + "/" + name, RENAME_NOREPLACE) != 0 {
            throw refusal(row, Self.lastError)
        }
    }

    private static var lastError: String { String(cString: strerror(errno)) }

    private func refusal(_ row: TableRow, _ reason: String) -> BrowseRefusal {
        BrowseRefusal("\(row.name.printable): \(reason)")
    }

    // MARK: One document

    func facts(of row: TableRow) throws(BrowseRefusal) -> DocumentFacts {
        guard row.kind == .document else { throw refusal(row, "it is no document") }
        return try refusing {
            try DocumentFacts(
                DocumentVersions(of: path(row)), name: shownName(row), on: DeviceNames(of: path(row)))
        }
    }

    private func shownName(_ row: TableRow) -> String {
        CloudDocument(path: path(row)).shownPath.split(separator: "/").last.map(String.init) ?? row.name
    }

    // MARK: What was done

    func history() throws(BrowseRefusal) -> History {
        func shown(_ actions: [ListedAction]) -> [History.Action] {
            actions.map { History.Action(name: $0.name, time: $0.time, place: $0.place) }
        }
        return try refusing {
            History(
                undo: shown(try mount.actions(.undo)), redo: shown(try mount.actions(.redo)),
                trash: try mount.trash().map {
                    History.Deleted(
                        key: $0.key, name: $0.name, place: $0.place, time: $0.deleted, device: $0.device, size: $0.size)
                })
        }
    }

    // MARK: Contents

    func receive(_ name: IncomingName, into folder: String) throws(BrowseRefusal) -> any IncomingDocument {
        try ReceivedDocument(name, into: folder, of: mount.documents, abandoned)
    }

    func open(_ row: TableRow, _ version: VersionReference?) throws(BrowseRefusal) -> OpenContent {
        guard row.kind == .document else { throw refusal(row, "it is no document") }
        return try open(
            row.id + (version.map { "." + $0.text } ?? ""), called: row.name.printable,
            savedAs: version?.name ?? shownName(row))
    }

    func archive(of rows: [TableRow]) throws(BrowseRefusal) -> ArchivedDocuments {
        try refusing {
            try ArchivedDocuments(rows, of: mount) { [self] path, name throws(BrowseRefusal) in
                try open(path, called: name.printable, savedAs: name)
            }
        }
    }

    /// The path is resolved below `Documents` and follows no link.
    private func open(
        _ path: String, called title: String, savedAs name: String
    ) throws(BrowseRefusal) -> OpenContent {
        let folder = Glibc.open(mount.documents, O_PATH | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw BrowseRefusal("\(title): \(Self.lastError)") }
        defer { close(folder) }
        let file = docfs_open_beneath(folder, path, UInt64(O_RDONLY | O_CLOEXEC | O_NOFOLLOW))
        guard file >= 0 else { throw BrowseRefusal("\(title): \(Self.lastError)") }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw BrowseRefusal("\(title): it is no document")
        }
        return OpenContent(file: FileDescriptor(rawValue: file), size: Int64(status.st_size), name: name)
    }
}
