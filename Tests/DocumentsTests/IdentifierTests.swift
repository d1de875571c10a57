import Documents
import Foundation
import Testing
import TestSupport

struct IdentifierTests {
    private static let text = "1b4e28ba-2fa1-41d2-883f-b9a761bde3fb"

    @Test func `an id is read in either case and written in lower case`() throws {
        let id = try #require(EntryID(Self.text))
        #expect(id.description == Self.text)
        #expect(EntryID(Self.text.uppercased()) == id)
    }

    @Test(arguments: [
        "", "1b4e28ba", "1b4e28ba2fa141d2883fb9a761bde3fb", "{1b4e28ba-2fa1-41d2-883f-b9a761bde3fb}",
        "1b4e28ba-2fa1-41d2-883f-b9a761bde3f", "1b4e28ba-2fa1-41d2-883f-b9a761bde3fg",
        "1b4e28ba-2fa1-41d2-883f-b9a761bde3fb0", " 1b4e28ba-2fa1-41d2-883f-b9a761bde3fb",
    ])
    func `anything but the 36 characters of a UUID is no id`(text: String) {
        #expect(EntryID(text) == nil)
    }

    @Test func `an id is its 16 bytes`() throws {
        let id = try #require(EntryID(Self.text))
        #expect(id.bytes.prefix(4) == [0x1b, 0x4e, 0x28, 0xba])
        #expect(id.bytes.count == 16)
    }

    @Test func `a random id is a UUID of version 4 from the generator that is passed in`() {
        var random = SeededGenerator(seed: 5)
        let ids = (0..<100).map { _ in EntryID.random(using: &random) }
        #expect(Set(ids).count == 100)
        #expect(ids.allSatisfy { $0.bytes[6] >> 4 == 4 && $0.bytes[8] >> 6 == 2 })
        var again = SeededGenerator(seed: 5)
        #expect(EntryID.random(using: &again) == ids[0])
    }

    @Test func `ids are ordered by their bytes`() throws {
        let low = try #require(EntryID("00ffffff-ffff-ffff-ffff-ffffffffffff"))
        let high = try #require(EntryID("01000000-0000-0000-0000-000000000000"))
        let highest = try #require(EntryID("80000000-0000-0000-0000-000000000000"))
        #expect([highest, low, high].sorted() == [low, high, highest])
        #expect(EntryID.cloudRoot < low)
    }

    @Test func `an id is stored as its text and nothing else is read`() throws {
        let id = try #require(EntryID(Self.text))
        let encoded = try JSONEncoder().encode([id])
        #expect(String(decoding: encoded, as: UTF8.self) == "[\"\(Self.text)\"]")
        #expect(try JSONDecoder().decode([EntryID].self, from: encoded) == [id])
        for text in [#"["x"]"#, "[1]", #"[""]"#] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode([EntryID].self, from: Data(text.utf8)) }
        }
    }

    @Test func `the cloud's top folder has the same id on every device`() {
        #expect(EntryID.cloudRoot.description == "00000000-0000-0000-0000-000000000000")
    }
}
