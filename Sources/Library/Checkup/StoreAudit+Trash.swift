import Backing
import Catalog
import Documents
import Glibc

/// The trash and `staging`.
extension StoreAudit {
    mutating func auditTrash(_ rows: Rows) throws {
        let steps = try rows.stepsOfTrash()
        var present: Set<InodeNumber> = []
        for name in try files.trash.names().sorted() {
            guard let inode = BackingStore.inode(inTrash: name),
                let type = try files.trash.identifyIfPresent(name)?.type, type == S_IFREG
            else {
                foreignInTrash.append(name)
                find(.trash, "trash/" + name, "is no file that docfs has put there", "moves it to local")
                continue
            }
            present.insert(inode)
        }
        for step in steps where step.isInTrash && !present.contains(step.entry.inode) {
            if try files.hasSetAside(step.entry.inode) { continue }
            stepsWithoutFile.append(step)
            find(
                .trash, "trash/\(step.entry.inode)",
                "the removed document “\(step.entry.subject.name)” cannot be brought back: its file is gone",
                "takes it off the undo list")
        }
        let named = Set(steps.map(\.entry.inode))
        for inode in present.subtracting(named).sorted() {
            unnamedInTrash.append(inode)
            let name = files.trash.displayName(of: BackingStore.trashName(inode)).map { " (“\($0)”)" } ?? ""
            find(
                .trash, "trash/\(inode)", "a file of which the undo list does not know\(name)",
                "makes it a removal that can be undone")
        }
    }

    mutating func auditStaging(_ rows: Rows) throws {
        for name in try files.staging.names().sorted() {
            let place = "staging/" + name
            if let inode = BackingStore.inode(setAsideAs: name) {
                // A mount sets files aside all the time.
                if use.isMounted { continue }
                // A kill has left the second name of a file that was about to be replaced. The next mount removes it.
                if try files.isSecondName(setAside: inode) { continue }
                if try rows.entry(inode) != nil {
                    find(.store, place, "was set aside, and is not removed", "puts it back to its folder")
                } else if try rows.stepsOfTrash().contains(where: { $0.entry.inode == inode && $0.isInTrash }) {
                    find(.store, place, "was removed, and is not in the trash yet", "moves it to the trash")
                }
            } else if !BackingStore.isOwnStagingName(name) {
                foreignInStaging.append(name)
                find(.store, place, "is no file that docfs has put there", "moves it to local")
            }
        }
    }
}
