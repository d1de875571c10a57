import Backing
import Catalog
import Documents
import Foundation
@testable import Library
@testable import Replica
import ObjectStore
import Replication
import SystemPackage
import TestSupport

/// The checks at the end of a world, when all devices are at rest.
extension World {
    /// - Returns: a line for each violation.
    func check() throws -> [String] {
        var wrong = ledger.failures
        if !wrong.isEmpty { return wrong }
        let newcomer = try addNewcomer()
        let replicas = try devices.map { try Self.replica(of: $0) }
        let replica = replicas[0]
        for (device, other) in zip(devices, replicas).dropFirst() where other != replica {
            wrong.append(
                "\(device.place.name) and \(devices[0].place.name) have different replicas: \(Self.difference(other, replica))"
            )
        }
        for device in devices {
            wrong += try checkStateHash(of: device) + checkTree(of: device, replica) + checkStore(of: device)
        }
        wrong +=
            try checkLog(replica) + checkNothingLost(replica) + checkDeletions(replica) + checkNames(replica)
            + checkOnePerson(replica) + checkNothingTwice(replica) + checkHistories(replica) + checkBequests(replica)
            + (try checkKeys())
        _ = newcomer
        return wrong + ledger.failures
    }

    static func replica(of device: SimulatedDevice) throws -> [EntryID: ReplicaEntry] {
        try device.library.store.catalog.read { rows in
            let replica = CatalogReplica(rows)
            return Dictionary(
                uniqueKeysWithValues: try rows.replicaParents().map { ($0.id, try replica.entry($0.id)!) })
        }
    }

    /// The hash that the device's next commit would name is that of its entries, and the leaves that are stored beside them are theirs.
    private func checkStateHash(of device: SimulatedDevice) throws -> [String] {
        try device.library.store.catalog.read { rows in
            guard let head = try rows.logHead() else { return [] }
            var state = StateHash.empty
            for id in try rows.replicaParents().map(\.id) {
                guard let entry = try CatalogReplica(rows).entry(id) else { continue }
                state.add(try entry.record())
                if try rows.replicaLeaves(of: id) != entry.versions?.leaves.map(\.id) ?? [] {
                    return ["\(device.place.name) has stored other leaves of \(id) than those of its versions"]
                }
            }
            return state == head.state ? [] : ["\(device.place.name) has another state than it says"]
        }
    }

    private static func difference(_ left: [EntryID: ReplicaEntry], _ right: [EntryID: ReplicaEntry]) -> String {
        let ids = Set(left.keys).union(right.keys).sorted().filter { left[$0] != right[$0] }
        return ids.prefix(3).map { id in
            "\(id): \(left[id].map { "\($0)" } ?? "nothing") and \(right[id].map { "\($0)" } ?? "nothing")"
        }.joined(separator: "; ")
    }

    /// Nothing that `docfs check` would find in a store is there without damage.
    private func checkStore(of device: SimulatedDevice) throws -> [String] {
        try device.library.storeCheck.audit { _ in }.findings.map { "\(device.place.name): \($0.line)" }
    }

    // MARK: The tree of each device

