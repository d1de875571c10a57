/// Whether an attribute may, or must, exist already (setxattr(2)).
public enum AttributeCreation: Sendable {
    /// `mustCreate` is XATTR_CREATE (EEXIST if the attribute exists), `mustReplace` is XATTR_REPLACE (ENODATA if it does not).
    case either, mustCreate, mustReplace
    /// Both: it can only fail.
    case impossible
}
