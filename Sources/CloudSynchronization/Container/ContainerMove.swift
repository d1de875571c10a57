import Backing
import Catalog
import Documents
import Library
import Logging
import ObjectStore
import Replica
import Replication
import Synchronization

/// `docfs mount --move-to-this-cloud`: a store that belongs to one container goes to another (Semantics, "The cloud").
///
/// What is here is sent first; then the device takes the other container over, and adds to it what only this device knows. Until that has
/// happened nothing changes here. It never reads the former container, which stays as it is.
public final class ContainerMove: Sendable {
    private let isDone = Mutex(false)
    private let done: @Sendable () -> Void

    /// - Parameter done: called once, when the store belongs to the new container.
    public init(done: @escaping @Sendable () -> Void) { self.done = done }

    /// Whether the move has still to be made.
    var isPending: Bool { isDone.withLock { !$0 } }

    func end() {
        isDone.withLock { $0 = true }
        done()
    }
}

/// Why the documents cannot go to another container, in one line for a person.
struct ContainerMoveRefusal: Error, CustomStringConvertible {
    /// Documents of which a version is in the former container only; not empty.
    let names: [String]

    var description: String {
        let others = names.count > 1 ? " and \(names.count - 1) more" : ""
        return "the documents stay in the former cloud: \(names[0])\(others) cannot be sent from here; mount with the "
            + "former cloud, `docfs download` what is in the cloud only and `docfs resolve` what is in conflict"
    }
}

extension ContainerCheckup {
    /// Sends the contents that are here, and makes the container at this URL the store's own.
    ///
    /// - Throws: `ContainerMoveRefusal` if a content is neither here nor there.
    func move() async throws {
        try await container.objects.recreate()
        guard let former = try container.head()?.container else { return }
        var random = container.store.surroundings.random()
        let present = try await ContainerIdentity.read(from: container.objects)
        let id = try await container.establish(present ?? ContainerIdentity(.random(using: &random))).id
        if id == former { return }
        let missing = try await sendMissingContents()
        if !missing.isEmpty { throw ContainerMoveRefusal(names: missing.map(\.name)) }
        try await containerRepair.takeOver(id)
        container.store.logger.notice("the documents are in another cloud container now")
    }

    private func sendMissingContents() async throws -> [MissingContent] {
        var report = CheckupReport()
        return try await sendMissingContents(&report).filter { missing in
            try container.store.read { rows in
                // A document that was removed here leaves the container with the next commit, and one that was edited gets another version.
                guard let entry = try rows.entry(missing.document) else { return false }
                return !(entry.isHere && entry.contentVersion == missing.version)
            }
        }
    }
}
