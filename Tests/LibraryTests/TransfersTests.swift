import Backing
import Catalog
import Documents
@testable import Library
import Replication
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

    @Test func `an upload tells each percent once, and is not done before the store says so`() {
        let progress = UploadProgress(total: 1000)
        #expect(!progress.add(9) && progress.percent == 0)
        #expect(progress.add(1) && progress.percent == 1)
        #expect(progress.add(500) && progress.percent == 51)
        #expect(progress.add(490) && progress.percent == 99)
        #expect(progress.sentBytes == 1000)
    }
}
