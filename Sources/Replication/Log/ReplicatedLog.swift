import Documents
import ObjectStore

/// A place in the log; the first entry has position 1.
public struct LogPosition: Hashable, Sendable, Comparable, Codable {
    public let number: Int64

    public init(_ number: Int64) { self.number = number }

    /// Before the first entry.
    public static let start = LogPosition(0)

    public var next: LogPosition { LogPosition(number + 1) }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// `log/0000000000000042`
    var key: ObjectKey {
        let digits = String(number)
        return ObjectKey(["log", String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits])!
    }
}

/// Why the log could not be read or written.
public enum LogError: Error, Sendable, CustomStringConvertible {
    case store(ObjectStoreError)
    /// The entry at this position cannot be taken; nothing after it can be read.
    case entry(LogPosition, CommitError)

    public var description: String {
        switch self {
        case .store(let error): error.description
        case .entry(let position, let error): "\(error) (position \(position.number))"
        }
    }
}

public enum AppendOutcome: Sendable {
    case appended
    /// Another device was first; its entry must be applied before the next try.
    case taken(by: Commit)
}

/// The log of the container: one object per position, each created once (DESIGN "The replicated
/// container").
public struct ReplicatedLog: Sendable {
    /// Where the entries are.
    public static let folder = ObjectKey("log")!
    /// No commit is larger, and nothing larger is read.
    public static let largestEntry = 64 << 20
    public static let mostAtOnce = 16

    private let store: any ObjectStore

    public init(store: any ObjectStore) { self.store = store }

    /// - Returns: nil when nobody has written the position yet.
    public func read(_ position: LogPosition) async throws(LogError) -> Commit? {
        let bytes: [UInt8]
        do throws(ObjectStoreError) {
            bytes = try await store.get(position.key, limit: Self.largestEntry)
        } catch {
            if case .notFound = error { return nil }
            throw .store(error)
        }
        do throws(CommitError) { return try Commit.decode(bytes) } catch { throw .entry(position, error) }
    }

    /// The commits after `position`, in order: up to `count` of them, which are read in parallel.
    public func read(after position: LogPosition, atMost count: Int = mostAtOnce) async throws(LogError) -> [Commit] {
        guard let first = try await read(position.next) else { return [] }
        if count < 2 { return [first] }
        let results = await withTaskGroup(of: ReadEntry.self) { group in
            for offset in 1..<count { group.addTask { await attempt(position, offset) } }
            var results = [Commit?](repeating: nil, count: count)
            for await entry in group { results[entry.offset] = entry.commit }
            return results
        }
        return [first] + results.dropFirst().prefix { $0 != nil }.compactMap { $0 }
    }

    private struct ReadEntry: Sendable {
        let offset: Int
        let commit: Commit?
    }

    /// A failure further on is met again, and told, when it is the next to be read.
    private func attempt(_ position: LogPosition, _ offset: Int) async -> ReadEntry {
        ReadEntry(offset: offset, commit: try? await read(LogPosition(position.next.number + Int64(offset))))
    }

    /// Writes a commit at a position that nobody has written yet.
    ///
    /// What no device could take is not written: the log would end there, for all of them.
    ///
    /// An earlier try may have succeeded without our hearing of it: then the position holds the very
    /// commit, recognised by its id.
    ///
    /// - Parameter encoded: the commit as `Commit.encoded` gives it, where that is known.
    public func append(
        _ commit: Commit, encoded: [UInt8]? = nil, at position: LogPosition
    ) async throws(LogError) -> AppendOutcome {
        let bytes: [UInt8]
        do throws(CommitError) {
            try commit.validate()
            if let encoded { bytes = encoded } else { bytes = try commit.encoded() }
        } catch { throw .entry(position, error) }
        guard bytes.count <= Self.largestEntry else {
            throw .entry(position, .invalid("it has \(bytes.count) bytes, more than any device reads"))
        }
        do throws(ObjectStoreError) {
            if try await store.putIfAbsent(position.key, bytes) == .created { return .appended }
        } catch { throw .store(error) }
        guard let present = try await read(position) else {
            throw .store(.corrupted(position.key, "it exists and cannot be read"))
        }
        return present.id == commit.id ? .appended : .taken(by: present)
    }
}
