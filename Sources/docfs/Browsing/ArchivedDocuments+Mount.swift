import Archives
import Browse
import Documents
import Foundation
import Glibc

extension ArchivedDocuments {
    /// Documents and folders of a mount, with all that is in these, under the names that people know. Scratch files and links are left out.
    ///
    /// - Parameter open: a document by its path from `Documents` on, under a name.
    /// - Throws: `BrowseRefusal` where a content is neither here nor can be fetched now.
    init(
        _ rows: [TableRow], of mount: MountedTree,
        open: @escaping @Sendable (_ path: String, _ name: String) throws(BrowseRefusal) -> OpenContent
    ) throws {
        let state = StateText(try readState(ofFolder: mount.documents))
        var collection = Collection(
            documents: mount.documents, isOnline: state["cloud.connection"] == "online", open: open)
        for row in rows {
            switch row.kind {
            case .section, .folder: try collection.add(folder: row.id, in: "")
            case .document:
                if let line = FolderStateLine(text: row.state) { try collection.add(line, row.id, in: "") }
            case .newDocument: break
            }
        }
        let name = rows.count == 1 ? rows[0].id.split(separator: "/").last.map(String.init) : nil
        self.init(name: (name ?? "Documents") + ".zip", items: collection.items)
    }

    private struct Collection {
        let documents: String
        let isOnline: Bool
        let open: @Sendable (String, String) throws(BrowseRefusal) -> OpenContent
        private(set) var items: [Item] = []
        /// The paths in the archive.
        private var taken: Set<String> = []

        init(
            documents: String, isOnline: Bool,
            open: @escaping @Sendable (String, String) throws(BrowseRefusal) -> OpenContent
        ) {
            self.documents = documents
            self.isOnline = isOnline
            self.open = open
        }

        /// - Parameter place: in the archive: empty, or with a slash at its end.
        mutating func add(folder id: String, in place: String) throws {
            let found = try DocumentTree.unlessGone(documents + "/" + id) { path in
                (
                    try FolderStateLine.read(path),
                    try DocumentTree.folders(in: path).map { String($0.dropFirst(path.count + 1)) }
                )
            }
            guard let (lines, folders) = found else { return }
            let name = id.split(separator: "/").last.map(String.init) ?? id
            let own = distinct(DocumentName(storedDisplayName: name, pathExtension: ""), in: place)
            items.append(.folder(entry(own, documents + "/" + id, isFolder: true)))
            for folder in folders { try add(folder: id + "/" + folder, in: own + "/") }
            for line in lines { try add(line, id + "/" + line.filename, in: own + "/") }
        }

        mutating func add(_ line: FolderStateLine, _ id: String, in place: String) throws {
            let document = ListedDocument(line, path: documents + "/" + id, .name)
            guard line.isHere || isOnline else {
                throw BrowseRefusal(
                    "\(document.fullName.printable) is in the cloud only, and the cloud cannot be reached")
            }
            let name = DocumentName(
                storedDisplayName: document.displayName, pathExtension: document.pathExtension ?? "")
            let path = distinct(name, in: place)
            let open = open
            items.append(
                .document(entry(path, document.path, isFolder: false)) { () throws(BrowseRefusal) in
                    try open(id, name.full)
                })
        }

        /// Two documents of one folder may have one name.
        private mutating func distinct(_ name: DocumentName, in place: String) -> String {
            let ending = name.pathExtension.isEmpty ? "" : "." + name.pathExtension
            var path = place + name.full
            var number = 1
            while !taken.insert(path).inserted {
                number += 1
                path = "\(place)\(name.displayName) (\(number))\(ending)"
            }
            return path
        }

        private func entry(_ name: String, _ path: String, isFolder: Bool) -> ZipArchive.Entry {
            var status = stat()
            // One that has gone meanwhile is met when it is opened.
            _ = stat(path, &status)
            var local = tm()
            localtime_r(&status.st_mtim.tv_sec, &local)
            return ZipArchive.Entry(
                path: name, isFolder: isFolder, size: isFolder ? 0 : Int64(status.st_size),
                modified: .init(
                    year: Int(local.tm_year) + 1900, month: Int(local.tm_mon) + 1, day: Int(local.tm_mday),
                    hour: Int(local.tm_hour), minute: Int(local.tm_min), second: Int(local.tm_sec)))
        }
    }
}
