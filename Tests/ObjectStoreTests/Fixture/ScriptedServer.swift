import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// An HTTP server that answers as a test tells it to, right or wrong.
final class ScriptedServer: Sendable {
    struct Request: Sendable {
        let method: String
        /// Path and query as sent.
        let target: String
        let headers: HTTPHeaders
        let body: [UInt8]
        /// The number of the connection that it came over.
        let connection: Int

        subscript(_ header: String) -> String? { headers.first(name: header) }
    }

    enum Reply: Sendable {
        case answer(Int, headers: [(String, String)] = [], body: String = "")
        /// Announces a length and sends less.
        case truncated(length: Int, body: String)
        /// Sends the beginning of an answer.
        case partial(Int, headers: [(String, String)], body: String, then: Ending)
        /// Sends the beginning of an answer, and closes when the stream has an element or ends.
        case partialUntil(AsyncStream<Void>, Int, headers: [(String, String)], body: String)
        /// Breaks the connection off, as a crashed server does.
        case reset
        /// Says nothing, for as long as the client stays.
        case silence

        /// To a put that was done.
        static let stored = Reply.answer(200, headers: [("ETag", "\"tag\"")])

        static func error(_ status: Int, _ code: String, _ more: String = "", headers: [(String, String)] = []) -> Reply
        {
            .answer(status, headers: headers, body: "<Error><Code>\(code)</Code>\(more)</Error>")
        }
    }

    /// The rest of an answer after its beginning.
    enum Ending: Sendable, CaseIterable {
        case close, reset, silence
    }

    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    let port: Int
    private let recorder: Recorder<Request>
    /// The numbers of connections that have ended, as they end. For one listener.
    let endedConnections: AsyncStream<Int>

    /// All requests so far.
    var requests: [Request] { recorder.values }

    private init(port: Int, recorder: Recorder<Request>, endedConnections: AsyncStream<Int>) {
        self.port = port
        self.recorder = recorder
        self.endedConnections = endedConnections
    }

    /// This server as it is reached by another port.
    func reached(by port: Int) -> ScriptedServer {
        ScriptedServer(port: port, recorder: recorder, endedConnections: endedConnections)
    }

    /// Runs `body` with a server that asks `script` for each answer; it gets the request and its number,
    /// beginning with 0.
    static func run(
        _ script: @escaping @Sendable (Request, Int) -> Reply,
        _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        let recorder = Recorder<Request>()
        let (ended, end) = AsyncStream<Int>.makeStream()
        let server = ScriptedServer(
            port: listener.channel.localAddress!.port!, recorder: recorder, endedConnections: ended)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await serve(listener, recorder, end, script) }
            do {
                try await body(server)
                group.cancelAll()
            } catch {
                group.cancelAll()
                throw error
            }
        }
    }

    private static func serve(
        _ listener: NIOAsyncChannel<Connection, Never>, _ recorder: Recorder<Request>,
        _ end: AsyncStream<Int>.Continuation, _ script: @escaping @Sendable (Request, Int) -> Reply
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await listener.executeThenClose { connections in
                var count = 0
                for try await connection in connections {
                    group.addTask { [count] in
                        // A client that leaves in the middle is part of many tests.
                        try? await answer(connection, count, recorder, script)
                        end.yield(count)
                    }
                    count += 1
                }
            }
        }
    }

    private static func answer(
        _ connection: Connection, _ number: Int, _ recorder: Recorder<Request>,
        _ script: @Sendable (Request, Int) -> Reply
    ) async throws {
        try await connection.executeThenClose { parts, writer in
            var head: HTTPRequestHead?
            var body: [UInt8] = []
            for try await part in parts {
                switch part {
                case .head(let value): (head, body) = (value, [])
                case .body(let buffer): body += buffer.readableBytesView
                case .end:
                    guard let head else { return }
                    let request = Request(
                        method: head.method.rawValue, target: head.uri, headers: head.headers, body: body,
                        connection: number)
                    let earlier = recorder.add(request)
                    guard try await send(script(request, earlier), to: request, writer, connection.channel) else {
                        return
                    }
                }
            }
        }
    }

    /// - Returns: false when the connection is to end.
    private static func send(
        _ reply: Reply, to request: Request, _ writer: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>,
        _ channel: any Channel
    ) async throws -> Bool {
        switch reply {
        case .answer(let status, let headers, let body):
            let isHead = request.method == "HEAD"
            var fields = HTTPHeaders(headers)
            if !fields.contains(name: "content-length") {
                fields.add(name: "Content-Length", value: String(body.utf8.count))
            }
            try await write(status, fields, isHead ? "" : body, writer)
            try await writer.write(.end(nil))
            return true
        case .truncated(let length, let body):
            try await write(200, ["Content-Length": String(length)], body, writer)
        case .partial(let status, let headers, let body, let ending):
            try await write(status, HTTPHeaders(headers), body, writer)
            if ending == .silence { return true }
            if ending == .reset { try await resetAtClose(channel) }
        case .partialUntil(let told, let status, let headers, let body):
            try await write(status, HTTPHeaders(headers), body, writer)
            for await _ in told { break }
        case .reset: try await resetAtClose(channel)
        case .silence: return true
        }
        try await channel.close()
        return false
    }

    /// With no time to linger, closing resets.
    private static func resetAtClose(_ channel: any Channel) async throws {
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
    }

    private static func write(
        _ status: Int, _ headers: HTTPHeaders, _ body: String,
        _ writer: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws {
        try await writer.write(
            .head(HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers))
        )
        if !body.isEmpty { try await writer.write(.body(.byteBuffer(ByteBuffer(string: body)))) }
    }
}
