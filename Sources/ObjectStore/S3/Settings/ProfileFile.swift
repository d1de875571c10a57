/// A file of AWS profiles, `~/.aws/credentials` or `~/.aws/config`: sections of `key = value`.
struct ProfileFile: Equatable, Sendable {
    private let sections: [String: [String: String]]

    /// Lines that are neither are passed over, as other programs do; so are indented ones, which belong
    /// to the setting above them.
    init(_ text: String) {
        var sections: [String: [String: String]] = [:]
        var current: String?
        for line in text.split(whereSeparator: \.isNewline) where line.first?.isWhitespace == false {
            let line = Self.withoutComment(line)
            if line.hasPrefix("["), line.hasSuffix("]") {
                let name = Self.trimmed(line.dropFirst().dropLast())
                sections[name] = sections[name] ?? [:]
                current = name
            } else if let current, let equals = line.firstIndex(of: "=") {
                let key = Self.trimmed(line[..<equals]).lowercased()
                sections[current]?[key] = Self.trimmed(line[line.index(after: equals)...])
            }
        }
        self.sections = sections
    }

    /// The settings of a profile; nil where the file has no such.
    ///
    /// In the config file a section is called `profile NAME`, except for the default one.
    func profile(_ name: String) -> [String: String]? { sections["profile \(name)"] ?? sections[name] }

    private static func withoutComment(_ line: Substring) -> String {
        if line.hasPrefix("#") || line.hasPrefix(";") { return "" }
        // Within a line, a comment begins after a space: a secret may contain the characters.
        let end = [" #", " ;", "\t#", "\t;"].compactMap { line.firstRange(of: $0)?.lowerBound }.min() ?? line.endIndex
        return trimmed(line[..<end])
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
