import Glibc

/// What /proc says of a calling thread.
enum ThreadFile {
    /// - Parameters:
    ///   - name: below /proc/TID.
    ///   - thread: 0 if the kernel did not name it.
    ///   - limit: in bytes; the rest is not read.
    /// - Returns: nil for a thread that is not known or gone, and where the file may not be read or is empty.
    static func read(_ name: String, ofThread thread: Int32, limit: Int) -> ArraySlice<UInt8>? {
        guard thread > 0 else { return nil }
        let file = open("/proc/\(thread)/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count > 0 ? bytes.prefix(count) : nil
    }
}
