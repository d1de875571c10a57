import SystemPackage

/// Why one try of a request failed.
enum S3Failure: Error, Equatable, Sendable {
    /// The server answered, with an error.
    case refused(S3Refusal)
    /// No connection could be made.
    case unreachable(String)
    /// The connection ended before the answer did.
    case disconnected(String)
    case timedOut
    /// The answer, or what follows of it, did not come for so long that another request will do better.
    case stalled
    /// The other side could not prove that it is the server.
    case untrusted(String)
    /// The answer is not one that S3 gives.
    case malformed(String)
    /// The body could not be read, or the transfer was abandoned.
    case source(ObjectStoreError)
    case cancelled

    /// The failure as users of the store see it, once no further try is made.
    func error(_ key: ObjectKey) -> ObjectStoreError {
        switch self {
        case .refused(let refusal): refusal.error(key)
        case .unreachable(let reason), .disconnected(let reason), .untrusted(let reason): .unreachable(reason)
        case .timedOut, .stalled: .unreachable("the server does not answer")
        case .malformed(let reason): .unusable("the server's answer is not S3's: \(reason)")
        case .source(let error): error
        case .cancelled: .failed(key, .canceled)
        }
    }
}

extension S3Refusal {
    func error(_ key: ObjectKey) -> ObjectStoreError {
        switch code {
        case "NoSuchKey": return .notFound(key)
        case "NoSuchBucket": return .unusable("the bucket does not exist")
        case "BadDigest", "XAmzContentSHA256Mismatch", "IncompleteBody":
            return .corrupted(key, "what arrived is not what was sent")
        case "QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded": return .outOfSpace
        case "NotImplemented": return .unusable("the server lacks something that is needed: \(summary)")
        case let code? where Self.rejections.contains(code): return .unauthorized(code)
        default: break
        }
        switch status {
        case 401, 403: return .unauthorized(code ?? "status \(status)")
        case 404 where code == nil: return .notFound(key)
        case 507: return .outOfSpace
        default:
            let reason = "the server answers \(summary)"
            return isTransient ? .unreachable(reason) : .unusable(reason)
        }
    }

    /// Whether other credentials may help.
    var concernsCredentials: Bool { status == 401 || status == 403 || code.map(Self.rejections.contains) == true }

    /// Codes that come with other statuses than 401 and 403 too.
    private static let rejections: Set<String> = [
        "ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId", "SignatureDoesNotMatch",
        "AuthorizationHeaderMalformed", "RequestTimeTooSkewed", "AccessDenied",
    ]
}
