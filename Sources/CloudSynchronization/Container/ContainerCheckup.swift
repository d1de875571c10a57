import Backing
import Catalog
import Documents
import Library
import Logging
import ObjectStore
import Replica
import Replication
import SystemPackage

/// `docfs check`: has the store checked and inspects the whole container when a person asks for it, and repairs both from what is on
/// this device.
struct ContainerCheckup: Sendable {
    let container: ContainerAccess
    private let checkedStore: any CheckedStore
    private let request: CloudCheckup
    private let follower: LogFollower
    private let inspector: ContainerInspector
    let containerRepair: ContainerRepair
    private let rotation: KeyRotation
    private let wake: Wake

    private var store: DocumentStore { container.store }
    private var objects: any ObjectStore { container.objects }

    init(
        _ container: ContainerAccess, _ checkedStore: any CheckedStore, _ request: CloudCheckup,
        _ follower: LogFollower, _ inspector: ContainerInspector, _ containerRepair: ContainerRepair,
        _ rotation: KeyRotation, _ wake: Wake
    ) {
        self.container = container
        self.checkedStore = checkedStore
        self.request = request
        self.follower = follower
        self.inspector = inspector
        self.containerRepair = containerRepair
        self.rotation = rotation
        self.wake = wake
    }

    /// Does what a person asked for, if anybody did. To be called between two rounds.
    func runIfAsked() async {
        guard let wanted = request.begin() else { return }
        switch wanted {
        case .check: request.end(await run(repairs: false))
        case .repair: request.end(await run(repairs: true))
        case .newKey: request.end(await takeNewKey())
        }
        wake.signal()
    }

    private func takeNewKey() async -> CloudCheckup.Stage {
        do {
            try await rotation.run()
            return .keyTaken
        } catch { return .failed("\(error)") }
    }

    private func run(repairs: Bool) async -> CloudCheckup.Stage {
        let inStore: StoreReport
        do { inStore = try await checkStore(repairs: repairs) } catch {
            store.logger.warning("the store could not be checked", metadata: ["error": "\(error)"])
            return .failed("the store: \(error)")
        }
        do {
            var report = try await checkUp(repairs: repairs)
            report.store = inStore
            return .done(report)
        } catch {
            store.logger.warning("the cloud could not be checked", metadata: ["error": "\(error)"])
            if inStore.lines.isEmpty { return .failed("\(error)") }
            var report = CheckupReport()
            report.store = inStore
            report.fault = "the cloud could not be checked: \(error)"
            report.isWhole = false
            report.isChecked = false
            return .done(report)
        }
    }

    // MARK: The store

    private func checkStore(repairs: Bool) async throws -> StoreReport {
        let first = try await checkedStore.check(repairs: repairs) { [request] in
            request.report(CheckupProgress(.store, done: Int64($0), of: 100))
        }
        guard repairs, first.isReplicaDamaged else { return first }
        try await containerRepair.rereadReplica()
        var report = try await checkedStore.check(repairs: true) { _ in }
        report.mended = first.mended + first.remaining.filter { !report.remaining.contains($0) } + report.mended
        return report
    }

    // MARK: The container

    func checkUp(repairs: Bool) async throws -> CheckupReport {
        var report = CheckupReport()
        if repairs {
            try container.requireKeys()
            try await objects.recreate()
        }
        if let fault = try await findFault() {
            report.fault = "\(fault)"
            report.isWhole = repairs
            if repairs { try await repair() }
        }
        if repairs { try await rotation.publish(repairs: true) }
        if report.isWhole {
            let missing = try await missingContents(&report) { repairs ? try await send($0, of: $1) : false }
            report.missing = missing.map(\.name)
            if objects.isEncrypted { report.newest = try await newest() }
        }
        return report
    }

    /// - Returns: nil for a log without entries, and for one that is longer by now.
    private func newest() async throws -> NewestEntry? {
        guard let head = try container.head(), head.position > .start,
            let entry = try await container.log.read(head.position), entry.hash == head.hash
        else { return nil }
        return NewestEntry(entry, at: head.position)
    }

    /// Reads the log to its end and inspects all of it.
    private func findFault() async throws -> (any Error)? {
        do {
            try await follower.followLog()
            inspector.restart()
            while try await !inspector.inspect() {}
            try await verifyChain()
            return nil
        } catch let error as LogError {
            if case .store(.gone) = error { return error }
            guard error.isDamage else { throw error }
            return error
        }
    }