    private func checkTree(of device: SimulatedDevice, _ replica: [EntryID: ReplicaEntry]) throws -> [String] {
        var wrong: [String] = []
        let name = device.place.name
        let (cloud, local) = try device.library.transactions.inspect { rows in
            (try rows.descendants(of: .cloud), try rows.descendants(of: .local))
        }
        let ids = Dictionary(uniqueKeysWithValues: cloud.map { ($0.inode, $0.id) })
        let holdingScratch = foldersHoldingScratch(cloud)
        var missing = Set(replica.values.filter { !$0.isDeleted }.map(\.id))
        let trash = Set((cloud + local).filter { $0.kind == .folder && $0.namingContext.isScratch }.map(\.inode))
        for entry in cloud where entry.kind != .scratch {
            if entry.id == nil, trash.contains(entry.inode) || trash.contains(entry.parent) { continue }
            // Deleted elsewhere, and kept for what is here alone.
            if entry.kind == .folder, entry.pending.contains(.revival), holdingScratch.contains(entry.inode) {
                continue
            }
            guard let id = entry.id, let committed = replica[id], !committed.isDeleted else {
                wrong.append("\(name) shows '\(entry.filename)', which the container has not")
                continue
            }
            missing.remove(id)
            let parent = entry.parent == .cloud ? EntryID.cloudRoot : ids[entry.parent] ?? nil
            let description = committed.description
            if description.parent != parent || !description.filename.isIdentical(to: entry.filename) {
                wrong.append("\(name) has '\(entry.filename)' in another place than the container")
            }
            if description.position.key != entry.position {
                wrong.append("\(name) has '\(entry.filename)' at another place in the order than the container")
            }
            if description.fullName != entry.name?.full {
                wrong.append("\(name) calls '\(description.fullName ?? "")' '\(entry.name?.full ?? "")'")
            }
            wrong += try checkContent(of: entry, committed, on: device)
        }
        if !missing.isEmpty {
            wrong.append("\(name) lacks \(missing.sorted().map { replica[$0]!.description.filename })")
        }
        // A placeholder may show a failed download; the next open tries again.
        for entry in cloud + local where entry.error != nil && (entry.isBackingCurrent || entry.location == .local) {
            wrong.append("\(name): '\(entry.filename)' is left in error: \(entry.error!)")
        }
        for entry in local.filter(\.kind.isFile) + cloud.filter({ $0.kind == .scratch }) {
            let content = localContent(of: entry.inode, on: device)
            if content.map({ !ledger.knows($0) }) ?? true {
                wrong.append("\(name): the local '\(entry.filename)' is not what was written")
            }
        }
        let staged = try device.library.store.files.staging.names().filter { !$0.hasPrefix("removed-") }
        if !staged.isEmpty { wrong.append("\(name) left \(staged) behind") }
        return wrong
    }

    private func foldersHoldingScratch(_ entries: [Entry]) -> Set<InodeNumber> {
        let parents = Dictionary(uniqueKeysWithValues: entries.map { ($0.inode, $0.parent) })
        var holding: Set<InodeNumber> = []
        for entry in entries where entry.kind == .scratch {
            var folder = entry.parent
            while let above = parents[folder], holding.insert(folder).inserted { folder = above }
        }
        return holding
    }

    private func checkContent(of entry: Entry, _ committed: ReplicaEntry, on device: SimulatedDevice) throws -> [String]
    {
        guard let versions = committed.versions else { return [] }
        let name = "\(device.place.name): '\(entry.name?.full ?? "")'"
        if entry.currentVersion != versions.current.id { return ["\(name) does not know the current version"] }
        if entry.conflicts != versions.conflicts.count {
            return ["\(name) counts \(entry.conflicts) conflicts of \(versions.conflicts.count)"]
        }
        if entry.modified != committed.description.modified {
            return [
                "\(name) was modified at \(entry.modified), and the container says \(committed.description.modified)"
            ]
        }
        guard entry.isBackingCurrent else {
            return entry.size == versions.current.size ? [] : ["\(name) has another size"]
        }
        guard let version = versions.all.first(where: { $0.id == entry.contentVersion }) else {
            return ["\(name) holds an unknown version"]
        }
        if localContent(of: entry.inode, on: device) != version.sha256 {
            return ["\(name) does not hold what it says it holds"]
        }
        let modified = try device.library.attributes(of: .entry(entry.inode)).modified
        return modified == entry.modified ? [] : ["\(name) was modified at \(modified) and not at \(entry.modified)"]
    }

    // MARK: The container

