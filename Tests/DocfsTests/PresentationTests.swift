import Testing

@testable import docfs

struct PresentationTests {
    @Test func `sizes have two digits and the unit that fits`() {
        let sizes: [(Int64, String)] = [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KB"), (1234, "1.2 KB"), (10 * 1024, "10 KB"),
            (1_048_500, "1.0 MB"),
            (5 << 30, "5.0 GB"), (.max, "8.0 EB"),
        ]
        for (bytes, text) in sizes { #expect(HumanText.size(bytes) == text) }
    }

    @Test func `durations have the unit that fits`() {
        let durations: [(Double, String)] = [
            (0, "0 s"), (7.2, "8 s"), (59, "59 s"), (90, "2 min"), (3900, "1 h 5 min"),
        ]
        for (seconds, text) in durations { #expect(HumanText.duration(seconds: seconds) == text) }
    }

    @Test func `wide letters and pictures take two columns, marks none`() {
        #expect("Groceries".columns == 9)
        #expect("買い物".columns == 6)
        #expect("e\u{301}te\u{301}".columns == 3)
        #expect("🛒".columns == 2)
        #expect("👩‍👩‍👧".columns == 2)
        #expect("🇩🇪".columns == 2)
        #expect("ｶﾅ".columns == 2)
        #expect("買い物".cut(toColumns: 5) == "買い…")
        #expect("買い物".cut(toColumns: 6) == "買い物")
    }

    @Test func `control characters of a name are made visible`() {
        #expect("a\nb\tc\rd".printable == "a\\nb\\tc\\rd")
        #expect("\u{1b}[31mred".printable == "\\x1b[31mred")
        #expect("\u{9b}31m".printable == "\\u{9b}31m")
        #expect("txt.\u{202e}gpj".printable == "txt.\\u{202e}gpj")
        #expect("Übung 買".printable == "Übung 買")
        #expect(StyledText("\u{1b}c", .red).rendered(hasColor: true) == "\u{1b}[31m\\x1bc\u{1b}[0m")
    }

    @Test func `a table's columns are as wide as their widest cell, in columns of the terminal`() {
        let table = TextTable([["green", "買い物", "x"], ["red", "b", "yy"]])
        #expect(table.text == "green  買い物  x\nred    b       yy\n")
        var numbers = TextTable([["9 B", "a"], ["10 KB", "b"]])
        numbers.rightAligned = [0]
        #expect(numbers.text == "  9 B  a\n10 KB  b\n")
        var colored = TextTable([[StyledText("red", .red), "x"], ["green", "y"]])
        colored.hasColor = true
        #expect(colored.text == "\u{1b}[31mred\u{1b}[0m    x\ngreen  y\n")
    }

    @Test func `a table for a terminal leaves out one column and then cuts another one`() {
        let rows: [[StyledText]] = [["a", "Shopping list", "2026-a.txt"], ["b", "買い物", "2026-b.txt"]]
        func fitted(_ width: Int) -> String {
            var table = TextTable(rows)
            table.fit(width, dropping: 2, cutting: 1)
            return table.text
        }
        #expect(fitted(80) == "a  Shopping list  2026-a.txt\nb  買い物         2026-b.txt\n")
        #expect(fitted(20) == "a  Shopping list\nb  買い物\n")
        // A name that is longer than most others is cut first.
        let long: [[StyledText]] = (0..<6).map {
            ["a", $0 == 5 ? StyledText(String(repeating: "x", count: 113)) : "List", StyledText("2026-\($0).txt")]
        }
        var table = TextTable(long)
        table.fit(60, dropping: 2, cutting: 1)
        #expect(table.text.split(separator: "\n").allSatisfy { $0.hasSuffix(".txt") && $0.count <= 60 })
        #expect(table.text.contains("xxx…  2026-5.txt"))
        #expect(fitted(14) == "a  Shopping l…\nb  買い物\n")
        // Something of a name always stays.
        #expect(fitted(5) == "a  Shopping …\nb  買い物\n")
    }

    @Test func `a name that is wider than the terminal is cut`() {
        let cells: [[StyledText]] = [["● ", "Shopping list"], ["● ", "b"]]
        #expect(TextColumns(cells).text(width: 10, hasColor: false) == "● Shoppin…\n● b\n")
    }

    @Test func `names stand in as many columns as fit, read from top to bottom`() {
        let names = TextColumns(["a", "bbb", "cc", "d", "買", "f"].map { [StyledText($0)] })
        #expect(names.text(width: 80, hasColor: false) == "a  bbb  cc  d  買  f\n")
        #expect(names.text(width: 10, hasColor: false) == "a    d\nbbb  買\ncc   f\n")
        #expect(names.text(width: 2, hasColor: false) == "a\nbbb\ncc\nd\n買\nf\n")
        #expect(TextColumns([]).text(width: 80, hasColor: true) == "")
    }

    @Test func `no line of columns is wider than the terminal`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let cells = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
                [StyledText(String(repeating: "x", count: Int.random(in: 1...20, using: &generator)))]
            }
            let width = Int.random(in: 20...200, using: &generator)
            let lines = TextColumns(cells).text(width: width, hasColor: false).split(separator: "\n").map(String.init)
            #expect(lines.allSatisfy { $0.columns <= width })
            #expect(lines.flatMap { $0.split(separator: " ") }.count == cells.count)
        }
    }
}
