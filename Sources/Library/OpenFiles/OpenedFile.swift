import Documents
import Backing
import Catalog

/// The result of an open(2).
public enum Opening: Sendable {
    case opened(OpenedFile)
    /// The content is not here: `Library.finishOpening` waits for as much of it as the open needs.
    case arriving(InodeNumber)
}

/// A file that was just opened.
public struct OpenedFile: Sendable {
    /// The handle's number in other calls of the library.
    public let number: UInt64
    let handle: Handle
    let isShared: Bool

    /// Whether it was opened for writing (O_WRONLY or O_RDWR).
    public var canWrite: Bool { handle.canWrite }

    /// The backing file's descriptor, if the kernel may read and write the file by itself (`Library.shareFiles`); nil where docfs must see
    /// every access. A file that was opened for writing is then taken to be written to unseen until it is closed.
    public var shareable: Descriptor? { isShared && handle.canBypass ? handle.descriptor : nil }
}
