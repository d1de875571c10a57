import Documents

/// The replica state machine: pure and deterministic, so that all devices that have read the log to
/// the same position hold the same state, conflicts included. Nothing is decided over the network.
///
/// Invariants it keeps, whatever the log says:
/// - a live entry lies in live folders up to the cloud's top folder, without a cycle;
/// - no two live entries of one folder have the same filename;
/// - no version that was ever saved is lost: it is current, in conflict, or superseded;
/// - a change that makes no sense, like one to an unknown entry, changes nothing.
///
/// - Returns: the entries that may have changed, each once, in the order they were first touched.
public func apply(_ commit: Commit, to state: inout some ReplicaState) throws -> [EntryID] {
    var touched = TouchedEntries()
    for change in commit.changes {
        switch change {
        case .create(let entry): try create(entry, commit, &state, &touched)
        case .save(let id, let version): try save(version, of: id, &state, &touched)
        case .describe(let id, let change): try describe(id, change, &state, &touched)
        case .delete(let id, let seen): try delete(id, seen: seen, &state, &touched)
        }
    }
    // Names are settled when the whole commit is in: two entries may have swapped theirs within it.
    for id in touched.placed { try settleFilename(of: id, commit, &state, &touched) }
    return touched.all
}

private struct TouchedEntries {
    private(set) var all: [EntryID] = []
    private(set) var placed: [EntryID] = []
    private var seen: Set<EntryID> = []
    private var seenPlaced: Set<EntryID> = []

    mutating func add(_ id: EntryID, isPlaced: Bool = false) {
        if seen.insert(id).inserted { all.append(id) }
        if isPlaced, seenPlaced.insert(id).inserted { placed.append(id) }
    }
}

// MARK: Changes

private func create(
    _ created: ReplicaEntry, _ commit: Commit, _ state: inout some ReplicaState, _ touched: inout TouchedEntries
) throws {
    var entry = created
    entry.isDeleted = false
    if let known = try state.entry(created.id) {
        guard known.content.isSameKind(as: created.content) else { return }
        entry.created = known.created
        entry.creator = known.creator
        entry.content = known.content
        if case .document(var versions) = known.content, let new = created.versions {
            for version in new.oldestFirst { versions.add(version) }
            entry.content = .document(versions)
        }
        if case .symbolicLink = created.content { entry.content = created.content }
    }
    entry.description.parent = try liveFolder(created.description.parent, for: entry.id, &state, &touched)
    try settleTypedName(of: &entry, commit, state)
    try state.store(entry)
    touched.add(entry.id, isPlaced: true)
}

private func save(
    _ version: DocumentVersion, of id: EntryID, _ state: inout some ReplicaState, _ touched: inout TouchedEntries
) throws {
    guard var entry = try state.entry(id), case .document(var versions) = entry.content else { return }
    versions.add(version)
    entry.content = .document(versions)
    if versions.current.id == version.id { entry.description.modified = version.modified }
    try revive(&entry, &state, &touched)
    try state.store(entry)
    touched.add(id)
}

private func describe(
    _ id: EntryID, _ change: DescriptionChange, _ state: inout some ReplicaState, _ touched: inout TouchedEntries
) throws {
    guard var entry = try state.entry(id) else { return }
    var description = change.applied(to: entry.description)
    if change.place != nil {
        if try isInside(description.parent, ancestor: id, state) {
            // Two folders were moved into each other: this move does not happen. For deleted ones too:
            // they may come back.
            description.parent = entry.description.parent
            description.filename = entry.description.filename
        }
        if !entry.isDeleted {
            description.parent = try liveFolder(description.parent, for: id, &state, &touched)
        }
    }
    if entry.versions == nil {
        description.displayName = nil
        description.pathExtension = nil
        description.naming = nil
    }
    entry.description = description
    try state.store(entry)
    touched.add(id, isPlaced: change.place != nil && !entry.isDeleted)
}

