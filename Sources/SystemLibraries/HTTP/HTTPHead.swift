/// Status and headers of an answer.
public struct HTTPHead: Sendable {
    /// Such as 200.
    public var status = 0
    private var headers: [(name: String, value: String)] = []

    /// The first header of that name, whatever the case of its letters.
    public subscript(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name == name }?.value
    }

    /// - Parameter line: as it was sent, with its line break; what is no header is left out.
    mutating func add(_ line: some Collection<UInt8>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        let value = line[line.index(after: colon)...].drop(while: Self.isSpace)
        let length = value.reversed().drop(while: Self.isSpace).count
        headers.append((name, String(decoding: value.prefix(length), as: UTF8.self)))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
}
