import Backing
import Catalog
import Documents
import Glibc
import Replication

/// The version that a save is made from: the one that its program has open, even if another device's version was received meanwhile.
extension Contents {
    /// The process that opens a file; nil if its version does not matter or the process is not known.
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
        openFiles.rememberOpener(opener, thread: caller.thread)
        return opener
    }

    /// Must be called before another device's version replaces the version that an entry's file holds, or that arrives in it.
    func recordHolders(of entry: Entry) {
        let arriving = transfers.arrival(of: entry.inode)?.version.id
        guard let id = entry.id, let version = arriving ?? (entry.isHere ? entry.contentVersion : nil) else { return }
        openFiles.recordHolders(of: id, of: version, at: surroundings.instant())
    }

    /// Must be called when a file replaces the content of a document.
    func setBaseVersion(of entry: inout Entry, savedBy caller: Caller, _ transaction: Transaction) {
        setBaseVersion(of: &entry, transaction) { [surroundings.processes.ofThread(caller.thread)].compactMap { $0 } }
    }

    /// Must be called when a document is truncated to nothing. Those that have it open for writing save it.
    func setBaseVersionOfWriters(of entry: inout Entry, _ transaction: Transaction) {
        let inode = entry.inode
        setBaseVersion(of: &entry, transaction) { openFiles.writers(of: inode) }
    }

    private func setBaseVersion(of entry: inout Entry, _ transaction: Transaction, savedBy processes: () -> [Int32]) {
        guard entry.isReplicated, let id = entry.id, openFiles.isOvertaken(id) else { return }
        // A shell may hold the document open, and a program that it starts may save it.
        let lineages = Set(processes().flatMap(surroundings.processes.lineage))
        let holdings = openFiles.removeHoldings(id, by: lineages, at: surroundings.instant())
        guard let oldest = holdings.first else { return }
        transaction.ifFailed { [openFiles] in openFiles.restoreHoldings(holdings, of: id) }
        entry.contentVersion = oldest.version
    }
}
