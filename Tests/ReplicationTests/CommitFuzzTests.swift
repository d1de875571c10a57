import Documents
import Replication
import Testing

/// Bytes that went wrong by chance: refused or harmless, and never a crash.
struct CommitFuzzTests {
    @Test(arguments: 0..<24 as Range<UInt64>)
    func `a spoiled commit is refused, or keeps all rules`(seed: UInt64) throws {
        var spoiler = Spoiler(seed: seed)
        let good = try CommitCodingTests.sample.encoded()
        let known = try BoundedReplica.built(
            by: CommitCodingTests.sample, TestDevice.phone.commit(.create(TestDevice.phone.folder(2, "Photos"))))
        for _ in 0..<60 {
            let commit: Commit
            do throws(CommitError) { commit = try Commit.decode(spoiler.spoil(good)) } catch {
                #expect(!error.description.isEmpty)
                continue
            }
            for start in [BoundedReplica(), known] {
                var replica = BoundedReplica(start.replica)
                try replica.take(commit)
                try replica.take(commit)
                expectInvariants(replica.replica)
            }
        }
    }
}
