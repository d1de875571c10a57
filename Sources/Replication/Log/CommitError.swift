/// Why an entry of the log cannot be taken. What comes from the store is not trusted: such an entry
/// changes nothing, and its error says so in one line.
public enum CommitError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not JSON, or not of the shape of a commit.
    case malformed(String)
    /// Written by a later release.
    case unknownFormat(Int)
    /// Well formed, with a value that cannot be.
    case invalid(String)

    /// Whether somebody with a later release can read it.
    public var isOfLaterRelease: Bool {
        if case .unknownFormat(let format) = self { format > Commit.currentFormat } else { false }
    }

    public var description: String {
        // Some of it may be the input's own words.
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f }))
    }

    private var text: String {
        switch self {
        case .malformed(let reason): "a log entry of the cloud cannot be read: \(reason)"
        case .unknownFormat(let format):
            "a log entry of the cloud has format \(format), which this release does not know; update docfs"
        case .invalid(let reason): "a log entry of the cloud is invalid: \(reason)"
        }
    }

    /// What the decoder found, and where: on one line, however long the input is.
    init(decoding error: any Error) {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            self = .malformed("there is no '\(key.stringValue)' in \(Self.place(context))")
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            self = .malformed("a value of another kind than expected at \(Self.place(context))")
        case DecodingError.dataCorrupted(let context):
            self = .malformed("a value that cannot be understood at \(Self.place(context))")
        default: self = .malformed("\(type(of: error))")
        }
    }

    /// `changes[3].version.size`
    private static func place(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return path.isEmpty ? "the top level" : path
    }
}
