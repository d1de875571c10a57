import CLinux
import Glibc
import Synchronization
import SystemPackage

/// Room in the store for operations that must work on a full disk: removing, renaming, and committing rows that were acknowledged.
///
/// It is a file, `reserve`. When the disk is nearly full, a slice of it is freed for the time of a commit and allocated again from the blocks
/// that are left. In between, other programs can use up one slice at most.
package final class Reserve: Sendable {
    private static let name = "reserve"
    /// Bytes.
    private static let largest: Int64 = 8 << 20
    /// Bytes. A commit takes some tens of kilobytes; one that takes more is given one slice after another. What another program uses up meanwhile is
    /// lost to the reserve.
    private static let slice: Int64 = 64 << 10
    /// Bytes. With less free than this nothing new is created, and commits use the reserve.
    private static let scarcity: Int64 = 512 << 10

    /// Bytes. With less free than this the trash is emptied.
    private static let shortage: Int64 = 256 << 20

    private static let smallestPart: Int64 = 8 << 10
    private static let moment = Duration.milliseconds(2)

    private let root: BackingFolder
    /// The last answer to `isScarce`.
    private let answer = Mutex((isScarce: false, time: ContinuousClock.now - .seconds(1)))

    private struct State {
        /// Bytes that are allocated to the file.
        var length: Int64
        /// The number of commits that use its room now.
        var users = 0
    }

    private let state: Mutex<State>

    /// Looks how much of the file `reserve` is allocated. `renew` allocates the rest.
    package init(_ store: BackingStore) {
        root = store.root
        // Without a status, as in a new store, the reserve counts as empty, and `renew` creates it.
        let known = (try? root.status(Self.name)).map { Int64($0.st_blocks) * 512 } ?? 0
        state = Mutex(State(length: known))
    }

    /// Free bytes besides the reserve; nil if the file system does not say.
    package func free() -> Int64? {
        (try? root.fileSystemStatus()).map { Self.free($0) }
    }

    /// Bytes that this user can write to a file system. Never more than there are; on a disk of less than 200,000 blocks, fewer for root.
    package static func free(_ status: statvfs, isRoot: Bool = geteuid() == 0) -> Int64 {
        let available = bytes(Int64(clamping: status.f_bavail), of: status)
        if !isRoot { return available }
        // Root may use the blocks that a file system reserves for root, but not those that ext4 reserves for itself: 2 % of all, 4096 at
        // most. How many all are, statfs(2) does not say: it leaves out what ext4 takes for its tables and its journal.
        return max(available, bytes(Int64(clamping: status.f_bfree) - 4096, of: status))
    }

    /// A file system of the network may say that it has 16 EiB: such a number is cut, so that no sum with it overflows.
    private static func bytes(_ blocks: Int64, of status: statvfs) -> Int64 {
        let (bytes, isTooMuch) = blocks.multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
        return isTooMuch ? 1 << 60 : min(bytes, 1 << 60)
    }

    private static func length(of status: statvfs) -> Int64 { bytes(Int64(clamping: status.f_blocks), of: status) }

    /// Whether there is no room for anything new. It is asked before each change, so the answer is kept for a moment.
    package var isScarce: Bool {
        answer.withLock { answer in
            let now = ContinuousClock.now
            if now - answer.time < Self.moment { return answer.isScarce }
            answer = (free().map { $0 < Self.scarcity } ?? false, now)
            return answer.isScarce
        }
    }

    /// Bytes that must become free before there is room for something new.
    package var lacking: Int64 {
        answer.withLock { $0.time = ContinuousClock.now - .seconds(1) }
        return free().map { max(0, Self.scarcity - $0) } ?? 0
    }

    /// Whether so little room is left that the trash should be given up.
    package var isShort: Bool { room.map { $0 < 0 } ?? false }

    /// Bytes that can be written until so little room is left that the trash should be given up: a twentieth of a small disk. Negative when that
    /// is so; nil if the file system does not say.
    package var room: Int64? {
        guard let status = try? root.fileSystemStatus() else { return nil }
        return Self.free(status) - min(Self.shortage, Self.length(of: status) / 20)
    }

    /// Frees a slice for a commit if there is hardly any other room.
    ///
    /// - Returns: whether the reserve is used; `endUse` must follow when the commit is done.
    package func makeRoom() -> Bool {
        if !isScarce { return false }
        beginUse()
        return true
    }

    private func beginUse() {
        state.withLock { state in
            state.users += 1
            giveUp(Self.slice, &state)
        }
    }

    /// Runs `body` with a slice freed.
    package func use<Value>(_ body: () throws -> Value) rethrows -> Value {
        beginUse()
        defer { endUse() }
        return try body()
    }

    /// Frees one more slice, until the uses under way have ended or `renew` is called.
    ///
    /// - Returns: whether there was one.
    package func giveUpSlice() -> Bool {
        state.withLock { state in
            defer { giveUp(Self.slice, &state) }
            return state.length > 0
        }
    }

    /// Frees all of it. `renew` allocates it again when there is room.
    package func giveUpWhole() { state.withLock { giveUp($0.length, &$0) } }

    private func giveUp(_ length: Int64, _ state: inout State) {
        // If it cannot be opened or cut, it stays as it is, and the commit fails with ENOSPC.
        guard state.length > 0, let file = try? root.openFile(Self.name, O_WRONLY) else { return }
        let rest = max(0, state.length - length)
        do throws(Errno) {
            try file.truncate(to: rest)
            state.length = rest
        } catch {}
    }

    /// Ends a use. The last one allocates the reserve again from all free blocks, before other programs use these.
    package func endUse() {
        state.withLock { state in
            state.users -= 1
            if state.users == 0 { renew(&state, leaving: 0) }
        }
    }

    /// Allocates what is missing of the reserve, as far as that leaves room for other programs. Costs nothing while it is whole.
    package func renew() {
        state.withLock { state in if state.users == 0 { renew(&state, leaving: 2 * Self.scarcity) } }
    }

    private func renew(_ state: inout State, leaving rest: Int64) {
        // Failures here leave the reserve as it is: it is tried again after the next commit.
        guard state.length < Self.largest, let status = try? root.fileSystemStatus(), let free = free() else { return }
        let whole = min(Self.largest, Self.length(of: status) / 16)
        let wanted = min(whole, state.length + free - rest)
        guard wanted > state.length, let file = try? root.openFile(Self.name, O_WRONLY | O_CREAT, mode: 0o600) else {
            return
        }
        // Not all free blocks can be allocated. If a large part cannot be, smaller ones may be; blocks that are left free may be used up by
        // other programs.
        var part = wanted - state.length
        while part >= Self.smallestPart, state.length < wanted {
            let hasFailed = fallocate(file.number, 0, off_t(state.length), off_t(min(part, wanted - state.length))) != 0
            // Without fallocate there is no reserve.
            if hasFailed, errno != ENOSPC { break }
            state.length = (try? file.status()).map { Int64($0.st_blocks) * 512 } ?? state.length
            if hasFailed { part /= 2 }
        }
    }
}
