import Documents
import FoundationEssentials
import Replication
import TestSupport

/// A device that reads and writes the log now and then. Between that it works on the state that it last read, with its own changes, which
/// no other device knows yet.
struct SimulatedDevice {
    let device: TestDevice
    private(set) var committed = BoundedReplica()
    private(set) var position = 0
    private var view = BoundedReplica()
    private var pending: [Change] = []

    init(_ device: TestDevice) { self.device = device }

    /// Reads the log up to `end`.
    ///
    /// - Returns: the entries that each commit touched, in order.
    mutating func read(_ log: [Commit], to end: Int) throws -> [[EntryID]] {
        var touched: [[EntryID]] = []
        while position < end {
            let before = committed.replica.entries
            let ids = try committed.applyCommit(log[position])
            let changed = committed.replica.entries.filter { before[$0.key] != $0.value }.map(\.key)
            guard Set(ids).count == ids.count, Set(ids).isSuperset(of: changed) else {
                throw SimulationError.untoldChange(log[position].id)
            }
            touched.append(ids)
            position += 1
        }
        view = BoundedReplica(committed.replica)
        if !pending.isEmpty { try view.applyCommit(device.commit(pending)) }
        return touched
    }

    /// Appends what is pending to the log, as one commit at its end.
    mutating func send(to log: inout [Commit], id: CommitID) {
        if pending.isEmpty { return }
        log.append(device.commit(pending, id: id))
        pending = []
    }

    /// Makes a random change to the state that this device sees.
    mutating func act(_ random: inout SeededGenerator) throws {
        for change in changes(&random) {
            pending.append(change)
            try view.applyCommit(device.commit(change))
        }
    }
}

/// A random change that a person might make next.
extension SimulatedDevice {
    private static let names = ["a", "b", "Photos"]
    private static let typedNames = ["Plan.txt", "Groceries.txt", "Plan"]

    private func live(_ isWanted: (ReplicaEntry) -> Bool) -> [ReplicaEntry] {
        view.replica.entries.values.filter { !$0.isDeleted && isWanted($0) }.sorted { $0.id < $1.id }
    }

    private func folder(_ random: inout SeededGenerator) -> EntryID {
        (live(\.isFolder).map(\.id) + [.cloudRoot]).randomElement(using: &random) ?? .cloudRoot
    }

    private func changes(_ random: inout SeededGenerator) -> [Change] {
        switch Int.random(in: 0..<26, using: &random) {
        case 0..<5: [.create(document(in: folder(&random), &random))]
        case 5..<9: [.create(named(Self.names.randomElement(using: &random) ?? "", in: folder(&random), &random))]
        case 9..<13: save(&random)
        case 13..<17: move(&random)
        case 17..<18: rename(&random)
        case 18..<20: live { $0.versions != nil }.randomElement(using: &random).map { [deletion($0)] } ?? []
        case 20..<22: live(\.isFolder).randomElement(using: &random).map(deletions) ?? []
        case 22..<23: bringBack(&random)
        case 23..<25: resolve(&random)
        default: nonsense(&random)
        }
    }

    private func description(
        _ filename: String, in parent: EntryID, _ random: inout SeededGenerator
    ) -> EntryDescription {
        EntryDescription(
            parent: parent, filename: filename, position: .number(Double.random(in: 0..<9, using: &random)),
            mode: 0o644,
            modified: Timestamp(nanoseconds: 1))
    }

    /// A folder or a link.
    private func named(_ name: String, in parent: EntryID, _ random: inout SeededGenerator) -> ReplicaEntry {
        let isFolder = Int.random(in: 0..<5, using: &random) > 0
        return ReplicaEntry(
            id: .random(using: &random), description: description(name, in: parent, &random),
            content: isFolder ? .folder : .symbolicLink(target: Data("x".utf8)), created: Timestamp(nanoseconds: 1),
            creator: device.id)
    }

