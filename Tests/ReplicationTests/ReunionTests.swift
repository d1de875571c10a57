import Documents
import Replication
import TestSupport
import Testing

/// Merging the state of a container that lost something with that of a device that knew more.
struct ReunionTests {
    private let laptop = TestDevice.laptop
    private let phone = TestDevice.phone
    private let one = EntryID(numbered: 1)

    private func ids(_ numbers: UInt8...) -> [VersionID] { numbers.map(VersionID.init(numbered:)) }

    private func numbers(_ versions: [DocumentVersion]?) -> [UInt8] { (versions ?? []).map { $0.id.bytes[15] } }

    /// Document 1 with version 1.
    private func start() throws -> BoundedReplica { try .built(by: laptop.commit(.create(laptop.document(1)))) }

    private func start(_ changes: Change...) throws -> BoundedReplica {
        var replica = try start()
        for change in changes { try replica.applyCommit(laptop.commit(change)) }
        return replica
    }

    /// Not within an expectation, which would print both states.
    private func isSame(_ left: BoundedReplica, _ right: BoundedReplica) -> Bool { left.replica == right.replica }

    /// The container after the device has told all that it knows. Telling it once more changes nothing.
    private func united(
        _ mine: BoundedReplica, into theirs: BoundedReplica, _ authority: Reunion.Authority = .device
    ) throws -> BoundedReplica {
        func told(_ theirs: BoundedReplica) throws -> BoundedReplica {
            var replica = theirs
            let entries = mine.replica.entries.values.sorted { $0.id < $1.id }
            let changes = entries.flatMap { Reunion.changes(from: $0, into: theirs.replica.entries[$0.id], authority) }
            // In the order of the synchronizer: deletions last, so that versions can be bequeathed before.
            let deletions = changes.filter { if case .delete = $0 { true } else { false } }
            try replica.applyCommit(laptop.commit(changes.filter { !deletions.contains($0) } + deletions))
            return replica
        }
        let once = try told(theirs)
        expectInvariants(once.replica)
        #expect(isSame(try told(once), once))
        return once
    }

    private static let authorities = [Reunion.Authority.device, .container]

    // MARK: What one side lacks

    @Test(arguments: authorities)
    func `an entry that the container has lost is told again, with all versions`(_ authority: Reunion.Authority) throws
    {
        let mine = try start(
            .save(one, laptop.version(2, base: 1, modified: 200)), .save(one, phone.version(3, base: 1, modified: 300)))
        #expect(isSame(try united(mine, into: BoundedReplica(), authority), mine))
    }

    @Test(arguments: authorities)
    func `so is a deletion, since another device would bring the entry back`(_ authority: Reunion.Authority) throws {
        let mine = try start(.delete(one, seen: ids(1)))
        let theirs = try united(mine, into: BoundedReplica(), authority)
        #expect(theirs[1]?.isDeleted == true)
        // A device that has not heard of the deletion has nothing new to tell.
        #expect(try united(start(), into: theirs, authority)[1]?.isDeleted == true)
    }

    /// A document that was moved out of the cloud and back has two versions of one content, and a container that lost the begin of its log may
    /// have the last of them only. What an older version has is not what was saved last.
    @Test(arguments: [[1, 1], [1, 2, 1], [1, 2, 2, 1], [1, 2, 1, 2]] as [[UInt8]])
    func `older versions of the content of the last one do not take its place`(contents: [UInt8]) throws {
        let versions = contents.enumerated().map { number, content in
            var version = laptop.version(
                UInt8(number + 1), base: number == 0 ? nil : UInt8(number), modified: Int64(number))
            version.sha256 = laptop.version(content, modified: 0).sha256
            return version
        }
        var mine = try BoundedReplica.built(by: laptop.commit(.create(laptop.document(1, version: versions[0]))))
        for version in versions.dropFirst() { try mine.applyCommit(laptop.commit(.save(one, version))) }
        let last = try #require(versions.last)
        let theirs = try BoundedReplica.built(by: phone.commit(.create(phone.document(1, version: last))))
        let replica = try united(mine, into: theirs)
        #expect(replica[1]?.versions?.current == last)
        #expect(replica[1]?.versions?.conflicts == [])
        #expect(replica[1]?.versions?.superseded.map(\.version) == versions.dropLast())
    }

    @Test(arguments: authorities)
    func `an older version that only the device has does not bring a deleted document back`(
        _ authority: Reunion.Authority
    ) throws {
        let last = laptop.version(2, base: 1, modified: 200)
        let mine = try start(.save(one, last))
        var theirs = try BoundedReplica.built(by: phone.commit(.create(phone.document(1, version: last))))
        try theirs.applyCommit(phone.commit(.delete(one, seen: ids(2))))
        #expect(try united(mine, into: theirs, authority)[1]?.isDeleted == true)
    }

    @Test(arguments: authorities)
    func `an entry that both have is not told`(_ authority: Reunion.Authority) throws {
        let state = try start(.save(one, laptop.version(2, base: 1, modified: 200)))
        let entry = try #require(state[1])
        #expect(Reunion.changes(from: entry, into: entry, authority).isEmpty)
        let folder = laptop.folder(4, "Trip")
        #expect(Reunion.changes(from: folder, into: folder, authority).isEmpty)
    }

    @Test func `an entry of another kind is left as it is`() {
        var folder = laptop.folder(1, "Trip")
        #expect(Reunion.changes(from: folder, into: laptop.document(1), .device).isEmpty)
        folder.deleted = Timestamp(nanoseconds: 5)
        #expect(Reunion.changes(from: folder, into: laptop.document(1), .device).isEmpty)
    }

