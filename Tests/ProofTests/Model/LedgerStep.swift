import Glibc
import MountSupport
import SystemPackage

/// What an operation means for the ledger: looked at before the operation, entered after it.
struct LedgerStep {
    private let ledger: Ledger
    private let session: Session
    private var source: Ledger.Entry?
    private var target: Ledger.Entry?
    private var wasThere = false
    /// Whether the mount does something else on purpose.
    private(set) var isRuledOut = false

    init(_ operation: Operation, _ session: Session, _ ledger: Ledger) {
        self.ledger = ledger
        self.session = session
        switch operation {
        case .open(_, let place, let flags, _):
            // With O_CREAT it may make what a link names.
            if flags & O_CREAT != 0 { wasThere = session.path(place).flatMap { try? $0.status() } != nil }
        case .rename(let from, let to, let flags):
            source = entry(from)
            target = entry(to)
            // Semantics, "Saving": RENAME_EXCHANGE swaps the contents of two documents. What has no content is swapped with its like.
            if flags == RenameFlags.exchange.rawValue, let source, let target {
                isRuledOut = source.mode & S_IFMT != target.mode & S_IFMT
            }
        case .openFolder(_, let place), .setModified(let place, _):
            isRuledOut = isOutside(place)
        case .remove(let place), .removeFolder(let place): source = entry(place)
        default: break
        }
    }

    private func entry(_ place: Place) -> Ledger.Entry? {
        guard let path = session.path(place), path.name != nil else { return nil }
        return ledger.entry(path)
    }

    /// Whether a path leads out of the tree, where the two sides have nothing in common.
    private func isOutside(_ place: Place) -> Bool {
        guard place.path == "..", let path = session.path(place), let status = try? path.status() else { return false }
        return UInt64(status.st_ino) == session.root.folder.inode
    }

    func finish(_ operation: Operation, succeeded: Bool) throws {
        guard succeeded else { return }
        switch operation {
        case .open(let slot, _, let flags, _):
            guard flags & O_CREAT != 0, !wasThere, let file = session.files[slot],
                let path = TreePath("/proc/self/fd/\(file.descriptor)").target
            else { return }
            try ledger.made(TreePath(path))
        case .makeFolder(let place, _), .makeLink(_, let place):
            if let path = session.path(place) { try ledger.made(path) }
        case .remove, .removeFolder:
            if let source { ledger.wasRemoved(source) }
        case .rename(_, let to, let flags):
            guard let source, let path = session.path(to) else { return }
            if flags == RenameFlags.exchange.rawValue, let target {
                // At their new names.
                try ledger.exchanged(source, target)
            } else {
                try ledger.renamed(source, to: path, over: target)
            }
        default: return
        }
    }
}