    private func document(in parent: EntryID, _ random: inout SeededGenerator) -> ReplicaEntry {
        let typed = Self.typedNames.randomElement(using: &random) ?? ""
        let isGenerated = Int.random(in: 0..<4, using: &random) > 0
        let filename = isGenerated ? "\(VersionID.random(using: &random))" : typed
        var description = description(filename, in: parent, &random)
        description.hasGeneratedFilename = isGenerated
        description.displayName = String(typed.prefix { $0 != "." })
        description.pathExtension = typed.hasSuffix(".txt") ? "txt" : ""
        description.naming = Bool.random(using: &random) ? .given : .automatic
        return ReplicaEntry(
            id: .random(using: &random), description: description,
            content: .document(versions: VersionHistory(first: version(base: nil, &random))),
            created: Timestamp(nanoseconds: 1),
            creator: device.id)
    }

    private func version(base: VersionID?, _ random: inout SeededGenerator) -> DocumentVersion {
        let id = VersionID.random(using: &random)
        return DocumentVersion(
            id: id, base: base, device: device.id, deviceName: device.name, filename: "f.txt",
            size: 1, sha256: TestDevice.digest(of: id),
            modified: Timestamp(nanoseconds: Int64.random(in: 0..<20, using: &random)))
    }

    /// Mostly of the current version, sometimes of a conflict version.
    private func save(_ random: inout SeededGenerator) -> [Change] {
        guard let entry = live({ $0.versions != nil }).randomElement(using: &random), let versions = entry.versions
        else { return [] }
        let conflict = versions.conflicts.randomElement(using: &random)
        let base = Bool.random(using: &random) ? conflict ?? versions.current : versions.current
        return [.save(entry.id, version(base: base.id, &random))]
    }

    /// Chooses one of the leaves it sees, and discards some of the others.
    private func resolve(_ random: inout SeededGenerator) -> [Change] {
        let inConflict = live { $0.versions?.conflicts.isEmpty == false }
        guard let entry = inConflict.randomElement(using: &random), let leaves = entry.versions?.leaves,
            let kept = leaves.randomElement(using: &random)
        else { return [] }
        let discarded = leaves.filter { $0.id != kept.id && Bool.random(using: &random) }
        return [.resolve(entry.id, Resolution(kept: kept.id, discarded: discarded.map(\.id)))]
    }

    private func move(_ random: inout SeededGenerator) -> [Change] {
        guard let entry = live({ _ in true }).randomElement(using: &random) else { return [] }
        let isNamed = !entry.description.hasGeneratedFilename && Bool.random(using: &random)
        let filename = isNamed ? Self.names.randomElement(using: &random) : entry.description.filename
        let parent = folder(&random)
        return [
            .describe(
                entry.id,
                .moved(to: parent, filename: filename ?? "", isGenerated: entry.description.hasGeneratedFilename))
        ]
    }

    private func rename(_ random: inout SeededGenerator) -> [Change] {
        live { $0.versions != nil }.randomElement(using: &random).map {
            [.describe($0.id, .named("Renamed \(Int.random(in: 0..<3, using: &random))"))]
        } ?? []
    }

    private func deletion(_ entry: ReplicaEntry) -> Change {
        .delete(entry.id, seen: entry.versions.map { [$0.current.id] + $0.conflicts.map(\.id) } ?? [])
    }

    /// `rm -r`
    private func deletions(_ folder: ReplicaEntry) -> [Change] {
        let children = view.replica.liveChildren(folder.id)
        return children.flatMap { $0.isFolder ? deletions($0) : [deletion($0)] } + [deletion(folder)]
    }

    /// `docfs undo`
    private func bringBack(_ random: inout SeededGenerator) -> [Change] {
        let deleted = view.replica.entries.values.filter(\.isDeleted).sorted { $0.id < $1.id }
        return deleted.randomElement(using: &random).map { [.create($0)] } ?? []
    }

    /// A change that no device should send.
    private func nonsense(_ random: inout SeededGenerator) -> [Change] {
        let unknown = EntryID.random(using: &random)
        let any = view.replica.entries.keys.sorted().randomElement(using: &random) ?? unknown
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: [.save(unknown, version(base: nil, &random)), .delete(unknown, seen: [])]
        case 1: [.describe(any, .moved(to: unknown, filename: "a"))]
        case 2: [.describe(any, .moved(to: any, filename: "a"))]
        default: [.create(named("a", in: unknown, &random))]
        }
    }
}
