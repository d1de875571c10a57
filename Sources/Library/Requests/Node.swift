import Backing
import Catalog
import Documents
import SystemPackage

/// The result of resolving a path component.
public enum Node: Hashable, Sendable {
    case entry(InodeNumber)
    /// The virtual `.state` of a document, of a folder, or (of `Documents`) of the whole tree.
    case state(of: InodeNumber)
    /// The virtual `.order` of a folder.
    case order(of: InodeNumber)
    /// `F.conflicts` or `F.versions` of a document.
    case versions(VersionFolder, of: InodeNumber)
    /// `Documents/.location`.
    case location
    /// A file in `F.conflicts` or `F.versions` (`VersionNodes`).
    case version(InodeNumber)
    /// `Documents/.undo` and `Documents/.redo`.
    case actions(ActionDirection)
    /// What the docfs command reads.
    case report(ReservedReport)
    /// A folder of `MOUNT/.Trash-UID`, or in it.
    case folderInTrash(FolderInTrash)
    /// A document in `.Trash-UID/files`, or in a folder there (`TrashDirectory`).
    case trashed(Int64)
    /// A file in `.Trash-UID/info`.
    case trashInfo(Int64)
}

/// A node with its attributes, as the kernel asks for both together.
public struct Resolved: Sendable {
    /// The meaning of the name.
    public var node: Node
    /// As stat(2) shows them.
    public var attributes: FileAttributes
    /// Whether the kernel may cache the name: a listing shows it, or `GivenNames` has recorded it.
    public var isCacheable: Bool

    public init(node: Node, attributes: FileAttributes, isCacheable: Bool) {
        self.node = node
        self.attributes = attributes
        self.isCacheable = isCacheable
    }
}

/// The purpose of the system call that caused a lookup. The kernel does not send it with the lookup, but the answer depends on it for two
/// names: `Untitled` with O_EXCL, and a virtual name under which a document is to be created.
public enum LookupPurpose: Sendable, Equatable {
    /// The call does not create the name.
    case existing
    /// The call creates the name unless it exists.
    case creation
    /// The call creates the name, and fails when it exists.
    case exclusiveCreation
}
