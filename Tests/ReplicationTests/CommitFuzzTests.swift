import Documents
import Replication
import Testing

/// Commits with damaged bytes: refused or harmless, never a crash.
struct CommitFuzzTests {
    @Test(arguments: 0..<24 as Range<UInt64>)
    func `a damaged commit is refused, or keeps all invariants`(seed: UInt64) throws {
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
                try replica.applyCommit(commit)
                try replica.applyCommit(commit)
                expectInvariants(replica.replica)
            }
        }
    }
}
