import MountSupport
import SystemPackage
import Testing

/// A page of the repository whose examples are executed.
struct ExamplePage: Sendable {
    /// From the top of the repository on.
    let name: String

    static let readme = ExamplePage(name: "README.md")
    static let semantics = ExamplePage(name: "Sources/docfs/docfs.docc/Semantics.md")

    static let repository =
        FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
        .removingLastComponent()

    var text: String {
        get throws { try Self.repository.appending(name).text() }
    }

    /// The examples of the page.
    var examples: [Example] {
        get throws { try ConsoleBlock.all(in: text).map { Example(page: self, block: $0) } }
    }

    /// Where in the page an issue is reported.
    func location(line: Int) -> SourceLocation {
        SourceLocation(fileID: "docfs/\(name)", filePath: Self.repository.appending(name).string, line: line, column: 1)
    }
}

/// A console block and the page that it is on.
struct Example: Sendable, CustomTestStringConvertible {
    let page: ExamplePage
    let block: ConsoleBlock

    var testDescription: String { "\(page.name):\(block.steps[0].line): \(block.steps[0].command)" }
}
