/// A thing that docfs does only so that nothing is lost by a kill or a loss of power. Tests switch one off (`Attack`), and
/// must find that something is lost: a negative control.
public enum Protection: String, CaseIterable, Sendable {
    /// A document's display name is on its file, too.
    case nameOnFile
    /// After an unclean end rows and files are compared.
    case comparison
    /// A row that files cannot tell of is committed before the call returns.
    case commitAtOnce
    /// fsync(2) of a file or folder reaches the disk.
    case synchronization

    public var isOn: Bool { Attack.loaded?.isOn(rawValue) ?? true }
}
