import Catalog
import Documents
import SystemPackage

/// States under names that no document can take.
extension Library {
    /// Finds the state of a document, or of the folder itself, under its reserved name.
    ///
    /// - Parameters:
    ///   - document: a name of the document; empty for the folder.
    ///   - purpose: as in `lookup`.
    /// - Throws: ENOENT where there is no such document, EILSEQ where something is to be made there.
    public func lookupState(
        of document: some Collection<UInt8>, in parent: InodeNumber, purpose: () -> LookupPurpose
    ) throws(Errno) -> Resolved {
        guard purpose() == .existing, parent != .root, let name = String(validating: document, as: UTF8.self) else {
            throw .illegalByteSequence
        }
        let inode = try inspect { catalog in
            if name.isEmpty { return parent }
            guard let found = try resolve(name, in: parent, catalog), found.entry.kind == .document else {
                throw Errno.noSuchFileOrDirectory
            }
            return found.entry.inode
        }
        try settleCloses(inState: inode)
        let node = Node.state(of: inode)
        return try inspect { catalog in
            Resolved(node: node, attributes: try stateAttributes(of: node, catalog), isMemorable: false)
        }
    }
}
