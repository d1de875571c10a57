import CLinux
import Glibc

/// An extended attribute of a file; nil if it has none of that name, or is not there.
func attributeText(_ name: String, of path: String) -> String? {
    attributeBytes(name, of: path).map { String(decoding: $0, as: UTF8.self) }
}

/// An extended attribute of a file; nil if it has none of that name, or is not there.
func attributeBytes(_ name: String, of path: String) -> [UInt8]? {
    whole { buffer in getxattr(path, name, buffer.baseAddress, buffer.count) }
}

/// The names of the extended attributes of a file that are listed; none if it is not there.
func attributeNames(of path: String) -> [String] {
    let names = whole { buffer in
        buffer.withMemoryRebound(to: CChar.self) { listxattr(path, $0.baseAddress, $0.count) }
    }
    return (names ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
}

private func whole(_ read: (inout UnsafeMutableBufferPointer<UInt8>) -> Int) -> [UInt8]? {
    // Most are short. None of a mount is longer than the second length.
    for length in [512, 1 << 16] {
        var bytes = [UInt8](repeating: 0, count: length)
        let count = bytes.withUnsafeMutableBufferPointer(read)
        if count >= 0 { return Array(bytes.prefix(count)) }
        if errno != ERANGE { return nil }
    }
    return nil
}
