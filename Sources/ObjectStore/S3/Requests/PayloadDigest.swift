import Foundation
import Hashing

/// The digests of a request's body, by which the server notices a damaged one.
///
/// `Content-MD5` is signed and checked by every server, over plain HTTP too, and matters: without it SeaweedFS
/// makes an empty object of a request that breaks off after its headers, although they tell a length and a
/// SHA-256. A file is therefore read once before it is sent. That pass is not used for the signature's own
/// hash: what attackers could do is left to TLS and to the SHA-256 that every download is checked against.
struct PayloadDigest: Equatable, Sendable {
    /// The value of `X-Amz-Content-Sha256`.
    let hash: String
    /// The value of `Content-MD5`; nil without a body.
    let md5: String?

    init(hash: String, md5: String?) {
        self.hash = hash
        self.md5 = md5
    }

    init(_ body: S3Request.Body) async throws(S3Failure) {
        switch body {
        case .none: self.init(hash: SignatureV4.sha256([]), md5: nil)
        case .bytes(let bytes):
            let md5 = HashAlgorithm.md5.digest(of: bytes)
            self.init(hash: SignatureV4.sha256(bytes), md5: Data(md5).base64EncodedString())
        case .file(let slice):
            do throws(ObjectStoreError) {
                self.init(hash: "UNSIGNED-PAYLOAD", md5: Data(try await slice.md5()).base64EncodedString())
            } catch { throw .source(error) }
        }
    }
}
