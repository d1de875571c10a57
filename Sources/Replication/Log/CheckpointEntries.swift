import Dispatch
import Documents
import FoundationEssentials
import Synchronization

/// Between entries and the parts of a checkpoint.
extension FetchedCheckpoint {
    /// Decoded at once, so that every core has something to do.
    private static let partsAtOnce = 4

    /// Reads the entries in their order: each lies in a folder that came before it, as `apply` keeps them.
    /// Blocks: call it through `onBlockingThread`.
    ///
    /// - Parameter body: gets each entry, and its JSON as it stands in the checkpoint.
    /// - Throws: `CheckpointError.invalid`, or what `body` throws.
    public func forEach(_ body: (ReplicaEntry, [UInt8]) throws -> Void) throws {
        var check = TreeCheck()
        var number = 0
        var rest = parts[...]
        while !rest.isEmpty {
            for part in Self.decode(Array(rest.prefix(Self.partsAtOnce))) {
                for (entry, record) in try part.get() {
                    guard check.takes(entry) else {
                        throw CheckpointError.invalid("an entry (\(number)) lies in no folder, or under a name that is taken")
                    }
                    try body(entry, record)
                    number += 1
                }
            }
            rest = rest.dropFirst(Self.partsAtOnce)
        }
        guard number == count else { throw CheckpointError.invalid("it has \(number) entries instead of \(count)") }
    }

    private typealias Decoded = Result<[(ReplicaEntry, [UInt8])], CheckpointError>

    private static func decode(_ parts: [[UInt8]]) -> [Decoded] {
        let decoded = Mutex<[Int: Decoded]>([:])
        DispatchQueue.concurrentPerform(iterations: parts.count) { index in
            let result = decode(parts[index])
            decoded.withLock { $0[index] = result }
        }
        return decoded.withLock { decoded in parts.indices.compactMap { decoded[$0] } }
    }

    private static func decode(_ part: [UInt8]) -> Decoded {
        let decoder = JSONDecoder()
        var entries: [(ReplicaEntry, [UInt8])] = []
        for line in part.split(separator: UInt8(ascii: "\n")) {
            guard let entry = try? decoder.decode(ReplicaEntry.self, from: Data(line)) else {
                return .failure(.invalid("an entry cannot be read"))
            }
            do throws(CommitError) { try Commit.validate(entry) } catch { return .failure(.invalid(error.description)) }
            entries.append((entry, Array(line)))
        }
        return .success(entries)
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
