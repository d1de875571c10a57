import Foundation
import MountSupport
import SystemPackage
import Testing

/// What the page Semantics and the README say is so.
@Suite(.timeLimit(.minutes(2)))
struct SemanticsTests {
    @Test(.mounting, arguments: try Page.semantics.examples + Page.readme.examples)
    func `every example of Semantics and of the README does what the page shows`(example: Example) async throws {
        let names = example.block.machines.isEmpty ? ["laptop"] : example.block.machines
        try await withUnmountedDevices(names.map(\.capitalized)) { devices in
            let shared = devices[0].cloudDirectory.path
            var run = try await ExampleRun(example.block, on: devices, shared: shared)
            for step in example.block.steps {
                do {
                    try await run.perform(step)
                } catch {
                    Issue.record(error, sourceLocation: example.page.location(line: step.line))
                    return
                }
            }
        }
    }

    @Test func `every test that Semantics names is in the sources`() throws {
        let declared = try Self.declaredTests()
        let missing = TestReferences.named(by: try Page.semantics.text).filter { !declared.contains($0) }
        #expect(missing == [])
    }

    @Test func `every rule of Semantics names a test that shows it`() throws {
        let rules = TestReferences.rules(of: try Page.semantics.text)
        #expect(rules.count > 100)
        #expect(rules.filter { TestReferences.named(by: $0).isEmpty } == [])
    }

    private static func declaredTests() throws -> Set<String> {
        var names: Set<String> = []
        func read(_ folder: FilePath) throws {
            for path in try folder.listing().map({ folder / $0 }) {
                if try path.stat().type == .directory {
                    try read(path)
                } else if path.extension == "swift" {
                    names.formUnion(TestReferences.declared(in: try path.text()))
                }
            }
        }
        try read(Page.repository / "Tests")
        return names
    }
}
