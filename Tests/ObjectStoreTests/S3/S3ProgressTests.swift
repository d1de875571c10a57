import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import ObjectStore

/// Progress tells what the line has carried, not what was prepared.
@Suite(.timeLimit(.minutes(15)))
struct S3ProgressTests {
    private let key = ObjectKey.path("documents/1/2/film.mkv")

    /// The server sends three bytes and keeps the rest until they were counted. Then it must be asked anew.
    @Test func `bytes count as they come and as they go, not at the end`() async throws {
        let origin = BreakingServer(content: "0123456789")
        let (told, tell) = AsyncStream<Void>.makeStream()
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { request, number in
            let reply = origin.reply(to: request, sending: number == 0 ? 3 : nil)
            guard case .partial(let status, let headers, let body, _) = reply else { return reply }
            return .partialUntil(told, status, headers: headers, body: body)
        }
        try await ScriptedServer.run(script) { server async throws in
            let (counts, count) = AsyncStream<Int64>.makeStream()
            let store = server.store()
            async let bytes = store.get(key, range: 2..<9) { count.yield($0) }
            var iterator = counts.makeAsyncIterator()
            #expect(await iterator.next() == 3)
            #expect(server.requests.count == 1)
            tell.finish()
            #expect(try await bytes.count == 7)
            #expect(await iterator.next() == 4)
        }
    }

    /// A server that takes nothing: only the buffers of the two kernels fill. That of the sender would take megabytes.
    @Test func `what the kernel has not sent yet does not count as gone`() async throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var room: Int32 = 64 << 10
        setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout.size(ofValue: room)))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout.size(ofValue: address))
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        #expect(bound)
        let settings = S3Settings(
            location: S3Location(bucket: "bucket", prefix: ["c"]), credentials: ScriptedServer.credentials,
            region: "us-east-1",
            endpoint: S3Endpoint(isSecure: false, host: "127.0.0.1", port: Int(address.sin_port.bigEndian)),
            certificates: nil)
        let store = S3Store(
            settings, policy: RetryPolicy(mostTries: 1), surroundings: TestSurroundings().surroundings,
            patience: S3Patience(idle: .seconds(3)))
        let gone = Mutex<Int64>(0)
        let content = [UInt8](repeating: 7, count: 16 << 20)
        try await withFile(content) { file in
            await #expect(throws: ObjectStoreError.self) {
                try await store.putIfAbsent(key, contentsOf: file, length: Int64(content.count)) { count in
                    gone.withLock { $0 += count }
                    return true
                }
            }
        }
        #expect(gone.withLock { $0 } > 0)
        #expect(gone.withLock { $0 } < 2 << 20, "\(gone.withLock { $0 })")
    }
}
