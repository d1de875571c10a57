import Documents

/// A name and its value: of a query or of a header.
struct Field: Hashable, Sendable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension [Field] {
    /// `a=1&b=` in the order of the encoded names, then values: as it is signed, and as it is sent.
    var encodedQuery: String {
        map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
            .sorted { $0 < $1 }
            .map { "\($0)=\($1)" }
            .joined(separator: "&")
    }
}
