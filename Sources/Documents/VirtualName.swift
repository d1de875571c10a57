/// The names that resolve without being listed (PRODUCT 1).
public enum VirtualName: Equatable, Sendable {
    /// `.state`: of the folder it is looked up in.
    case folderState
    /// `F.state`: of the document that `F` names.
    case documentState(of: String)

    public static let stateSuffix = ".state"

    public init?(_ name: String) {
        if name.isIdentical(to: Self.stateSuffix) {
            self = .folderState
        } else if name.utf8Ends(with: Self.stateSuffix) {
            self = .documentState(of: String(decoding: name.utf8.dropLast(Self.stateSuffix.utf8.count), as: UTF8.self))
        } else {
            return nil
        }
    }
}
