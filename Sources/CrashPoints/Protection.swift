#if DEBUG
    import Glibc
#endif

/// A thing that docfs does only so that nothing is lost by a kill or a loss of power. Tests switch one off by `DOCFS_WITHOUT` in a debug
/// build, and must find that something is lost: a negative control. In a release build nothing can be switched off.
public enum Protection: String, CaseIterable, Sendable {
    /// A document's display name is on its file, too.
    case nameOnFile
    /// After an unclean end rows and files are compared.
    case comparison
    /// A row that files cannot tell of is committed before the call returns.
    case commitAtOnce
    /// fsync(2) of a file or folder reaches the disk.
    case synchronization

    @inline(__always)
    public var isOn: Bool {
        #if DEBUG
            Self.switchedOff != self
        #else
            true
        #endif
    }

    #if DEBUG
        private static let switchedOff = getenv("DOCFS_WITHOUT").flatMap { Protection(rawValue: String(cString: $0)) }
    #endif
}
