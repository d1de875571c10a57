import Testing

@testable import Browse

struct SideBySideTests {
    private func rows(_ left: String, _ right: String) -> [String] {
        SideBySide(left, right).rows.map { row in
            row.skipped.map { "… \($0)" } ?? "\(row.left ?? "-") | \(row.right ?? "-")"
        }
    }

    @Test func `what is the same stands beside each other, and a changed line beside what it was`() {
        #expect(rows("a\nb\nc\n", "a\nB\nc\n") == ["a | a", "b | B", "c | c"])
        #expect(rows("a\nb\nc", "a\nc") == ["a | a", "b | -", "c | c"])
        #expect(rows("a\nc", "a\nb\nb\nc") == ["a | a", "- | b", "- | b", "c | c"])
        #expect(rows("", "a\n") == ["- | a"])
        #expect(rows("a\n", "") == ["a | -"])
    }

    @Test func `equal texts have no difference, and long equal parts are left out`() {
        #expect(rows("a\nb\n", "a\nb\n") == ["… 2"])
        #expect(rows("", "") == [])
        let many = (1...20).map { "\($0)" }
        var other = many
        other[9] = "ten"
        #expect(
            rows(many.joined(separator: "\n"), other.joined(separator: "\n")) == [
                "… 6", "7 | 7", "8 | 8", "9 | 9", "10 | ten", "11 | 11", "12 | 12", "13 | 13", "… 7",
            ])
    }

    /// Whatever the texts are: each line of both stands in its order, or is left out where both have the same.
    @Test func `no line is lost, and none is invented`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            func text() -> [String] {
                (0..<Int.random(in: 0...30, using: &random)).map { _ in
                    ["a", "b", "c", ""].randomElement(using: &random)!
                }
            }
            let (left, right) = (text() + ["end"], text() + ["end"])
            let rows = SideBySide(left.joined(separator: "\n"), right.joined(separator: "\n")).rows
            var (i, j) = (0, 0)
            for row in rows {
                if let skipped = row.skipped {
                    #expect(left[i..<i + skipped] == right[j..<j + skipped])
                    i += skipped
                    j += skipped
                }
                if let line = row.left {
                    #expect(left[i] == line)
                    i += 1
                }
                if let line = row.right {
                    #expect(right[j] == line)
                    j += 1
                }
            }
            #expect(i == left.count && j == right.count)
        }
    }

    @Test func `what no line shows is told apart from nothing`() {
        #expect(SideBySide("a\nb\n", "a\nb\n").isEqual)
        for other in ["a\r\nb\r\n", "a\nb"] {
            let compared = SideBySide("a\nb\n", other)
            #expect(!compared.isEqual && compared.rows.allSatisfy { $0.skipped != nil })
        }
        #expect(!SideBySide("Gr\u{fc}n", "Gru\u{308}n").isEqual)
    }

    @Test(arguments: [0, 1, 10])
    func `a long text that became short does not take long`(count: Int) {
        let left = (0..<50_000).map { "left \($0)" }.joined(separator: "\n")
        let right = (0..<count).map { "right \($0)" }.joined(separator: "\n")
        #expect(SideBySide(left, right).rows.count == 50_000)
    }

    @Test func `texts without a line in common do not take long`() {
        let left = (0..<50_000).map { "left \($0)" }.joined(separator: "\n")
        let right = (0..<50_000).map { "right \($0)" }.joined(separator: "\n")
        #expect(SideBySide(left, right).rows.count == 50_000)
    }
}
