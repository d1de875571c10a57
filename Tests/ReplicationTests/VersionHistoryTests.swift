import Documents
import Replication
import Testing
import TestSupport

/// Which version of a document is current (ContainerFormat, Versions of a document).
struct VersionHistoryTests {
    private let laptop = TestDevice.laptop
    private let phone = TestDevice.phone
    private let moment = Timestamp(nanoseconds: 7)

    private func history(_ versions: DocumentVersion...) -> VersionHistory {
        var history = VersionHistory(first: versions[0])
        for version in versions.dropFirst() { history.add(version, at: moment) }
        return history
    }

    private func numbers(_ versions: [DocumentVersion]) -> [UInt8] { versions.map { $0.id.bytes[15] } }

    @Test func `a document starts with one version`() {
        let history = history(laptop.version(1, modified: 100))
        #expect(numbers([history.current]) == [1])
        #expect(history.conflicts.isEmpty)
        #expect(history.superseded.isEmpty)
    }

    @Test(arguments: [200, 100, 50, -1] as [Int64])
    func `a version made from the current one succeeds it, whatever the clocks say`(modified: Int64) {
        let history = history(laptop.version(1, modified: 100), phone.version(2, base: 1, modified: modified))
        #expect(numbers([history.current]) == [2])
        #expect(history.conflicts.isEmpty)
        #expect(numbers(history.superseded.map(\.version)) == [1])
    }

    @Test func `of two versions that did not see each other the later is current and the other stays`() {
        let base = laptop.version(1, modified: 100)
        let early = laptop.version(2, base: 1, modified: 200)
        let late = phone.version(3, base: 1, modified: 300)
        for history in [history(base, early, late), history(base, late, early)] {
            #expect(numbers([history.current]) == [3])
            #expect(numbers(history.conflicts) == [2])
            #expect(numbers(history.superseded.map(\.version)) == [1])
        }
    }

    @Test func `of two versions of one time that of the greater id is current`() {
        let base = laptop.version(1, modified: 100)
        let low = phone.version(2, base: 1, modified: 200)
        let high = laptop.version(3, base: 1, modified: 200)
        for history in [history(base, low, high), history(base, high, low)] {
            #expect(numbers([history.current]) == [3])
            #expect(numbers(history.conflicts) == [2])
        }
    }

    /// Two copies of one store send such a save, and so does a device that was restored from a backup.
    @Test func `a version with the content of the current one is no conflict, whichever is later`() {
        let base = laptop.version(1, modified: 100)
        let saved = laptop.version(2, base: 1, modified: 200)
        var again = phone.version(3, base: 1, modified: 200)
        again.sha256 = saved.sha256
        for (first, second) in [(saved, again), (again, saved)] {
            let history = history(base, first, second)
            #expect(history.current.id == second.id)
            #expect(history.conflicts.isEmpty)
            #expect(history.superseded.map(\.version.id) == [base.id, first.id])
        }
    }

    @Test func `conflicts are kept, the latest first`() {
        let history = history(
            laptop.version(1, modified: 100), laptop.version(2, base: 1, modified: 400),
            phone.version(3, base: 1, modified: 200), TestDevice.tablet.version(4, base: 1, modified: 300))
        #expect(numbers([history.current]) == [2])
        #expect(numbers(history.conflicts) == [4, 3])
        #expect(numbers(history.superseded.map(\.version)) == [1])
    }

    @Test func `a version made from a conflict version takes its place`() {
        let conflicted = history(
            laptop.version(1, modified: 100), laptop.version(2, base: 1, modified: 300),
            phone.version(3, base: 1, modified: 200))
        var early = conflicted
        early.add(phone.version(4, base: 3, modified: 250), at: moment)
        #expect(numbers([early.current]) == [2])
        #expect(numbers(early.conflicts) == [4])
        #expect(numbers(early.superseded.map(\.version)) == [1, 3])
        var late = conflicted
        late.add(phone.version(4, base: 3, modified: 400), at: moment)
        #expect(numbers([late.current]) == [4])
        #expect(numbers(late.conflicts) == [2])
        #expect(numbers(late.superseded.map(\.version)) == [1, 3])
    }

    @Test func `a successor of the current version leaves the conflicts unresolved`() {
        let history = history(
            laptop.version(1, modified: 100), laptop.version(2, base: 1, modified: 300),
            phone.version(3, base: 1, modified: 200), laptop.version(4, base: 2, modified: 400))
        #expect(numbers([history.current]) == [4])
        #expect(numbers(history.conflicts) == [3])
        #expect(numbers(history.superseded.map(\.version)) == [1, 2])
    }

    @Test func `a version made from a superseded or unknown one is in conflict`() {
        let versions = [laptop.version(1, modified: 100), laptop.version(2, base: 1, modified: 200)]
        for base in [1, 77, nil] as [UInt8?] {
            let history = history(versions[0], versions[1], phone.version(3, base: base, modified: 150))
            #expect(numbers([history.current]) == [2])
            #expect(numbers(history.conflicts) == [3])
        }
    }

    @Test func `a known version changes nothing, wherever it is in the history`() {
        let versions = [
            laptop.version(1, modified: 100), laptop.version(2, base: 1, modified: 300),
            phone.version(3, base: 1, modified: 200),
        ]
        let history = history(versions[0], versions[1], versions[2])
        for version in versions {
            var again = history
            again.add(version, at: moment)
            #expect(again == history)
        }
        #expect(history.contains(VersionID(numbered: 3)))
        #expect(!history.contains(VersionID(numbered: 4)))
    }

    @Test func `a history of many versions loses none of them`() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            var history = VersionHistory(first: laptop.version(1, modified: 100))
            for number in 2...20 as ClosedRange<UInt8> {
                let base = UInt8.random(in: 1..<number, using: &random)
                history.add(
                    phone.version(number, base: base, modified: .random(in: 0...300, using: &random)), at: moment)
            }
            #expect(numbers(history.all).sorted() == Array(1...20))
            let leaves = [history.current] + history.conflicts
            #expect(leaves.allSatisfy { leaf in !history.all.contains { $0.base == leaf.id } })
            #expect(history.conflicts.map(\.modified) == history.conflicts.map(\.modified).sorted(by: >))
        }
    }
}
