import Glibc
import MountSupport
import SystemPackage

/// What is looked at after each step.
extension SideBySide {
    func compareTouched(_ operation: Operation) throws {
        switch operation {
        case .open(let slot, let place, let flags, _):
            try compareHandle(slot)
            try compareEntry(place)
            if flags & O_CREAT != 0 { try compareFolder(of: place) }
        case .rename(let source, let target, _):
            for place in [source, target] {
                try compareEntry(place)
                try compareFolder(of: place)
            }
        case .remove(let place), .makeFolder(let place, _), .removeFolder(let place), .makeLink(_, let place):
            try compareEntry(place)
            try compareFolder(of: place)
        case .truncate(let place, _), .setMode(let place, _), .setModified(let place, _),
            .setAttribute(let place, _, _, _),
            .removeAttribute(let place, _), .access(let place, _):
            try compareEntry(place)
        case .write(let slot, _, _), .resize(let slot, _), .allocate(let slot, _, _, _), .setModeOfHandle(let slot, _),
            .copyRange(_, let slot, _, _, _), .setAttributeOfHandle(let slot, _, _):
            try compareHandle(slot)
            if let file = plain.files[slot] { try compareEntry(file.place) }
        default: break
        }
    }

    /// Everything: each entry, each folder, each handle.
    func compareAll() throws {
        for slot in plain.files.indices { try compareHandle(slot) }
        func visit(_ folder: Place) throws {
            try compareEntry(folder)
            try compareListing(folder)
            for entry in try (plain.root / folder.path).entries() {
                let place = Place(folder.path.isEmpty ? entry.name : "\(folder.path)/\(entry.name)")
                if entry.type == DT_DIR { try visit(place) } else { try compareEntry(place) }
            }
        }
        try visit(Place(""))
    }

    private func compareHandle(_ slot: Int) throws {
        try require(
            outcome { try mount.look(atHandle: slot) }, outcome { try plain.look(atHandle: slot) }, "handle \(slot)")
        // Whether the file's path means the file still.
        guard let file = plain.files[slot], let seen = mount.path(file.place), let expected = plain.path(file.place)
        else { return }
        try require(
            mount.inode(ofHandle: slot) == seen.inode, plain.inode(ofHandle: slot) == expected.inode,
            "whether handle \(slot) is of \(file.place)")
    }

    func compareEntry(_ place: Place) throws {
        guard let seen = mount.path(place), let expected = plain.path(place) else { return }
        let identity = expected.inode.flatMap { ledger.documents[$0] }
        // Semantics, "Display names": where filenames are listed, so is this attribute of documents whose filename was generated.
        let listsName = !showsDisplayNames && identity != nil && (try? seen.filename()) != seen.name
        func look(_ path: TreePath) -> Outcome<Look> {
            outcome {
                var look = try path.look()
                if listsName, path == seen {
                    look.attributes["user.document.name"] = look.attributes["user.document.name"] == nil ? [] : nil
                }
                return look
            }
        }
        try require(look(seen), look(expected), "\(place)")
        guard let identity else { return }
        let id = outcome { try seen.identifier() }.description
        try require(id, ledger.ids[identity] ?? id, "the id of \(place)")
        if let other = ledger.ids.first(where: { $0.value == id && $0.key != identity }) {
            throw Difference(subject: "the id of \(place)", mount: id, plain: "not that of document \(other.key)")
        }
        ledger.ids[identity] = id
    }

    /// *Dotfiles, and everything inside a folder whose name starts with a dot, keep the name they were given as their filename.*
    func compareFilename(_ slot: Int, _ place: Place) throws {
        guard let file = plain.files[slot], let inode = plain.inode(ofHandle: slot),
            let identity = ledger.documents[inode], ledger.ids[identity] == nil, let seen = mount.path(place),
            let path = TreePath("/proc/self/fd/\(file.descriptor)").target, path.hasPrefix(plain.root.string + "/"),
            seen.name == TreePath(path).name
        else { return }
        let parts = path.dropFirst(plain.root.string.count).split(separator: "/")
        try require(
            outcome { try seen.filename() == seen.name }, .value(parts.contains { $0.hasPrefix(".") }),
            "whether \(place) keeps its name as its filename")
    }

    private func compareFolder(of place: Place) throws {
        let parts = place.path.split(separator: "/").dropLast()
        let folder = Place(parts.joined(separator: "/"), folder: place.folder)
        try compareEntry(folder)
        try compareListing(folder)
    }

    /// Names, types and order.
    private func compareListing(_ place: Place) throws {
        guard let seen = mount.path(place), let expected = plain.path(place),
            expected.isFolder
        else { return }
        let plainEntries = try expected.entries()
        let listed: [TreePath.Entry]
        do { listed = try seen.entries() } catch {
            throw Difference(subject: "the listing of \(place)", mount: "\(error)", plain: "\(plainEntries)")
        }
        var names: [String: TreePath.Entry] = [:]
        for entry in plainEntries { names[try listedName(entry, in: seen)] = entry }
        try require(
            listed.map { "\($0.name) \($0.type)" }.sorted(),
            names.map { "\($0.key) \($0.value.type)" }.sorted(), "the listing of \(place)")
        // *Documents stand in an order of their own, new ones last.*
        let places = listed.compactMap { entry in
            names[entry.name].flatMap { ledger.positions[$0.inode] }.map { (entry.name, $0) }
        }
        try require(places.map(\.0), places.sorted { $0.1 < $1.1 }.map(\.0), "the order of \(place)")
    }

    /// The name under which the mount lists what the plain folder lists as `entry`.
    func listedName(_ entry: TreePath.Entry, in folder: TreePath) throws -> String {
        if showsDisplayNames || ledger.documents[entry.inode] == nil { return entry.name }
        do { return try (folder / entry.name).filename() } catch {
            throw Difference(subject: "the filename of \(entry.name)", mount: "\(error)", plain: "a document")
        }
    }
}
