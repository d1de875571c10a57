import Catalog
import Library
import Synchronization

/// Remembers what a library told of.
final class ObserverSpy: LibraryObserver {
    private struct Heard {
        var names: [(name: String, parent: InodeNumber)] = []
        var attributes: Set<InodeNumber> = []
    }

    private let heard = Mutex(Heard())

    func hasHeard(of name: String, in parent: InodeNumber) -> Bool {
        heard.withLock { $0.names.contains { $0.name == name && $0.parent == parent } }
    }

    func hasHeardOfAttributes(of inode: InodeNumber) -> Bool { heard.withLock { $0.attributes.contains(inode) } }

    func forget() { heard.withLock { $0 = Heard() } }

    // MARK: LibraryObserver

    func nameChanged(_ name: String, in parent: InodeNumber) { heard.withLock { $0.names.append((name, parent)) } }

    func whenNamesAreForgotten(_ body: @escaping @Sendable () -> Void) { body() }

    func settleNames() {}

    func attributesChanged(of inode: InodeNumber) { heard.withLock { _ = $0.attributes.insert(inode) } }

    func stateChanged() {}
}
