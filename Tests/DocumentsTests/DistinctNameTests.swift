import Documents
import Testing

struct DistinctNameTests {
    @Test(arguments: [
        (1, "Plan (laptop)"), (2, "Plan (laptop 2)"), (12, "Plan (laptop 12)"),
    ])
    func `the second of one name is NAME (DEVICE)`(number: Int, expected: String) {
        #expect(DistinctName.make("Plan", device: "laptop", number: number, pathExtension: "txt") == expected)
    }

    @Test(arguments: [
        ("Anna's laptop", "Plan (Anna's laptop)"), ("a/b", "Plan (ab)"), ("a\0\n\u{7f}b", "Plan (ab)"),
        ("日本", "Plan (日本)"),
    ])
    func `characters that no name can have are left out of the device`(device: String, expected: String) {
        #expect(DistinctName.make("Plan", device: device, number: 1, pathExtension: "") == expected)
    }

    @Test(arguments: ["x", "é", "日", "e\u{301}", "👨‍👩‍👧"], ["", "txt", "😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀"])
    func `a long name is cut between characters so that all of it serves as a name`(
        character: String, pathExtension: String
    ) throws {
        let name = String(repeating: character, count: 255 / character.utf8.count)
        let distinct = DistinctName.make(name, device: "laptop", number: 3, pathExtension: pathExtension)
        let full = try DocumentName(displayName: distinct, pathExtension: pathExtension).full
        #expect(full.utf8.count > EntryName.maximumLength - character.utf8.count)
        let suffix = " (laptop 3)"
        #expect(distinct.hasSuffix(suffix))
        #expect(distinct.dropLast(suffix.count).allSatisfy { bytes(String($0)) == bytes(character) })
    }

    @Test func `a long device is cut between characters`() throws {
        let device = String(repeating: "👨‍👩‍👧", count: 50)
        let name = DistinctName.make(
            String(repeating: "x", count: 255), device: device, number: 1, pathExtension: "txt")
        #expect(throws: Never.self) { try DocumentName(displayName: name, pathExtension: "txt") }
        #expect(name.hasSuffix(" (👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧)"))
    }
}
