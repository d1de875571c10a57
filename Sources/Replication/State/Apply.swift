import Documents

/// Applies a commit to the state of the container. Pure and deterministic: all devices that have read the log to the same position
/// have the same state, conflicts included. ContainerFormat states the rules.
///
/// Invariants, whatever the log says:
/// - Every entry, deleted or not, lies in a known folder or in the top folder, without a cycle.
/// - A live entry lies in live folders only.
/// - No two live entries of one folder have the same filename.
/// - No version of a live document is lost: it is current, in conflict or superseded (until it is thinned out).
/// - A change that makes no sense, like one to an unknown entry, changes nothing.
///
/// - Returns: the entries that may have changed, each once, in the order in which they were first touched.
public func apply(_ commit: Commit, to state: inout some ReplicaState) throws -> [EntryID] {
    var touched = TouchedEntries()
    for change in commit.changes {
        switch change {
        case .create(let entry): try create(entry, commit, &state, &touched)
        case .save(let id, let version): try save(version, of: id, commit, &state, &touched)
        case .describe(let id, let change): try describe(id, change, &state, &touched)
        case .delete(let id, let seen): try delete(id, seen: seen, commit, &state, &touched)
        case .resolve(let id, let resolution): try resolve(id, resolution, commit, &state, &touched)
        case .bequeath(let id, let heir, let versions): try bequeath(versions, of: id, to: heir, &state, &touched)
        }
    }
    // Filenames are checked after all changes, since two entries may have exchanged theirs within the commit. The last entry is
    // checked first, so that of two that got the same name here the later one gives way.
    for id in touched.placed.reversed() { try makeFilenameUnique(id, commit, &state) }
    return touched.all
}

private struct TouchedEntries {
    private(set) var all: [EntryID] = []
    /// Those that came to a folder or got a filename.
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
    let known = try state.entry(created.id)
    if known == nil, created.isDeleted { return try storeTombstone(created, &state, &touched) }
    if let known, !known.content.isSameKind(as: created.content) { return }
    var entry = known?.merged(with: created, at: commit.time) ?? created
    entry.deleted = nil
    if entry.versions == nil { entry.description.dropDocumentName() }
    let live = known.flatMap { $0.isDeleted ? nil : $0 }
    if try !canLie(entry.id, in: created.description.parent, state) {
        entry.description.parent = live?.description.parent ?? .cloudRoot
    }
    try reviveFolders(from: entry.description.parent, &state, &touched)
    if live == nil { try makeDisplayNameDistinct(&entry, commit, state) }
    try state.store(entry)
    touched.add(entry.id, isPlaced: true)
}

/// Stores a deleted entry that the state does not know: a repair tells the container again of a deletion that it lost.
private func storeTombstone(
    _ deleted: ReplicaEntry, _ state: inout some ReplicaState, _ touched: inout TouchedEntries
) throws {
    var entry = deleted
    if try !canLie(entry.id, in: entry.description.parent, state) { entry.description.parent = .cloudRoot }
    if entry.versions == nil { entry.description.dropDocumentName() }
    try state.store(entry)
    touched.add(entry.id)
}

private func save(
    _ version: DocumentVersion, of id: EntryID, _ commit: Commit, _ state: inout some ReplicaState,
    _ touched: inout TouchedEntries
) throws {
    guard var entry = try state.entry(id), case .document(var versions) = entry.content,
        !versions.contains(version.id)
    else { return }
    let previous = versions.current.id
    if let deleted = entry.deleted {
        versions.revive(with: version, deleted: deleted)
    } else {
        versions.add(version, at: commit.time)
    }
    entry.content = .document(versions: versions)
    if versions.current.id != previous { entry.description.modified = versions.current.modified }
    let isRevived = entry.isDeleted
    entry.deleted = nil
    try reviveFolders(from: entry.description.parent, &state, &touched)
    try state.store(entry)
    touched.add(id, isPlaced: isRevived)
}

private func describe(
    _ id: EntryID, _ change: DescriptionChange, _ state: inout some ReplicaState, _ touched: inout TouchedEntries
) throws {
    guard var entry = try state.entry(id) else { return }
    var change = change
    // If two folders were moved into each other, or the new folder is not known, this move does not happen.
    if let place = change.place, try !canLie(id, in: place.parent, state) { change.place = nil }
    entry.description = change.applied(to: entry.description)
    if entry.versions == nil { entry.description.dropDocumentName() }
    let isPlaced = change.place != nil && !entry.isDeleted
    if isPlaced { try reviveFolders(from: entry.description.parent, &state, &touched) }
    try state.store(entry)
    touched.add(id, isPlaced: isPlaced)
}

