import Documents
import Foundation
import Hashing

/// AWS Signature Version 4: a pure function of the request, the credentials, and the time.
struct SignatureV4: Sendable {
    /// Good for one day's requests to one region.
    let key: SigningKey
    private let accessKeyID: String
    /// `20150830T123600Z`
    private let stamp: String

    /// - Parameter known: the key of an earlier request, used again if it is the same.
    init(credentials: S3Credentials, region: String, service: String, time: Timestamp, known: SigningKey? = nil) {
        stamp = time.basicISO8601
        accessKeyID = credentials.accessKeyID
        let scope = SigningKey.scope(day: String(stamp.prefix(8)), region: region, service: service)
        key = known.flatMap { $0.scope == scope ? $0 : nil } ?? SigningKey(credentials, scope: scope)
    }

    /// The value of the `Authorization` header.
    func authorization(of request: SignableRequest) -> String {
        "\(Self.algorithm) Credential=\(accessKeyID)/\(scope), "
            + "SignedHeaders=\(request.signedHeaders), Signature=\(signature(of: request))"
    }

    func stringToSign(of request: SignableRequest) -> String {
        [Self.algorithm, stamp, scope, Self.sha256(request.canonicalRequest.utf8)].joined(separator: "\n")
    }

    /// SHA-256 in lower-case hexadecimal.
    static func sha256(_ bytes: some Sequence<UInt8>) -> String {
        hexadecimal(HashAlgorithm.sha256.digest(of: Array(bytes)))
    }

    private static let algorithm = "AWS4-HMAC-SHA256"

    private var scope: String { key.scope.joined(separator: "/") }

    private func signature(of request: SignableRequest) -> String {
        hexadecimal(SigningKey.authenticate(stringToSign(of: request), with: key.key))
    }
}

/// The key for the signatures of one day. Deriving it from the secret takes as many hashes as a request.
struct SigningKey: Sendable {
    /// Day, region, service and the word that ends it.
    let scope: [String]
    fileprivate let key: [UInt8]

    init(_ credentials: S3Credentials, scope: [String]) {
        self.scope = scope
        key = scope.reduce(Array("AWS4\(credentials.secretAccessKey)".utf8)) { Self.authenticate($1, with: $0) }
    }

    static func scope(day: String, region: String, service: String) -> [String] {
        [day, region, service, "aws4_request"]
    }

    fileprivate static func authenticate(_ text: String, with key: [UInt8]) -> [UInt8] {
        authenticationCode(of: Array(text.utf8), key: key)
    }
}

extension Timestamp {
    /// `20150830T123600Z`
    var basicISO8601: String { iso8601.filter { $0 != "-" && $0 != ":" } }
}
