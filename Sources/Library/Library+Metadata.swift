import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// Attributes, extended attributes and states.
extension Library {
    /// setattr: changes attributes and returns the attributes that an entry has then.
    ///
    /// - Throws: ESTALE, EISDIR and EINVAL for a change of size, EAGAIN where the content must arrive first
    ///   (`mustArriveToTruncate`), EPERM for the owner of a placeholder, of the mountpoint and of `Documents`, or
    ///   the backing file's own errno.
    public func setAttributes(of inode: InodeNumber, _ changes: AttributeChanges) throws(Refusal) -> FileAttributes {
        try fileAttributes.setAttributes(of: inode, changes)
    }

    /// Removes the set-id bits of a file that a caller without privilege writes to, as POSIX wants it.
    ///
    /// - Parameter isMember: whether the caller belongs to a group.
    /// - Throws: as `setAttributes`.
    public func removeSetIDBits(of inode: InodeNumber, isMember: @escaping AttributeChanges.Membership) throws(Refusal)
    {
        try fileAttributes.removeSetIDBits(of: inode, isMember: isMember)
    }

    /// Whether a change of size must wait for content that is not here.
    ///
    /// - Throws: EIO when the catalog cannot be read.
    public func mustArriveToTruncate(_ inode: InodeNumber, to size: Int64) throws(Refusal) -> Bool {
        try fileAttributes.mustArriveToTruncate(inode, to: size)
    }

    /// - Throws: ENODATA, EOPNOTSUPP outside `user.*`, EINVAL for `user.` alone, ESTALE.
    public func extendedAttribute(_ name: String, of node: Node) throws(Refusal) -> [UInt8] {
        try metadata.extendedAttribute(name, of: node)
    }

    /// The names of all attributes that can be copied; computed ones are not among them.
    ///
    /// - Throws: ESTALE.
    public func extendedAttributeNames(of node: Node) throws(Refusal) -> [String] {
        try metadata.extendedAttributeNames(of: node)
    }

    /// - Throws: EPERM for computed attributes, EOPNOTSUPP outside `user.*`, EINVAL, EILSEQ and
    ///   ENAMETOOLONG for display names that are no names, EEXIST and ENODATA as `creation` wants, E2BIG for a value above 64 KiB, ENOSPC
    ///   for more than an entry can have in all and on a full disk, ESTALE.
    public func setExtendedAttribute(
        _ name: String, to value: [UInt8], of node: Node, _ creation: AttributeCreation, by caller: Caller = .unknown
    ) throws(Refusal) {
        try metadata.setExtendedAttribute(name, to: value, of: node, creation, by: caller)
    }

    /// Removing `user.displayName` makes the display name automatic again.
    ///
    /// - Throws: ENODATA, EPERM for computed attributes, EOPNOTSUPP outside `user.*`, ESTALE.
    public func removeExtendedAttribute(
        _ name: String, of node: Node, by caller: Caller = .unknown
    ) throws(Refusal) {
        try metadata.removeExtendedAttribute(name, of: node, by: caller)
    }

    /// Whether the cloud can be reached, as of the last attempt.
    public var connection: Connection { cloud.connection }

    /// Why the disk of the store takes no changes, in one line; nil if it does.
    public var diskError: String? { transactions.diskError }

    /// The number of changes that the container must still be told.
    public func pendingCount() throws(Refusal) -> Int { try transactions.inspect { try $0.pendingCount() } }

    /// The text of the state file of a document, a folder or the tree.
    ///
    /// - Parameter waitsForCloses: whether a close(2) that has returned must show in the text.
    /// - Throws: ESTALE for an entry that is gone.
    public func stateText(of inode: InodeNumber, waitsForCloses: Bool) throws(Refusal) -> String {
        try states.stateText(of: inode, waitsForCloses: waitsForCloses)
    }
}
