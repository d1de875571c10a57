import Testing

/// The stages of `scripts/test` leave no target out.
struct StageTests {
    @Test func `every target of tests runs in a stage`() throws {
        let targets = Repository.text(of: "Package.swift").matches(of: /\.testTarget\(\s*name: "(\w+)"/).map(\.output.1)
        let stages = Repository.text(of: "scripts/testing/stages.py")
        #expect(targets.count > 10)
        #expect(targets.filter { !stages.contains("\($0)\"") } == [])
    }
}
