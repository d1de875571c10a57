import Documents
import Catalog
import Library
import Synchronization

/// Records the events of a library, and acts as a kernel whose caches have forgotten all names, or none.
final class ObserverSpy: LibraryObserver {
    private struct Heard {
        var names: [(name: String, parent: InodeNumber)] = []
        var attributes: Set<InodeNumber> = []
        var listings: Set<InodeNumber> = []
        var remoteChanges: [RemoteChange] = []
        var trashChanges: [TrashChange] = []
    }

    private let heard = Mutex(Heard())
    private let forgetsNames: Bool

    init(forgetsNames: Bool = true) { self.forgetsNames = forgetsNames }

    func hasHeard(of name: String, in parent: InodeNumber) -> Bool {
        heard.withLock { $0.names.contains { $0.name == name && $0.parent == parent } }
    }

    func hasHeardOfAttributes(of inode: InodeNumber) -> Bool { heard.withLock { $0.attributes.contains(inode) } }

    func hasHeardOfListing(of folder: InodeNumber) -> Bool { heard.withLock { $0.listings.contains(folder) } }

    var remoteChanges: [RemoteChange] { heard.withLock(\.remoteChanges) }

    var trashChanges: [TrashChange] { heard.withLock(\.trashChanges) }

    func forget() { heard.withLock { $0 = Heard() } }

    // MARK: LibraryObserver

    func nameChanged(_ name: String, in parent: InodeNumber) { heard.withLock { $0.names.append((name, parent)) } }

    func whenNamesAreForgotten(_ body: @escaping @Sendable () -> Void) {
        if forgetsNames { body() }
    }

    func waitUntilNamesAreForgotten() {}

    func listingChanged(of folder: InodeNumber) { heard.withLock { _ = $0.listings.insert(folder) } }

    func attributesChanged(of inode: InodeNumber) { heard.withLock { _ = $0.attributes.insert(inode) } }

    func stateChanged() {}

    func tellWatchers(of changes: [RemoteChange]) { heard.withLock { $0.remoteChanges += changes } }

    func trashChanged(_ changes: [TrashChange]) { heard.withLock { $0.trashChanges += changes } }
}
