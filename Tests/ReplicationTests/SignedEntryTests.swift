import Ciphers
import Documents
import Foundation
@testable import Replication
import Testing

/// Entries and checkpoints of encrypted containers, which their devices sign (ContainerFormat, "Signatures").
struct SignedEntryTests {
    private let laptop = TestDevice.laptop
    private let phone = TestDevice.phone
    private let keys = (1...3).map { SigningKey(seed: SecretBytes([UInt8](repeating: $0, count: 32))) }
    private let head = LogHead.sample(at: 4)

    private func entry(
        of device: TestDevice, after head: LogHead, signedWith key: SigningKey?, number: UInt8 = 1
    ) throws -> LogEntry {
        try LogEntry(
            device.commit(.delete(EntryID(numbered: number), seen: []), id: CommitID(numbered: number)),
            after: head, signedWith: key)
    }

    /// After an entry of the laptop, signed with the first key, and one of the phone, signed with the second.
    private func joined() throws -> LogHead {
        var head = head
        for (device, key) in [(laptop, keys[0]), (phone, keys[1])] {
            let entry = try entry(of: device, after: head, signedWith: key)
            try head.check(entry)
            head = head.advanced(by: entry, state: head.state)
        }
        return head
    }

    @Test func `a device joins with its first entry, and from then on it is known by its key`() throws {
        let head = try joined()
        let members = try #require(head.members)
        #expect(members.all.map(\.device) == [laptop.id, phone.id])
        #expect(members[laptop.id]?.key == keys[0].publicKey && members[phone.id]?.position == LogPosition(6))
        try head.check(try entry(of: laptop, after: head, signedWith: keys[0]))
        try head.check(try entry(of: .tablet, after: head, signedWith: keys[2]))
        // A head is kept as JSON, and those of before are read.
        #expect(try JSONDecoder().decode(LogHead.self, from: JSONEncoder().encode(head)) == head)
        let former = try JSONEncoder().encode(self.head)
        #expect(!String(decoding: former, as: UTF8.self).contains("members"))
    }