    // MARK: Versions

    @Test(arguments: authorities)
    func `saves that the container has lost are made again, in their order`(_ authority: Reunion.Authority) throws {
        let mine = try start(
            .save(one, laptop.version(2, base: 1, modified: 300)), .save(one, laptop.version(3, base: 2, modified: 200))
        )
        let result = try united(mine, into: start(), authority)
        #expect(numbers(result[1]?.versions?.leaves) == [3])
        #expect(numbers(result[1]?.versions?.superseded.map(\.version)) == [1, 2])
    }

    @Test(arguments: authorities)
    func `saves that neither side had seen of the other are in conflict`(_ authority: Reunion.Authority) throws {
        let mine = try start(.save(one, laptop.version(2, base: 1, modified: 200)))
        let theirs = try start(.save(one, phone.version(3, base: 1, modified: 300)))
        #expect(numbers(try united(mine, into: theirs, authority)[1]?.versions?.leaves) == [3, 2])
        #expect(numbers(try united(theirs, into: mine, authority)[1]?.versions?.leaves) == [3, 2])
    }

    @Test(arguments: authorities)
    func `a discarded version stays discarded, however much the container has lost`(_ authority: Reunion.Authority)
        throws
    {
        let saves: [Change] = [
            .save(one, laptop.version(2, base: 1, modified: 200)), .save(one, phone.version(3, base: 1, modified: 300)),
        ]
        let mine = try start(
            saves[0], saves[1], .resolve(one, Resolution(kept: VersionID(numbered: 2), discarded: ids(3))))
        #expect(numbers(mine[1]?.versions?.leaves) == [2])
        for theirs in [try start(saves[0], saves[1]), try start(saves[1]), try start()] {
            let result = try united(mine, into: theirs, authority)
            #expect(numbers(result[1]?.versions?.leaves) == [2])
            #expect(numbers(result[1]?.versions?.all).sorted() == [1, 2, 3])
        }
    }

    @Test(arguments: authorities)
    func `a version that came from another document leaves that one again`(_ authority: Reunion.Authority) throws {
        var theirs = try start(
            .create(laptop.document(2, "G.txt")), .save(one, laptop.version(11, base: 1, modified: 200)),
            .save(one, phone.version(12, base: 1, modified: 300)))
        var mine = theirs
        try mine.applyCommit(
            laptop.commit(.bequeath(one, to: EntryID(numbered: 2), versions: ids(11)), .delete(one, seen: ids(1, 12))))
        theirs = try united(mine, into: theirs, authority)
        #expect(theirs[1]?.isDeleted == true)
        #expect(numbers(theirs[2]?.versions?.leaves) == [2, 11])
        #expect(theirs[2]?.versions?.conflicts.map(\.keeper) == [one])
    }

    // MARK: Deletions

    @Test(arguments: authorities)
    func `a deletion that the device saw is told, also if the container has only an earlier version`(
        _ authority: Reunion.Authority
    ) throws {
        let mine = try start(.save(one, laptop.version(2, base: 1, modified: 200)), .delete(one, seen: ids(2)))
        #expect(mine[1]?.isDeleted == true)
        #expect(try united(mine, into: start(), authority)[1]?.isDeleted == true)
    }

    @Test(arguments: authorities)
    func `a version stays that the device which deleted the document had not seen`(_ authority: Reunion.Authority)
        throws
    {
        let mine = try start(.delete(one, seen: ids(1)))
        let theirs = try start(.save(one, phone.version(3, base: 1, modified: 300)))
        let result = try united(mine, into: theirs, authority)
        #expect(result[1]?.isDeleted == false)
        #expect(numbers(result[1]?.versions?.leaves) == [3])
        #expect(try united(theirs, into: mine, authority)[1]?.isDeleted == false)
    }

    @Test(arguments: authorities)
    func `an old description does not bring back what the container says is deleted`(_ authority: Reunion.Authority)
        throws
    {
        let theirs = try start(
            .create(laptop.folder(4, "Trip")), .delete(one, seen: ids(1)), .delete(EntryID(numbered: 4), seen: []))
        let mine = try start(
            .create(laptop.folder(4, "Trip")), .describe(one, .named("Another")),
            .describe(EntryID(numbered: 4), .moved(to: .cloudRoot, filename: "Tour")))
        let result = try united(mine, into: theirs, authority)
        #expect(result.liveNumbers.isEmpty)
        #expect(isSame(result, theirs))
    }

    // MARK: Descriptions

    @Test func `the description is that of the side with authority`() throws {
        let mine = try start(.describe(one, .named("Mine")), .create(laptop.folder(4, "My trip")))
        let theirs = try start(.describe(one, .named("Theirs")), .create(laptop.folder(4, "Their trip")))
        let byDevice = try united(mine, into: theirs, .device)
        #expect(byDevice[1]?.description.displayName == "Mine")
        #expect(byDevice[4]?.description.filename == "My trip")
        #expect(isSame(try united(mine, into: theirs, .container), theirs))
    }

    @Test func `a device that lacks a version of the container's knows less of its description, too`() throws {
        let mine = try start(.describe(one, .named("Mine")))
        let theirs = try start(.save(one, phone.version(3, base: 1, modified: 300)), .describe(one, .named("Theirs")))
        #expect(try united(mine, into: theirs, .device)[1]?.description.displayName == "Theirs")
    }
}
