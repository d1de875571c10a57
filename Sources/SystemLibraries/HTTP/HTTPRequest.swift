/// One request, addressed and with all its headers. Only what frames the body is added to them.
public struct HTTPRequest: Sendable {
    /// The content that follows the headers.
    public enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Pieces that have `length` bytes together. Each is asked for when the one before is nearly sent.
        case pieces(any AsyncSequence<[UInt8], any Error> & Sendable, length: Int64)
    }

    /// Such as `PUT`, in upper case.
    public let method: String
    /// An absolute URL, percent-encoded; it is sent as it is.
    public let url: String
    /// Without those that frame the body. `HTTPConnections.send` refuses a control character in one.
    public let headers: [(name: String, value: String)]
    /// The server is told its length.
    public let body: Body

    public init(_ method: String, _ url: String, headers: [(name: String, value: String)], body: Body) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// Host and port, for messages.
    var authority: String {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        return String(url[start...].prefix { $0 != "/" && $0 != "?" })
    }

    /// As libcurl wants them: one without a value has a semicolon, since a colon alone would leave it out.
    var headerLines: [String] { headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" } }

    /// Whether the headers stay the lines that they are: a line break in a value would begin another header.
    var isSendable: Bool {
        headers.allSatisfy { header in
            !header.name.isEmpty && [header.name, header.value].allSatisfy { $0.utf8.allSatisfy(Self.isText) }
        }
    }

    private static func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7f }

    /// The length of a body that the server is told of, also if there is none; nil where the method has no body.
    var bodyLength: Int64? {
        switch body {
        case .none: method == "PUT" || method == "POST" ? 0 : nil
        case .bytes(let bytes): Int64(bytes.count)
        case .pieces(_, let length): length
        }
    }
}
