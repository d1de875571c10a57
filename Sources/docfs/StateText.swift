/// The `key: value` lines of a state.
struct StateText {
    let pairs: [(key: String, value: String)]

    init(_ pairs: [(key: String, value: String)]) { self.pairs = pairs }

    init(_ text: String) {
        pairs = text.split(separator: "\n").compactMap { line in
            guard let colon = line.firstRange(of: ": ") else { return nil }
            return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
        }
    }

    subscript(key: String) -> String? { pairs.first { $0.key == key }?.value }

    var values: [String: String] { Dictionary(pairs.map { ($0.key, $0.value) }) { first, _ in first } }
}
