/// The tests that a page names and those that the sources declare, both as `Suite/name`.
enum TestReferences {
    /// All that stands in code voice as `SuiteTests/a sentence`.
    static func named(by text: some StringProtocol) -> [String] {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.matches(of: /`([A-Z]\w*Tests\/[^`]+)`/).map { String($0.1) }
    }

    /// The functions with raw identifiers, each with the type that it is declared in.
    ///
    /// Types are told by their place at the beginning of a line.
    static func declared(in source: String) -> Set<String> {
        var suite = ""
        var names: Set<String> = []
        let declaration = /^(?:@.* )?(?:final )?(?:struct|class|enum|actor|extension) (\w+)|func\s+`([^`]+)`/
        for match in source.matches(of: declaration.anchorsMatchLineEndings()) {
            if let type = match.1 {
                suite = String(type)
            } else if let name = match.2 {
                names.insert("\(suite)/\(name)")
            }
        }
        return names
    }

    /// The rules of a page: the items of its lists, each with the indented lines that follow it.
    static func rules(of page: String) -> [String] {
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
