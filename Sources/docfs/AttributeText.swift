import CLinux
import Glibc

/// An extended attribute of a file; nil if it has none of that name, or is not there.
func attributeText(_ name: String, of path: String) -> String? {
    // Most are short. None of a mount is longer than the second length.
    for length in [512, 1 << 16] {
        var bytes = [UInt8](repeating: 0, count: length)
        let count = getxattr(path, name, &bytes, length)
        if count >= 0 { return String(decoding: bytes.prefix(count), as: UTF8.self) }
        if errno != ERANGE { return nil }
    }
    return nil
}
