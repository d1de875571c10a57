/// A row of the table: the head of a section, a folder, or a document; in edit mode also one that takes the name of a new document.
package struct TableRow: Sendable, Equatable {
    package enum Kind: String, Sendable, Encodable { case section, folder, document, newDocument }

    /// The end of the id of a row for a new document, after that of its folder. No file has such a name.
    package static let newSuffix = "/"

    /// The path below `Documents`, by filenames: `local/Work/2026-11-21-041233-7f3a.txt`. No two rows have the same.
    package let id: String
    package let kind: Kind
    /// 0 for a section, 1 for what is in it, and so on.
    package let depth: Int
    /// The display name of a document, the name of a folder.
    package let name: String
    /// Whether what is in it follows. False for a document.
    package let isOpen: Bool
    /// The line of a document in the state of its folder; nothing for others.
    package let state: String

    /// The ids that do not lie in another one of them, as they stand.
    package static func outermost(_ ids: [String]) -> [String] {
        let all = Set(ids)
        return ids.filter { id in
            var above = Substring(id)
            while let slash = above.lastIndex(of: "/") {
                above = above[..<slash]
                if all.contains(String(above)) { return false }
            }
            return true
        }
    }

    /// The row for a new document in a section or folder.
    package init(forNewIn folder: String, depth: Int) {
        self.init(id: folder + Self.newSuffix, kind: .newDocument, depth: depth, name: "")
    }

    package init(id: String, kind: Kind, depth: Int, name: String, isOpen: Bool = false, state: String = "") {
        self.id = id
        self.kind = kind
        self.depth = depth
        self.name = name
        self.isOpen = isOpen
        self.state = state
    }
}
