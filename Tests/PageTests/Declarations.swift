/// The declarations of a Swift file, found by the word that follows a keyword.
struct Declarations: Sendable {
    /// Types and functions.
    private(set) var names: Set<String> = []
    /// Variables, constants and cases.
    private(set) var values: Set<String> = []
    /// Types of which the file has an extension.
    private(set) var extended: Set<String> = []

    private static let naming: Set<String> = [
        "struct", "class", "enum", "protocol", "actor", "typealias", "func",
    ]

    init(of text: String) {
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split { !Self.isPartOfName($0) }.map { String(decoding: $0, as: UTF8.self) }
            if words.first == "case" { values.formUnion(words.dropFirst()) }
            for (keyword, name) in zip(words, words.dropFirst()) {
                if Self.naming.contains(keyword) { names.insert(name) }
                if keyword == "var" || keyword == "let" { values.insert(name) }
                if keyword == "extension" { extended.insert(name) }
            }
        }
    }

    static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
