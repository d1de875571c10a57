import Backing
import Catalog

/// What comes of an open(2).
public enum Opening: Sendable {
    case opened(OpenedFile)
    /// The content is not here: `Library.finishOpening` waits for what the open needs of it.
    case arriving(InodeNumber)
}

/// A file that was just opened, with all that its opener needs to know.
public struct OpenedFile: Sendable {
    /// By which the other calls of the library know the handle.
    public let number: UInt64
    let handle: Handle
    let isShared: Bool

    public var canWrite: Bool { handle.canWrite }

    /// The backing file's descriptor, if the kernel may read and write it by itself (`Library.shareFiles`): for writing,
    /// too, if the file was opened for that. Whoever opens such a file for writing is taken to write to it unseen until it is closed.
    /// Nil where docfs must see every access.
    public var shareable: Descriptor? { isShared && handle.canBypass ? handle.descriptor : nil }
}
