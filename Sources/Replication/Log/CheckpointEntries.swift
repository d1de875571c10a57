import Dispatch
import Documents
import FoundationEssentials
import Synchronization
import SystemPackage

/// Reads the entries of a checkpoint, and checks what `apply` would guarantee.
extension FetchedCheckpoint {
    /// Parts that are decoded on other threads while those before them are used.
    private static let partsAhead = 2

    /// Reads the entries in their order. Each lies in a folder that came before it. Blocks: call it through `onBlockingThread`.
    ///
    /// - Parameter body: gets each entry, and its record as it stands in the checkpoint.
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
                    guard check.accepts(entry) else {
                        throw CheckpointError.invalid(
                            "entry \(number) lies in no known folder, or has the id or filename of another one")
                    }
                    state.add(record)
                    try body(entry, record)
                    number += 1
                }
            }
        }
        guard number == count else { throw CheckpointError.invalid("it has \(number) entries instead of \(count)") }
        guard state == head.state else {
            throw CheckpointError.invalid("its entries do not have the hash that its manifest gives")
        }
    }
}

extension FetchedCheckpoint {
    /// The entries of a part, each with its record, in their order.
    static func entries(of part: [UInt8]) throws(CheckpointError) -> [(ReplicaEntry, [UInt8])] {
        let decoder = JSONDecoder()
        var entries: [(ReplicaEntry, [UInt8])] = []
        for line in part.split(separator: UInt8(ascii: "\n")) {
            let entry: ReplicaEntry
            do { entry = try decoder.decode(ReplicaEntry.self, from: Data(line)) } catch {
                throw .invalid("an entry cannot be read")
            }
            do throws(CommitError) { try Commit.validate(entry) } catch { throw .invalid(error.description) }
            entries.append((entry, Array(line)))
        }
        return entries
    }
}

/// Some parts of a checkpoint that are being decoded, each on a thread of its own.
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
        let part: [UInt8]
        do { part = try read(range, of: file) } catch {
            return .failure(.invalid("the file with its parts cannot be read: \(error)"))
        }
        return Result { () throws(CheckpointError) in try FetchedCheckpoint.entries(of: part) }
    }

    private static func read(_ range: Range<Int64>, of file: FileDescriptor) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
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

/// Checks that a checkpoint keeps the invariants of `apply`: the store is not trusted.
///
/// Of ids and names 64 bits of a hash are kept. The key of the hash is this process's own, so nobody can prepare a collision. By chance
/// one happens in one of ten million checkpoints of a million entries; then the log is read instead.
private struct TreeCheck {
    /// Whether each folder so far is live.
    private var liveFolders: [EntryID: Bool] = [.cloudRoot: true]
    private var ids: Set<Int> = [EntryID.cloudRoot.hashValue]
    private var names: Set<Int> = []

    mutating func accepts(_ entry: ReplicaEntry) -> Bool {
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
