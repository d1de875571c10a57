import Dispatch
import Documents
import FoundationEssentials
import Synchronization
import SystemPackage

/// Between entries and the parts of a checkpoint.
extension FetchedCheckpoint {
    /// So many are decoded on other threads while those before them are used.
    private static let partsAhead = 2

    /// Reads the entries in their order: each lies in a folder that came before it, as `apply` keeps them.
    /// Blocks: call it through `onBlockingThread`.
    ///
    /// - Parameter body: gets each entry, and its JSON as it stands in the checkpoint.
    /// - Throws: `CheckpointError.invalid`, or what `body` throws.
    public func forEach(_ body: (ReplicaEntry, [UInt8]) throws -> Void) throws {
        var check = TreeCheck()
        var state = StateHash.empty
        var number = 0
        var rest = parts[...]
        func decodeNext() -> DecodedParts {
            defer { rest = rest.dropFirst(Self.partsAhead) }
            return DecodedParts(rest.prefix(Self.partsAhead), of: file)
        }
        var next = decodeNext()
        while true {
            let current = next.wait()
            if current.isEmpty { break }
            next = decodeNext()
            for part in current {
                for (entry, record) in try part.get() {
                    guard check.takes(entry) else {
                        throw CheckpointError.invalid(
                            "an entry (\(number)) lies in no folder, or under a name that is taken")
                    }
                    state.add(record)
                    try body(entry, record)
                    number += 1
                }
            }
        }
        guard number == count else { throw CheckpointError.invalid("it has \(number) entries instead of \(count)") }
        guard state == head.state else {
            throw CheckpointError.invalid("its entries are not the state that it speaks of")
        }
    }
}

/// Parts of a checkpoint that are being decoded, each on a thread of its own.
private final class DecodedParts: Sendable {
    typealias Part = Result<[(ReplicaEntry, [UInt8])], CheckpointError>

    private let decoded: Mutex<[Part?]>
    private let underWay = DispatchGroup()

    init(_ parts: ArraySlice<Range<Int64>>, of file: FileDescriptor) {
        decoded = Mutex(Array(repeating: nil, count: parts.count))
        for (index, range) in parts.enumerated() {
            DispatchQueue.global().async(group: underWay) { [self] in
                let part = Self.decode(range, of: file)
                decoded.withLock { $0[index] = part }
            }
        }
    }

    func wait() -> [Part] {
        underWay.wait()
        return decoded.withLock { $0.compactMap { $0 } }
    }

    private static func decode(_ range: Range<Int64>, of file: FileDescriptor) -> Part {
        guard let part = read(range, of: file) else { return .failure(.invalid("its copy here cannot be read")) }
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

    private static func read(_ range: Range<Int64>, of file: FileDescriptor) -> [UInt8]? {
        try? [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            while filled < range.count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<range.count])
                let count = try file.read(fromAbsoluteOffset: range.lowerBound + Int64(filled), into: rest)
                if count == 0 { throw Errno.ioError }
                filled += count
            }
        }
    }
}

/// The invariants of `apply`, which a checkpoint from a store that is not trusted must keep as well.
///
/// Of ids and names 64 bits of a hash are kept, whose key is this process's own: no store can make two
/// meet, and chance does so in one of ten million checkpoints of a million entries. The log is read then.
private struct TreeCheck {
    /// The folders so far, and whether they are live.
    private var liveFolders: [EntryID: Bool] = [.cloudRoot: true]
    private var ids: Set<Int> = [EntryID.cloudRoot.hashValue]
    private var names: Set<Int> = []

    mutating func takes(_ entry: ReplicaEntry) -> Bool {
        guard ids.insert(entry.id.hashValue).inserted, let isLive = liveFolders[entry.description.parent] else {
            return false
        }
        if entry.isFolder { liveFolders[entry.id] = !entry.isDeleted }
        if entry.isDeleted { return true }
        var name = Hasher()
        name.combine(entry.description.parent)
        for byte in entry.description.filename.utf8 { name.combine(byte) }
        return isLive && names.insert(name.finalize()).inserted
    }
}
