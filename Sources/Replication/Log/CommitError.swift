/// Why an entry of the log cannot be taken. What comes from the store is not trusted: such an entry
/// changes nothing, and its error says so in one line.
public enum CommitError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not JSON, or not of the shape of a commit.
    case malformed(String)
    /// Written by a later release.
    case unknownFormat(Int)
    /// Well formed, with a value that cannot be.
    case invalid(String)

    public var description: String {
        switch self {
        case .malformed(let reason): "a log entry of the cloud cannot be read: \(reason)"
        case .unknownFormat(let format):
            "a log entry of the cloud has format \(format), which this release does not know; update docfs"
        case .invalid(let reason): "a log entry of the cloud is invalid: \(reason)"
        }
    }
}
