import Documents
import Foundation

/// Why a `--cloud` URL cannot be used, in one line for a person.
public struct CloudURLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// One line for a person, with the advice that helps.
    public let description: String
}

/// Where the container is: the value of `--cloud` (Semantics, "The cloud").
public enum CloudURL: Equatable, Sendable {
    /// An absolute path.
    case directory(String)
    /// A bucket, or a part of it below a prefix: `s3://BUCKET/PREFIX?endpoint=URL&region=R&addressing=path`. The
    /// prefix is percent-decoded; it and each setting of the query may be left out. `endpoint` is the server,
    /// AWS without it; `addressing` is `path` or `virtual`, how the bucket's name goes into the address.
    case s3(S3Location)

    /// Reads the value of `--cloud`. Looks at no folder and talks to no server.
    ///
    /// - Throws: `CloudURLError` for another scheme, or a URL that names no folder or bucket.
    public init(_ text: String) throws(CloudURLError) {
        guard let colon = text.firstIndex(of: ":") else {
            throw CloudURLError(
                description: "the cloud URL '\(text)' has no scheme; use file:///DIR or s3://BUCKET/PREFIX")
        }
        let rest = text[text.index(after: colon)...]
        switch text[..<colon].lowercased() {
        case "file": self = .directory(try Self.directory(rest, url: text))
        case "s3": self = .s3(try S3Location(rest, url: text))
        default:
            throw CloudURLError(
                description: "the cloud URL '\(text)' is of an unknown kind; use file:///DIR or s3://BUCKET/PREFIX")
        }
    }

    /// The URL in its shortest form; `init` reads it again.
    public var text: String {
        switch self {
        case .directory(let path):
            "file:///" + PercentEncoding.encode(path: path.split(separator: "/").joined(separator: "/"))
        case .s3(let location): location.text
        }
    }

    /// Whether both name one place, however they were typed. The container there may be another one by now.
    public func isSamePlace(as other: CloudURL) -> Bool {
        switch (self, other) {
        case (.directory(let one), .directory(let other)): one.split(separator: "/") == other.split(separator: "/")
        case (.s3(let one), .s3(let other)):
            one.bucket == other.bucket && one.prefix == other.prefix && one.endpoint == other.endpoint
        case (.directory, .s3), (.s3, .directory): false
        }
    }

    /// A place beside this one: its name with `suffix`. Nil for a whole bucket, which has no place beside it.
    public func beside(_ suffix: String) -> CloudURL? {
        switch self {
        case .directory(let path):
            let name = path.reversed().drop { $0 == "/" }.reversed()
            return .directory(String(name) + suffix)
        case .s3(let location):
            guard let last = location.prefix.last else { return nil }
            return .s3(
                S3Location(
                    bucket: location.bucket, prefix: location.prefix.dropLast() + [last + suffix],
                    endpoint: location.endpoint, region: location.region, addressing: location.addressing))
        }
    }

    /// Whether one of the two places lies within the other: what removes the one removes the other.
    public func overlaps(_ other: CloudURL) -> Bool {
        switch (self, other) {
        case (.directory(let one), .directory(let other)):
            Self.overlap(one.split(separator: "/"), other.split(separator: "/"))
        case (.s3(let one), .s3(let other)):
            one.bucket == other.bucket && one.endpoint == other.endpoint && Self.overlap(one.prefix, other.prefix)
        case (.directory, .s3), (.s3, .directory): false
        }
    }

    private static func overlap<Part: Equatable>(_ one: [Part], _ other: [Part]) -> Bool {
        zip(one, other).allSatisfy { $0 == $1 }
    }

    private static func directory(_ rest: Substring, url: String) throws(CloudURLError) -> String {
        guard rest.hasPrefix("///") || rest.hasPrefix("//localhost/"),
            let path = String(rest.dropFirst(rest.hasPrefix("///") ? 2 : 11)).removingPercentEncoding, isFolder(path)
        else {
            throw CloudURLError(
                description: "the cloud URL '\(url)' names no folder; use file:///DIR with an absolute path")
        }
        return path
    }

    /// Whether an absolute path names a folder other than the whole machine's, without going back up.
    private static func isFolder(_ path: String) -> Bool {
        let components = path.utf8.split(separator: UInt8(ascii: "/"))
        return !path.utf8.contains(0) && !components.isEmpty && !components.contains { $0.elementsEqual("..".utf8) }
    }
}
