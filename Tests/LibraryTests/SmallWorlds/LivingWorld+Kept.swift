@testable import Library
import Documents
import Catalog
import Foundation
import Replication
@testable import Replica
import Testing

/// Where texts are kept.
extension SmallWorlds.LivingWorld {
    /// All texts that a person can get at on a device: under names, as versions of documents, and by undo and redo.
    func holdings(of device: TestDevice, _ names: Names) async throws -> Set<String> {
        var found = Set(names.values)
        found.formUnion(try await trash(of: device, ActionDirection.allCases))
        for (id, versions) in try shownVersions(on: device) {
            for version in versions.all {
                if let content = await text(of: version, of: id, on: device) { found.insert(content) }
            }
        }
        for (version, document) in try inheritedVersions(on: device) {
            if let content = await text(of: version, of: document, on: device) { found.insert(content) }
        }
        return found
    }

    /// The conflict versions of documents that were renamed over others, as long as the container does not know of it.
    func inheritedVersions(on device: TestDevice) throws -> [(DocumentVersion, EntryID)] {
        try device.library.transactions.inspect { rows in
            try rows.descendants(of: .cloud).flatMap { entry in
                try entry.id.map { try Self.versions(inheritedBy: $0, rows) } ?? []
            }
        }
    }

    static func versions(inheritedBy id: EntryID, _ rows: Rows) throws
        -> [(DocumentVersion, EntryID)]
    {
        try rows.withdrawals(inFavourOf: id).flatMap { withdrawal in
            let leaves = try CatalogReplica(rows).entry(withdrawal.id)?.versions?.leaves ?? []
            return leaves.filter { withdrawal.bequest.contains($0.id) }.map { ($0, withdrawal.id) }
        }
    }

    /// The texts of the conflict versions that an operation removes with the document.
    func conflictVersions(_ act: Act, _ side: Side) async throws -> Set<String> {
        let isAway = act == .removeAway || act == .removeFolder
        guard let path = act == .remove ? Path.document : isAway ? side.away : nil,
            let folder = path.place.inode(on: side.device), let entry = try? side.device.entry(path.name, in: folder),
            let id = entry.id, entry.conflicts > 0
        else { return [] }
        let known = try side.device.library.transactions.inspect { rows in
            try Self.versions(inheritedBy: id, rows)
                + (CatalogReplica(rows).entry(id)?.versions?.leaves ?? []).map { ($0, id) }
        }
        var found: Set<String> = []
        for (version, document) in known {
            if let content = await text(of: version, of: document, on: side.device) { found.insert(content) }
        }
        return found
    }

    func shownVersions(on device: TestDevice) throws -> [(EntryID, VersionHistory)] {
        try device.library.transactions.inspect { rows -> [(EntryID, VersionHistory)] in
            let replica = CatalogReplica(rows)
            var found: [(EntryID, VersionHistory)] = []
            for entry in try rows.descendants(of: .cloud) where entry.kind == .document {
                guard let id = entry.id, let versions = try replica.visibleEntry(id, at: Self.start)?.versions else {
                    continue
                }
                found.append((id, versions))
            }
            return found
        }
    }

    /// The texts of what undo or redo would bring back: files in the trash, and for placeholders the versions in the container.
    func trash(of device: TestDevice, _ lists: [ActionDirection]) async throws -> Set<String> {
        let steps = try device.library.transactions.inspect { rows -> [ActionStep] in
            var steps: [ActionStep] = []
            for list in lists {
                for action in try rows.actions(list) { steps += try rows.steps(of: action.id) }
            }
            return steps
        }
        var found: Set<String> = []
        for step in steps where step.entry.kind == .document {
            let path = "\(device.store)/trash/\(step.entry.inode)"
            if step.isInTrash, let data = FileManager.default.contents(atPath: path) {
                found.insert(String(decoding: data, as: UTF8.self))
            }
            if step.change != .removed { continue }
            for (version, document) in try versions(of: step, on: device) {
                if let content = await text(of: version, of: document, on: device) { found.insert(content) }
            }
        }
        return found
    }

    /// The versions that come back with a document of the cloud, and with one that was removed on its way out of it.
    func versions(of step: ActionStep, on device: TestDevice) throws -> [(DocumentVersion, EntryID)] {
        let entry = step.entry
        guard entry.location == .cloud || !entry.isHere else { return [] }
        return try device.library.transactions.inspect { rows -> [(DocumentVersion, EntryID)] in
            var found: [(DocumentVersion, EntryID)] = []
            if let awaited = try entry.awaitedContent() { found.append((awaited.version, awaited.document)) }
            guard let id = entry.id else { return found }
            found += try Self.versions(inheritedBy: id, rows)
            guard let known = try CatalogReplica(rows).entry(id)?.versions else { return found }
            for version in known.all { found.append((version, id)) }
            return found
        }
    }
}
