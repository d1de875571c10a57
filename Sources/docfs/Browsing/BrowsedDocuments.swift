import Browse
import CLinux
import Documents
import Glibc
import SystemPackage

/// Does in the mount what a page asks for, through its files and attributes, as the other commands do.
final class BrowsedDocuments: BrowsedMount {
    private let mount: MountedTree
    private let follower: TableFollower

    init(_ mount: MountedTree, _ follower: TableFollower) {
        self.mount = mount
        self.follower = follower
    }

    func toggle(_ row: TableRow) { if row.kind != .document { follower.toggle(row.id) } }

    private func path(_ row: TableRow) -> String { mount.documents + "/" + row.id }

    // MARK: Details

    func details(of rows: [TableRow]) -> [RowDetails] { rows.map(details) }

    private func details(of row: TableRow) -> RowDetails {
        var details = RowDetails()
        guard row.kind == .document else {
            if attributeText(CloudDocument.keep, of: path(row)) == "always" {
                details.kept = true
                details.words = [DocumentWords.Word.kept.rawValue]
            }
            return details
        }
        guard let line = FolderStateLine(text: row.state) else { return details }
        let document = ListedDocument(line, path: path(row), .all)
        details.name = document.displayName
        details.kind = document.pathExtension
        details.size = document.size
        details.modified = document.modified
        details.indicator = line.indicator
        details.words = document.words.words.map(\.rawValue)
        details.isHere = line.isHere
        details.progress = document.progress
        details.kept = document.isKept ? true : nil
        details.filename = line.filename
        return details
    }

    // MARK: Actions

    func perform(_ action: BrowseAction) throws(BrowseRefusal) {
        do { try carryOut(action) } catch {
            throw (error as? BrowseRefusal) ?? BrowseRefusal((error as? CommandFailure)?.message ?? "\(error)")
        }
    }

    private func carryOut(_ action: BrowseAction) throws {
        switch action {
        case .undo: _ = try mount.perform(.undo)
        case .redo: _ = try mount.perform(.redo)
        case .download(let row):
            for document in try CloudDocument.all(at: path(row)) {
                if let error = document.requestContent() { throw BrowseRefusal(document.refusal(of: error)) }
            }
        case .freeUp(let row):
            for document in try CloudDocument.all(at: path(row)) {
                if let reason = document.evict() { throw BrowseRefusal(document.refusal(toLeaveBecause: reason)) }
            }
        case .keep(let row, true): try CloudDocument(path: path(row)).beKept()
        case .keep(let row, false): try CloudDocument(path: path(row)).beReleased()
        case .rename(let row, let name): try rename(row, to: name)
        case .delete(let row):
            guard row.kind == .document else { throw refusal(row, "only documents are deleted here") }
            if unlink(path(row)) != 0 { throw refusal(row, Self.lastError) }
        }
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

    // MARK: Contents

    /// The path is resolved below `Documents` and follows no link.
    func open(_ row: TableRow) throws(BrowseRefusal) -> OpenContent {
        guard row.kind == .document else { throw refusal(row, "it is no document") }
        let folder = Glibc.open(mount.documents, O_PATH | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw refusal(row, Self.lastError) }
        defer { close(folder) }
        let file = docfs_open_beneath(folder, row.id, UInt64(O_RDONLY | O_CLOEXEC | O_NOFOLLOW))
        guard file >= 0 else { throw refusal(row, Self.lastError) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw refusal(row, "it is no document")
        }
        let name = CloudDocument(path: path(row)).shownPath.split(separator: "/").last.map(String.init) ?? row.name
        return OpenContent(file: FileDescriptor(rawValue: file), size: Int64(status.st_size), name: name)
    }
}
