/// An element of an XML document, without attributes and namespaces: all that S3 puts into its replies.
struct XMLElement: Equatable, Sendable {
    let name: String
    var text = ""
    var children: [XMLElement] = []

    /// The text of the first child of that name.
    subscript(_ name: String) -> String? { children.first { $0.name == name }?.text }

    func children(named name: String) -> [XMLElement] { children.filter { $0.name == name } }

    /// - Returns: nil if the text is not a document, or is one that only an attacker would send: with a DTD (and so with
    ///   entities of its own), or deeply nested.
    static func document(_ bytes: [UInt8]) -> XMLElement? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var parser = XMLParser(text)
        return parser.document()
    }
}

/// A small strict parser: elements, text, character data, the five entities and character references.
private struct XMLParser {
    private var rest: Substring.UTF8View
    private static let deepest = 16

    init(_ text: String) { rest = Substring(text).utf8 }

    mutating func document() -> XMLElement? {
        guard skipMiscellaneous(), skip("<"), let root = element(depth: 1), skipMiscellaneous() else { return nil }
        return rest.isEmpty ? root : nil
    }

    /// Space, comments and processing instructions around the root.
    private mutating func skipMiscellaneous() -> Bool {
        while true {
            skipSpace()
            if skip("<?") {
                guard skip(past: "?>") else { return false }
            } else if skip("<!--") {
                guard skip(past: "-->") else { return false }
            } else {
                return true
            }
        }
    }

    /// Reads an element from behind its opening `<`.
    private mutating func element(depth: Int) -> XMLElement? {
        guard depth <= Self.deepest, let name = name() else { return nil }
        guard skipAttributes() else { return nil }
        var element = XMLElement(name: Self.localPart(name))
        if skip("/>") { return element }
        guard skip(">") else { return nil }
        while true {
            if skip("</") {
                guard self.name() == name else { return nil }
                skipSpace()
                return skip(">") ? element : nil
            } else if skip("<!--") {
                guard skip(past: "-->") else { return nil }
            } else if skip("<![CDATA[") {
                guard let text = text(upTo: "]]>") else { return nil }
                element.text += text
            } else if skip("<") {
                guard let child = self.element(depth: depth + 1) else { return nil }
                element.children.append(child)
            } else {
                guard let text = characters() else { return nil }
                element.text += text
            }
        }
    }

    private mutating func skipAttributes() -> Bool {
        while true {
            skipSpace()
            guard let first = rest.first else { return false }
            if first == UInt8(ascii: ">") || first == UInt8(ascii: "/") { return true }
            guard name() != nil else { return false }
            skipSpace()
            guard skip("=") else { return false }
            skipSpace()
            if skip("\"") {
                guard skip(past: "\"") else { return false }
            } else {
                guard skip("'"), skip(past: "'") else { return false }
            }
        }
    }

    /// Text up to the next tag, with its references resolved; nil where there is none.
    private mutating func characters() -> String? {
        var text = ""
        while let byte = rest.first, byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: "&") {
                guard let character = reference() else { return nil }
                text.unicodeScalars.append(character)
            } else {
                let run = rest.prefix { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }
                text += String(Substring(run))
                rest = rest[run.endIndex...]
            }
        }
        return rest.isEmpty ? nil : text
    }

    private mutating func reference() -> Unicode.Scalar? {
        rest.removeFirst()
        let name = String(Substring(rest.prefix(8).prefix { $0 != UInt8(ascii: ";") }))
        guard skip(name), skip(";") else { return nil }
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let code = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
            return code.flatMap(Unicode.Scalar.init)
        }
    }

    private mutating func name() -> String? {
        let run = rest.prefix {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: ":"):
                true
            default: false
            }
        }
        guard !run.isEmpty else { return nil }
        rest = rest[run.endIndex...]
        return String(Substring(run))
    }

    private static func localPart(_ name: String) -> String {
        name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0a || $0 == 0x0d }
    }

    private mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private mutating func skip(past end: String) -> Bool { text(upTo: end) != nil }

    private mutating func text(upTo end: String) -> String? {
        let marker = Array(end.utf8)
        var index = rest.startIndex
        while index < rest.endIndex {
            if rest[index] == marker[0], rest[index...].starts(with: marker) {
                let text = String(Substring(rest[..<index]))
                rest = rest[index...].dropFirst(marker.count)
                return text
            }
            index = rest.index(after: index)
        }
        return nil
    }
}