    /// Every content that a commit names is in the history of its document, and in the store, byte for byte.
    private func checkLog(_ replica: [EntryID: ReplicaEntry]) throws -> [String] {
        var wrong: [String] = []
        let objects = network.objects
        let expendable = try expendableVersions()
        var commits: Set<CommitID> = []
        // After a rename over another document they belong to that one.
        var bequeathed: Set<VersionID> = []
        for (key, bytes) in objects where key.components[0] == "log" {
            for case .bequeath(_, _, let versions) in try LogEntry(decoding: bytes).commit.changes {
                bequeathed.formUnion(versions)
            }
        }
        for key in objects.keys.filter({ $0.components[0] == "log" }).sorted() {
            let commit = try LogEntry(decoding: objects[key]!).commit
            if !commits.insert(commit.id).inserted { wrong.append("\(key) is a commit that was there before") }
            for change in commit.changes {
                let saved: [DocumentVersion] =
                    switch change {
                    case .create(let entry): entry.versions?.all ?? []
                    case .save(_, let version): [version]
                    case .describe, .delete, .resolve, .bequeath: []
                    }
                guard !saved.isEmpty else { continue }
                guard let versions = replica[change.subject]?.versions else {
                    wrong.append("a document of \(key) is unknown")
                    continue
                }
                let bases = Set(versions.all.compactMap(\.base))
                if versions.leaves.contains(where: { bases.contains($0.id) }) {
                    wrong.append("a version that another was made from is current, or in conflict")
                }
                for version in saved {
                    let isBequeathed =
                        bequeathed.contains(version.id)
                        && replica.values.contains { $0.versions?.contains(version.id) == true }
                    if !versions.contains(version.id), !isBequeathed { wrong.append("a version of \(key) is lost") }
                    let bytes = network.object(try version.key(of: change.subject))
                    if bytes == nil, isDamaged || expendable.contains(version.id) {
                        ledger.count("cleaned")
                        continue
                    }
                    if bytes.map(contentHash) != version.sha256 {
                        wrong.append("the content of a version of \(key) is not in the store")
                    }
                }
            }
        }
        return wrong
    }

    /// The versions that departed with a commit older than 30 days by the store's clock.
    private func expendableVersions() throws -> Set<VersionID> {
        let now = surroundings.clock.wallTime(skew: 0)
        var replica = InMemoryReplica()
        var departed: [VersionID: Timestamp] = [:]
        let objects = network.objects
        for key in objects.keys.filter({ $0.components[0] == "log" }).sorted() {
            for id in try apply(try LogEntry(decoding: objects[key]!).commit, to: &replica) {
                guard let entry = replica.entry(id), let versions = entry.versions else { continue }
                let needed = Set(entry.isDeleted ? [] : versions.leaves.map(\.id))
                for version in versions.all.map(\.id) {
                    departed[version] = needed.contains(version) ? nil : departed[version] ?? network.time(of: key)
                }
            }
        }
        return Set(departed.filter { Retention.isOver(departed: $0.value, now: now) }.keys)
    }

    /// Every acknowledged save exists, unless its author replaced it.
    private func checkNothingLost(_ replica: [EntryID: ReplicaEntry]) throws -> [String] {
        var present = Set(replica.values.flatMap { $0.versions?.all ?? [] }.map(\.sha256))
        for device in devices {
            let entries = try device.library.transactions.inspect {
                try $0.descendants(of: .local) + $0.descendants(of: .cloud).filter { $0.kind == .scratch }
            }
            for entry in entries {
                if let content = localContent(of: entry.inode, on: device) { present.insert(content) }
            }
        }
        return ledger.owed.filter { !present.contains($0.content) }.map {
            "a save of \(DevicePlace.names[$0.device]) is lost: \($0.content.prefix(16))"
        }
    }

    /// The device that deleted a content had seen it.
    private func checkDeletions(_ replica: [EntryID: ReplicaEntry]) throws -> [String] {
        var wrong: [String] = []
        for entry in replica.values.sorted(by: { $0.id < $1.id }) where entry.isDeleted && !ledger.hasLeft(entry.id) {
            guard let versions = entry.versions else { continue }
            let seen = ledger.seenAtDeletion(of: entry.id)
            if seen == nil { wrong.append("'\(entry.description.fullName ?? "")' was deleted by nobody") }
            if let seen, !versions.leaves.allSatisfy({ seen.contains($0.sha256) || ledger.isOverwritten($0.sha256) }) {
                wrong.append("'\(entry.description.fullName ?? "")' was deleted by somebody who had not seen an edit")
            }
        }
        return wrong
    }

