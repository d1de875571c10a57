import Documents

/// Folders of which every name is cached, so that no query is needed to find out that a name is unused. Creating a file begins
/// with such a lookup. Only hashes are kept: a missing hash proves that the name is unused, a present one proves nothing.
struct CompleteFolders {
    /// About 16 bytes each.
    private static let mostNames = 262_144

    private var names: [InodeNumber: Set<Int>] = [:]
    /// The number of names and folders.
    private var count = 0

    /// Call this when a folder was created: it is empty.
    mutating func insertEmpty(_ folder: InodeNumber) {
        names[folder] = []
        count += 1
        keepBounded()
    }

    /// Call this when an entry was inserted or changed. Names that it loses, or that are deleted, may stay.
    mutating func add(_ entry: Entry) {
        guard names[entry.parent] != nil else { return }
        add(entry.filename, to: entry.parent)
        if let name = entry.name { add(name.full, to: entry.parent) }
        keepBounded()
    }

    private mutating func keepBounded() {
        if count > Self.mostNames { self = CompleteFolders() }
    }

    private mutating func add(_ name: String, to folder: InodeNumber) {
        if names[folder]?.insert(ExactName(name).hashValue).inserted == true { count += 1 }
    }

    /// Call this when a folder was deleted or changed.
    mutating func forget(_ inode: InodeNumber) {
        guard let forgotten = names.removeValue(forKey: inode) else { return }
        count -= forgotten.count + 1
    }

    /// Whether it is certain that no entry of a folder has the name.
    func lacks(_ name: ExactName, in folder: InodeNumber) -> Bool {
        names[folder].map { !$0.contains(name.hashValue) } ?? false
    }
}
