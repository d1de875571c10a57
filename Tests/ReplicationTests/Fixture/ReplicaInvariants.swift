import Documents
import Replication
import Testing
import TestSupport

/// The invariants of the state after every commit, whatever the log says.
func expectInvariants(
    _ replica: InMemoryReplica, sourceLocation: SourceLocation = #_sourceLocation
) {
    for entry in replica.entries.values.sorted(by: { $0.id < $1.id }) {
        if let broken = brokenRule(entry, replica) {
            Issue.record("\(broken): \(entry.id) '\(entry.description.filename)'", sourceLocation: sourceLocation)
        }
    }
}

/// The invariant that an entry breaks; nil for none.
private func brokenRule(_ entry: ReplicaEntry, _ replica: InMemoryReplica) -> String? {
    if entry.id == .cloudRoot { return "the top folder is no entry" }
    if let versions = entry.versions {
        let ids = versions.all.map(\.id)
        if Set(ids).count != ids.count { return "a version is there twice" }
    }
    if entry.isDeleted { return nil }
    if !reachesTop(entry, replica) { return "a live entry lies in live folders up to the top" }
    let description = entry.description
    if (try? EntryName(description.filename)) == nil { return "a filename is a name" }
    if replica.isInUse(description.filename, in: description.parent, byOtherThan: entry.id) {
        return "a filename is unique in its folder"
    }
    guard entry.versions != nil else { return nil }
    guard let displayName = description.displayName, let pathExtension = description.pathExtension,
        (try? DocumentName(displayName: displayName, pathExtension: pathExtension)) != nil
    else { return "a document has a name" }
    return nil
}

private func reachesTop(_ entry: ReplicaEntry, _ replica: InMemoryReplica) -> Bool {
    var current = entry
    for _ in 0...replica.entries.count {
        if current.description.parent == .cloudRoot { return true }
        guard let parent = replica.entry(current.description.parent), parent.isFolder, !parent.isDeleted else {
            return false
        }
        current = parent
    }
    return false
}
