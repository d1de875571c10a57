import MountSupport
import SystemPackage

/// What a mount's processes hold of the machine at one time.
struct ProcessUse: Sendable {
    /// In bytes: what is theirs alone. Pages of files, which the kernel takes back, do not count.
    var memory: Int64 = 0
    var descriptors = 0
    var threads = 0

    struct Unreadable: Error {
        let process: Int32
    }

    init(of device: Device) throws {
        for process in device.processes {
            let folder = FilePath("/proc/\(process)")
            let status = try (folder / "status").text()
            func number(_ field: String) throws -> Int64 {
                let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
                let number = line?.split { !$0.isNumber }.first.flatMap { Int64($0) }
                guard let number else { throw Unreadable(process: process) }
                return number
            }
            memory += try number("RssAnon") << 10
            threads += try Int(number("Threads"))
            descriptors += try (folder / "fd").listing().count
        }
    }
}

extension [ProcessUse] {
    /// The middle of each value: one moment's peak says nothing.
    func median<Value: Comparable>(_ value: (ProcessUse) -> Value) -> Value {
        map(value).sorted()[count / 2]
    }
}
