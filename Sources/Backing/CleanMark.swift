import CLinux
import Catalog
import Glibc
import SystemPackage

/// A small file of the store, `clean`. It exists only while no mount uses the store, and identifies the catalog that the store was closed
/// with (Crashes, "Which occasion it is").
///
/// It is removed, durably, before a mount changes anything. Neither a full disk nor a loss of power can leave the mark in a store that has
/// been used since. A mark that was restored from a backup beside another catalog is not valid.
package struct CleanMark {
    private static let name = "clean"
    private static let catalogName = "catalog.sqlite"

    private let root: BackingFolder

    /// The mark of a store, which need not exist.
    package init(_ store: BackingStore) { root = store.root }

    /// Inode number and birth time of the catalog, as text. A copy has other ones.
    package func catalogIdentity() throws(Errno) -> String {
        let file = try root.identify(Self.catalogName)
        return "\(file.status.st_ino) \(file.birth)"
    }

    /// Whether the store was closed, and its catalog has not changed since. A mark that cannot be read is not valid: then the mount looks at all
    /// files.
    package func isValid() -> Bool {
        guard let file = try? root.openFile(Self.name, O_RDONLY), let said = try? file.readPrefix(256),
            let state = try? catalogState()
        else { return false }
        return said.elementsEqual(state.utf8)
    }

    /// From now on the next mount looks at all files, unless `write` is called before.
    package func remove() throws(Errno) {
        do throws(Errno) { try root.removeFile(Self.name) } catch .noSuchFileOrDirectory { return }
        try root.synchronize()
    }

    /// Marks the store as closed. The catalog must be closed already.
    package func write() throws(Errno) {
        let state = Array(try catalogState().utf8)
        let file = try root.openFile(Self.name, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        let count = Glibc.write(file.number, state, state.count)
        guard count == state.count else {
            // A mark that is cut off is not valid.
            throw count < 0 ? Errno(rawValue: errno) : .noSpace
        }
    }

    private func catalogState() throws(Errno) -> String {
        let file = try root.identify(Self.catalogName)
        let status = file.status
        return "\(status.st_ino) \(file.birth) \(status.st_size) \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)\n"
    }
}
