import Foundation
import Testing

@testable import ObjectStore

/// A store in which two writers can win is found out before anything is written to it.
@Suite(.timeLimit(.minutes(15)))
struct ProbeTests {
    @Test(arguments: TestedStore.allCases)
    func `a store with conditional writes passes, and nothing of the probe stays`(tested: TestedStore) async throws {
        try await tested.run { store in
            let probed = ProbedStore(store) { UInt64.random(in: 0...UInt64.max) }
            try await probed.probe()
            #expect(try await store.list(.path("probe"), after: nil, limit: 10).isEmpty)
            #expect(try await probed.putIfAbsent(.path("log/1"), [1]) == .created)
        }
    }

    @Test func `a server that lets all writers win is refused`() async throws {
        let server = try await S3Server.rclone()
        let store = ProbedStore(server.store(prefix: "container")) { UInt64.random(in: 0...UInt64.max) }
        for _ in 1...2 {
            let error = await #expect(throws: ObjectStoreError.self) { try await store.probe() }
            #expect(
                error?.description.contains("two devices could overwrite each other") == true,
                "\(String(describing: error))")
            #expect(error?.description.contains("\n") == false)
        }
        await #expect(throws: ObjectStoreError.self) { try await store.putIfAbsent(.path("log/1"), [1]) }
        await #expect(throws: ObjectStoreError.notFound(.path("log/1"))) {
            try await store.get(.path("log/1"), limit: 1)
        }
    }

    @Test(
        arguments: [
            ([3], true, [3], true), ([], true, [1], true), ([1, 2], true, [2], false), ([3], false, [3], false),
            ([3], true, [4], false), ([3], true, nil, false), ([], true, [6], false), ([], true, [], false),
            ([3], true, [3, 3], false),
        ] as [([UInt8], Bool, [UInt8]?, Bool)])
    func `one winner at most, whose object stays, is what is needed`(
        winners: [UInt8], laterFails: Bool, content: [UInt8]?, isFit: Bool
    ) {
        #expect(ConditionalWriteProbe.isFit(winners: winners, laterFails: laterFails, content: content) == isFit)
    }
}
