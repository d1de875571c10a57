import Glibc
import SystemPackage

/// A pipe through which another process reports.
struct ReportPipe {
    let reading: Int32
    let writing: Int32

    init() throws(Errno) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
        (reading, writing) = (ends[0], ends[1])
    }

    /// Closes this process's writing end, and reads until the other process has closed its own.
    func report() -> String {
        close(writing)
        defer { close(reading) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(reading, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return String(decoding: all, as: UTF8.self) }
            all += buffer.prefix(count)
        }
    }
}
