import Documents

/// Folders of which every name is known, so that a name which is none of theirs need not be looked for: it is
/// what each new file begins with. Kept are hashes; that a name's is there proves nothing.
struct WholeFolders {
    /// 16 bytes or so each.
    private static let mostNames = 262_144

    private var names: [InodeNumber: Set<Int>] = [:]
    /// Of names and folders.
    private var count = 0

    /// A folder was made: it has no entries.
    mutating func begin(_ folder: InodeNumber) {
        names[folder] = []
        count += 1
        keepBounded()
    }

    /// An entry bears its names now. That it bore others before, or is removed later, makes no difference.
    mutating func add(_ entry: Entry) {
        guard names[entry.parent] != nil else { return }
        add(entry.filename, to: entry.parent)
        if let name = entry.name { add(name.full, to: entry.parent) }
        keepBounded()
    }

    private mutating func keepBounded() {
        if count > Self.mostNames { self = WholeFolders() }
    }

    private mutating func add(_ name: String, to folder: InodeNumber) {
        if names[folder]?.insert(ExactName(name).hashValue).inserted == true { count += 1 }
    }

    /// The number means no folder any more.
    mutating func forget(_ inode: InodeNumber) {
        guard let forgotten = names.removeValue(forKey: inode) else { return }
        count -= forgotten.count + 1
    }

    /// Whether it is certain that no entry of a folder bears a name.
    func lack(_ name: ExactName, in folder: InodeNumber) -> Bool {
        names[folder].map { !$0.contains(name.hashValue) } ?? false
    }
}
