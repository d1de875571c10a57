import Library
import Replica
import Backing
import Catalog
import Documents
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

/// Looking through the cloud when a person asks for it, and making it whole from what is here (PRODUCT 5, `docfs check`).
extension Synchronizer {
    /// Does what was asked for, if anything was. To be called between two rounds.
    func checkUpIfAsked() async {
        guard let repairs = checkup.begin() else { return }
        do { checkup.end(.done(try await checkUp(repairs: repairs))) } catch {
            store.logger.warning("the cloud could not be checked", metadata: ["error": "\(error)"])
            checkup.end(.failed("\(error)"))
        }
        cloud.wake.signal()
    }

    func checkUp(repairs: Bool) async throws -> CheckupReport {
        var report = CheckupReport()
        if let fault = try await findFault() {
            report.fault = "\(fault)"
            report.isWhole = repairs
            if repairs { try await repair() }
        }
        if report.isWhole { try await checkContents(sendsMissing: repairs, &report) }
        return report
    }

    /// Reads the log to its end and looks through all of it.
    private func findFault() async throws -> (any Error)? {
        do {
            try await followLog()
            inspection.withLock { $0 = Inspection() }
            while try await !inspectContainer() {}
            try await verifyChain()
            return nil
        } catch let error as LogError {
            if case .store(.gone) = error { return error }
            guard error.isDamage else { throw error }
            return error
        }
    }

    /// Reads all that this device has read before once more: a newcomer may have to.
    private func verifyChain() async throws {
        guard let head = try head() else { return }
        var last = head.readFrom.previous
        var previous: ObjectHash?
        while last < head.position {
            let entries = try await log.read(after: last)
            if entries.isEmpty { throw LogError.container(.hole(last.next)) }
            for entry in entries where last < head.position {
                if let previous, entry.link.previous != previous {
                    throw LogError.container(.otherHistory(at: last.next))
                }
                previous = entry.hash
                last = last.next
            }
        }
        if let previous, previous != head.hash { throw LogError.container(.otherHistory(at: head.position)) }
    }

    private func repair() async throws {
        try await cloud.store.recreate()
        try await ContainerIdentity.removeDamaged(from: cloud.store)
        let mine = try head()
        var random = store.surroundings.random()
        let present = try await ContainerIdentity.read(from: cloud.store)
        let identity = present ?? ContainerIdentity(mine?.container ?? .random(using: &random))
        let container = try await identity.establish(in: cloud.store).id
        // Before any commit names them.
        var report = CheckupReport()
        try await checkContents(sendsMissing: true, &report)
        if let mine, mine.container != container { try await join(container) }
        // It may have lacked no more than its name. Or somebody wrote to it as if it were the one before.
        if try await findFault() == nil { return }
        if try await !followsRepair() { try await refound(container) }
    }

    // MARK: Contents

    /// Compares the contents that the container needs with those that the store has.
    private func checkContents(sendsMissing: Bool, _ report: inout CheckupReport) async throws {
        let present = try await presentContents()
        let ids = try store.read { try $0.replicaParents().map(\.id) }
        for (number, id) in ids.enumerated() {
            checkup.note(progress: 100 * number / ids.count)
            guard let entry = try store.read({ try CatalogReplica($0).entry(id) }), !entry.isDeleted,
                let versions = entry.versions
            else { continue }
            report.checked += 1
            for version in versions.heads where !present.contains(version.id) {
                if sendsMissing, try await send(version, of: id) {
                    report.sent += 1
                } else {
                    report.missing.append(entry.description.fullName ?? entry.description.filename)
                }
            }
        }
    }

    private func presentContents() async throws -> Set<VersionID> {
        var present: Set<VersionID> = []
        var last: ObjectKey?
        while true {
            let keys = try await cloud.store.list(ContentKey.folder, after: last, limit: ContainerAudit.pageLength)
            for key in keys { if let content = ContentKey(key) { present.insert(content.version) } }
            guard keys.count == ContainerAudit.pageLength, let end = keys.last else { return present }
            last = end
        }
    }

    /// Sends a content again under its own key.
    ///
    /// - Returns: false where this device does not have it.
    private func send(_ version: DocumentVersion, of id: EntryID) async throws -> Bool {
        let file: Descriptor? = try store.read { catalog in
            guard let entry = try catalog.entry(id), entry.isHere, entry.contentVersion == version.id else {
                return nil
            }
            return try store.files.folder(entry.parent, catalog).openUnnoticed(entry.filename)
        }
        guard let file else { return false }
        let descriptor = FileDescriptor(rawValue: file.number)
        // It may have been changed here since.
        guard try await Upload(store: cloud.store).isContent(of: version, in: descriptor) else { return false }
        _ = try await cloud.store.putIfAbsent(
            try version.key(of: id), contentsOf: descriptor, length: version.size, progress: { _ in true })
        withExtendedLifetime(file) {}
        return true
    }
}
