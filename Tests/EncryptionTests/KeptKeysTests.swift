import Ciphers
import Documents
import Foundation
import TestSupport
import Testing

@testable import Encryption

/// What a device keeps of the keys of its container, when they are changed here or elsewhere.
struct KeptKeysTests {
    private func object(_ key: ContainerKey, passphrase: String = "battery staple") throws -> KeyObject {
        try KeyObject(
            wrapping: key, passphrase: passphrase, recoveryKey: .random(), cost: .init(n: 1 << 15, r: 8, p: 1))
    }

    /// A device that has offered a key.
    private func offering() throws -> (kept: KeptKeys, key: ContainerKey, recovery: RecoveryKey) {
        var kept = KeptKeys.ofTests(.random())
        let (key, recovery) = (ContainerKey.random(), RecoveryKey.random())
        kept.offer(key, try object(key), recovery)
        return (kept, key, recovery)
    }

    @Test func `a key that was offered counts when the log has it, and not before`() throws {
        var (kept, key, recovery) = try offering()
        let former = kept.ring.newest.key
        let proposal = try #require(kept.proposal(at: 7))
        #expect(proposal.key == key && kept.ring == KeyRing(former) && kept.recoveryKey == nil)
        #expect(kept.follow(proposal.object, at: 7) == .known)
        #expect(kept.ring.periods.map(\.key) == [former, key] && kept.ring.periods.map(\.start) == [0, 7])
        #expect(kept.object == proposal.object && kept.recoveryKey == recovery && kept.isUnpublished)
        #expect(kept.proposal(at: 8) == nil)
        // It is read again.
        let same = kept
        #expect(kept.follow(proposal.object, at: 7) == .known && kept == same)
    }

    @Test func `whom an offer removes that did not come through is removed by the next one`() throws {
        var (kept, _, _) = try offering()
        let phones = [DeviceID(UUID()), DeviceID(UUID())].sorted()
        #expect(try #require(kept.proposal(at: 7)).removed.isEmpty)
        for removed in [[phones[0]], [], [phones[1]]] {
            let key = ContainerKey.random()
            kept.offer(key, try object(key), .random(), removing: removed)
        }
        let proposal = try #require(kept.proposal(at: 7))
        #expect(proposal.removed == phones)
        #expect(try JSONDecoder().decode(KeptKeys.self, from: JSONEncoder().encode(kept)) == kept)
        #expect(kept.follow(proposal.object, at: 7) == .known)
        let key = ContainerKey.random()
        kept.offer(key, try object(key), .random())
        #expect(try #require(kept.proposal(at: 8)).removed.isEmpty)
    }

    @Test func `another position may be taken first, and an earlier offer may be the one that the log has`() throws {
        var (kept, key, _) = try offering()
        let early = try #require(kept.proposal(at: 7)).object
        let late = try #require(kept.proposal(at: 9)).object
        let other = ContainerKey.random()
        kept.offer(other, try object(other), .random())
        #expect(kept.proposal(at: 10)?.key == other)
        var taken = kept
        #expect(taken.follow(late, at: 9) == .known && taken.ring.newest == .init(key: key, start: 9))
        // It was made for another place in the log.
        #expect(kept.follow(early, at: 9) == .impossible)
    }

