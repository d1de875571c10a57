import Catalog
@testable import CloudSynchronization
import Documents
import Foundation
@testable import Library
@testable import Replica
import Replication
import Testing

/// Texts that come back.
extension SmallWorlds.LivingWorld {
    /// What an operation writes, or brings back; nil where there is nothing to bring back.
    func text(for act: Act, _ side: Side) async throws -> String? {
        switch act {
        case .restoreVersion: try await textOfVersion(in: .history, side)
        case .chooseOther, .discardOther, .keepCurrent: try await textOfVersion(in: .conflicts, side)
        case .restoreTrashed: try await textInTrash(of: side.device)
        case .saveAgain: firstText
        default: newText(of: side.device)
        }
    }

    /// The first listed version of `F.txt`.
    func textOfVersion(in folder: VersionFolder, _ side: Side) async throws -> String? {
        guard let name = try version(in: folder, side.device) else { return nil }
        let resolved = try side.device.library.lookup(name, in: folder, of: side.device.inode(Path.document.name))
        guard case .version(let inode) = resolved.node else { return nil }
        // A version is downloaded like any content.
        let before = side.device.connection.connection
        _ = side.device.connection.set(.online)
        defer { _ = side.device.connection.set(before) }
        return try await read(inode, on: side.device)
    }

    func version(in folder: VersionFolder, _ device: TestDevice) throws -> [UInt8]? {
        guard let entry = try? device.entry(Path.document.name), entry.kind == .document, entry.isReplicated,
            folder == .history || entry.conflicts > 0
        else { return nil }
        return try device.library.list(folder, of: entry.inode).first.map { Array($0.name.utf8) }
    }

    /// The text of what was removed last; nil where the trash is empty, or has its name only.
    func textInTrash(of device: TestDevice) async throws -> String? {
        guard let trashed = try trashed(on: device) else { return nil }
        if trashed.step.isInTrash, trashed.step.entry.isBackingCurrent {
            let path = "\(device.store)/trash/\(trashed.step.entry.inode)"
            return FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
        let entry = trashed.step.entry
        let known = try device.library.transactions.inspect { rows -> (DocumentVersion, EntryID)? in
            if let awaited = try entry.awaitedContent() { return (awaited.version, awaited.document) }
            // The one that was shown: somebody may have chosen it.
            guard let id = entry.id, let versions = try CatalogReplica(rows).entry(id)?.versions,
                let current = versions.all.first(where: { $0.id == entry.currentVersion })
            else { return nil }
            return (current, id)
        }
        guard let (version, document) = known else { return nil }
        return await text(of: version, of: document, on: device)
    }
}
