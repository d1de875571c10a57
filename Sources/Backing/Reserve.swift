import CLinux
import Glibc
import Synchronization
import SystemPackage

/// Room in the store for what must work on a full disk: removing, renaming, and writing down what is acknowledged.
///
/// It is a file, `reserve`, that is given up when there is hardly any other room, and made again from what is left as soon as
/// there is some.
package final class Reserve: Sendable {
    private static let name = "reserve"
    /// Bytes. A commit takes some tens of kilobytes.
    private static let largest: Int64 = 8 << 20
    /// With less free than this, in bytes, nothing new is made; and the reserve is given up for the rest.
    private static let scarcity: Int64 = 512 << 10

    private static let moment = Duration.milliseconds(2)

    private let root: BackingFolder
    private let answer = Mutex((isScarce: false, time: ContinuousClock.now - .seconds(1)))
    /// Bytes that the file has.
    private let length: Mutex<Int64>

    package init(_ store: BackingStore) {
        root = store.root
        let known = (try? root.status(Self.name)).map { Int64($0.st_blocks) * 512 } ?? 0
        length = Mutex(known)
    }

    /// Free bytes besides the reserve; nil where that cannot be found out.
    private func free() -> Int64? {
        guard let status = try? root.fileSystemStatus() else { return nil }
        // Root may use the blocks that a file system keeps for root.
        let blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail
        return Int64(clamping: blocks).multipliedReportingOverflow(by: Int64(status.f_frsize)).partialValue
    }

    /// Whether there is no room for anything new. Asked before each change, so the answer holds for a moment.
    package var isScarce: Bool {
        answer.withLock { answer in
            let now = ContinuousClock.now
            if now - answer.time < Self.moment { return answer.isScarce }
            answer = (free().map { $0 < Self.scarcity } ?? false, now)
            return answer.isScarce
        }
    }

    /// Makes sure that a commit finds room, if there is any.
    package func makeRoom() {
        if isScarce { giveUp() }
    }

    /// - Returns: whether there was any.
    @discardableResult
    package func giveUp() -> Bool {
        length.withLock { length in
            defer { length = 0 }
            do throws(Errno) { try root.removeFile(Self.name) } catch { return false }
            return length > 0
        }
    }

    /// Makes it again after something was removed, where it was given up.
    package func renewIfScarce() {
        if length.withLock({ $0 }) < Self.scarcity { renew() }
    }

    /// Makes it again from what is free, in part if need be.
    package func renew() {
        length.withLock { length in
            guard length < Self.largest, let status = try? root.fileSystemStatus(), let free = free() else { return }
            let whole = min(Self.largest, Int64(clamping: status.f_blocks) * Int64(status.f_frsize) / 32)
            // Some room stays for who writes: a reserve that takes all would refuse them.
            let wanted = min(whole, length + free - 2 * Self.scarcity)
            guard length < whole, wanted > length, let file = try? root.openFile(Self.name, O_WRONLY | O_CREAT, mode: 0o600)
            else { return }
            // A file system that cannot set blocks aside goes without.
            if fallocate(file.number, 0, 0, off_t(wanted)) == 0 { length = wanted }
        }
    }
}
