import Documents
import Backing
import Catalog

/// Rows without a file at their path, found by inode, by evidence and by folder.
struct MissingRows {
    private var byInode: [InodeNumber: Entry] = [:]
    private var byEvidence: [FileEvidence: InodeNumber] = [:]
    private var byFolder: [InodeNumber: Set<InodeNumber>] = [:]

    /// In no order.
    var rows: [Entry] { Array(byInode.values) }

    subscript(inode: InodeNumber) -> Entry? { byInode[inode] }

    /// The row whose file had this inode number and birth time.
    subscript(evidence: FileEvidence) -> Entry? { byEvidence[evidence].flatMap { byInode[$0] } }

    func children(of folder: InodeNumber) -> Set<InodeNumber> { byFolder[folder] ?? [] }

    mutating func insert(_ row: Entry) {
        remove(row.inode)
        byInode[row.inode] = row
        byFolder[row.parent, default: []].insert(row.inode)
        // An inode number alone proves nothing: it is reused.
        if let evidence = row.evidence, evidence.birth != 0 { byEvidence[evidence] = row.inode }
    }

    mutating func remove(_ inode: InodeNumber) {
        guard let row = byInode.removeValue(forKey: inode) else { return }
        byFolder[row.parent]?.remove(inode)
        if let evidence = row.evidence { byEvidence[evidence] = nil }
    }
}
