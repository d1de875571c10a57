import Glibc

/// Reads /proc/self/mountinfo.
struct MountTable {
    struct Mount {
        let mountpoint: String
        let fileSystemType: String
    }

    static func current() throws -> [Mount] {
        guard let file = fopen("/proc/self/mountinfo", "re") else {
            throw CommandFailure("cannot read /proc/self/mountinfo; check that /proc is mounted")
        }
        defer { fclose(file) }
        var mounts: [Mount] = []
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, file) > 0 {
            if let line, let mount = parse(String(cString: line)) { mounts.append(mount) }
        }
        return mounts
    }

    /// The innermost docfs mount that contains `path`.
    static func docfsMount(holding path: String) throws -> Mount? {
        try current().filter { mount in
            mount.fileSystemType == "fuse.docfs"
                && (mount.mountpoint == path || path.hasPrefix(mount.mountpoint + "/"))
        }.max { $0.mountpoint.utf8.count < $1.mountpoint.utf8.count }
    }

    /// Parses one line. Fields are separated by spaces. A lone hyphen ends the optional fields; the type follows it.
    static func parse(_ line: String) -> Mount? {
        let fields = line.split(separator: " ")
        guard fields.count > 6, let hyphen = fields.firstIndex(of: "-"), fields.count > hyphen + 1 else { return nil }
        return Mount(mountpoint: unescaped(fields[4]), fileSystemType: String(fields[hyphen + 1]))
    }

    /// Spaces and backslashes are written in octal, as `\040`.
    private static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
