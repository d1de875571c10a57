import Documents

/// An answer that says no: the status, and what the error document and the headers tell.
struct S3Refusal: Equatable, Sendable {
    let status: Int
    /// Nil where the answer has no error document: to HEAD, and from what is no S3 server.
    var code: String?
    var message: String?
    /// The region that the bucket is in, if the server says so.
    var region: String?
    /// The server's clock.
    var date: Timestamp?
    /// Seconds.
    var retryAfter: Int?

    init(status: Int, code: String? = nil, message: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
    }

    init(status: Int, body: [UInt8], header: (String) -> String?) {
        self.init(status: status)
        date = header("date").flatMap(Timestamp.init(httpDate:))
        retryAfter = header("retry-after").flatMap { Int($0) }
        region = header("x-amz-bucket-region")
        guard let document = XMLElement.document(body) else { return }
        read(document)
    }

    /// The refusal in a body that came with a status of success, as CompleteMultipartUpload may send it.
    ///
    /// - Returns: nil where the document is no error.
    init?(status: Int, document: XMLElement) {
        guard document.name == "Error" else { return nil }
        self.init(status: status)
        read(document)
    }

    private mutating func read(_ document: XMLElement) {
        guard document.name == "Error" else { return }
        code = document["Code"].map(Self.line)
        message = document["Message"].map(Self.line)
        if let named = document["Region"], S3Location.isRegion(named) { region = named }
        if let named = region, !S3Location.isRegion(named) { region = nil }
    }

    /// Code and status, for a person.
    var summary: String {
        let words = [code, code == nil ? nil : message].compactMap { $0 }.filter { !$0.isEmpty }
        return words.isEmpty ? "status \(status)" : "\(words.joined(separator: ": ")) (status \(status))"
    }

    /// The refusal without what a server may echo of a request: its message is shown to people and logged.
    func redacting(_ credentials: S3Credentials) -> S3Refusal {
        var refusal = self
        for secret in [credentials.secretAccessKey, credentials.sessionToken].compactMap({ $0 }) where !secret.isEmpty {
            refusal.code = refusal.code?.replacing(secret, with: "…")
            refusal.message = refusal.message?.replacing(secret, with: "…")
        }
        return refusal
    }

    /// A server's words: one line, and no long one.
    private static func line(_ text: String) -> String {
        String(text.unicodeScalars.prefix(200).map { $0.properties.generalCategory == .control ? " " : Character($0) })
    }

    /// Whether the same request may well succeed a little later.
    var isTransient: Bool {
        switch code {
        case "RequestTimeout", "SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded",
            "TooManyRequests",
            "InternalError", "ServiceUnavailable", "ConditionalRequestConflict", "OperationAborted", "IncompleteBody",
            "BadDigest", "XAmzContentSHA256Mismatch":
            true
        default:
            // 499: the server missed the end of the request.
            status == 408 || status == 429 || status == 499 || (status >= 500 && status != 501 && status != 505)
        }
    }

    var isClockSkew: Bool { code == "RequestTimeTooSkewed" }
}
