/// Why an entry of the log cannot be applied. Bytes from the store are not trusted: such an entry changes nothing. The
/// description is one line for a person.
public enum CommitError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not JSON, or a field is missing or of another type.
    case malformed(String)
    /// Written by a later release.
    case unknownFormat(Int)
    /// Well formed, with a value beyond the limits.
    case invalid(String)

    /// Whether a later release of docfs can read the entry.
    public var isOfLaterRelease: Bool {
        if case .unknownFormat(let format) = self { format > LogEntry.knownFormats.upperBound } else { false }
    }

    /// One line for a person, without control characters: parts of it may come from the container.
    public var description: String {
        // Parts of it may come from the input: control characters are dropped.
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

    /// The decoder's finding and its place in the input, on one line, however long the input is.
    init(decoding error: any Error) {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            self = .malformed("there is no '\(key.stringValue)' in \(Self.path(context))")
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            self = .malformed("a value of another type than expected at \(Self.path(context))")
        case DecodingError.dataCorrupted(let context):
            self = .malformed("a value that cannot be read at \(Self.path(context))")
        default: self = .malformed("\(type(of: error))")
        }
    }

    /// The path of a value, such as `changes[3].version.size`.
    private static func path(_ context: DecodingError.Context) -> String {
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
