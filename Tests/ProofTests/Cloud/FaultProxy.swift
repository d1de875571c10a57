import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import TestSupport

/// Stands between one device and the object store, and spoils what passes, as chance decides.
final class FaultProxy: Sendable {
    enum Fault: String, CaseIterable, Sendable {
        /// The reply comes late.
        case delay
        case serviceUnavailable, internalError
        /// The connection breaks before the request has arrived.
        case cutBefore
        /// The request arrives, and the connection breaks before the reply.
        case cutAfter
        /// The body of the reply ends early.
        case truncated
        /// The body of the reply stops in the middle, and the connection stays.
        case stalled
        /// One bit of the reply's body is another one.
        case flipped
        /// The reply's Date is a month off.
        case wrongDate
    }

    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    private typealias Upstream = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private struct Message: Sendable {
        var head: HTTPRequestHead
        var body: [ByteBuffer] = []
    }

    fileprivate struct Answer: Sendable {
        var head: HTTPResponseHead
        var body = ByteBuffer()
    }

    private struct State {
        var generator: SeededGenerator
        /// Of 1,000 requests, so many are spoiled.
        var rate = 0
        var isConnected = true
        var made: [Fault: Int] = [:]
    }

    let port: Int
    private let target: Int
    private let state: Mutex<State>

    private init(port: Int, target: Int, seed: UInt64) {
        self.port = port
        self.target = target
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    /// The faults that were made so far.
    var made: [Fault: Int] { state.withLock { $0.made } }

    /// - Parameter rate: of 1,000 requests, so many are spoiled.
    func setRate(_ rate: Int) { state.withLock { $0.rate = rate } }

    /// While it is false, every connection breaks at once.
    func setConnected(_ isConnected: Bool) { state.withLock { $0.isConnected = isConnected } }

    /// Runs `body` with one proxy for each seed.
    static func run(
        before target: Int, seeds: [UInt64], _ body: ([FaultProxy]) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            var proxies: [FaultProxy] = []
            for seed in seeds {
                let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .bind(host: "127.0.0.1", port: 0) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                            return try Connection(wrappingChannelSynchronously: channel)
                        }
                    }
                let proxy = FaultProxy(port: listener.channel.localAddress!.port!, target: target, seed: seed)
                proxies.append(proxy)
                group.addTask { try await proxy.serve(listener) }
            }
            try await body(proxies)
        }
    }

    private func serve(_ listener: NIOAsyncChannel<Connection, Never>) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await listener.executeThenClose { connections in
                for try await connection in connections {
                    // A client that leaves in the middle is part of the test.
                    group.addTask { try? await self.serve(connection) }
                }
            }
        }
    }

    private func serve(_ connection: Connection) async throws {
        try await connection.executeThenClose { parts, writer in
            var message: Message?
            for try await part in parts {
                switch part {
                case .head(let head): message = Message(head: head)
                case .body(let piece): message?.body.append(piece)
                case .end:
                    guard let whole = message, try await answer(whole, writer) else {
                        try await Self.reset(connection.channel)
                        return
                    }
                }
            }
        }
    }

    /// - Returns: false if the connection is to break.
    private func answer(
        _ message: Message, _ writer: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws -> Bool {
        let (isConnected, fault, position) = state.withLock { state in
            let isSpoiled = state.rate > Int.random(in: 0..<1000, using: &state.generator)
            let fault = isSpoiled ? Fault.allCases.randomElement(using: &state.generator) : nil
            if state.isConnected, let fault { state.made[fault, default: 0] += 1 }
            return (state.isConnected, fault, Int.random(in: 0..<1 << 30, using: &state.generator))
        }
        guard isConnected else { return false }
        switch fault {
        case .cutBefore: return false
        case .serviceUnavailable: return try await refuse(503, "SlowDown", writer)
        case .internalError: return try await refuse(500, "InternalError", writer)
        case .delay: try await Task.sleep(for: .milliseconds(position % 300))
        default: break
        }
        var answer = try await forward(message)
        switch fault {
        case .cutAfter: return false
        case .flipped: answer.flip(position)
        case .wrongDate: answer.head.headers.replaceOrAdd(name: "Date", value: "Thu, 01 Jan 2026 00:00:00 GMT")
        default: break
        }
        try await writer.write(.head(answer.head))
        let isHead = message.head.method == .HEAD
        if fault == .truncated || fault == .stalled, !isHead, answer.body.readableBytes > 1 {
            let part = answer.body.getSlice(at: 0, length: 1 + position % (answer.body.readableBytes - 1))
            if let part { try await writer.write(.body(.byteBuffer(part))) }
            return fault == .stalled
        }
        if !isHead, answer.body.readableBytes > 0 { try await writer.write(.body(.byteBuffer(answer.body))) }
        try await writer.write(.end(nil))
        return true
    }

    private func refuse(
        _ status: Int, _ code: String, _ writer: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws -> Bool {
        let text = ByteBuffer(string: "<Error><Code>\(code)</Code></Error>")
        try await writer.write(
            .head(
                HTTPResponseHead(
                    version: .http1_1, status: HTTPResponseStatus(statusCode: status),
                    headers: ["Content-Length": String(text.readableBytes)])))
        try await writer.write(.body(.byteBuffer(text)))
        try await writer.write(.end(nil))
        return true
    }

    private func forward(_ message: Message) async throws -> Answer {
        let upstream = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: target) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try Upstream(wrappingChannelSynchronously: channel)
                }
            }
        return try await upstream.executeThenClose { parts, writer in
            var head = message.head
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            try await writer.write(.head(head))
            for piece in message.body { try await writer.write(.body(.byteBuffer(piece))) }
            try await writer.write(.end(nil))
            var answer: Answer?
            reading: for try await part in parts {
                switch part {
                case .head(let head): answer = Answer(head: head)
                case .body(var piece): answer?.body.writeBuffer(&piece)
                case .end: break reading
                }
            }
            guard var answer else { throw ChannelError.eof }
            answer.head.headers.remove(name: "Connection")
            answer.head.headers.remove(name: "Transfer-Encoding")
            if message.head.method != .HEAD, answer.head.status != .noContent, answer.head.status != .notModified {
                answer.head.headers.replaceOrAdd(name: "Content-Length", value: String(answer.body.readableBytes))
            }
            return answer
        }
    }

    /// With no time to linger, closing resets.
    private static func reset(_ channel: any Channel) async throws {
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }
}

extension FaultProxy.Answer {
    fileprivate mutating func flip(_ position: Int) {
        guard body.readableBytes > 0 else { return }
        let index = body.readerIndex + position % body.readableBytes
        guard let byte = body.getInteger(at: index, as: UInt8.self) else { return }
        body.setInteger(byte ^ (1 << UInt8(position % 8)), at: index)
    }
}