private func resolve(
    _ id: EntryID, _ resolution: Resolution, _ commit: Commit, _ state: inout some ReplicaState,
    _ touched: inout TouchedEntries
) throws {
    guard let entry = try state.entry(id), entry.versions != nil else { return }
    let resolved = entry.resolved(by: resolution, at: commit.time)
    let isRevived = entry.isDeleted && !resolved.isDeleted
    if isRevived { try reviveFolders(from: entry.description.parent, &state, &touched) }
    try state.store(resolved)
    touched.add(id, isPlaced: isRevived)
}

/// Stands in the log before the deletion of the document. Only leaves go over: a version that somebody discarded meanwhile stays.
private func bequeath(
    _ versions: [VersionID], of id: EntryID, to heir: EntryID, _ state: inout some ReplicaState,
    _ touched: inout TouchedEntries
) throws {
    guard id != heir, var source = try state.entry(id), case .document(var history) = source.content, !source.isDeleted,
        var target = try state.entry(heir), target.versions != nil
    else { return }
    let bequeathed = versions.compactMap { history.removeHead($0) }
    if bequeathed.isEmpty { return }
    source.content = .document(versions: history)
    try state.store(source)
    touched.add(id)
    let isRevived = target.isDeleted
    target = target.inheriting(bequeathed, from: id)
    target.deleted = nil
    try reviveFolders(from: target.description.parent, &state, &touched)
    try state.store(target)
    touched.add(heir, isPlaced: isRevived)
}

/// An edit wins over a deletion that did not know of it. A folder with live entries in it is not deleted.
private func delete(
    _ id: EntryID, seen: [VersionID], _ commit: Commit, _ state: inout some ReplicaState,
    _ touched: inout TouchedEntries
) throws {
    guard var entry = try state.entry(id), !entry.isDeleted else { return }
    touched.add(id)
    switch entry.content {
    case .document(var versions):
        if versions.survive(deletionOf: Set(seen), at: commit.time) {
            let isOther = versions.current.id != entry.versions?.current.id
            entry.content = .document(versions: versions)
            if isOther { entry.description.modified = versions.current.modified }
            return try state.store(entry)
        }
    case .folder:
        if try state.hasLiveChildren(id) { return }
    case .symbolicLink: break
    }
    entry.deleted = commit.time
    try state.store(entry)
}

// MARK: The tree

/// Whether an entry can be put into a folder: the folder is known, and is neither the entry itself nor inside it.
private func canLie(_ id: EntryID, in folder: EntryID, _ state: some ReplicaState) throws -> Bool {
    if folder == .cloudRoot { return true }
    guard try state.entry(folder)?.isFolder == true else { return false }
    return try !isInside(folder, ancestor: id, state)
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

/// Makes a deleted folder live again, and those that it lies in, because something is put into it.
private func reviveFolders(
    from folder: EntryID, _ state: inout some ReplicaState, _ touched: inout TouchedEntries
) throws {
    var revived: [EntryID] = []
    var next = folder
    while var entry = try state.entry(next), entry.isDeleted {
        entry.deleted = nil
        try state.store(entry)
        revived.append(next)
        next = entry.description.parent
    }
    for id in revived.reversed() { touched.add(id, isPlaced: true) }
}

// MARK: Names

/// Two devices gave the same name to a document each, without having seen the other's. Both stay, and the second is `NAME (DEVICE)`.
private func makeDisplayNameDistinct(
    _ entry: inout ReplicaEntry, _ commit: Commit, _ state: some ReplicaState
) throws {
    let description = entry.description
    guard description.naming == .given, let displayName = description.displayName, let fullName = description.fullName
    else { return }
    let others = try state.liveDocuments(in: description.parent, fullName: fullName)
    guard
        others.contains(where: { $0.id != entry.id && $0.creator != entry.creator && $0.description.naming == .given })
    else { return }
    entry.description.displayName = DistinctName.make(
        displayName, device: commit.deviceName, number: 1, pathExtension: description.pathExtension ?? "")
}

/// Of two entries of one folder with the same filename, the one that came later in the log gets another one.
private func makeFilenameUnique(_ id: EntryID, _ commit: Commit, _ state: inout some ReplicaState) throws {
    guard var entry = try state.entry(id), !entry.isDeleted else { return }
    let parent = entry.description.parent
    guard try state.isInUse(entry.description.filename, in: parent, byOtherThan: id) else { return }
    let name =
        entry.versions == nil
        ? DocumentName(storedDisplayName: entry.description.filename, pathExtension: "")
        : DocumentName(splitting: try EntryName(entry.description.filename))
    var number = 1
    while true {
        let stem = DistinctName.make(
            name.displayName, device: commit.deviceName, number: number, pathExtension: name.pathExtension)
        let filename = DocumentName(storedDisplayName: stem, pathExtension: name.pathExtension).full
        if try !state.isInUse(filename, in: parent, byOtherThan: id) {
            entry.description.filename = filename
            break
        }
        number += 1
    }
    try state.store(entry)
}
