import ArgumentParser
import Documents
import Foundation
import Glibc

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List documents with their display names and states.",
        discussion: "Documents are listed in the order of their folder.")

    @Argument(help: "A folder in a docfs mount.")
    var folder: String = "."

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        try CommandFailure.reported {
            _ = try MountedTree(holding: folder)
            let lines = try FolderStateLine.read(folder)
            print(json ? try Self.json(lines) : Self.table(lines), terminator: "")
        }
    }

    static func table(_ lines: [FolderStateLine]) -> String {
        let rows = lines.map { [$0.indicator, $0.state, $0.transfer, $0.filename, $0.displayName] }
        return TextTable(rows).text
    }

    private static func json(_ lines: [FolderStateLine]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(lines), as: UTF8.self) + "\n"
    }
}

/// A document's line in the `.state` of its folder.
struct FolderStateLine: Encodable {
    let indicator: String
    let state: String
    let transfer: String
    let filename: String
    let displayName: String

    static func read(_ folder: String) throws -> [FolderStateLine] {
        try readState(ofFolder: folder).split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 5 else { return nil }
            return FolderStateLine(
                indicator: fields[0], state: fields[1], transfer: fields[2], filename: fields[3],
                displayName: fields[4])
        }
    }
}

/// A table of text. Each column is as wide as its widest cell, except the last one, which is not padded.
struct TextTable {
    let rows: [[String]]

    init(_ rows: [[String]]) { self.rows = rows }

    var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, cell in
                column == row.count - 1
                    ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
            }.joined() + "\n"
        }.joined()
    }
}
