/// A request as far as it is signed.
struct SignableRequest: Sendable {
    private let start: [String]
    private let headers: [Field]
    private let payloadHash: String

    /// The names of the signed headers, in the order in which they are signed.
    let signedHeaders: String

    /// - Parameters:
    ///   - path: percent-encoded, beginning with a slash.
    ///   - headers: all that are to be signed, `Host` and `X-Amz-Date` among them.
    init(method: String, path: String, query: [Field], headers: [Field], payloadHash: String) {
        start = [method, path, query.encodedQuery]
        self.headers = Self.canonical(headers)
        self.payloadHash = payloadHash
        signedHeaders = self.headers.map(\.name).joined(separator: ";")
    }

    var canonicalRequest: String {
        (start + headers.map { "\($0.name):\($0.value)" } + ["", signedHeaders, payloadHash]).joined(separator: "\n")
    }

    /// Names in lower case and in order; values trimmed, with single spaces, and joined where a name repeats.
    private static func canonical(_ headers: [Field]) -> [Field] {
        var values: [String: [String]] = [:]
        for header in headers {
            let words = header.value.split(whereSeparator: { $0 == " " || $0 == "\t" })
            values[header.name.lowercased(), default: []].append(words.joined(separator: " "))
        }
        return values.sorted { $0.key < $1.key }.map { Field($0.key, $0.value.joined(separator: ",")) }
    }
}
