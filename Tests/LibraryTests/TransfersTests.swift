import Backing
import Catalog
import Documents
@testable import Library
import Replication
import Synchronization
import Testing

/// How long moved documents wait until they are sent.
struct TransfersTests {
    private static let now = Timestamp(seconds: 1_795_000_000, nanoseconds: 0)

    @Test(arguments: [Int64.min, -1, 0, 1_794_999_999_000_000_000])
    func `a document that is moved and was written long ago is quiet at once, whatever its time`(modified: Int64) {
        let transfers = Transfers(cloud: AbsentCloud())
        transfers.markMoved(InodeNumber(100), modified: Timestamp(nanoseconds: modified), now: Self.now)
        #expect(transfers.timeToQuiet(InodeNumber(100)) == .zero)
    }

    @Test(arguments: [1_794_999_999_900_000_000, 1_795_000_001_000_000_000, Int64.max])
    func `a document that is moved and was written just now, or in the future, is not quiet yet`(modified: Int64) {
        let transfers = Transfers(cloud: AbsentCloud(), pace: SendingPace(quiet: .seconds(3600)))
        transfers.markMoved(InodeNumber(100), modified: Timestamp(nanoseconds: modified), now: Self.now)
        #expect(transfers.timeToQuiet(InodeNumber(100)) > .zero)
    }

    /// A document that is saved all the time. Without a pause, its first upload finds it changed.
    @Test func `saves count until the document is sent`() {
        let clock = Mutex(ContinuousClock.now)
        func pass(_ milliseconds: Int) { clock.withLock { $0 += .milliseconds(milliseconds) } }
        let transfers = Transfers(cloud: AbsentCloud(), instant: { clock.withLock(\.self) })
        let document = InodeNumber(100)
        func save(for milliseconds: Int) {
            for _ in 0..<(milliseconds / 10) {
                transfers.markSaved(document)
                pass(10)
            }
        }
        save(for: 7000)
        #expect(transfers.timeToQuiet(document) > .zero)
        save(for: 1100)
        #expect(transfers.timeToQuiet(document) == .zero)
        func upload(isOfCopy: Bool, isSent: Bool) {
            let progress = UploadProgress(total: 5, isOfCopy: isOfCopy)
            transfers.begin(progress, of: document)
            save(for: 100)
            transfers.end(progress, of: document, isSent: isSent)
        }
        upload(isOfCopy: false, isSent: false)
        #expect(transfers.timeToQuiet(document) == .zero)
        upload(isOfCopy: true, isSent: false)
        save(for: 500)
        #expect(transfers.timeToQuiet(document) > .zero)
        save(for: 4000)
        #expect(transfers.timeToQuiet(document) == .zero)
        upload(isOfCopy: true, isSent: true)
        save(for: 7500)
        #expect(transfers.timeToQuiet(document) > .zero)
        save(for: 1000)
        #expect(transfers.timeToQuiet(document) == .zero)
        pass(10_000)
        upload(isOfCopy: true, isSent: true)
        pass(400)
        #expect(transfers.timeToQuiet(document) > .zero)
        pass(200)
        #expect(transfers.timeToQuiet(document) == .zero)
    }

    @Test func `saves by renaming are counted by the document's file`() {
        let clock = Mutex(ContinuousClock.now)
        let transfers = Transfers(cloud: AbsentCloud(), instant: { clock.withLock(\.self) })
        var document = InodeNumber(100)
        func save(for milliseconds: Int) {
            for _ in 0..<(milliseconds / 10) {
                let file = InodeNumber(document.number + 1)
                transfers.replace(document, by: file)
                document = file
                transfers.markSaved(document)
                clock.withLock { $0 += .milliseconds(10) }
            }
        }
        save(for: 8100)
        let (begun, progress) = (document, UploadProgress(total: 5, isOfCopy: true))
        transfers.begin(progress, of: begun)
        save(for: 100)
        #expect(transfers.timeToQuiet(document) == .zero)
        transfers.end(progress, of: begun, isSent: true)
        save(for: 7000)
        #expect(transfers.timeToQuiet(document) > .zero)
    }

    @Test func `an upload tells each percent once, and is not done before the store says so`() {
        let progress = UploadProgress(total: 1000)
        #expect(!progress.add(9) && progress.percent == 0)
        #expect(progress.add(1) && progress.percent == 1)
        #expect(progress.add(500) && progress.percent == 51)
        #expect(progress.add(490) && progress.percent == 99)
        #expect(progress.sentBytes == 1000)
    }
}
