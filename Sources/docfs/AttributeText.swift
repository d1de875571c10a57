import CLinux
import Glibc

/// An extended attribute of a file; nil if it has none of that name, or is not there.
func attributeText(_ name: String, of path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = getxattr(path, name, &bytes, bytes.count)
    return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
}
