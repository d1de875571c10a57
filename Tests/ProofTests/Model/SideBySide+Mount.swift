import Glibc
import MountSupport
import SystemPackage

/// What only a mount of docfs has, with what it means for the plain folder.
extension SideBySide {
    func beginListing(_ place: Place) throws {
        try listing?.read(.max)
        listing = nil
        guard place.path != "..", let seen = mount.path(place), let expected = plain.path(place), expected.isFolder
        else { return }
        listing = try ListingUnderWay(mount: seen, plain: expected, ledger, showsDisplayNames: showsDisplayNames)
    }

    /// A document of the plain folder, by a path that is no link.
    private func document(_ place: Place) -> (entry: Ledger.Entry, path: TreePath)? {
        guard let path = plain.path(place), path.name != nil, let entry = ledger.entry(path),
            ledger.documents[entry.inode] != nil
        else { return nil }
        return (entry, path)
    }

    /// *`setfattr -n user.displayName` sets the display name of F*, which the plain folder has as a name.
    func setDisplayName(_ place: Place, _ name: String) throws {
        guard let (entry, path) = document(place), let seen = mount.path(place) else { return }
        let newName = DocumentNames.split(entry.name).pathExtension.map { "\(name).\($0)" } ?? name
        let newPath = path.folder / newName
        // A name that two documents bear means the one created first; and a document that has its name as its filename keeps that.
        if newPath.exists { return }
        if try seen.filename() == entry.name { return }
        let named: Outcome<Void> = outcome { try seen.setAttribute("user.displayName", Array(name.utf8)) }
        try require(named.description, "()", "naming \(place) \(name)")
        try path.rename(to: newPath)
        // Naming by an attribute is no change of the folder; whether its time moves is left open.
        let parts = place.path.split(separator: "/").dropLast()
        let folder = Place(parts.joined(separator: "/"), folder: place.folder)
        for session in [mount, plain] { _ = session.setModified(folder, 1_000_000_001) }
        let newPlace = Place((parts + [Substring(newName)]).joined(separator: "/"), folder: place.folder)
        for place in [place, newPlace] { try compareEntry(place) }
    }

    /// *Moving a document by its filename keeps its display name.*
    func moveByFilename(_ place: Place, _ folder: String) throws {
        guard let (entry, path) = document(place), let seen = mount.path(place) else { return }
        let filename = try seen.filename()
        let target = Place(folder.isEmpty ? entry.name : "\(folder)/\(entry.name)")
        guard filename != entry.name, let newPath = plain.path(target), !newPath.exists,
            newPath.folder.isFolder, let newSeen = mount.path(target)
        else { return }
        let moved: Outcome<Void> = outcome {
            try (seen.folder / filename).rename(to: newSeen.folder / filename)
        }
        try require(moved.description, "()", "moving \(place) by its filename to \(target)")
        try path.rename(to: newPath)
        try ledger.renamed(entry, to: newPath, over: nil, isByFilename: true)
        try compareTouched(.rename(source: place, target: target, flags: 0))
        try require(outcome { try newSeen.filename() }, .value(filename), "the filename of \(target)")
    }

    /// *A folder migrates with all that it holds. Programs that have a document open keep using it.*
    func migrate() throws {
        let other = container == "local" ? "cloud" : "local"
        let root = documentsFolder / other / name
        try require(outcome { try mount.root.rename(to: root) }.description, "()", "moving the tree to \(other)")
        mount.root = root
        container = other
        try compareAll()
    }

    /// What the state of each document says of it.
    func compareStates() throws {
        func visit(_ folder: TreePath, _ plain: TreePath) throws {
            for entry in try plain.entries() {
                let (path, plainPath) = (folder / entry.name, plain / entry.name)
                if entry.type == DT_DIR { try visit(path, plainPath) }
                guard ledger.documents[entry.inode] != nil else { continue }
                let stem = DocumentNames.split(entry.name).stem
                let expected = "\(container), \(try plainPath.linkStatus().st_size) bytes, \(stem)"
                let seen = outcome {
                    let state = try FilePath(path.string).state()
                    return "\(state["location"] ?? ""), \(state["size"] ?? "") bytes, \(state["displayName"] ?? "")"
                }
                try require(seen, .value(expected), "the state of \(entry.name)")
            }
        }
        try visit(mount.root, plain.root)
    }
}
