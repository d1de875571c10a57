import CLinux
import Glibc
import Synchronization
import SystemPackage

/// Room in the store for what must work on a full disk: removing, renaming, and writing down what is acknowledged.
///
/// It is a file, `reserve`, of which a slice is given up for the length of a write when there is hardly any other room, and taken
/// back from what is left. Other programs may take a slice in between, and no more.
package final class Reserve: Sendable {
    private static let name = "reserve"
    /// Bytes.
    private static let largest: Int64 = 8 << 20
    /// Bytes. A commit takes some tens of kilobytes.
    private static let slice: Int64 = 256 << 10
    /// With less free than this, in bytes, nothing new is made; and the reserve is given up for the rest.
    private static let scarcity: Int64 = 512 << 10

    private static let smallestPart: Int64 = 8 << 10
    private static let moment = Duration.milliseconds(2)

    private let root: BackingFolder
    private let answer = Mutex((isScarce: false, time: ContinuousClock.now - .seconds(1)))

    private struct State {
        /// Bytes that the file has.
        var length: Int64
        /// The number of writes that use its room now.
        var users = 0
    }

    private let state: Mutex<State>

    package init(_ store: BackingStore) {
        root = store.root
        let known = (try? root.status(Self.name)).map { Int64($0.st_blocks) * 512 } ?? 0
        state = Mutex(State(length: known))
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
    /// - Returns: whether the reserve is used; `takeBack` must follow when the commit is done.
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

    /// Runs `body` with a slice of the reserve's room.
    package func use<Value>(_ body: () throws -> Value) rethrows -> Value {
        beginUse()
        defer { takeBack() }
        return try body()
    }

    /// Gives up one more slice for a use that has begun, or until it is made again.
    ///
    /// - Returns: whether there was one.
    package func giveUpSlice() -> Bool {
        state.withLock { state in
            defer { giveUp(Self.slice, &state) }
            return state.length > 0
        }
    }

    /// Gives up all of it; `renew` makes it again when there is room.
    package func giveUpWhole() { state.withLock { giveUp($0.length, &$0) } }

    private func giveUp(_ length: Int64, _ state: inout State) {
        guard state.length > 0, let file = try? root.openFile(Self.name, O_WRONLY) else { return }
        let rest = max(0, state.length - length)
        do throws(Errno) {
            try file.truncate(to: rest)
            state.length = rest
        } catch {}  // what could not be given up is still there
    }

    /// Makes it again from all that is free, before others take that; the last of its users does.
    package func takeBack() {
        state.withLock { state in
            state.users -= 1
            if state.users == 0 { renew(&state, leaving: 0) }
        }
    }

    /// Makes it again, in part if need be, if there is room for others besides. Costs nothing while it is whole.
    package func renew() {
        state.withLock { state in if state.users == 0 { renew(&state, leaving: 2 * Self.scarcity) } }
    }

    private func renew(_ state: inout State, leaving rest: Int64) {
        guard state.length < Self.largest, let status = try? root.fileSystemStatus(), let free = free() else { return }
        let whole = min(Self.largest, Int64(clamping: status.f_blocks) * Int64(status.f_frsize) / 16)
        let wanted = min(whole, state.length + free - rest)
        guard wanted > state.length, let file = try? root.openFile(Self.name, O_WRONLY | O_CREAT, mode: 0o600) else {
            return
        }
        // Not all that is free can be had. What cannot be set aside at once may be in parts: every part that is not is lost to others.
        var part = wanted - state.length
        while part >= Self.smallestPart, state.length < wanted {
            let hasFailed = fallocate(file.number, 0, off_t(state.length), off_t(min(part, wanted - state.length))) != 0
            // A file system that cannot set blocks aside goes without.
            if hasFailed, errno != ENOSPC { break }
            state.length = (try? file.status()).map { Int64($0.st_blocks) * 512 } ?? state.length
            if hasFailed { part /= 2 }
        }
    }
}
