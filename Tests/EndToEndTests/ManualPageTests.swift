import Foundation
import MountSupport
import SystemPackage
import TestSupport
import Testing

/// The manual pages as a package has them.
@Suite(.timeLimit(.minutes(15)))
struct ManualPageTests {
    private static let script = FilePath(#filePath).removingLastComponent().removingLastComponent()
        .removingLastComponent().pushing("scripts/packaging/manual-pages")

    private func withPages(_ body: ([FilePath]) async throws -> Void) async throws {
        try await withTemporaryFolder { path in
            let result = try await runProgram(
                Self.script.string,
                [try DocfsBinary.manualGenerator.string, try DocfsBinary.path.string, path, "2026-11-21"])
            #expect(result.exitStatus == 0, "\(result.standardError)")
            let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            let folder = Self.script.removingLastComponent()
            try await body(names.map { FilePath(path) / $0 } + [folder / "mount.fuse.docfs.8"])
        }
    }

    @Test func `each page is one that man and mandoc read without complaint`() async throws {
        try await withPages { pages in
            #expect(pages.count > 25)
            for page in pages {
                let lint = try await runProgram("mandoc", ["-T", "lint", "-W", "warning", page.string])
                // One sentence a line is good style for those who edit a page.
                let complaints = lint.lines.filter { !$0.contains("new sentence, new line") }
                #expect(complaints == [], "\(page)")
                let shown = try await runProgram(
                    "man", ["--warnings", "-l", page.string], environment: ["MANPAGER": "cat"])
                #expect(shown.exitStatus == 0 && shown.standardError == "", "\(page): \(shown.standardError)")
                #expect(try !page.text().contains("\n/^"), "\(page)")
            }
        }
    }

    @Test func `each page that another one names is there`() async throws {
        try await withPages { pages in
            let names = Set(pages.map { $0.lastComponent?.stem ?? "" })
            for page in pages {
                for reference in try page.text().matches(of: /Xr (docfs\S*) 1/) {
                    #expect(names.contains(String(reference.1)), "\(page): \(reference.1)")
                }
            }
        }
    }

    @Test func `marks and lines that are set in stand as in the help`() async throws {
        try await withPages { pages in
            let list = try #require(pages.first { $0.lastComponent?.stem == "docfs-ls" })
            let shown = try await runProgram("man", ["-l", list.string], environment: ["MANPAGER": "cat"])
            for mark in ["●", "▲", "✖"] { #expect(shown.standardOutput.contains(mark)) }
            let states = try #require(pages.first { $0.lastComponent?.stem == "docfs-states" })
            let table = try await runProgram("man", ["-l", states.string], environment: ["MANPAGER": "cat"])
            #expect(table.standardOutput.contains(/\n +here {4,}the content is on this machine/))
        }
    }
}
