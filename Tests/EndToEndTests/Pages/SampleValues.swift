/// The values that an example shows and a run generates anew: filenames, ids and times.
///
/// The first output with a sample gives it its value. From then on the sample stands for that value, in commands as well.
struct SampleValues: Sendable {
    private var values: [String: String] = [:]

    /// Compares an output with what the page expects, line by line.
    ///
    /// `…` stands for any text of a line, and alone on its line for any number of lines.
    ///
    /// - Returns: the values with those of this output, or nil if it is not what the page expects.
    func matching(_ output: String, _ expected: [String]) -> SampleValues? {
        var samples: [String] = []
        let pattern = expected.map { $0 == "…" ? #"(?:[^\n]*\n)*?"# : Self.pattern(of: $0, &samples) + #"\n"# }.joined()
        let text = output.isEmpty || output.hasSuffix("\n") ? output : output + "\n"
        guard let match = text.wholeMatch(of: Self.expression(pattern)) else { return nil }
        var found = self
        for (sample, value) in zip(samples, match.output.dropFirst().map { String($0.substring ?? "") }) {
            guard found.values[sample, default: value] == value else { return nil }
            found.values[sample] = value
        }
        return found
    }

    /// A command with the values that its samples have by now.
    func filled(_ command: String) -> String {
        command.replacing(Self.sample) { match in
            let sample = String(command[match.range])
            return values[sample] ?? sample
        }
    }

    // MARK: Patterns

    private static let kinds = [
        #"\d{4}-\d\d-\d\d-\d{6}-[0-9a-f]{4}"#,  // a filename's stem, by the default convention
        #"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"#,  // a UUID
        #"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"#,  // a time
        #"\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d"#,  // the time in the name of a version
    ]

    private static var sample: Regex<AnyRegexOutput> { expression(kinds.joined(separator: "|")) }

    private static var varying: Regex<AnyRegexOutput> { expression((["…"] + kinds).joined(separator: "|")) }

    private static func expression(_ pattern: String) -> Regex<AnyRegexOutput> {
        do { return try Regex(pattern) } catch { preconditionFailure("\(pattern): \(error)") }
    }

    /// The pattern of a line. Each sample is a capture, in the order of `samples`.
    private static func pattern(of line: String, _ samples: inout [String]) -> String {
        var pattern = ""
        var rest = line[...]
        while let match = rest.firstMatch(of: varying) {
            let text = rest[match.range]
            pattern += literal(rest[..<match.range.lowerBound])
            if text == "…" {
                pattern += #"[^\n]*"#
            } else {
                samples.append(String(text))
                pattern += "(" + (kinds.first { text.wholeMatch(of: expression($0)) != nil } ?? "") + ")"
            }
            rest = rest[match.range.upperBound...]
        }
        return pattern + literal(rest)
    }

    private static func literal(_ text: Substring) -> String { text.isEmpty ? "" : #"\Q\#(text)\E"# }
}
