import Testing

@testable import docfs

struct VersionChoiceTests {
    private let all = [
        "Laptop 2026-11-21 04.12.33.txt", "Laptop 2026-11-21 04.12.33 2.txt", "Desktop 2026-11-20 10.00.00.txt",
    ].map {
        ListedVersion(kind: .version, name: $0, path: "/F.versions/" + $0, size: 1, modifiedSeconds: 0)
    }

    @Test func `a version is chosen by its name, its number, or a beginning that only it has`() throws {
        func choose(_ text: String) throws -> String { try DocumentVersions.choose(text, from: all, of: "F").name }
        #expect(try choose("Laptop 2026-11-21 04.12.33.txt") == all[0].name)
        #expect(try choose("2") == all[1].name)
        #expect(try choose("Desk") == all[2].name)
        for text in ["Laptop", "4", "0", "-1", "Tablet"] { #expect(throws: CommandFailure.self) { try choose(text) } }
    }

    @Test func `a version's device is the beginning of its name`() {
        #expect(all.map(\.device) == ["Laptop", "Laptop", "Desktop"])
    }

    @Test func `a version that becomes a document is named after both`() {
        func name(_ displayName: String, _ version: String, _ number: Int = 1) -> String {
            ContentCopy.name(displayName, version: version, number: number)
        }
        #expect(name("Plan", "Laptop 2026-11-21 04.12.33.txt") == "Plan (Laptop 2026-11-21 04.12.33).txt")
        #expect(name("Plan", "My.Mac 2026-11-21 04.12.33 2.txt", 3) == "Plan (My.Mac 2026-11-21 04.12.33 2 3).txt")
        #expect(name("Makefile", "Laptop 2026-11-21 04.12.33") == "Makefile (Laptop 2026-11-21 04.12.33)")
        let long = name(String(repeating: "é", count: 120), "Laptop 2026-11-21 04.12.33.txt")
        #expect(long.utf8.count <= 255 && long.hasSuffix(" (Laptop 2026-11-21 04.12.33).txt"))
    }
}
