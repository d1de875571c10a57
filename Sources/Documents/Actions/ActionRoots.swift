/// Finds the folder in which all entries of an action lie, while the action goes on: `rm -r` removes the entries of a folder before the
/// folder, `cp -r` makes them after it.
public struct ActionRoots<Folder: Hashable & Sendable>: Sendable {
    /// How many entries of the action lie in each folder that is not a part of it, nor inside a folder that is.
    private var outer: [Folder: Int] = [:]
    /// Folders that the action made.
    private var made: Set<Folder> = []
    /// The last folder of the action that lies in none of the others.
    private var last: ActionSubject?

    public init() {}

    /// A folder, or something else, was removed.
    ///
    /// - Parameter inode: of the entry itself.
    public mutating func addRemoved(_ subject: ActionSubject, _ inode: Folder, in folder: Folder) {
        if subject.kind == .folder { outer[inode] = nil }
        add(subject, in: folder)
    }

    public mutating func addMade(_ subject: ActionSubject, _ inode: Folder, in folder: Folder) {
        if subject.kind == .folder { made.insert(inode) }
        if !made.contains(folder) { add(subject, in: folder) }
    }

    private mutating func add(_ subject: ActionSubject, in folder: Folder) {
        outer[folder, default: 0] += 1
        last = subject.kind == .folder ? subject : nil
    }

    /// Nil if the entries lie in no one folder of the action.
    public var whole: ActionSubject? { outer.count == 1 && outer.values.first == 1 ? last : nil }
}
