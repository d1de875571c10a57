import Catalog
import Documents
import Testing

@testable import CloudSynchronization
import TestSupport

/// Which document is uploaded next, and by how many workers.
struct UploadQueueTests {
    private static func entry(_ inode: Int64) -> Entry {
        let identity = DocumentIdentity(name: DocumentName(storedDisplayName: "Plan", pathExtension: "txt"))
        var entry = Entry(
            parent: .cloud, location: .cloud, nature: .document(identity), filename: "\(inode).txt",
            created: Timestamp(nanoseconds: 1), position: 1, mode: 0o644)
        entry.inode = InodeNumber(inode)
        return entry
    }

    @Test func `documents are uploaded in the order in which they were added`() {
        let queue = TestedQueue()
        for inode in [103, 101, 102] as [Int64] { queue.add(Self.entry(inode)) }
        #expect(queue.next() == 103)
        #expect(queue.next() == 101)
        #expect(queue.next() == 102)
    }

    @Test func `a document is not added again while it waits or is being uploaded`() {
        let queue = TestedQueue()
        let entry = Self.entry(101)
        queue.add(entry)
        queue.add(entry)
        #expect(queue.startsAnother(limit: 8))
        #expect(queue.next() == 101)
        queue.add(entry)
        #expect(queue.next() == nil)
        queue.ended(entry)
        queue.add(entry)
        #expect(queue.next() == 101)
    }

    @Test func `no more workers are started than there are documents, nor more than the limit`() {
        let queue = TestedQueue()
        #expect(!queue.startsAnother(limit: 2))
        queue.add(Self.entry(101))
        #expect(queue.startsAnother(limit: 2))
        #expect(!queue.startsAnother(limit: 2))
        for inode in 102...110 as ClosedRange<Int64> { queue.add(Self.entry(inode)) }
        #expect(queue.startsAnother(limit: 2))
        #expect(!queue.startsAnother(limit: 2))
    }

    @Test func `it is busy until the last worker has found nothing more to do`() {
        let queue = TestedQueue()
        queue.add(Self.entry(101))
        #expect(!queue.isBusy)
        #expect(queue.startsAnother(limit: 2))
        #expect(queue.next() == 101)
        queue.ended(Self.entry(101))
        #expect(queue.isBusy)
        #expect(queue.next() == nil)
        #expect(!queue.isBusy)
    }

    @Test func `clearing drops the documents that wait, and not those that are being uploaded`() {
        let queue = TestedQueue()
        let (first, second) = (Self.entry(101), Self.entry(102))
        queue.add(first)
        queue.add(second)
        #expect(queue.startsAnother(limit: 1))
        #expect(queue.next() == 101)
        queue.clear()
        queue.add(first)
        queue.add(second)
        #expect(queue.next() == 102)
        #expect(queue.next() == nil)
    }

    @Test func `it is long once it can keep the workers busy for a while`() {
        let queue = TestedQueue()
        for inode in 1...255 as ClosedRange<Int64> { queue.add(Self.entry(inode)) }
        #expect(!queue.isLong)
        queue.add(Self.entry(256))
        #expect(queue.isLong)
    }
}

/// `#expect` cannot call mutating methods of a value.
private final class TestedQueue {
    private var queue = UploadQueue()

    var isBusy: Bool { queue.isBusy }

    var isLong: Bool { queue.isLong }

    func add(_ entry: Entry) { queue.add(entry) }

    func startsAnother(limit: Int) -> Bool { queue.startsAnother(limit: limit) }

    /// The inode number of the next document.
    func next() -> Int64? { queue.next()?.inode.number }

    func ended(_ entry: Entry) { queue.ended(entry) }

    func clear() { queue.clear() }
}