    @Test func `attack: an entry in another device's name is refused`() throws {
        let head = try joined()
        for key in [keys[1], keys[2], nil] {
            #expect(throws: ContainerFault.otherWriter(at: LogPosition(7))) {
                try head.check(try entry(of: laptop, after: head, signedWith: key))
            }
        }
    }

    @Test func `attack: an entry that nobody signed is refused once an entry was signed`() throws {
        let unsigned = try entry(of: .tablet, after: head, signedWith: nil)
        try head.check(unsigned)
        #expect(head.advanced(by: unsigned, state: head.state).members == nil)
        let head = try joined()
        #expect(throws: ContainerFault.otherWriter(at: LogPosition(7))) {
            try head.check(try entry(of: .tablet, after: head, signedWith: nil))
        }
    }

    @Test func `attack: a signed entry in which any bit was changed is refused`() throws {
        let signed = try entry(of: laptop, after: head, signedWith: keys[0])
        #expect(try LogEntry(decoding: signed.bytes) == signed)
        #expect(signed.bytes.firstIndex(of: UInt8(ascii: "\n"))! < LogEntry.longestHeader)
        for index in signed.bytes.indices {
            for bit in UInt8(0)..<8 {
                var bytes = signed.bytes
                bytes[index] ^= 1 << bit
                #expect(throws: CommitError.self, "bit \(bit) of byte \(index)") { try LogEntry(decoding: bytes) }
            }
        }
    }

    @Test func `attack: a signature does not hold for another commit, another place, or without the digest`() throws {
        let signed = try entry(of: laptop, after: head, signedWith: keys[0])
        let other = try entry(of: laptop, after: head.advanced(by: signed, state: head.state), signedWith: keys[0])
        let text = String(decoding: signed.bytes, as: UTF8.self)
        let value = try #require(text.firstMatch(of: /"value":"[0-9a-f]*"/)).output
        let forged = String(decoding: other.bytes, as: UTF8.self).replacing(/"value":"[0-9a-f]*"/, with: value)
        let undigested = text.replacing(/"digest":"[0-9a-f]*",/, with: "")
        let unsigned = text.replacing(/,"signature":\{[^}]*\}/, with: "")
        for text in [forged, undigested, unsigned] {
            #expect(throws: CommitError.self) { try LogEntry(decoding: Array(text.utf8)) }
        }
        #expect(!unsigned.contains("signature"))
    }

    @Test func `a device that is removed with a new key has to join again`() throws {
        let head = try joined()
        let commit = Commit(
            id: CommitID(numbered: 9), device: laptop.id, deviceName: "laptop", time: Timestamp(nanoseconds: 5),
            newKey: [1], removing: [phone.id])
        try commit.validate()
        let removal = try LogEntry(commit, after: head, signedWith: keys[0])
        #expect(try LogEntry(decoding: removal.bytes) == removal)
        let removed = head.advanced(by: removal, state: head.state)
        #expect(removed.members?.all.map(\.device) == [laptop.id])
        #expect(removed.members?[laptop.id]?.wrote == Timestamp(nanoseconds: 5))
        let again = try entry(of: phone, after: removed, signedWith: keys[1])
        try removed.check(again)
        #expect(removed.advanced(by: again, state: head.state).members?[phone.id]?.position == LogPosition(8))
    }

    @Test func `no commit removes devices without a new key, or its own`() throws {
        let own = Commit(
            id: CommitID(numbered: 9), device: laptop.id, deviceName: "laptop", time: Timestamp(nanoseconds: 5),
            newKey: [1], removing: [laptop.id])
        #expect(throws: CommitError.invalid("the removal of a device")) { try own.validate() }
        let text = String(decoding: try laptop.commit([]).encoded(), as: UTF8.self)
            .replacing("\"changes\":[]", with: "\"changes\":[],\"removed\":[\"\(phone.id)\"]")
        #expect(throws: CommitError.invalid("the removal of a device")) { try Commit.decode(Array(text.utf8)) }
    }

    @Test func `more devices than a head has room for cannot join`() throws {
        var head = head
        for number in 0..<Members.most {
            let device = TestDevice(id: DeviceID(UUID()), name: "device \(number)")
            head = head.advanced(by: try entry(of: device, after: head, signedWith: keys[0]), state: head.state)
        }
        #expect(head.members?.all.count == Members.most)
        #expect(throws: ContainerFault.otherWriter(at: head.position.next)) {
            try head.check(try entry(of: laptop, after: head, signedWith: keys[0]))
        }
        try head.check(
            try entry(
                of: TestDevice(id: head.members!.all[7].device, name: "x"), after: head, signedWith: keys[0]))
    }

    // MARK: Where the chain broke off

    @Test func `of a broken chain the entries count whose writers are known, and those of before the first signature`()
        throws
    {
        var head = try joined()
        func entry(of device: TestDevice, at position: Int64, signedWith key: SigningKey?) throws -> LogEntry {
            var before = head
            before.position = LogPosition(position - 1)
            return try self.entry(of: device, after: before, signedWith: key)
        }
        #expect(throws: ContainerFault.otherWriter(at: LogPosition(20))) {
            try head.check(writerOf: try entry(of: phone, at: 20, signedWith: keys[2]), at: LogPosition(20))
        }
        // What was written elsewhere, and copied to this place.
        #expect(throws: ContainerFault.otherWriter(at: LogPosition(20))) {
            try head.check(writerOf: try entry(of: phone, at: 8, signedWith: keys[1]), at: LogPosition(20))
        }
        for (device, position, key) in [(phone, 20, keys[1]), (.tablet, 21, keys[2])]
            as [(TestDevice, Int64, SigningKey)]
        {
            let entry = try entry(of: device, at: position, signedWith: key)
            try head.check(writerOf: entry, at: LogPosition(position))
            head.follow(writerOf: entry, at: LogPosition(position))
        }
        #expect(head.members?.all.count == 3 && head.position == LogPosition(6))
        // As it is read anew from the start, by a device that knows its devices.
        try head.check(writerOf: try entry(of: phone, at: 4, signedWith: nil), at: LogPosition(4))
        #expect(throws: ContainerFault.otherWriter(at: LogPosition(5))) {
            try head.check(writerOf: try entry(of: phone, at: 5, signedWith: nil), at: LogPosition(5))
        }
    }

    @Test func `a name is kept as names of documents have it`() throws {
        let device = TestDevice(id: laptop.id, name: "a/b\nc" + String(repeating: "x", count: 5_000_000))
        let head = head.advanced(by: try entry(of: device, after: head, signedWith: keys[0]), state: head.state)
        #expect(head.members?[laptop.id]?.name == "abc" + String(repeating: "x", count: 61))
    }

    // MARK: Checkpoints

    private func manifest(_ head: LogHead) -> CheckpointManifest {
        CheckpointManifest(head: head, count: 0, parts: [])
    }

    @Test func `a checkpoint is read as its device signed it`() throws {
        let head = try joined()
        let signed = try manifest(head).signed(by: phone.id, with: keys[1])
        let read = try CheckpointManifest(decoding: Array(signed.encoded()))
        #expect(read == signed && read.head.logHead.members == head.members)
        #expect(read.isBelieved(by: nil) && read.isBelieved(by: head.members))
        // A device that has not joined yet may write one: it has the container's key.
        #expect(try manifest(head).signed(by: TestDevice.tablet.id, with: keys[2]).isBelieved(by: head.members))
        // One of before anybody signed.
        let early = manifest(self.head)
        #expect(early.isBelieved(by: nil) && early.isBelieved(by: head.members))
    }

    @Test func `attack: a checkpoint in another device's name, or with another key of a device, is not believed`()
        throws
    {
        let head = try joined()
        #expect(try !manifest(head).signed(by: laptop.id, with: keys[1]).isBelieved(by: nil))
        #expect(!manifest(head).isBelieved(by: nil))
        var other = self.head
        other = other.advanced(by: try entry(of: laptop, after: other, signedWith: keys[2]), state: other.state)
        let forged = try manifest(other).signed(by: laptop.id, with: keys[2])
        #expect(forged.isBelieved(by: nil) && !forged.isBelieved(by: head.members))
        // As if nobody had ever signed.
        var unsigned = head
        unsigned.members = nil
        #expect(!manifest(unsigned).isBelieved(by: head.members))
    }

    @Test func `attack: a signed checkpoint that was changed is refused`() throws {
        let signed = try manifest(try joined()).signed(by: phone.id, with: keys[1])
        let text = String(decoding: try signed.encoded(), as: UTF8.self)
        // The digest, which needs no key, is left out.
        let undigested = text.replacing(/"digest":"[0-9a-f]*",/, with: "")
        #expect(try CheckpointManifest(decoding: Array(undigested.utf8)) == signed)
        let changed = undigested.replacing("\"count\":0", with: "\"count\":1")
        #expect(changed != undigested)
        #expect(throws: (any Error).self) { try CheckpointManifest(decoding: Array(changed.utf8)) }
    }
}
