import Testing

/// The contract, rule by rule (`Semantics.md`).
struct RuleTests {
    @Test func `every rule of Semantics names a test that shows it`() throws {
        let page = try #require(Page.all.first { $0.path.hasSuffix("/Semantics.md") })
        let rules = Self.rules(of: Repository.text(of: page.path))
        #expect(rules.count > 100)
        #expect(rules.filter { !$0.contains(/`\w+Tests\/[^`]+`/) } == [])
    }

    @Test func `a rule is an item of a list with its indented lines`() {
        let page = "# Page\n\n- One\n\n  and more.\n- Two\nText\n  indented\n- Three"
        #expect(Self.rules(of: page) == ["- One\n\n  and more.", "- Two", "- Three"])
    }

    private static func rules(of page: String) -> [String] {
        var rules: [String] = []
        var isWithin = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("- ") {
                rules.append(String(line))
                isWithin = true
            } else if isWithin, line.isEmpty || line.hasPrefix("  ") {
                rules[rules.count - 1] += "\n" + line
            } else {
                isWithin = false
            }
        }
        return rules
    }
}
