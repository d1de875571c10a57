import Catalog
import Documents

/// Tells the kernel's caches, watchers and waiting callers of changes in the tree, after their commit. All of it was collected by the
/// transaction (`TreeEvent`).
final class Announcements: Sendable {
    private let notices: ChangeNotices
    private let namespace: Namespace
    private let orphans: Orphans
    private let trashDirectory: TrashDirectory

    init(
        _ notices: ChangeNotices, namespace: Namespace, orphans: Orphans, trashDirectory: TrashDirectory
    ) {
        self.trashDirectory = trashDirectory
        self.notices = notices
        self.namespace = namespace
        self.orphans = orphans
    }

    func tell(_ events: [TreeEvent]) {
        for event in events { forgetOtherNames(event) }
        let observer = notices.observer
        for event in events {
            switch event {
            case .nameChanged(let name, let folder): observer?.nameChanged(name, in: folder)
            case .entryChanged(let names, let used): forget(names, besides: used)
            case .listingChanged(let folder): observer?.listingChanged(of: folder)
            case .attributesChanged(let inode): observer?.attributesChanged(of: inode)
            case .remoteChanges(let changes): observer?.tellWatchers(of: changes)
            case .trashChanged: trashDirectory.tellWatchersLater()
            case .callAwaitsNames: break
            }
        }
        if events.contains(where: { if case .callAwaitsNames = $0 { true } else { false } }) {
            observer?.waitUntilNamesAreForgotten()
        }
    }

    /// The other name of a document, which the call did not use, must be forgotten when the call returns.
    private func forgetOtherNames(_ event: TreeEvent) {
        switch event {
        case .nameChanged(let name, let folder):
            namespace.givenNames.expire([name], in: folder)
        case .entryChanged(let names, let used):
            let isUsed: (String) -> Bool = { used?.folder == names.parent && used?.name.isIdentical(to: $0) == true }
            namespace.givenNames.expire(
                [names.filename, names.fullName].compactMap { $0 }.filter { !isUsed($0) }, in: names.parent,
                of: used == nil || isUsed(namespace.listedName(of: names)) ? nil : names.inode)
        case .listingChanged, .attributesChanged, .remoteChanges, .trashChanged, .callAwaitsNames: break
        }
    }

    /// Tells the kernel that the listed name of an entry may be out of date. `GivenNames` does so for the other name.
    ///
    /// - Parameter used: the name in the call under way, which the kernel forgets by itself.
    private func forget(_ entry: EntryNames, besides used: UsedName?) {
        guard let observer = notices.observer else { return orphans.markNameless(entry.inode) }
        let listed = namespace.listedName(of: entry)
        if let used, used.folder == entry.parent, listed.isIdentical(to: used.name) {
            return orphans.markNameless(entry.inode)
        }
        orphans.markReachedByCachedName(entry.inode)
        observer.attributesChanged(of: entry.inode)
        observer.nameChanged(listed, in: entry.parent)
        observer.whenNamesAreForgotten { [orphans] in orphans.markNameless(entry.inode) }
    }
}
