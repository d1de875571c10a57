@testable import Filesystem
import Synchronization
import Testing

/// Which pollers are woken, and that each handle is given back once.
struct StatePollsTests {
    private final class Kernel: Sendable {
        let woken = Mutex<[Int]>([])
        let destroyed = Mutex<[Int]>([])
    }

    private let kernel = Kernel()
    private let polls: StatePolls

    init() {
        polls = StatePolls { [kernel] handle in
            kernel.woken.withLock { $0.append(Int(bitPattern: handle)) }
        } destroy: { [kernel] handle in
            kernel.destroyed.withLock { $0.append(Int(bitPattern: handle)) }
        }
    }

    private func add(_ handle: Int, for file: UInt64) throws {
        polls.add(try #require(OpaquePointer(bitPattern: handle)), for: file)
    }

    private var woken: [Int] { kernel.woken.withLock { $0.sorted() } }
    private var destroyed: [Int] { kernel.destroyed.withLock { $0.sorted() } }

    @Test func `all are woken once`() throws {
        try add(1, for: 10)
        try add(2, for: 20)
        #expect(polls.hasWaiting)
        polls.wakeAll()
        #expect(woken == [1, 2])
        #expect(destroyed == [1, 2])
        #expect(!polls.hasWaiting)
        polls.wakeAll()
        #expect(woken == [1, 2])
    }

    @Test func `a file that is polled again has its new handle only`() throws {
        try add(1, for: 10)
        try add(2, for: 10)
        #expect(destroyed == [1])
        polls.wakeAll()
        #expect(woken == [2])
        #expect(destroyed == [1, 2])
    }

    @Test func `a file that is closed is woken no more`() throws {
        try add(1, for: 10)
        polls.remove(10)
        polls.remove(10)
        #expect(destroyed == [1])
        polls.wakeAll()
        #expect(woken.isEmpty)
        #expect(destroyed == [1])
    }
}
