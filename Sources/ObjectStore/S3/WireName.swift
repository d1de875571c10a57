/// How a key is written in the bucket: as it is, but for backslashes.
///
/// Servers that keep objects as files may take a backslash for a slash (SeaweedFS does), so that one object
/// would stand in another's place. It is sent as `%5C`; and where a key has that very text, or `%25`, its percent
/// sign is sent as `%25`, so that every key has a name of its own.
enum WireName {
    static func encode(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "%") }) else { return key }
        var name: [UInt8] = []
        var rest = Array(key.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\") {
                name += "%5C".utf8
            } else if byte == UInt8(ascii: "%"), rest.starts(with: "5C".utf8) || rest.starts(with: "25".utf8) {
                name += "%25".utf8
            } else {
                name.append(byte)
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    static func decode(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "%")) else { return name }
        var key: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.starts(with: "5C".utf8) {
                key.append(UInt8(ascii: "\\"))
                rest = rest.dropFirst(2)
            } else if byte == UInt8(ascii: "%"), rest.starts(with: "25".utf8) {
                key.append(byte)
                rest = rest.dropFirst(2)
            } else {
                key.append(byte)
            }
        }
        return String(decoding: key, as: UTF8.self)
    }
}
