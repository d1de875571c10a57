import CrashPoints
import Documents
import ObjectStore

/// Why the log could not be read or written.
public enum LogError: Error, Sendable, CustomStringConvertible {
    /// The object store failed. A later try may succeed.
    case store(ObjectStoreError)
    /// The entry at this position cannot be applied, and so nothing after it can.
    case entry(LogPosition, CommitError)
    /// The container is not the one that this device knows, or is damaged.
    case container(ContainerFault)

    /// Whether the log itself is damaged, so that a person may have it repaired. An entry that a later release wrote is not damaged:
    /// only that release can tell.
    public var isDamage: Bool {
        switch self {
        case .store: false
        case .entry(_, let reason): !reason.isOfLaterRelease
        case .container(let fault): fault.isDamage
        }
    }

    /// One line for a person.
    public var description: String {
        switch self {
        case .store(let error): error.description
        case .entry(let position, let error): "\(error) (position \(position.number))"
        case .container(let fault): fault.description
        }
    }
}

/// The result of `ReplicatedLog.append`.
public enum AppendOutcome: Sendable {
    /// The entry is in the log, durably, from this or an earlier try, as it is given here.
    case appended(LogEntry)
    /// Another device was first. Its entry must be applied before the next try.
    case taken(by: LogEntry)
}

/// The log of the container: one object for each position, each created once (ContainerFormat).
public struct ReplicatedLog: Sendable {
    /// The folder of the entries.
    public static let folder = ObjectKey(valid: ["log"])
    /// Bytes of an entry, at most. Nothing larger is written or read.
    public static let largestEntry = 64 << 20
    /// Entries that are read in parallel, at most.
    public static let mostAtOnce = 16

    private let store: any ObjectStore

    public init(store: any ObjectStore) { self.store = store }

    /// Reads the entry at a position.
    ///
    /// - Returns: nil when nobody has written the position yet.
    /// - Throws: `LogError.entry` for an entry that cannot be applied, or `LogError.store`.
    public func read(_ position: LogPosition) async throws(LogError) -> LogEntry? {
        let bytes: [UInt8]
        do throws(ObjectStoreError) {
            bytes = try await store.get(position.key, limit: Self.largestEntry)
        } catch {
            guard let failure = Self.failure(error, at: position) else { return nil }
            throw failure
        }
        do throws(CommitError) { return try LogEntry(decoding: bytes) } catch { throw .entry(position, error) }
    }

    /// Why an entry cannot be had; nil where nobody has written it. What the store finds damaged is as damaged as an entry that is no JSON: a
    /// person may have it repaired.
    private static func failure(_ error: ObjectStoreError, at position: LogPosition) -> LogError? {
        switch error {
        case .notFound: nil
        case .corrupted(_, let reason): .entry(position, .malformed(reason))
        default: .store(error)
        }
    }

    /// The id of the commit at a position, from the header of its entry alone; nil if there is no entry.
    public func commitID(at position: LogPosition) async throws(LogError) -> CommitID? {
        let start: [UInt8]
        do throws(ObjectStoreError) {
            start = try await store.get(position.key, range: 0..<Int64(LogEntry.longestHeader))
        } catch {
            guard let failure = Self.failure(error, at: position) else { return nil }
            throw failure
        }
        do throws(CommitError) { return try LogEntry.header(of: start).commit } catch { throw .entry(position, error) }
    }

    /// The entries after `position`, in order: up to `count` of them, read in parallel.
    public func read(after position: LogPosition, atMost count: Int = mostAtOnce) async throws(LogError) -> [LogEntry] {
        guard let first = try await read(position.next) else { return [] }
        if count < 2 { return [first] }
        let results = await withTaskGroup(of: ReadEntry.self) { group in
            for offset in 1..<count { group.addTask { await attempt(position, offset) } }
            var results = [LogEntry?](repeating: nil, count: count)
            for await read in group { results[read.offset] = read.entry }
            return results
        }
        return [first] + results.dropFirst().prefix { $0 != nil }.compactMap { $0 }
    }

    private struct ReadEntry: Sendable {
        let offset: Int
        let entry: LogEntry?
    }

    private func attempt(_ position: LogPosition, _ offset: Int) async -> ReadEntry {
        let entry: LogEntry?
        do throws(LogError) { entry = try await read(LogPosition(position.next.number + Int64(offset))) } catch {
            // The entries before it are returned. The failure is thrown when this entry is the first to be read.
            entry = nil
        }
        return ReadEntry(offset: offset, entry: entry)
    }

    /// The positions after `position` at which the store lists an entry, at most `count`.
    public func positions(after position: LogPosition, atMost count: Int) async throws(LogError) -> [LogPosition] {
        var positions: [LogPosition] = []
        var last = position.key
        // Objects in the folder that are no entries do not count.
        while true {
            let page: [ObjectKey]
            let wanted = count - positions.count
            do throws(ObjectStoreError) { page = try await store.list(Self.folder, after: last, limit: wanted) } catch {
                throw .store(error)
            }
            positions += page.compactMap { LogPosition($0) }
            guard page.count == wanted, positions.count < count, let end = page.last else { return positions }
            last = end
        }
    }

    /// Creates the entry at a position, unless there is one.
    ///
    /// An entry that no device could read is refused: the log would end there for all of them. An earlier try may have succeeded although
    /// its reply was lost. Then the entry at the position has the same commit id and link, and counts as this one.
    ///
    /// - Throws: `LogError.entry` for an entry that is refused or one of another device that cannot be read, or `LogError.store`.
    public func append(_ entry: LogEntry, at position: LogPosition) async throws(LogError) -> AppendOutcome {
        do throws(CommitError) { try entry.commit.validate() } catch { throw .entry(position, error) }
        guard entry.bytes.count <= Self.largestEntry else {
            throw .entry(position, .invalid("it has \(entry.bytes.count) bytes, more than any device reads"))
        }
        CrashPoint.appendCommit.pass()
        do throws(ObjectStoreError) {
            if try await store.putIfAbsent(position.key, entry.bytes) == .created {
                CrashPoint.commitAppended.pass()
                return .appended(entry)
            }
        } catch { throw .store(error) }
        guard let present = try await read(position) else {
            throw .store(.corrupted(position.key, "it exists and cannot be read"))
        }
        return present.commit.id == entry.commit.id && present.link == entry.link
            ? .appended(present) : .taken(by: present)
    }
}
