import Backing
import Catalog
import Documents
import SystemPackage

/// What a path component resolves to.
public enum Node: Hashable, Sendable {
    case entry(InodeNumber)
    /// The virtual `.state` of a document, of a folder, or (of `Documents`) of the whole tree.
    case state(of: InodeNumber)
    /// `F.conflicts` or `F.versions` of a document.
    case versions(VersionFolder, of: InodeNumber)
    /// A file in one of these (`VersionNodes`).
    case version(InodeNumber)
}

/// A node with what the kernel wants to know of it.
public struct Resolved: Sendable {
    public var node: Node
    public var attributes: FileAttributes
    /// Whether the kernel may remember the name: one that a listing shows, or one that is noted (`GivenNames`).
    public var isMemorable: Bool

    public init(node: Node, attributes: FileAttributes, isMemorable: Bool) {
        self.node = node
        self.attributes = attributes
        self.isMemorable = isMemorable
    }
}

/// What the system call behind a lookup is about to do. The kernel does not say it with the lookup,
/// but two names depend on it: `Untitled` with O_EXCL, and a virtual name that is to become a document.
public enum LookupPurpose: Sendable, Equatable {
    case existing
    /// It creates the name unless it exists.
    case creation
    /// It creates the name, and fails when it exists.
    case exclusiveCreation
}
