import Foundation

/// Why a `--cloud` URL cannot be used, in one line for a person.
public struct CloudURLError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
}

/// Where the container is: the value of `--cloud` (PRODUCT 5).
public enum CloudURL: Equatable, Sendable {
    /// An absolute path.
    case directory(String)

    public init(_ text: String) throws(CloudURLError) {
        guard let colon = text.firstIndex(of: ":") else {
            throw CloudURLError(description: "the cloud URL '\(text)' has no scheme; use file:///DIR")
        }
        let scheme = text[..<colon].lowercased()
        guard scheme == "file" else {
            throw CloudURLError(
                description: "the cloud URL '\(text)' is of an unsupported kind; this release supports file:///DIR")
        }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("///") || rest.hasPrefix("//localhost/"),
            let path = String(rest.dropFirst(rest.hasPrefix("///") ? 2 : 11)).removingPercentEncoding,
            Self.isFolder(path)
        else {
            throw CloudURLError(description: "the cloud URL '\(text)' names no folder; use file:///DIR with an absolute path")
        }
        self = .directory(path)
    }

    /// Whether an absolute path names a folder other than the whole machine's, without going back up.
    private static func isFolder(_ path: String) -> Bool {
        let components = path.utf8.split(separator: UInt8(ascii: "/"))
        return !path.utf8.contains(0) && !components.isEmpty && !components.contains { $0.elementsEqual("..".utf8) }
    }
}
