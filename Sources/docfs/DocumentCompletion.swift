import ArgumentParser
import Glibc

extension CompletionKind {
    /// Names of documents, as people call them, and of folders and files.
    static var documents: CompletionKind {
        .custom { _, _, prefix in DocumentCompletion.candidates(for: prefix.unquotedWord) }
    }
}

/// The completions that a shell offers for a path that is typed in part.
enum DocumentCompletion {
    /// A shell cannot show an error: where a folder cannot be read, nothing is offered.
    static func candidates(for prefix: String) -> [String] {
        let slash = prefix.lastIndex(of: "/")
        let folder = slash.map { String(prefix[...$0]) } ?? ""
        let begun = slash.map { String(prefix[prefix.index(after: $0)...]) } ?? prefix
        let place = folder.isEmpty ? "." : folder
        guard let entries = try? FolderContent.entries(of: place) else { return [] }
        let isInMount = (try? MountedTree(holding: place)) != nil
        let lines = isInMount ? (try? FolderStateLine.read(place)) ?? [] : []
        return offers(entries, lines, begun: begun) { access(place + "/" + $0, F_OK) == 0 }.map { folder + $0 }
    }

    /// - Parameters:
    ///   - entries: as the folder lists them.
    ///   - begun: the beginning of a name.
    ///   - resolves: whether a name means something in the folder. The extension of a document's name can differ from that of its filename.
    static func offers(
        _ entries: [FolderContent.Entry], _ lines: [FolderStateLine], begun: String, resolves: (String) -> Bool
    ) -> [String] {
        let displayNames = Dictionary(lines.map { ($0.filename, $0.displayName) }) { first, _ in first }
        var offered = Set<String>()
        return entries.compactMap { entry in
            if let displayName = displayNames[entry.name] {
                let pathExtension = entry.name.lastIndex(of: ".").map { String(entry.name[$0...]) } ?? ""
                let name = displayName + pathExtension
                // A name that two documents have means the first of them. The second is offered by its filename.
                // A shell reads one name a line, so that a name with a line feed is left to the filename, too.
                let isUsable = isBegun(name, begun) && name.printable == name && resolves(name)
                if isUsable, offered.insert(name).inserted { return name }
            }
            return isBegun(entry.name, begun) ? entry.name + (entry.isFolder ? "/" : "") : nil
        }
    }

    /// Names that begin with a dot are offered to those who type the dot.
    private static func isBegun(_ name: String, _ begun: String) -> Bool {
        name.hasPrefix(begun) && (begun.hasPrefix(".") || !name.hasPrefix("."))
    }
}
