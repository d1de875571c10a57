import CLinux
import Glibc

/// Which process started which: from /proc, or as a test chooses.
public struct Processes: Sendable {
    /// The process that a thread belongs to; nil if the thread has ended.
    public var ofThread: @Sendable (_ thread: Int32) -> Int32?
    /// The process that started a process; nil if that process has ended.
    public var parent: @Sendable (_ process: Int32) -> Int32?

    public init(
        ofThread: @escaping @Sendable (_ thread: Int32) -> Int32?,
        parent: @escaping @Sendable (_ process: Int32) -> Int32?
    ) {
        self.ofThread = ofThread
        self.parent = parent
    }

    /// Reads /proc. The thread 0, which stands for an unknown one, belongs to no process.
    public static let system = Processes { thread in
        if thread <= 0 { return nil }
        // This is needed at each open, so /proc is read only for threads that are not the main thread of their process.
        if tgkill(thread, thread, 0) == 0 || errno == EPERM { return thread }
        return field("Tgid:", of: thread)
    } parent: {
        field("PPid:", of: $0)
    }

    /// A process, the one that started it, and so on, without process 1.
    package func lineage(of process: Int32) -> [Int32] {
        var lineage: [Int32] = []
        var next: Int32? = process
        while let process = next, process > 1, !lineage.contains(process) {
            lineage.append(process)
            next = parent(process)
        }
        return lineage
    }

    /// The user who runs a process, also of one whose files in /proc belong to root (PR_SET_DUMPABLE); nil if it has ended.
    package static func owner(of process: Int32) -> uid_t? { field("Uid:", of: process) }

    private static func field<Number: FixedWidthInteger>(_ name: String, of process: Int32) -> Number? {
        let file = open("/proc/\(process)/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let line = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix(name)
        }
        return line.flatMap { line in
            // Uid has four: the first is that of the user who runs it.
            line.dropFirst(name.count).split { $0 == "\t" || $0 == " " }.first.flatMap { Number($0) }
        }
    }
}
