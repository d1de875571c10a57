@testable import CloudSynchronization
@testable import Library
import Documents
import Catalog
import Backing
import Replication
@testable import Replica
import Testing

/// At rest.
extension SmallWorlds.LivingWorld {
    /// Sends and reads until neither device has anything to tell.
    func rest() async throws {
        let devices = [laptop.device, phone.device]
        for device in devices { _ = device.connection.set(.online) }
        for _ in 0..<8 {
            for device in devices { try await device.push() }
            for device in devices { try await device.pull() }
            if try devices.allSatisfy({ try $0.hasNothingPending }),
                try laptop.device.position == phone.device.position
            {
                return
            }
        }
        throw Fault("no rest", "pending: \(try laptop.device.pendingCount) and \(try phone.device.pendingCount)")
    }

    func checkAtRest() async throws {
        for side in [laptop, phone] where side.opened != nil {
            tell("exec 3>&-")
            closeOpened(side)
        }
        tell("# at rest")
        try await rest()
        for side in [laptop, phone] {
            let shown = try await names(on: side.device)
            if let model = side.names, model != shown {
                throw Fault(Fault.names, "at rest: \(Self.difference(model, shown))")
            }
            try checkWhole(side.device)
        }
        let (first, second) = (try await openAll(on: laptop.device), try await openAll(on: phone.device))
        if first != second {
            throw Fault(Fault.divided, "the laptop has \(first), the phone has \(second)")
        }
        try await checkVersions(on: laptop.device)
        try await checkNothingLost()
    }

    /// What the check compares: rows with files, and the tree with the replica.
    func checkWhole(_ device: TestDevice) throws {
        let unshown = try device.library.store.catalog.read { try $0.replicaEntriesNotShown() }
        let unknown = try device.library.store.catalog.read { try $0.entriesUnknownToContainer() }.map(\.filename)
        if !unshown.isEmpty || !unknown.isEmpty {
            throw Fault(
                Fault.check, "\(device.name): not shown: \(unshown.count), not known to the container: \(unknown)")
        }
    }

    /// Opens all that is listed, as `cat` does.
    ///
    /// - Returns: the documents of the cloud, by the names that people gave, with their texts.
    func openAll(on device: TestDevice) async throws -> [String] {
        let all = try items(on: device)
        var lines: [String] = []
        for place in Place.allCases {
            guard let folder = place.inode(on: device) else { continue }
            for listed in try device.library.list(folder) where listed.kind != .folder {
                guard case .entry(let inode) = listed.node, let item = all.first(where: { $0.entry.inode == inode })
                else {
                    throw Fault(Fault.unreadable, "\(device.name): \(place.rawValue)/\(listed.name) is no entry")
                }
                let shown = try await text(of: item, on: device)
                let content: String
                do {
                    let resolved = try device.library.lookup(Array(listed.name.utf8), in: folder) { .existing }
                    guard resolved.node == .entry(inode) else {
                        throw Fault(Fault.unreadable, "\(device.name): \(item.path) means another file")
                    }
                    content = try await read(inode, on: device)
                } catch let fault as Fault { throw fault } catch {
                    throw Fault(Fault.unreadable, "\(device.name): \(item.path): \(error)")
                }
                if content != shown {
                    throw Fault(Fault.unreadable, "\(device.name): \(item.path) is '\(content)', not '\(shown)'")
                }
                if item.entry.kind == .document, place == .cloud || place == .folder {
                    lines.append("\(place.rawValue)/\(item.name): \(content)")
                }
            }
        }
        return lines.sorted()
    }

    func read(_ inode: InodeNumber, on device: TestDevice) async throws -> String {
        let number = try await device.open(inode)
        defer { device.library.close(number) }
        return try await device.text(of: number)
    }

    /// `F.versions` and `F.conflicts` can be read, and hold what the container knows.
    func checkVersions(on device: TestDevice) async throws {
        var listed: Set<String> = []
        for item in try items(on: device) where item.entry.isReplicated && item.entry.kind == .document {
            let folders: [VersionFolder] = item.entry.conflicts > 0 ? [.history, .conflicts] : [.history]
            for folder in folders {
                for version in try device.library.list(folder, of: item.entry.inode) {
                    guard case .version(let inode) = version.node else { continue }
                    do { listed.insert(try await read(inode, on: device)) } catch {
                        throw Fault(
                            Fault.unreadable, "\(device.name): \(item.path)\(folder.suffix)/\(version.name): \(error)")
                    }
                }
            }
        }
        for (id, versions) in try shownVersions(on: device) {
            for version in versions.conflicts + versions.superseded.map(\.version) {
                guard let content = await text(of: version, of: id, on: device) else {
                    throw Fault(Fault.lost, "the content of a version that the container must keep")
                }
                if !listed.contains(content) {
                    throw Fault(Fault.unreadable, "'\(content)' is in neither F.versions nor F.conflicts")
                }
            }
        }
    }

    /// Each text that was acknowledged is somewhere. A text that a program replaced or removed for good is owed only if the container had it.
    func checkNothingLost() async throws {
        var found: Set<String> = []
        for device in [laptop.device, phone.device] {
            found.formUnion(try await holdings(of: device, names(on: device)))
        }
        let kept = try await allVersions(on: laptop.device)
        for (version, document) in try await sentVersions() {
            guard let key = try? version.key(of: document),
                let bytes = try? await laptop.device.cloud.get(key, limit: 1 << 16)
            else { throw Fault(Fault.lost, "the log names a content that the container has not") }
            let content = String(decoding: bytes, as: UTF8.self)
            if !kept.contains(content), !found.contains(content) {
                throw Fault(Fault.lost, "'\(content)' was sent, and is no version of any document")
            }
        }
        let owed = written.subtracting(found).subtracting(spent).sorted()
        if owed.isEmpty { return }
        let isKept = kept.isSuperset(of: owed)
        throw Fault(isKept ? Fault.hidden : Fault.lost, "at rest: \(owed)")
    }

    /// The texts of all versions, those of deleted documents included.
    func allVersions(on device: TestDevice) async throws -> Set<String> {
        let known = try device.library.transactions.inspect { rows -> [(DocumentVersion, EntryID)] in
            let replica = CatalogReplica(rows)
            var found: [(DocumentVersion, EntryID)] = []
            for (id, _) in try rows.replicaParents() {
                for version in try replica.entry(id)?.versions?.all ?? [] { found.append((version, id)) }
            }
            return found
        }
        var texts: Set<String> = []
        for (version, document) in known {
            if let content = await text(of: version, of: document, on: device) { texts.insert(content) }
        }
        return texts
    }

    /// The versions that commits name.
    func sentVersions() async throws -> [(DocumentVersion, EntryID)] {
        var found: [(DocumentVersion, EntryID)] = []
        for change in try await laptop.device.commits.flatMap(\.changes) {
            switch change {
            case .create(let entry): for version in entry.versions?.all ?? [] { found.append((version, entry.id)) }
            case .save(let id, let version): found.append((version, id))
            case .describe, .delete, .resolve, .bequeath: break
            }
        }
        return found
    }

    static func difference(_ expected: Names, _ found: Names) -> String {
        Set(expected.keys).union(found.keys).sorted().filter { expected[$0] != found[$0] }.map { path in
            func text(_ names: Names) -> String { names[path].map { "'\($0)'" } ?? "nothing" }
            return "\(path) is \(text(found)), and should be \(text(expected))"
        }.joined(separator: "; ")
    }
}
