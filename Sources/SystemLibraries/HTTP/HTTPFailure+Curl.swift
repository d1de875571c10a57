import CCurl
import Glibc

/// libcurl's codes, sorted by what they mean for a request.
extension HTTPFailure {
    /// - Parameters:
    ///   - server: host and port.
    ///   - errno: of the last call that made a connection, or 0.
    ///   - reason: in libcurl's words.
    init(_ code: CURLcode, server: String, errno: Int32, reason: String) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: self = .unreachable("\(server) is not known")
        case CURLE_COULDNT_CONNECT:
            let reason = errno == 0 ? " does not answer" : ": \(String(cString: strerror(errno)))"
            self = .unreachable(server + reason)
        // Only for making a connection has libcurl a limit here.
        case CURLE_OPERATION_TIMEDOUT: self = .unreachable("the server does not answer")
        case CURLE_SSL_CONNECT_ERROR where Self.tellsLoss(reason): self = .disconnected("the connection was lost")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_INVALIDCERTSTATUS:
            self = .untrusted("no secure connection: \(Self.line(reason))")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: self = .malformed("it is no HTTP")
        // With or without an answer begun; the last where a body could not be sent once more.
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND:
            self = .disconnected("the connection was lost")
        default: self = .disconnected("the connection was lost (\(String(cString: curl_easy_strerror(code))))")
        }
    }

    /// Whether encryption was not agreed on because the connection ended: libcurl has no code of its own for it.
    private static func tellsLoss(_ reason: String) -> Bool {
        reason.contains("SSL_ERROR_SYSCALL") || reason.contains("unexpected eof")
            || [ECONNRESET, EPIPE, ETIMEDOUT].contains { reason.contains(String(cString: strerror($0))) }
    }

    private static func line(_ reason: String) -> String { String(reason.prefix(200)).replacing("\n", with: " ") }
}
