import Foundation
import Testing

/// What the page Architecture says is held by the sources: its rooms and arrows by Package.swift, the names in it, and the files that it follows
/// a request through.
struct ArchitecturePageTests {
    private static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: repository.appending(path: path), encoding: .utf8)
    }

    private static func page() throws -> String { try text("Sources/docfs/docfs.docc/Architecture.md") }

    private static func code(_ path: String) throws -> String {
        try text(path).split(separator: "\n").filter { !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }
            .joined(separator: "\n")
    }

    private static func matches(_ pattern: String, in text: String) throws -> [String] {
        let expression = try NSRegularExpression(pattern: pattern, options: .dotMatchesLineSeparators)
        return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
            Range($0.range(at: 1), in: text).map { String(text[$0]) }
        }
    }

    // MARK: Rooms

    /// The rooms in Package.swift, each with those that it depends on.
    private static func rooms() throws -> [String: Set<String>] {
        let declarations = try matches(
            #"\.(?:target|executableTarget)\((\s*name: .*?swiftSettings: strict)"#, in: try code("Package.swift"))
        var rooms: [String: Set<String>] = [:]
        for declaration in declarations where !declaration.contains("Tests/") {
            let name = try #require(try matches(#"name: "(\w+)""#, in: declaration).first)
            let list = try matches(#"dependencies: \[(.*?)\]"#, in: declaration).first ?? ""
            rooms[name] = Set(try matches(#"(?:^|[\[,\s])"(\w+)""#, in: list))
        }
        return rooms.mapValues { $0.intersection(rooms.keys) }
    }

    @Test func `each room is on the page, with the rooms that it sees`() throws {
        var shown: [String: Set<String>] = [:]
        for line in try Self.page().split(separator: "\n") where line.hasPrefix("| `Sources/") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let name = try #require(cells[0].split(separator: "/").last).dropLast()
            shown[String(name)] = Set(cells[1].split(separator: ", ").map(String.init)).subtracting(["none"])
        }
        let rooms = try Self.rooms()
        #expect(rooms.count > 15)
        for name in Set(rooms.keys).union(shown.keys) { #expect(shown[name] == rooms[name], "\(name)") }
    }

    // MARK: Names

    /// All declarations of the sources, by their names alone.
    private static func declarations() throws -> Set<String> {
        var found: Set<String> = []
        let sources = repository.appending(path: "Sources")
        for case let file as URL in FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)!
        where file.pathExtension == "swift" {
            let code = try String(contentsOf: file, encoding: .utf8)
            found.formUnion(
                try matches(
                    #"\b(?:class|struct|enum|protocol|actor|func|var|let|case|typealias) `?(\w+)"#, in: code))
        }
        return found
    }

    @Test func `each symbol that the page names is declared`() throws {
        let declared = try Self.declarations().union(["init"])
        let symbols = try Self.matches("(?<!`)``([^`]+)``(?!`)", in: try Self.page())
        #expect(symbols.count > 80)
        for symbol in Set(symbols) {
            for part in symbol.split(separator: "/") {
                let isDeclared = declared.contains(String(part.prefix { $0 != "(" }))
                #expect(isDeclared, "\(symbol)")
            }
        }
    }

    @Test func `each file that the page names is there`() throws {
        let paths = try Self.matches("`(Sources/[^`]+)`", in: try Self.page())
        #expect(paths.count > 20)
        for path in Set(paths) {
            #expect(
                FileManager.default.fileExists(atPath: Self.repository.appending(path: path).path), "\(path)")
        }
    }

    // MARK: Requests followed

    /// The limits that a reader can take: files, and modules.
    @Test(arguments: [("A rename", 30, 6), ("An open", 20, 6), ("A remote change", 35, 7)])
    func `each file of a trace is named by one before it, and there are not too many`(
        title: String, mostFiles: Int, mostModules: Int
    ) throws {
        let section = try #require(
            try Self.matches("## \(title), followed\n(.*?)(?:\n## |$)", in: try Self.page()).first)
        let list = try #require(section.components(separatedBy: "\nFiles, in this order: ").dropFirst().first)
        let files = try Self.matches("`([^`]+)`", in: list)
        #expect((10...mostFiles).contains(files.count))
        #expect(Set(files.map { $0.prefix { $0 != "/" } }).count <= mostModules)
        var before = try Self.code("Sources/" + files[0])
        for file in files.dropFirst() {
            let code = try Self.code("Sources/" + file)
            let names = Set(try Self.matches(#"\b(?:class|struct|enum|protocol|actor|func) (\w+)"#, in: code))
            let words = Set(before.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
            let isNamed = !names.isDisjoint(with: words)
            #expect(isNamed, "\(file)")
            before += code
        }
    }
}
