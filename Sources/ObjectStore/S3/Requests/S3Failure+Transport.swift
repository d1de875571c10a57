import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// What the layers below throw, sorted by what it means for a request. Nothing of what was sent appears in it.
extension S3Failure {
    init(_ error: any Error) {
        switch error {
        case let error as S3Failure: self = error
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError: self = Self.client(error)
        case let error as NIOConnectionError: self = Self.connection(error)
        case let error as IOError: self = Self.system(error)
        // What was secure until then has ended without a farewell.
        case NIOSSLError.uncleanShutdown: self = .disconnected("the connection was lost")
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            self = .untrusted("no secure connection: \(Self.line(error))")
        // An answer that ends in the middle.
        case HTTPParserError.invalidEOFState: self = .disconnected("the connection was lost")
        case is HTTPParserError: self = .malformed("it is no HTTP")
        case is ChannelError: self = .disconnected("the connection was lost")
        default: self = .disconnected("the connection was lost (\(type(of: error)))")
        }
    }

    private static func client(_ error: HTTPClientError) -> S3Failure {
        switch error {
        case .readTimeout, .writeTimeout, .deadlineExceeded: .timedOut
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            .unreachable("the server does not answer")
        case .cancelled, .alreadyShutdown: .cancelled
        // Not its description: that of an invalid header tells the header.
        default: .disconnected("the connection was lost (\(error.shortDescription))")
        }
    }

    private static func connection(_ error: NIOConnectionError) -> S3Failure {
        if error.connectionErrors.isEmpty { return .unreachable("\(error.host) is not known") }
        if let system = error.connectionErrors.last?.error as? IOError {
            return .unreachable("\(error.host):\(error.port): \(reason(system))")
        }
        return .unreachable("\(error.host):\(error.port) does not answer")
    }

    private static func system(_ error: IOError) -> S3Failure {
        switch error.errnoCode {
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, EADDRNOTAVAIL: .unreachable(reason(error))
        default: .disconnected(reason(error))
        }
    }

    private static func reason(_ error: IOError) -> String { String(cString: strerror(error.errnoCode)) }

    private static func line(_ error: any Error) -> String {
        String(String(describing: error).prefix(200)).replacing("\n", with: " ")
    }
}
