import Documents
import FoundationEssentials

/// Between entries and the parts of a checkpoint.
extension FetchedCheckpoint {
    /// Reads the entries in their order: each lies in a folder that came before it, as `apply` keeps them.
    ///
    /// - Parameter body: gets each entry, and its JSON as it stands in the checkpoint.
    /// - Throws: `CheckpointError.invalid`, or what `body` throws.
    public func forEach(_ body: (ReplicaEntry, [UInt8]) throws -> Void) throws {
        var check = TreeCheck()
        let decoder = JSONDecoder()
        var number = 0
        for part in parts {
            for line in part.split(separator: UInt8(ascii: "\n")) {
                guard let entry = try? decoder.decode(ReplicaEntry.self, from: Data(line)) else {
                    throw CheckpointError.invalid("its entry \(number) cannot be read")
                }
                do throws(CommitError) { try Commit.validate(entry) } catch {
                    throw CheckpointError.invalid(error.description)
                }
                guard check.takes(entry) else {
                    throw CheckpointError.invalid("its entry \(number) lies in no folder, or under a name that is taken")
                }
                try body(entry, Array(line))
                number += 1
            }
        }
        guard number == count else { throw CheckpointError.invalid("it has \(number) entries instead of \(count)") }
    }
}

/// The invariants of `apply`, which a checkpoint from a store that is not trusted must keep as well.
private struct TreeCheck {
    private struct Name: Hashable {
        let parent: EntryID
        let filename: [UInt8]
    }

    /// The entries so far: for folders whether they are live.
    private var liveFolders: [EntryID: Bool] = [.cloudRoot: true]
    private var ids: Set<EntryID> = [.cloudRoot]
    private var names: Set<Name> = []

    mutating func takes(_ entry: ReplicaEntry) -> Bool {
        guard ids.insert(entry.id).inserted, let isLive = liveFolders[entry.description.parent] else { return false }
        if entry.isFolder { liveFolders[entry.id] = !entry.isDeleted }
        if entry.isDeleted { return true }
        let name = Name(parent: entry.description.parent, filename: Array(entry.description.filename.utf8))
        return isLive && names.insert(name).inserted
    }
}