/// An edit wins against a deletion that did not see it, and so does what was put into a folder.
private func delete(
    _ id: EntryID, seen: VersionID?, _ state: inout some ReplicaState, _ touched: inout TouchedEntries
) throws {
    guard var entry = try state.entry(id), !entry.isDeleted else { return }
    touched.add(id)
    switch entry.content {
    case .document(let versions):
        if versions.current.id != seen { return }
    case .folder:
        if try state.hasLiveChildren(id) { return }
    case .symbolicLink: break
    }
    entry.isDeleted = true
    try state.store(entry)
}

// MARK: The tree

private func revive(
    _ entry: inout ReplicaEntry, _ state: inout some ReplicaState, _ touched: inout TouchedEntries
) throws {
    guard entry.isDeleted else { return }
    entry.isDeleted = false
    entry.description.parent = try liveFolder(entry.description.parent, for: entry.id, &state, &touched)
    touched.add(entry.id, isPlaced: true)
}

/// The folder that an entry can be put into: the one asked for, brought back if it was deleted, or
/// the top folder where there is no such folder.
private func liveFolder(
    _ asked: EntryID, for child: EntryID, _ state: inout some ReplicaState, _ touched: inout TouchedEntries
) throws -> EntryID {
    if asked == .cloudRoot { return asked }
    guard asked != child, var folder = try state.entry(asked), folder.isFolder,
        try !isInside(asked, ancestor: child, state)
    else { return .cloudRoot }
    if folder.isDeleted {
        try revive(&folder, &state, &touched)
        try state.store(folder)
    }
    return asked
}

private func isInside(_ id: EntryID, ancestor: EntryID, _ state: some ReplicaState) throws -> Bool {
    var current = id
    while current != .cloudRoot {
        if current == ancestor { return true }
        guard let entry = try state.entry(current) else { return false }
        current = entry.description.parent
    }
    return false
}

// MARK: Names

/// A document created under a name that another device gave to a document before, without either
/// having seen the other: both stay, the second as `NAME (DEVICE)` (PRODUCT 6).
private func settleTypedName(of entry: inout ReplicaEntry, _ commit: Commit, _ state: some ReplicaState) throws {
    let description = entry.description
    guard description.naming == .given, let displayName = description.displayName, let fullName = description.fullName
    else { return }
    let others = try state.liveDocuments(in: description.parent, fullName: fullName)
    guard others.contains(where: { $0.id != entry.id && $0.creator != entry.creator && $0.description.naming == .given })
    else { return }
    entry.description.displayName = DistinctName.make(
        displayName, device: commit.deviceName, number: 1, pathExtension: description.pathExtension ?? "")
}

/// Of two entries of one folder with the same filename the one that came later in the log gives way.
private func settleFilename(
    of id: EntryID, _ commit: Commit, _ state: inout some ReplicaState, _ touched: inout TouchedEntries
) throws {
    guard var entry = try state.entry(id), !entry.isDeleted else { return }
    let parent = entry.description.parent
    guard try state.liveEntry(in: parent, filename: entry.description.filename, otherThan: id) != nil else { return }
    let name = entry.versions == nil
        ? DocumentName(storedDisplayName: entry.description.filename, pathExtension: "")
        : DocumentName(splitting: try EntryName(entry.description.filename))
    var number = 1
    while true {
        let stem = DistinctName.make(
            name.displayName, device: commit.deviceName, number: number, pathExtension: name.pathExtension)
        let filename = DocumentName(storedDisplayName: stem, pathExtension: name.pathExtension).full
        if try state.liveEntry(in: parent, filename: filename, otherThan: id) == nil {
            entry.description.filename = filename
            break
        }
        number += 1
    }
    try state.store(entry)
}

extension ReplicaContent {
    fileprivate func isSameKind(as other: ReplicaContent) -> Bool {
        switch (self, other) {
        case (.folder, .folder), (.symbolicLink, .symbolicLink), (.document, .document): true
        default: false
        }
    }
}
