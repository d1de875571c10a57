import Foundation
import Testing

/// An article beside the code (`Sources/MODULE/MODULE.docc/PAGE.md`), with what it names.
///
/// The notation:
/// - two backticks around `Type`, `Type/member` or `Type/method(label:)`, as DocC writes links: declared in Sources;
/// - one backtick around `SomethingTests`, or `SomethingTests/the name of a test`: a suite (or target), and a test of it;
/// - one backtick around a path that begins with `Sources/`, `Tests/`, `scripts/` or `CFuse/`: a file or folder.
struct Page: CustomTestStringConvertible, Sendable {
    let path: String
    let symbols: [String]
    let tests: [String]
    let files: [String]

    var testDescription: String { path }

    static let all: [Page] = {
        let names = Repository.files(below: "Sources", ending: ".md").filter { $0.contains(".docc/") }
        return names.map { Page(path: $0, text: Repository.text(of: $0)) }
    }()

    private init(path: String, text: String) {
        self.path = path
        // Blocks of code name other things.
        let pieces = ("\n" + text).components(separatedBy: "\n```")
        let prose = stride(from: 0, to: pieces.count, by: 2).map { pieces[$0] }.joined(separator: "\n")
        symbols = prose.matches(of: /``([^`\n]+)``/).map { String($0.1) }
        let single = prose.replacing(/``[^`\n]+``/, with: "").matches(of: /`([^`\n]+)`/).map { String($0.1) }
        tests = single.filter { $0.prefixMatch(of: /\w+Tests(\/|$)/) != nil && !$0.hasPrefix("Tests/") }
        files = single.filter { name in
            ["Sources/", "Tests/", "scripts/", "CFuse/"].contains { name.hasPrefix($0) } && !name.contains("…")
                && name == name.uppercasedPlaceholderFree
        }
    }
}

extension String {
    /// Empty for a path with a part that stands for others, such as MODULE.
    fileprivate var uppercasedPlaceholderFree: String {
        contains(/\b[A-Z]{4,}\b/) || contains("*") || contains(" ") ? "" : self
    }
}

/// The files of the repository that this test was built from.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    /// Paths from the root on.
    static func files(below folder: String, ending suffix: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        return (names?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(suffix) }.map { folder + "/" + $0 }
            .sorted()
    }

    static func text(of path: String) -> String {
        (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }
}
