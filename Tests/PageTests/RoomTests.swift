import Foundation
import Testing

/// The rooms inside Library have walls: the page Architecture lists what each sees, from the highest to the lowest.
struct RoomTests {
    private struct Row {
        let room: String
        let sees: Set<String>
    }

    private static let library = "Sources/Library/"

    private static func rooms() -> Rooms {
        let paths = Repository.files(below: "Sources", ending: ".swift")
        let own = paths.filter { $0.hasPrefix(library) }
        return Rooms(
            Dictionary(
                uniqueKeysWithValues: own.map { (String($0.dropFirst(library.count)), Repository.text(of: $0)) }),
            others: paths.filter { !$0.hasPrefix(library) }.map { Repository.text(of: $0) })
    }

    /// The table of rooms on the page.
    private static func rows() throws -> [Row] {
        let page = try #require(Page.all.first { $0.path.hasSuffix("/Architecture.md") })
        let lines = Repository.text(of: page.path).components(separatedBy: "\n")
        let head = try #require(lines.firstIndex { $0.hasPrefix("| room of Library |") })
        return lines[(head + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let seen = cells[1].components(separatedBy: ", ").filter { $0 != "none" }
            return Row(room: cells[0].trimmingCharacters(in: ["`"]), sees: Set(seen))
        }
    }

    @Test func `each room of Library sees what the page lists, and nothing else`() throws {
        let (rows, rooms) = (try Self.rows(), Self.rooms())
        #expect(Set(rows.map(\.room)) == rooms.names.subtracting([Rooms.facade]))
        for row in rows {
            let seen = rooms.seen(by: row.room)
            let unlisted = seen.filter { !row.sees.contains($0.key) }
            #expect(unlisted.isEmpty, "\(row.room) sees \(unlisted)")
            let unused = row.sees.subtracting(seen.keys)
            #expect(unused.isEmpty, "\(row.room) does not see \(unused)")
        }
    }

    @Test func `a room sees only rooms below it, and the facade none sees`() throws {
        var below: Set<String> = []
        for row in try Self.rows().reversed() {
            #expect(row.sees.subtracting(below).isEmpty, "\(row.room)")
            below.insert(row.room)
        }
        #expect(below.count > 15)
    }

    @Test func `a type of another room is noticed, and a member that one gives to a type of another target`() {
        let rooms = Rooms(
            [
                "Low/Low.swift":
                    "final class Low {}\n\nextension Entry {\n    func leave() {}\n    var name: Int { 1 }\n}\n",
                "High/High.swift": "struct High {\n    let low: Low\n}\n",
                "Side/Side.swift": "// Low\nlet text = \"Low\"\nfunc go(_ entry: Entry) { entry.leave() }\n",
                "Far/Far.swift": "func go(_ entry: Entry) { print(entry.name) }\n",
            ], others: ["struct Entry {\n    var name: String\n}\n"])
        #expect(rooms.seen(by: "High") == ["Low": ["Low"]])
        #expect(rooms.seen(by: "Side") == ["Low": ["leave"]])
        #expect(rooms.seen(by: "Far").isEmpty && rooms.seen(by: "Low").isEmpty)
        #expect(rooms.names == ["Low", "High", "Side", "Far"])
    }
}
