import HTTP

/// An answer of which the body is still on its way.
struct S3Response {
    private let response: HTTPResponse

    init(_ response: HTTPResponse) { self.response = response }

    var status: Int { response.head.status }

    func header(_ name: String) -> String? { response.head[name] }

    /// Reads the body piece by piece, until it ends or `receive` returns false.
    func forEachPiece(_ receive: ([UInt8]) throws(S3Failure) -> Bool) async throws(S3Failure) {
        while let piece = try await next() {
            if try !receive(piece) { return }
        }
    }

    private func next() async throws(S3Failure) -> [UInt8]? {
        do throws(HTTPFailure) { return try await response.next() } catch { throw S3Failure(error) }
    }

    /// The whole body.
    ///
    /// - Returns: nil where it is longer than `limit`.
    private func bytes(limit: Int) async throws(S3Failure) -> [UInt8]? {
        if let length = header("content-length").flatMap({ Int64($0) }), length > Int64(limit) { return nil }
        var bytes: [UInt8] = []
        try await forEachPiece { piece in
            bytes += piece.prefix(limit + 1 - bytes.count)
            return bytes.count <= limit
        }
        return bytes.count > limit ? nil : bytes
    }

    /// The XML document in the body.
    func document() async throws(S3Failure) -> XMLElement {
        guard let bytes = try await bytes(limit: Self.longestDocument), let document = XMLElement.document(bytes) else {
            throw .malformed("it is no XML document of a proper size")
        }
        return document
    }

    /// The answer as an error.
    func refusal() async throws(S3Failure) -> S3Refusal {
        let body = try await bytes(limit: Self.longestDocument) ?? []
        return S3Refusal(status: status, body: body, header: header)
    }

    /// A page of 1,000 keys of 1,024 bytes, percent-encoded, stays below.
    private static let longestDocument = 8 << 20
}
