import Catalog
import Documents

/// The names in `MOUNT/.Trash-UID`, and what they mean. Names and numbers stay until the mount ends.
struct TrashTable {
    /// A document or folder in the trash.
    struct Item {
        /// From `files` on.
        let path: String
        let trashed: Trashed
        /// What lies in it: paths.
        var contents: [String] = []
    }

    struct Items {
        fileprivate(set) var byPath: [String: Item] = [:]
        /// The names in `files`.
        fileprivate(set) var labels: [String] = []

        /// An item and all that lies in it, at any depth, each folder before what lies in it.
        func all(from item: Item) -> [Trashed] {
            var found: [Trashed] = []
            var rest = [item]
            while let next = rest.popLast() {
                found.append(next.trashed)
                rest += next.contents.compactMap { byPath[$0] }
            }
            return found
        }

        /// - Returns: the path of the folder that it lay in; nil if it lay in `files`, or was not there.
        fileprivate mutating func remove(_ path: String) -> String? {
            guard byPath.removeValue(forKey: path) != nil else { return nil }
            guard let end = path.lastIndex(of: "/") else {
                labels.removeAll { $0 == path }
                return nil
            }
            let folder = String(path[..<end])
            byPath[folder]?.contents.removeAll { $0 == path }
            return folder
        }
    }

    /// A name in its folder.
    private struct Label {
        let name: String
        /// The folder in the trash; nil for `files`.
        let folder: Trashed.Source?
    }

    /// Those that programs chose for what they threw away, others after the documents.
    private var labels: [Trashed.Source: Label] = [:]
    private var numbers: [String: Int64] = [:]
    private var paths: [String] = []
    private var known: (asOf: Int, items: Items)?
    /// Labels of which only the file in `info` exists: before something is moved to `files`, and after it has left.
    private(set) var announced: Set<String> = []
    /// Folders whose last item was removed in them. They are not listed, and wait for rmdir(2).
    private(set) var emptied: Set<String> = []

    // MARK: Items

    /// - Parameter count: of writes to the catalog.
    func items(asOf count: Int) -> Items? { known?.asOf == count ? known?.items : nil }

    mutating func setItems(_ tree: TrashTree, asOf count: Int) -> Items {
        var items = Items()
        let former = labels
        labels = [:]
        var folders: [(source: Trashed.Source?, path: String?)] = [(nil, nil)]
        while let folder = folders.popLast() {
            for (label, trashed) in label(tree.contents(of: folder.source), in: folder.source, former) {
                let path = folder.path.map { "\($0)/\(label)" } ?? label
                items.byPath[path] = Item(path: path, trashed: trashed)
                if let above = folder.path {
                    items.byPath[above]?.contents.append(path)
                } else {
                    items.labels.append(label)
                }
                if trashed.isFolder { folders.append((trashed.source, path)) }
            }
        }
        emptied = emptied.filter { items.byPath[$0] == nil }
        known = (count, items)
        return items
    }

    /// Gives labels to those of a folder that have none in it, in this order.
    private mutating func label(
        _ siblings: [Trashed], in folder: Trashed.Source?, _ former: [Trashed.Source: Label]
    ) -> [(String, Trashed)] {
        var taken = folder == nil ? announced : []
        for trashed in siblings {
            guard let label = former[trashed.source], label.folder == folder, taken.insert(label.name).inserted else {
                continue
            }
            labels[trashed.source] = label
        }
        // How many have a name, so that many alike are numbered at once.
        var numbers: [String: Int] = [:]
        return siblings.map { trashed in
            if let label = labels[trashed.source] { return (label.name, trashed) }
            let name = trashed.label(1)
            var number = numbers[name] ?? 1
            while !taken.insert(trashed.label(number)).inserted { number += 1 }
            numbers[name] = number
            labels[trashed.source] = Label(name: trashed.label(number), folder: folder)
            return (trashed.label(number), trashed)
        }
    }

    // MARK: Numbers

    /// The number of a path, for the kernel.
    mutating func number(_ path: String) -> Int64 {
        if let number = numbers[path] { return number }
        paths.append(path)
        numbers[path] = Int64(paths.count)
        return Int64(paths.count)
    }

    func path(_ number: Int64) -> String? {
        paths.indices.contains(Int(number) - 1) ? paths[Int(number) - 1] : nil
    }

    // MARK: Throwing away and taking out

    /// - Returns: false where it is announced already.
    mutating func announce(_ label: String) -> Bool { announced.insert(label).inserted }

    /// - Returns: false where it was not announced.
    mutating func withdraw(_ label: String) -> Bool { announced.remove(label) != nil }

    /// Something was moved to `files`, under a label that was announced or not.
    mutating func throwAway(_ source: Trashed.Source?, as label: String) {
        announced.remove(label)
        if let source { labels[source] = Label(name: label, folder: nil) }
        known = nil
    }

    /// An item has left. The file in `info` stays until it is removed, and a folder that is empty by that until rmdir(2).
    ///
    /// - Parameter count: of writes to the catalog, the one by which it left among them. What is known is still so if that was the only one.
    mutating func takeOut(_ path: String, asOf count: Int) {
        if !path.contains("/") { announced.insert(path) }
        let isKnown = known?.asOf == count - 1
        known?.asOf = count
        var path = path
        // Folders are there for what lies in them.
        while let folder = known?.items.remove(path) {
            guard let item = known?.items.byPath[folder], item.contents.isEmpty, !item.trashed.standsAlone else {
                break
            }
            emptied.insert(folder)
            path = folder
        }
        if !isKnown { known = nil }
    }

    /// - Returns: false where it is none that waits for rmdir(2).
    mutating func removeEmptied(_ path: String) -> Bool {
        guard emptied.remove(path) != nil else { return false }
        if !path.contains("/") { announced.insert(path) }
        return true
    }
}

extension Trashed {
    /// Its own name, with a number where others have it.
    fileprivate func label(_ number: Int) -> String {
        guard let name = step.entry.name else {
            return TrashInfo.label(forFolder: step.entry.filename, number: number)
        }
        return TrashInfo.label(for: name, number: number)
    }
}
