import Crypto
import Documents
import Foundation

/// AWS Signature Version 4: a pure function of the request, the credentials, and the time.
struct SignatureV4: Sendable {
    let credentials: S3Credentials
    let region: String
    let service: String
    let time: Timestamp

    /// The value of the `Authorization` header.
    func authorization(of request: SignableRequest) -> String {
        "\(Self.algorithm) Credential=\(credentials.accessKeyID)/\(scope), "
            + "SignedHeaders=\(request.signedHeaders), Signature=\(signature(of: request))"
    }

    func stringToSign(of request: SignableRequest) -> String {
        [Self.algorithm, time.basicISO8601, scope, Self.sha256(request.canonicalRequest.utf8)].joined(separator: "\n")
    }

    /// SHA-256 in lower-case hexadecimal.
    static func sha256(_ bytes: some Sequence<UInt8>) -> String {
        hexadecimal(SHA256.hash(data: Array(bytes)))
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static let algorithm = "AWS4-HMAC-SHA256"

    private var day: String { String(time.basicISO8601.prefix(8)) }

    private var scope: String { "\(day)/\(region)/\(service)/aws4_request" }

    private func signature(of request: SignableRequest) -> String {
        Self.hexadecimal(Self.authenticate(stringToSign(of: request), with: signingKey))
    }

    private var signingKey: SymmetricKey {
        [day, region, service, "aws4_request"].reduce(SymmetricKey(data: Array("AWS4\(credentials.secretAccessKey)".utf8))) {
            SymmetricKey(data: Self.authenticate($1, with: $0))
        }
    }

    private static func authenticate(_ text: String, with key: SymmetricKey) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
    }
}

extension Timestamp {
    /// `20150830T123600Z`
    var basicISO8601: String { iso8601.filter { $0 != "-" && $0 != ":" } }
}
