import Testing

struct ConsoleBlockTests {
    private typealias Step = ConsoleBlock.Step

    @Test func `a block has commands, and the lines below each are its output`() throws {
        let page = """
            Text with `$ code`.

            ```console
            $ echo one
            one
            $ cd local
            $ ls   # soon
            a.txt

            b.txt

            ```
            ```sh
            $ not executed
            ```
            """
        let block = try #require(try ConsoleBlock.all(in: page).first)
        #expect(
            block.steps == [
                Step(machine: nil, command: "echo one", output: ["one"], line: 4),
                Step(machine: nil, command: "cd local", line: 6),
                Step(machine: nil, command: "ls   # soon", output: ["a.txt", "", "b.txt"], line: 7),
            ])
        #expect(block.steps.map(\.isRepeated) == [false, false, true])
        #expect(try ConsoleBlock.all(in: page).count == 1)
    }

    @Test func `a prompt may name a machine`() throws {
        let page = "```console\nlaptop$ ls\ndesktop$ ls\nlaptop$ cat a\n$5 left\n```"
        let block = try #require(try ConsoleBlock.all(in: page).first)
        #expect(block.machines == ["laptop", "desktop"])
        #expect(block.steps.map(\.machine) == ["laptop", "desktop", "laptop"])
        #expect(block.steps[2].output == ["$5 left"])
    }

    @Test func `output before the first command is refused`() {
        #expect(throws: ConsoleBlock.OutputWithoutCommand(line: 2)) {
            try ConsoleBlock.all(in: "```console\nmilk\n```")
        }
    }
}

struct SampleValuesTests {
    private static let id = "5f0c1c0e-8d3b-4f0e-9a54-0c6a3b1d2e4f"

    @Test(arguments: [
        ("a.txt\n", ["a.txt"], true), ("a.txt", ["a.txt"], true), ("", [], true), ("a.txt\n", [], false),
        ("abtxt\n", ["a.txt"], false), ("a.txt\nb.txt\n", ["a.txt"], false), ("\\E(\n", ["…("], true),
        ("", ["…"], true), ("one\ntwo\nthree\n", ["one", "…"], true), ("one\ntwo\nthree\n", ["…", "three"], true),
        ("one\ntwo\n", ["…", "three"], false), ("ls: cannot access\n", ["ls: …"], true),
        ("rm: cannot access\n", ["ls: …"], false), ("one\ntwo\n", ["o…"], false),
    ])
    func `output is compared line by line, and an ellipsis is any text`(
        output: String, expected: [String], isMatch: Bool
    ) {
        #expect((SampleValues().matching(output, expected) != nil) == isMatch)
    }

    @Test func `a sample of a filename, an id or a time is any other, and the same from then on`() throws {
        let values = try #require(
            SampleValues().matching("2031-01-02-030405-abcd.txt\n", ["2026-11-21-041233-7f3a.txt"]))
        #expect(values.filled("cat local/2026-11-21-041233-7f3a.txt") == "cat local/2031-01-02-030405-abcd.txt")
        #expect(values.filled("cat local/2026-11-21-041240-90cd.txt") == "cat local/2026-11-21-041240-90cd.txt")
        let other = "2031-01-02-030405-eeee.txt\n"
        #expect(values.matching(other, ["2026-11-21-041233-7f3a.txt"]) == nil)
        #expect(values.matching(other, ["2026-11-21-041240-90cd.txt"]) != nil)
    }

    @Test(arguments: [
        ("id: \(id)", "id: 00000000-0000-4000-8000-000000000000"),
        ("modified: 2031-01-02T03:04:05Z", "modified: 2026-11-21T04:12:33Z"),
        ("Laptop 2031-01-02 03.04.05.txt", "Laptop 2026-11-21 04.12.33.txt"),
    ])
    func `ids, times and the names of versions have samples`(output: String, expected: String) {
        #expect(SampleValues().matching(output, [expected]) != nil)
        #expect(SampleValues().matching("modified: yesterday", [expected]) == nil)
    }

    @Test func `equal samples of one output have one value`() {
        let expected = ["2026-11-21-041233-7f3a", "2026-11-21-041233-7f3a"]
        #expect(SampleValues().matching("2031-01-02-030405-aaaa\n2031-01-02-030405-bbbb\n", expected) == nil)
        #expect(SampleValues().matching("2031-01-02-030405-aaaa\n2031-01-02-030405-aaaa\n", expected) != nil)
    }
}