    @Test func `a key of another device is taken over with its passphrase or its recovery key`() throws {
        let (kept, key, recovery) = try offering()
        var other = KeptKeys(ring: kept.ring, object: kept.object)
        var mine = kept
        let announced = try #require(mine.proposal(at: 7)).object
        #expect(mine.follow(announced, at: 7) == .known)
        #expect(other.follow(announced, at: 7) == .locked && other.isLocked && other.ring == kept.ring)
        #expect(other.follow(announced, at: 7) == .locked)
        #expect(throws: KeyObject.Refusal.wrongPassphrase) { try other.metKey("correct horse") }
        for secret in ["battery staple", recovery.text] {
            var unlocked = other
            if secret == recovery.text {
                // The object above was wrapped with another recovery key.
                let again = try KeyObject(
                    wrapping: key, passphrase: "x", recoveryKey: recovery, cost: .init(n: 1 << 15, r: 8, p: 1)
                ).holding(mine.ring)
                unlocked = KeptKeys(ring: kept.ring, object: kept.object)
                #expect(unlocked.follow(again, at: 7) == .locked)
                unlocked.unlock(try #require(try unlocked.metKey(secret)))
                #expect(unlocked.follow(again, at: 7) == .known)
            } else {
                unlocked.unlock(try #require(try unlocked.metKey(secret)))
                #expect(unlocked.follow(announced, at: 7) == .known)
            }
            #expect(unlocked.ring == mine.ring && !unlocked.isLocked && unlocked.isUnpublished)
            #expect(unlocked.recoveryKey == nil)
        }
        #expect(try mine.metKey("battery staple") == nil)
    }

    @Test func `attack: a key that was made with the former passphrase is not taken over`() throws {
        let first = ContainerKey.random()
        let kept = KeptKeys(ring: KeyRing(first), object: try object(first, passphrase: "former"))
        // Whoever was shut out has the former key and its passphrase, and makes the next key himself.
        let his = ContainerKey.random()
        let ring = try #require(kept.ring.adding(his, after: 7))
        let forged = try object(his, passphrase: "former").holding(ring)
        #expect(throws: KeyObject.Refusal.wrongPassphrase) { try KeyTakeover("former", kept, keyObject: forged) }
        var locked = kept
        #expect(locked.follow(forged, at: 7) == .locked)
        #expect(throws: KeyObject.Refusal.wrongPassphrase) { try KeyTakeover("former", locked, keyObject: nil) }
        // The right one, by the key object or by the log.
        let next = ContainerKey.random()
        let announced = try object(next).holding(try #require(kept.ring.adding(next, after: 7)))
        for keyObject in [announced, nil] {
            var other = kept
            #expect(other.follow(announced, at: 7) == .locked)
            try #require(try KeyTakeover("battery staple", other, keyObject: keyObject)).apply(to: &other)
            #expect(other.follow(announced, at: 7) == .known && other.ring.newest.key == next)
        }
        #expect(try KeyTakeover("another", kept, keyObject: try object(.random(), passphrase: "another")) == nil)
    }

    @Test func `what only a key object told is forgotten with it, and what the log told stays`() throws {
        var kept = KeptKeys.ofTests(.random())
        let plain = kept
        kept.meet(try object(.random()))
        #expect(kept.isLocked)
        kept.forgetUnannounced()
        #expect(kept == plain)
        let announced = try object(.random())
        #expect(kept.follow(announced, at: 7) == .locked)
        let locked = kept
        kept.meet(try object(.random()))
        kept.forgetUnannounced()
        #expect(kept == locked)
    }

    @Test
    func `attack: an announcement that holds other former keys, or comes before another one, is followed by nobody`()
        throws
    {
        var (kept, key, _) = try offering()
        // Whoever has the former key cannot seal anything with the new one, and can put in what was sealed before.
        let foreign = try object(key).holding(try #require(KeyRing(.random()).adding(key, after: 7)))
        let none = try object(key)
        for announced in [foreign, none] { #expect(kept.follow(announced, at: 7) == .impossible) }
        let announced = try #require(kept.proposal(at: 7)).object
        #expect(kept.follow(announced, at: 7) == .known)
        let other = ContainerKey.random()
        for position: Int64 in [3, 7] { #expect(kept.follow(try object(other), at: position) == .impossible) }
        #expect(kept.follow(try object(other), at: 8) == .locked)
    }

    @Test func `what is kept is read again, also what was kept before keys could be changed`() throws {
        var (kept, _, _) = try offering()
        let announced = try #require(kept.proposal(at: 7)).object
        func again(_ kept: KeptKeys) throws -> KeptKeys {
            try JSONDecoder().decode(KeptKeys.self, from: JSONEncoder().encode(kept))
        }
        #expect(try again(kept) == kept)
        var locked = KeptKeys(ring: kept.ring, object: kept.object)
        _ = locked.follow(announced, at: 7)
        #expect(try again(locked) == locked)
        _ = kept.follow(announced, at: 7)
        #expect(try again(kept) == kept)
        struct Before: Codable { let key: ContainerKey, object: KeyObject, recoveryKey: RecoveryKey? }
        let key = ContainerKey.random()
        let before = Before(key: key, object: try object(key), recoveryKey: .random())
        let read = try JSONDecoder().decode(KeptKeys.self, from: JSONEncoder().encode(before))
        #expect(read == KeptKeys(ring: KeyRing(key), object: before.object, recoveryKey: before.recoveryKey))
    }

    @Test func `a newcomer has all keys with the newest passphrase, and none with a former one`() throws {
        var kept = KeptKeys.ofTests(.random())
        for (number, passphrase) in ["second", "third", "fourth"].enumerated() {
            let key = ContainerKey.random()
            kept.offer(key, try object(key, passphrase: passphrase), .random())
            let position = Int64(number + 1) * 5
            #expect(kept.follow(try #require(kept.proposal(at: position)).object, at: position) == .known)
        }
        #expect(kept.ring.periods.map(\.start) == [0, 5, 10, 15])
        #expect(try kept.object.unwrapAll("fourth") == kept.ring)
        #expect(throws: KeyObject.Refusal.wrongPassphrase) { try kept.object.unwrapAll("third") }
        let renamed = try kept.object.wrapping(
            kept.ring.newest.key, passphrase: "fifth", cost: .init(n: 1 << 15, r: 8, p: 1))
        #expect(try renamed.unwrapAll("fifth") == kept.ring && renamed.continues(kept.object))
        // Whoever changes one bit of what it holds makes another object of it, or one that opens nothing.
        let text = String(decoding: try JSONEncoder().encode(kept.object), as: UTF8.self)
        let place = try #require(text.range(of: "\"former\":\"")).upperBound
        var damaged = text
        damaged.replaceSubrange(place...place, with: text[place] == "3" ? "4" : "3")
        #expect(KeyObject(Array(damaged.utf8)) == nil && KeyObject(Array(text.utf8)) == kept.object)
    }
}
