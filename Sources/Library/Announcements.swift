import Catalog
import Documents

/// Tells the kernel's caches what happened in the tree, once the write has succeeded.
final class Announcements: Sendable {
    private let notices: ChangeNotices
    private let namespace: Namespace
    private let departedNodes: DepartedNodes

    init(_ notices: ChangeNotices, namespace: Namespace, departedNodes: DepartedNodes) {
        self.notices = notices
        self.namespace = namespace
        self.departedNodes = departedNodes
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
            case .renamed(let change): observer?.remotelyChanged([change])
            }
        }
    }

    /// A document's other name than the one in the call must mean nothing any more when the call returns.
    private func forgetOtherNames(_ event: TreeEvent) {
        switch event {
        case .nameChanged(let name, let folder):
            namespace.givenNames.changed([name], in: folder)
        case .entryChanged(let names, let used):
            let isUsed: (String) -> Bool = { used?.folder == names.parent && used?.name.isIdentical(to: $0) == true }
            namespace.givenNames.changed(
                [names.filename, names.fullName].compactMap { $0 }.filter { !isUsed($0) }, in: names.parent,
                of: used == nil || isUsed(namespace.listedName(of: names)) ? nil : names.inode)
        case .listingChanged, .attributesChanged, .renamed: break
        }
    }

    /// Tells the kernel that the listed name of an entry may be stale. `GivenNames` does so for the other name.
    ///
    /// - Parameter used: the name in the call under way, which the kernel forgets by itself.
    private func forget(_ entry: EntryNames, besides used: UsedName?) {
        guard let observer = notices.observer else { return departedNodes.settle(entry.inode) }
        let listed = namespace.listedName(of: entry)
        if let used, used.folder == entry.parent, listed.isIdentical(to: used.name) {
            return departedNodes.settle(entry.inode)
        }
        observer.attributesChanged(of: entry.inode)
        observer.nameChanged(listed, in: entry.parent)
        observer.whenNamesAreForgotten { [departedNodes] in departedNodes.settle(entry.inode) }
    }
}
