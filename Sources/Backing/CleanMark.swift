import CLinux
import Catalog
import Glibc
import SystemPackage

/// A small file of the store, `clean`, that is there only while no mount uses the store, and says which state of the catalog
/// it was left in.
///
/// It is removed, durably, before a mount changes anything: neither a full disk nor a loss of power can leave a store that has
/// been used with the mark of one that has not. One that was restored from a backup beside another catalog says nothing.
package struct CleanMark {
    private static let name = "clean"
    private static let catalogName = "catalog.sqlite"

    private let root: BackingFolder

    package init(_ store: BackingStore) { root = store.root }

    /// Inode number and birth time of the catalog, as text: those of a copy are others.
    package func catalogIdentity() throws(Errno) -> String {
        let file = try root.identify(Self.catalogName)
        return "\(file.status.st_ino) \(file.birth)"
    }

    /// Whether the store was left cleanly, and is as it was left.
    package func isValid() -> Bool {
        guard let file = try? root.openFile(Self.name, O_RDONLY), let said = try? file.readPrefix(256),
            let state = try? catalogState()
        else { return false }
        return said.elementsEqual(state.utf8)
    }

    /// Makes sure that the next mount looks at everything, unless `leave` comes before.
    package func remove() throws(Errno) {
        do throws(Errno) { try root.removeFile(Self.name) } catch .noSuchFileOrDirectory { return }
        try root.synchronize()
    }

    /// The store is left cleanly; the catalog is closed.
    package func leave() throws(Errno) {
        let state = Array(try catalogState().utf8)
        let file = try root.openFile(Self.name, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        let count = write(file.number, state, state.count)
        guard count == state.count else {
            // One that is cut says nothing.
            throw count < 0 ? Errno(rawValue: errno) : .noSpace
        }
    }

    private func catalogState() throws(Errno) -> String {
        let file = try root.identify(Self.catalogName)
        let status = file.status
        return "\(status.st_ino) \(file.birth) \(status.st_size) \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)\n"
    }
}
