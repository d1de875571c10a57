import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// Attributes, extended attributes and states.
extension Library {
    /// Changes what it is asked to and returns what then holds.
    public func setAttributes(of inode: InodeNumber, _ changes: AttributeChanges) throws(Refusal) -> FileAttributes {
        try fileAttributes.setAttributes(of: inode, changes)
    }

    /// Somebody without privilege changes what may run with another's: POSIX takes set-id bits away then.
    public func removeSetIDBits(of inode: InodeNumber, isMember: @escaping AttributeChanges.Membership) throws(Refusal)
    {
        try fileAttributes.removeSetIDBits(of: inode, isMember: isMember)
    }

    /// Whether a change of size must wait for content that is not here.
    public func mustArriveToTruncate(_ inode: InodeNumber, to size: Int64) throws(Refusal) -> Bool {
        try fileAttributes.mustArriveToTruncate(inode, to: size)
    }

    /// - Throws: ENODATA, EOPNOTSUPP outside `user.*`.
    public func extendedAttribute(_ name: String, of node: Node) throws(Refusal) -> [UInt8] {
        try metadata.extendedAttribute(name, of: node)
    }

    /// The names of all attributes that can be copied; computed ones are not among them.
    public func extendedAttributeNames(of node: Node) throws(Refusal) -> [String] {
        try metadata.extendedAttributeNames(of: node)
    }

    /// - Throws: EPERM for computed attributes, EOPNOTSUPP outside `user.*`, EINVAL, EILSEQ and
    ///   ENAMETOOLONG for display names that cannot serve, EEXIST and ENODATA as `creation` wants, E2BIG.
    public func setExtendedAttribute(_ name: String, to value: [UInt8], of node: Node, _ creation: AttributeCreation)
        throws(Refusal)
    {
        try metadata.setExtendedAttribute(name, to: value, of: node, creation)
    }

    /// Removing `user.displayName` makes the display name automatic again.
    public func removeExtendedAttribute(_ name: String, of node: Node) throws(Refusal) {
        try metadata.removeExtendedAttribute(name, of: node)
    }

    /// What the state file of a document, a folder or the tree says now.
    public func stateText(of inode: InodeNumber, settling: Bool) throws(Refusal) -> String {
        try states.stateText(of: inode, settling: settling)
    }
}
