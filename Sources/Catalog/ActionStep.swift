import Documents

/// An action that can be undone or, if it was undone, done again.
public struct ActionRecord: Sendable, Equatable {
    /// Later actions have greater ids.
    public let id: Int64
    public var isUndone = false
    /// Of its last change.
    public var time: Timestamp
    public var name: ActionName

    public init(id: Int64, time: Timestamp, name: ActionName) {
        self.id = id
        self.time = time
        self.name = name
    }
}

/// One change of an action, with all that is needed to undo it. Undoing it turns it into the step that does it again.
public struct ActionStep: Sendable {
    public enum Change: Sendable, Equatable {
        /// The entry is gone, and `entry` is its row as it was last. Its inode number names its file in the trash.
        case removed
        /// The entry is in the tree: it was made, or is back. Of `entry` only the id has a meaning.
        case present
        /// The entry has another name or place. `entry` is its row as it was before.
        case placed
        /// The preferred location is another one; this is the one before. `entry` has no meaning.
        case preferred(Location)
        /// Somebody chose among the versions of the document. `entry` is its row as it was before.
        case chosen(VersionChoice)
        /// A version was restored, or an edit that was not sent was given up for one: the document has this content now. `entry` is its row as it
        /// was before, and its inode number names the former content in the trash.
        case restored(Fingerprint)
    }

    /// The leaves of a document before and after a choice, the current version first.
    public struct VersionChoice: Sendable, Equatable {
        public var before: [VersionID]
        public var after: [VersionID]

        public init(before: [VersionID], after: [VersionID]) {
            self.before = before
            self.after = after
        }

        /// The leaves that taking the choice back leads to.
        ///
        /// A choice that only discarded conflict versions can be taken back also after the document was edited: the versions are in conflict
        /// with the edit then.
        ///
        /// - Parameter leaves: of the document now.
        /// - Returns: nil if the leaves are others than those that the choice led to.
        public func takenBack(from leaves: [VersionID]) -> [VersionID]? {
            if before.first != after.first {
                return Self.areSame(leaves, after) ? before : nil
            }
            let (gone, back) = (Set(after).subtracting(before), before.filter { !after.contains($0) })
            guard gone.isSubset(of: leaves.dropFirst()), !leaves.contains(where: back.contains) else { return nil }
            return leaves.filter { !gone.contains($0) } + back
        }

        /// The order of conflict versions says nothing.
        public static func areSame(_ leaves: [VersionID], _ others: [VersionID]) -> Bool {
            leaves.first == others.first && Set(leaves) == Set(others)
        }
    }

    /// Where an entry stands, and under which names. The folder is nil for `local`.
    public struct Place: Sendable, Equatable {
        public var folder: EntryID?
        public var filename: String
        /// Documents only.
        public var fullName: String?

        public init(folder: EntryID?, filename: String, fullName: String?) {
            self.folder = folder
            self.filename = filename
            self.fullName = fullName
        }
    }

    public var action: Int64
    /// Its place in the action.
    public var number: Int
    public var change: Change
    public var entry: Entry
    /// The folder that `entry` lay in; nil for `local`.
    public var folder: EntryID?
    /// For `placed`: where the entry came to. An entry that is elsewhere was changed since.
    public var outcome: Place?

    public init(
        action: Int64, number: Int, change: Change, entry: Entry, folder: EntryID?, outcome: Place? = nil
    ) {
        self.action = action
        self.number = number
        self.change = change
        self.entry = entry
        self.folder = folder
        self.outcome = outcome
    }

    /// A change of the preferred location.
    public init(preferredBefore location: Location, action: Int64, number: Int) {
        let none = Entry(
            parent: .documents, location: nil, nature: .scratch, filename: "", created: Timestamp(nanoseconds: 0),
            position: .zero, mode: 0)
        self.init(action: action, number: number, change: .preferred(location), entry: none, folder: nil)
    }

    /// Whether it is about an entry of the tree.
    public var isAboutEntry: Bool { if case .preferred = change { false } else { true } }

    /// Whether the trash has a file of it: a document that was removed, or the former content of one.
    public var isInTrash: Bool {
        switch change {
        case .removed, .restored: entry.kind == .document && entry.isHere
        case .present, .placed, .preferred, .chosen: false
        }
    }
}

extension ActionStep {
    /// Whether the trash has the only copy of the content that a restored version replaced: it was never sent.
    public var isOnlyCopy: Bool {
        guard case .restored = change else { return false }
        return isInTrash && (!entry.isReplicated || entry.pending.contains(.content))
    }
}

/// Documents in the trash.
public struct TrashSize: Sendable, Equatable {
    public private(set) var documents: Int
    private var size: SizeSum

    public var bytes: Int64 { size.bytes }

    init(documents: Int = 0, size: SizeSum = .zero) {
        self.documents = documents
        self.size = size
    }

    mutating func add(_ step: ActionStep, times: Int) {
        guard step.isInTrash else { return }
        documents += times
        size.add(step.entry.size, times: times)
    }
}
