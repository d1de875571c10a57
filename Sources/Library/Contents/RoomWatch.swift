import Backing
import Catalog
import LinuxFiles
import Logging
import Synchronization

/// Gives the trash up ahead of programs that fill the disk.
///
/// Where the kernel writes to a file by itself, the disk refuses a write before docfs hears of it. So as long as files are open in that way,
/// the room on the disk is looked at, the oftener the less there is.
final class RoomWatch: Transacting {
    let transactions: Transactions
    let store: DocumentStore
    let openFiles: OpenFiles
    let unseenWrites: UnseenWrites
    private let isWatching = Mutex(false)

    init(_ transactions: Transactions, store: DocumentStore, openFiles: OpenFiles, unseenWrites: UnseenWrites) {
        self.transactions = transactions
        self.store = store
        self.openFiles = openFiles
        self.unseenWrites = unseenWrites
    }

    /// Bytes a second: faster than a disk of today takes them.
    private static let fastestWriter: Int64 = 4 << 30
    private static let shortestPause = Duration.milliseconds(20)
    private static let longestPause = Duration.seconds(5)

    /// How long no writer can use up the room.
    ///
    /// - Parameter room: bytes until the trash should be given up.
    static func pause(room: Int64) -> Duration {
        let time = Duration.milliseconds(max(0, room) / (fastestWriter / 1000))
        return min(max(time, shortestPause), longestPause)
    }

    /// The kernel may write to a file by itself from now on.
    func begin() {
        let begins = isWatching.withLock { isWatching in
            defer { isWatching = true }
            return !isWatching
        }
        if begins { Task { await watch() } }
    }

    private func watch() async {
        while isNeeded, let room = store.room {
            if room < 0 { await onBlockingThread { self.giveUpTrash() } }
            let pause = store.catalog.mayHaveTrash ? Self.pause(room: room) : Self.longestPause
            // A sleep fails only when it is cancelled.
            guard (try? await surroundings.sleep(pause)) != nil else { return }
        }
        isWatching.withLock { $0 = false }
        // A file that was opened meanwhile saw a watch at work.
        if isNeeded, store.room != nil { begin() }
    }

    private var isNeeded: Bool { openFiles.hasWriter && !unseenWrites.hasEnded.load(ordering: .acquiring) }

    private func giveUpTrash() {
        do { try store.tidyTrash() } catch {
            logger.warning("the trash could not be given up on a full disk", metadata: ["error": "\(error)"])
        }
    }
}
