import Glibc

/// The bytes of a file in /proc. Tests that wait ask for some again and again, and for those of all processes, so they are searched where they
/// lie: in a debug build `FilePath` and the collections take longer for that than the kernel does.
struct ProcFile {
    private let bytes: [UInt8]

    /// Nil if there is none; its process may have ended.
    init?(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var (bytes, count) = ([UInt8](repeating: 0, count: 4096), 0)
        while true {
            let got = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + count, $0.count - count) }
            guard got > 0 else { break }
            count += got
            if count == bytes.count { bytes += [UInt8](repeating: 0, count: count) }
        }
        bytes.removeLast(bytes.count - count)
        self.bytes = bytes
    }

    func contains(_ text: String) -> Bool {
        // Some files in /proc are rows of C strings.
        (bytes + [0]).withUnsafeBufferPointer { row in
            row.withMemoryRebound(to: CChar.self) { row in
                var start = 0
                while start < row.count {
                    if strstr(row.baseAddress! + start, text) != nil { return true }
                    start += strlen(row.baseAddress! + start) + 1
                }
                return false
            }
        }
    }

    func fields(separatedBy separator: Unicode.Scalar) -> [String] {
        bytes.split(separator: UInt8(ascii: separator)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The numbers of all processes.
    static func processes() -> [pid_t] {
        guard let folder = opendir("/proc") else { return [] }
        defer { closedir(folder) }
        var numbers: [pid_t] = []
        while let entry = readdir(folder) {
            let number = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { strtol($0, nil, 10) }
            }
            if number > 0 { numbers.append(pid_t(number)) }
        }
        return numbers
    }
}
