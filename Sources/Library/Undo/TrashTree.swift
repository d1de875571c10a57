import Catalog
import Documents

/// What is in the trash, as file managers show it: what one action removed with its folder lies in that folder.
struct TrashTree {
    /// What lies directly in a folder of the trash, or in `files` itself, the oldest removal first.
    private let contents: [Trashed.Source?: [Trashed]]

    /// - Parameters:
    ///   - documents: that are in the trash, the latest removal first.
    ///   - folders: that were removed, the latest first.
    init(documents: [Trashed], folders: [Trashed]) {
        var byID: [FolderKey: Trashed] = [:]
        for folder in folders { byID[FolderKey(action: folder.step.action, id: folder.step.entry.id)] = folder }
        func home(_ trashed: Trashed) -> Trashed? {
            trashed.step.folder.flatMap { byID[FolderKey(action: trashed.step.action, id: $0)] }
        }
        var holding: Set<Trashed.Source> = []
        for document in documents {
            var folder = home(document)
            // What is above a folder that was met is known: so a damaged list, with a folder in itself, ends as well.
            while let next = folder, holding.insert(next.source).inserted { folder = home(next) }
        }
        let shown = folders.filter { $0.standsAlone || holding.contains($0.source) }
        var contents: [Trashed.Source?: [Trashed]] = [:]
        for trashed in (shown + documents).reversed() {
            contents[home(trashed)?.source, default: []].append(trashed)
        }
        self.contents = contents
    }

    private struct FolderKey: Hashable {
        let action: Int64
        let id: EntryID?
    }

    /// - Parameter folder: nil for `files`.
    func contents(of folder: Trashed.Source?) -> [Trashed] { contents[folder] ?? [] }
}
