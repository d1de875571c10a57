/// A request as far as it is signed.
struct SignableRequest: Sendable {
    let method: String
    /// Percent-encoded, beginning with a slash.
    let path: String
    let query: [Field]
    /// All that are to be signed, `Host` and `X-Amz-Date` among them.
    let headers: [Field]
    let payloadHash: String

    /// The names of the signed headers, in the order in which they are signed.
    var signedHeaders: String { canonicalHeaders.map(\.name).joined(separator: ";") }

    var canonicalRequest: String {
        ([method, path, query.encodedQuery] + canonicalHeaders.map { "\($0.name):\($0.value)" }
            + ["", signedHeaders, payloadHash]).joined(separator: "\n")
    }

    /// Names in lower case and in order; values trimmed, with single spaces, and joined where a name repeats.
    private var canonicalHeaders: [Field] {
        var values: [String: [String]] = [:]
        for header in headers {
            let words = header.value.split(whereSeparator: { $0 == " " || $0 == "\t" })
            values[header.name.lowercased(), default: []].append(words.joined(separator: " "))
        }
        return values.sorted { $0.key < $1.key }.map { Field($0.key, $0.value.joined(separator: ",")) }
    }
}
