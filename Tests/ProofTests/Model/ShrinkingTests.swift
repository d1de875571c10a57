import Testing

struct ShrinkingTests {
    @Test func `only the steps that a failure needs are left, in their order`() {
        let steps = Array(0..<500)
        let needed = [3, 99, 100, 411]
        let found = shrunk(steps) { rest in needed.allSatisfy(rest.contains) }
        #expect(found == needed)
    }

    @Test func `a failure that needs no step leaves none`() {
        #expect(shrunk([1, 2, 3]) { _ in true } == [])
    }

    @Test func `a script is the same after reading`() throws {
        let script = Script(
            container: "cloud", showsDisplayNames: true,
            operations: [
                .open(slot: 1, place: Place("a\nb.txt", folder: 2), flags: 0o1101, mode: 0o644), .migrate,
                .undo(commands: [Command(kind: .move, subject: 3, folder: 1, name: "n1")], undone: 1, redone: 0),
            ])
        let again = try Script(text: script.text)
        #expect(again.operations == script.operations)
        #expect(again.container == "cloud" && again.showsDisplayNames)
    }
}
