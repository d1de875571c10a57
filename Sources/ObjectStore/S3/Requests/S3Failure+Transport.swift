import HTTP
import SystemPackage

/// How the failures of the layer below look to a request.
extension S3Failure {
    init(_ failure: HTTPFailure) {
        switch failure {
        case .unreachable(let reason): self = .unreachable(reason)
        case .disconnected(let reason): self = .disconnected(reason)
        case .timedOut: self = .timedOut
        case .untrusted(let reason): self = .untrusted(reason)
        case .malformed(let reason): self = .malformed(reason)
        case .body(let error as ObjectStoreError): self = .source(error)
        case .body(let error): self = .disconnected("the document cannot be read (\(type(of: error)))")
        case .cancelled: self = .cancelled
        }
    }
}
