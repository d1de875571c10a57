import CLinux
import Glibc
import LinuxFiles
import SystemPackage

/// The docfs that locked a store last, as the file `lock` names it: the number of its process, the time at which that was started (both
/// together name one process, since numbers are used again), and `ending` when it no longer serves its mount.
struct StoreHolder: Equatable {
    let process: Int32
    /// In ticks since the machine was started (proc(5), `starttime`).
    let start: String
    let isEnding: Bool

    private static let endingWord = "ending"
    private static let length = 63
    /// SIGKILL in the masks of /proc/PID/status.
    private static let killed: UInt64 = 1 << UInt64(SIGKILL - 1)
    /// The process is in exit(2) (PF_EXITING).
    private static let exiting: UInt64 = 4

    /// This process.
    init(isEnding: Bool) {
        process = getpid()
        start = ProcessStatus(process)?.start ?? ""
        self.isEnding = isEnding
    }

    /// - Parameter text: what the file says.
    /// - Returns: nil if the words are not those of a holder: an older docfs left the file empty.
    init?(_ text: String) {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard words.count >= 2, let process = Int32(words[0]) else { return nil }
        self.process = process
        start = String(words[1])
        isEnding = words.count > 2 && words[2] == Self.endingWord
    }

    /// What the file says. It is always of one length, so that one write replaces it.
    var text: String {
        let words = "\(process) \(start)" + (isEnding ? " \(Self.endingWord)" : "")
        return words + String(repeating: " ", count: max(0, Self.length - words.count)) + "\n"
    }

    /// Whether it is still there and will soon be gone: it has stopped serving, or it was killed and the kernel is taking it apart.
    var willSoonBeGone: Bool {
        guard let status = ProcessStatus(process), status.start == start, !status.isZombie else { return false }
        return isEnding || status.flags & Self.exiting != 0 || status.pendingSignals & Self.killed != 0
    }
}

/// What the kernel tells of a process (proc(5)).
private struct ProcessStatus {
    let start: String
    let flags: UInt64
    let isZombie: Bool
    /// Signals that wait for the process or its first thread.
    let pendingSignals: UInt64

    /// - Returns: nil if there is no such process.
    init?(_ process: Int32) {
        // The name of the program stands in parentheses, and may contain spaces.
        guard let fields = Self.text("/proc/\(process)/stat")?.split(separator: ")").last?.split(separator: " "),
            fields.count > 19
        else { return nil }
        isZombie = fields[0] == "Z" || fields[0] == "X"
        flags = UInt64(fields[6]) ?? 0
        start = String(fields[19])
        pendingSignals = (Self.text("/proc/\(process)/status") ?? "").split(separator: "\n").reduce(0) {
            signals, line in
            guard line.hasPrefix("SigPnd:") || line.hasPrefix("ShdPnd:") else { return signals }
            return signals | (UInt64(line.dropFirst(8), radix: 16) ?? 0)
        }
    }

    private static func text(_ path: String) -> String? {
        guard let file = try? Descriptor.open(path, O_RDONLY), let bytes = try? file.readPrefix(4096) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