    /// Reads again what this device has read before, as a new device may have to.
    private func verifyChain() async throws {
        guard let head = try container.head() else { return }
        var last = head.readFrom.previous
        let first = last.number
        var previous: ObjectHash?
        while last < head.position {
            let entries = try await container.log.read(after: last)
            request.report(
                CheckupProgress(.log, done: last.number - first, of: head.position.number - first))
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
        try await ContainerIdentity.removeDamaged(from: objects)
        let mine = try container.head()
        var random = store.surroundings.random()
        let present = try await ContainerIdentity.read(from: objects)
        let identity = present ?? ContainerIdentity(mine?.container ?? .random(using: &random))
        let id = try await container.establish(identity).id
        // Contents are sent before a commit names them.
        var report = CheckupReport()
        _ = try await sendMissingContents(&report)
        if let mine, mine.container != id { try await containerRepair.takeOver(id) }
        // Perhaps only its id was missing, or another device wrote to it as if it were the container before.
        guard let fault = try await findFault() else { return }
        if case .container(.otherState)? = fault as? LogError, try await containerRepair.takeStateOfLog(of: id) {
            return
        }
        if try await !isTakenOver() { try await containerRepair.restartLog(of: id) }
    }

    /// Whether another device has repaired the container, in a way that this one can take over.
    private func isTakenOver() async throws -> Bool {
        do { return try await containerRepair.takeOverIfRepaired() } catch let error as LogError where error.isDamage {
            store.logger.warning(
                "a container that another device repaired cannot be taken over", metadata: ["error": "\(error)"])
            return false
        }
    }

    // MARK: Contents

    /// A content that the container needs and does not have.
    struct MissingContent {
        let document: EntryID
        let version: VersionID
        /// The document's, for a person.
        let name: String
    }

    /// Sends the contents that the container needs and that are here.
    ///
    /// - Returns: those that are not here.
    func sendMissingContents(_ report: inout CheckupReport) async throws -> [MissingContent] {
        try await missingContents(&report) { try await send($0, of: $1) }
    }

    /// Compares the contents that the container needs with those that it has.
    ///
    /// - Parameter send: sends one; returns false where it did not.
    private func missingContents(
        _ report: inout CheckupReport, send: (DocumentVersion, EntryID) async throws -> Bool
    ) async throws -> [MissingContent] {
        var missing: [MissingContent] = []
        let present = try await presentContents()
        let ids = try store.read { try $0.replicaParents().map(\.id) }
        for (number, id) in ids.enumerated() {
            request.report(CheckupProgress(.contents, done: Int64(number), of: Int64(ids.count)))
            guard let entry = try store.read({ try CatalogReplica($0).entry(id) }), !entry.isDeleted,
                let versions = entry.versions
            else { continue }
            report.checked += 1
            for version in versions.leaves where !present.contains(version.id) {
                if try await send(version, id) {
                    report.sent += 1
                } else {
                    let name = entry.description.fullName ?? entry.description.filename
                    missing.append(MissingContent(document: id, version: version.id, name: name))
                }
            }
        }
        return missing
    }

    private func presentContents() async throws -> Set<VersionID> {
        var present: Set<VersionID> = []
        var last: ObjectKey?
        while true {
            let keys = try await objects.list(ContentKey.folder, after: last, limit: ContainerAudit.pageLength)
            for key in keys { if let content = ContentKey(key) { present.insert(content.version) } }
            guard keys.count == ContainerAudit.pageLength, let end = keys.last else { return present }
            last = end
        }
    }

    /// Sends a content again under its own key.
    ///
    /// - Returns: false where this device does not have it.
    private func send(_ version: DocumentVersion, of id: EntryID) async throws -> Bool {
        let file: Descriptor? = try store.read { rows in
            guard let entry = try rows.entry(id), entry.isHere, entry.contentVersion == version.id else {
                return nil
            }
            return try store.files.folder(entry.parent, rows).openUnnoticed(entry.filename)
        }
        guard let file else { return false }
        let descriptor = FileDescriptor(rawValue: file.number)
        // The file may have been changed since.
        guard try await Upload(store: objects).isContent(of: version, in: descriptor) else { return false }
        let sent = UploadProgress(total: version.size)
        request.report(CheckupProgress(.sending, done: 0, of: version.size))
        _ = try await objects.putIfAbsent(
            try version.key(of: id), contentsOf: descriptor, length: version.size,
            progress: { [request] count in
                _ = sent.add(count)
                request.report(CheckupProgress(.sending, done: sent.sentBytes, of: version.size))
                return true
            })
        withExtendedLifetime(file) {}
        return true
    }
}
