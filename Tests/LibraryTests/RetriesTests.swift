import Documents
import Catalog
import Synchronization
import Testing

@testable import Library

/// When a transfer that failed is tried again.
struct RetriesTests {
    private final class Clock: Sendable {
        private let start = ContinuousClock.now
        private let passed = Mutex(Duration.zero)

        var now: ContinuousClock.Instant { start + passed.withLock { $0 } }

        func advance(_ time: Duration) { passed.withLock { $0 += time } }
    }

    private let clock = Clock()
    private let retries: Retries
    private let inode = InodeNumber(100)

    init() { retries = Retries(instant: { [clock] in clock.now }) }

    @Test func `a transfer that never failed is due`() { #expect(retries.isDue(inode)) }

    @Test func `each failure in a row doubles the pause, up to five minutes`() {
        let pauses = (0..<12).map { _ in retries.failed(inode) }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map { .seconds($0) })
    }

    @Test func `however often it fails the pause stays five minutes`() {
        for _ in 0..<1000 { _ = retries.failed(inode) }
        #expect(retries.failed(inode) == .seconds(300))
    }

    @Test func `it is due again when the pause is over, and not before`() {
        _ = retries.failed(inode)
        _ = retries.failed(inode)
        #expect(!retries.isDue(inode))
        clock.advance(.milliseconds(1999))
        #expect(!retries.isDue(inode))
        clock.advance(.milliseconds(1))
        #expect(retries.isDue(inode))
    }

    @Test func `a success ends the row of failures`() {
        for _ in 0..<5 { _ = retries.failed(inode) }
        retries.succeeded(inode)
        #expect(retries.isDue(inode))
        #expect(retries.failed(inode) == .seconds(1))
    }

    @Test func `the failures of one document do not hold up another`() {
        _ = retries.failed(inode)
        #expect(retries.isDue(InodeNumber(101)))
    }

    @Test func `a document that gets another inode number keeps its failures`() {
        _ = retries.failed(inode)
        let newInode = InodeNumber(101)
        retries.renumber(from: inode, to: newInode)
        #expect(retries.isDue(inode))
        #expect(!retries.isDue(newInode))
        #expect(retries.failed(newInode) == .seconds(2))
    }
}
