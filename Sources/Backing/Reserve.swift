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

    private static let smallest: Int64 = 32 << 10
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
        let block = Int64(status.f_frsize)
        let available = Int64(clamping: status.f_bavail) * block
        if geteuid() != 0 { return available }
        // Root may use the blocks that a file system keeps for root, but not those that ext4 keeps for itself: a fiftieth of
        // all, 4096 at most.
        let kept = min(Int64(clamping: status.f_blocks) / 50, 4096) * block
        return max(available, Int64(clamping: status.f_bfree) * block - kept)
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
    ///
    /// - Returns: whether the reserve was given up; `takeBack` must follow when the commit is done.
    package func makeRoom() -> Bool { isScarce && giveUp() }

    /// - Returns: whether there was any.
    @discardableResult
    package func giveUp() -> Bool {
        length.withLock { length in
            defer { length = 0 }
            do throws(Errno) { try root.removeFile(Self.name) } catch { return false }
            return length > 0
        }
    }

    /// Makes it again from all that is free, before others take that.
    ///
    /// - Returns: whether it is as large as it is to be.
    @discardableResult
    package func takeBack() -> Bool { renew(leaving: 0) }

    /// Makes it again, in part if need be, if there is room for others besides.
    package func renew() { _ = renew(leaving: 2 * Self.scarcity) }

    private func renew(leaving rest: Int64) -> Bool {
        length.withLock { length in
            guard let status = try? root.fileSystemStatus(), let free = free() else { return false }
            let whole = min(Self.largest, Int64(clamping: status.f_blocks) * Int64(status.f_frsize) / 32)
            var wanted = min(whole, length + free - rest)
            while wanted > max(length, Self.smallest), let file = try? root.openFile(Self.name, O_WRONLY | O_CREAT, mode: 0o600) {
                // A file system that cannot set blocks aside goes without. Some of what is free may be for other use.
                if fallocate(file.number, 0, 0, off_t(wanted)) == 0 {
                    length = wanted
                } else if errno == ENOSPC {
                    wanted = wanted * 3 / 4
                    continue
                }
                break
            }
            return length >= whole
        }
    }
}
