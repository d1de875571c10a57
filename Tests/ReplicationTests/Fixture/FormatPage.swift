import Foundation
import Testing

/// The page ContainerFormat, with the examples that stand in it.
///
/// An example is a block of JSON below a line that ends with a colon and says what it is: "Example (`TYPE`):", where text may follow
/// the parenthesis; "Example object (`KEY`):" for the exact bytes of an object; "Example WORD:" for others.
struct FormatPage {
    struct Example: CustomTestStringConvertible, Sendable {
        /// The line above it, without "Example" and the colon.
        let title: String
        let text: String

        var bytes: [UInt8] { Array(text.utf8) }
        /// The text in backticks in the title.
        var name: String { title.split(separator: "`").dropFirst().first.map(String.init) ?? title }
        var testDescription: String { title }
    }

    let text: String
    let examples: [Example]

    static let shared: FormatPage = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let url = root.appending(path: "Sources/Replication/Replication.docc/ContainerFormat.md")
        return FormatPage(text: (try? String(contentsOf: url, encoding: .utf8)) ?? "")
    }()

    private init(text: String) {
        self.text = text
        let pieces = text.components(separatedBy: "\n```")
        var examples: [Example] = []
        // Text and blocks take turns.
        for (before, block) in zip(pieces, pieces.dropFirst()) where block.hasPrefix("json\n") {
            let line = before.split(separator: "\n").last.map(String.init) ?? ""
            guard line.hasPrefix("Example "), line.hasSuffix(":") else { continue }
            examples.append(
                Example(
                    title: String(line.dropFirst("Example ".count).dropLast()), text: String(block.dropFirst(5))))
        }
        self.examples = examples
    }

    func example(_ title: String) -> Example? { examples.first { $0.title == title } }

    /// The exact bytes of an object.
    func object(_ key: String) -> [UInt8]? { examples.first { $0.title == "object (`\(key)`)" }?.bytes }

    /// The second cell of the table row that begins with `cell`.
    func value(_ cell: String) -> String? {
        for line in text.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if cells.count == 2, cells[0] == cell { return cells[1].trimmingCharacters(in: ["`"]) }
        }
        return nil
    }
}
