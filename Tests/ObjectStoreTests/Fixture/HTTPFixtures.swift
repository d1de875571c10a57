import HTTP

struct UnexpectedFailure: Error {
    let error: HTTPFailure?
}

extension HTTPSettings {
    static let ofTests = HTTPSettings(certificates: nil, connecting: .seconds(150), idle: .seconds(150))
}

extension HTTPConnections {
    /// Patient, where no stall is meant.
    static func ofTests(certificates: String? = nil, idle: Duration = .seconds(150)) -> HTTPConnections {
        HTTPConnections(HTTPSettings(certificates: certificates, connecting: .seconds(150), idle: idle))
    }
}

extension HTTPResponse {
    func text() async throws(HTTPFailure) -> String {
        var bytes: [UInt8] = []
        while let piece = try await next() { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension HTTPFailure {
    var isDisconnection: Bool { if case .disconnected = self { true } else { false } }
}

extension ScriptedServer {
    func request(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: HTTPRequest.Body = .none,
        isSecure: Bool = false
    ) -> HTTPRequest {
        HTTPRequest(
            method, "\(isSecure ? "https" : "http")://127.0.0.1:\(port)\(target)",
            headers: headers.map { (name: $0.0, value: $0.1) }, body: body)
    }
}

/// A body in pieces, with a pause before each but the first.
struct Pieces: AsyncSequence, Sendable {
    private let pieces: [[UInt8]]
    private let pause: Duration
    private let failure: (any Error)?
    private let began: @Sendable () -> Void

    /// - Parameters:
    ///   - failure: what comes after the last piece.
    ///   - began: called when the second piece is asked for.
    init(
        _ pieces: [[UInt8]], pause: Duration = .zero, failure: (any Error)? = nil,
        began: @escaping @Sendable () -> Void = {}
    ) {
        (self.pieces, self.pause, self.failure, self.began) = (pieces, pause, failure, began)
    }

    func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    struct Iterator: AsyncIteratorProtocol {
        let sequence: Pieces
        private var next = 0

        fileprivate init(sequence: Pieces) { self.sequence = sequence }

        mutating func next() async throws -> [UInt8]? {
            if next == sequence.pieces.count {
                if let failure = sequence.failure { throw failure }
                return nil
            }
            if next == 1 { sequence.began() }
            if next > 0, sequence.pause > .zero { try await Task.sleep(for: sequence.pause) }
            next += 1
            return sequence.pieces[next - 1]
        }
    }
}
