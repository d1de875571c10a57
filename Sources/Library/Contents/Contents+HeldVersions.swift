import Backing
import Catalog
import Documents
import Glibc
import Replication

/// Which version a save is made from: the one that its program has, also where another device's has come meanwhile.
extension Contents {
    /// Who opens a file; nil if that is of no interest.
    ///
    /// - Parameter flags: of open(2).
    func opener(of file: OpenFile, _ caller: Caller, flags: Int32) -> HeldVersions.Opener? {
        if file.document == nil { return nil }
        let now = surroundings.instant()
        let reads = flags & O_ACCMODE != O_WRONLY && flags & O_TRUNC == 0
        if let process = openFiles.knownProcess(of: caller.thread, at: now) {
            return HeldVersions.Opener(process: process, time: now, reads: reads)
        }
        guard let process = surroundings.processes.ofThread(caller.thread) else { return nil }
        let opener = HeldVersions.Opener(process: process, time: now, reads: reads)
        openFiles.noteOpener(opener, thread: caller.thread)
        return opener
    }

    /// Another device's version is about to take the place of what the file of an entry holds, or was to hold.
    func noteHolders(of entry: Entry) {
        let arriving = transfers.arrival(of: entry.inode)?.version.id
        guard let id = entry.id, let version = arriving ?? (entry.isHere ? entry.contentVersion : nil) else { return }
        openFiles.noteHolders(of: id, of: version, at: surroundings.instant())
    }

    /// Must be called when another file takes the place of a document's content.
    func noteBase(of entry: inout Entry, savedBy caller: Caller, _ catalog: CatalogTransaction) {
        noteBase(of: &entry, catalog) { [surroundings.processes.ofThread(caller.thread)].compactMap { $0 } }
    }

    /// Must be called when a document is emptied, by those who have it open for writing.
    func noteBaseOfWriters(of entry: inout Entry, _ catalog: CatalogTransaction) {
        let inode = entry.inode
        noteBase(of: &entry, catalog) { openFiles.writers(of: inode) }
    }

    private func noteBase(of entry: inout Entry, _ catalog: CatalogTransaction, savedBy processes: () -> [Int32]) {
        guard entry.isReplicated, let id = entry.id, openFiles.isOvertaken(id) else { return }
        // A shell may hold a document that a program which it starts saves.
        let lineages = Set(processes().flatMap(surroundings.processes.lineage))
        let taken = openFiles.takeHeld(id, by: lineages, at: surroundings.instant())
        guard let oldest = taken.first else { return }
        catalog.ifFailed { [openFiles] in openFiles.giveBack(taken, of: id) }
        entry.contentVersion = oldest.version
    }
}
