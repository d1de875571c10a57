import Catalog
import Documents
import Hashing
import Synchronization

/// The SHA-256 of a content. Each content in a world is different.
typealias ContentHash = String

func contentHash(_ bytes: [UInt8]) -> ContentHash {
    hexadecimal(HashAlgorithm.sha256.digest(of: bytes))
}

/// Records the actions of people and programs and their results, independent of the devices. The end of a world is checked against it.
final class Ledger: Sendable {
    struct Save: Hashable {
        let device: Int
        let content: ContentHash
    }

    private struct State {
        var contents: Set<ContentHash> = []
        var saves: [Save] = []
        var overwritten: Set<Save> = []
        var deletions: [EntryID: Set<ContentHash>] = [:]
        /// For each name that was typed: the entries that had it.
        var typed: [String: Int] = [:]
        var left: Set<EntryID> = []
        var shared: Set<ContentHash> = []
        var savedAgain: [ContentHash: Int] = [:]
        var bequests: [(content: ContentHash, source: EntryID)] = []
        var failures: [String] = []
        var counts: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// A program wrote this content; it may appear from now on.
    func noteContent(_ content: ContentHash) { state.withLock { _ = $0.contents.insert(content) } }

    func knows(_ content: ContentHash) -> Bool { state.withLock { $0.contents.contains(content) } }

    /// A save that was acknowledged: the last writer's close returned.
    func noteSave(_ content: ContentHash, by device: Int) {
        state.withLock { state in
            state.contents.insert(content)
            state.saves.append(Save(device: device, content: content))
            // The same content twice is a truncation to nothing, or to the same.
            state.overwritten.remove(Save(device: device, content: content))
        }
    }

    /// A person who saw this content replaced it, deleted it, or chose another version.
    func noteOverwritten(_ content: ContentHash, by device: Int) {
        state.withLock { _ = $0.overwritten.insert(Save(device: device, content: content)) }
    }

    /// - Parameter seen: the contents that the deleting device knew.
    func noteDeletion(of id: EntryID, seen: Set<ContentHash>) {
        state.withLock { $0.deletions[id, default: []].formUnion(seen) }
    }

    func noteTyped(_ name: String) { state.withLock { $0.typed[name, default: 0] += 1 } }

    /// It was moved out of the cloud.
    func noteLeft(_ id: EntryID) { state.withLock { _ = $0.left.insert(id) } }

    /// A document was renamed over another. If that one survives because of an edit elsewhere, both documents have the content.
    func noteShared(_ content: ContentHash) { state.withLock { _ = $0.shared.insert(content) } }

    /// A document was saved with the content that it had.
    func noteSavedAgain(_ content: ContentHash) { state.withLock { $0.savedAgain[content, default: 0] += 1 } }

    func timesSavedAgain(_ content: ContentHash) -> Int { state.withLock { $0.savedAgain[content, default: 0] } }

    func noteBequest(_ content: ContentHash, from source: EntryID) {
        state.withLock { $0.bequests.append((content, source)) }
    }

    var bequests: [(content: ContentHash, source: EntryID)] { state.withLock(\.bequests) }

    func isShared(_ content: ContentHash) -> Bool { state.withLock { $0.shared.contains(content) } }

    func fail(_ reason: String) { state.withLock { $0.failures.append(reason) } }

    /// Counts events, to check that they happened at all.
    func count(_ event: String) { state.withLock { $0.counts[event, default: 0] += 1 } }

    var failures: [String] { state.withLock(\.failures) }
    var counts: [String: Int] { state.withLock(\.counts) }
    /// The contents that must still exist.
    var owed: [Save] { state.withLock { state in state.saves.filter { !state.overwritten.contains($0) } } }

    /// Whether its author replaced it since, and so knew it.
    func isOverwritten(_ content: ContentHash) -> Bool {
        state.withLock { $0.overwritten.contains { $0.content == content } }
    }

    func seenAtDeletion(of id: EntryID) -> Set<ContentHash>? { state.withLock { $0.deletions[id] } }
    func hasLeft(_ id: EntryID) -> Bool { state.withLock { $0.left.contains(id) } }
    func timesTyped(_ name: String) -> Int { state.withLock { $0.typed[name] ?? 0 } }
}