    /// A superseded content was replaced by one that was made from it, by a person's choice, or by the deletion of its document. A
    /// content that was saved once exists once.
    private func checkHistories(_ replica: [EntryID: ReplicaEntry]) throws -> [String] {
        var wrong: [String] = []
        var discarded: Set<VersionID> = []
        // Including lost parts of the log.
        for bytes in network.allEntries {
            for change in try LogEntry(decoding: bytes).commit.changes {
                switch change {
                case .resolve(_, let resolution): discarded.formUnion(resolution.discarded)
                case .delete(_, let seen): discarded.formUnion(seen)
                case .create, .save, .describe, .bequeath: break
                }
            }
        }
        for entry in replica.values.sorted(by: { $0.id < $1.id }) {
            guard let versions = entry.versions else { continue }
            if !versions.conflicts.isEmpty { ledger.count("conflict") }
            let reasons = discarded.union(versions.all.compactMap(\.base))
            let name = entry.description.fullName ?? ""
            // Or by the same content, saved independently.
            func isThereStill(_ version: DocumentVersion) -> Bool {
                versions.all.contains { $0.id != version.id && $0.sha256 == version.sha256 }
            }
            if versions.superseded.contains(where: { !reasons.contains($0.version.id) && !isThereStill($0.version) }) {
                wrong.append("a version of '\(name)' gave way to one that was not made from it")
            }
            let contents = versions.all.filter { $0.size > 8 && !ledger.isShared($0.sha256) }
            // A save of the same content is a version of its own where another device had removed the document.
            let isTwice = Dictionary(grouping: contents, by: \.sha256).contains { content, versions in
                versions.count > 1 + ledger.timesSavedAgain(content)
            }
            if isTwice, !ledger.hasLeft(entry.id) {
                wrong.append("'\(name)' has one save twice")
            }
        }
        return wrong
    }

    /// The conflict versions of a document that was renamed over another moved with it, unless they were replaced or discarded before the
    /// rename was committed. Such a version is in conflict again, where it was, if the choice that discarded it was undone.
    private func checkBequests(_ replica: [EntryID: ReplicaEntry]) -> [String] {
        ledger.bequests.filter { bequest in
            !replica.values.contains { entry in
                // Or the other document was deleted too.
                if entry.id != bequest.source, ledger.seenAtDeletion(of: entry.id)?.contains(bequest.content) == true {
                    return true
                }
                let staysInHistory = entry.id == bequest.source && entry.isDeleted
                let versions = staysInHistory ? entry.versions?.superseded.map(\.version) : entry.versions?.all
                return versions?.contains { $0.sha256 == bequest.content } == true
            }
        }.map { "a version in conflict was lost by a rename: \($0.content.prefix(16))" }
    }

    /// One person who uses a device at a time sees no conflict, and each name as it was typed, once.
    func checkOnePerson(_ replica: [EntryID: ReplicaEntry]) -> [String] {
        guard hasOnePerson else { return [] }
        let named = Self.names(in: replica).filter { name in DevicePlace.names.contains { name.contains(" (\($0)") } }
        let documents = replica.values.filter { !$0.isDeleted && $0.versions != nil }
        let inConflict = documents.filter { $0.versions?.conflicts.isEmpty == false }.map(\.description.filename)
        let given = documents.filter { $0.description.naming == .given }
        let twice = Dictionary(grouping: given) { "\($0.description.parent) \($0.description.fullName ?? "")" }
            .filter { $1.count > 1 }.map(\.key)
        return (named + inConflict + twice).sorted().map { "one person has a conflict with itself: '\($0)'" }
    }

    private static func names(in replica: [EntryID: ReplicaEntry]) -> [String] {
        replica.values.flatMap { [$0.description.fullName, $0.description.filename] }.compactMap { $0 }
    }

    /// A name with a device in it has a second one that was typed.
    private func checkNames(_ replica: [EntryID: ReplicaEntry]) throws -> [String] {
        Self.names(in: replica).sorted().filter { name in
            guard let device = DevicePlace.names.first(where: { name.contains(" (\($0)") }),
                let start = name.range(of: " (\(device)")
            else { return false }
            let end = name[start.lowerBound...].firstIndex(of: ")").map { name.index(after: $0) } ?? name.endIndex
            return ledger.timesTyped(String(name[..<start.lowerBound]) + name[end...]) < 2
        }.map { "nobody typed twice what became '\($0)'" }
    }

    /// No content is current in two documents.
    private func checkNothingTwice(_ replica: [EntryID: ReplicaEntry]) throws -> [String] {
        let current = replica.values.filter { !$0.isDeleted }.compactMap { $0.versions?.current }.filter {
            $0.size > 8 && !ledger.isShared($0.sha256)
        }
        let twice = Dictionary(grouping: current, by: \.sha256).filter { $0.value.count > 1 }
        return twice.keys.sorted().map { "a content of \(twice[$0]![0].size) bytes is there twice" }
    }
}
