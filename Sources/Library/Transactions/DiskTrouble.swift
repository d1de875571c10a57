import Backing
import Synchronization
import SystemPackage

/// What keeps the disk of the store from taking changes, as the last change told that failed because of the disk.
///
/// A disk that the kernel has made read-only after an error does not say so before something is written.
final class DiskTrouble: Sendable {
    private let state = Mutex<Refusal?>(nil)

    /// A change was refused.
    ///
    /// - Returns: whether that is news.
    func note(_ refusal: Refusal) -> Bool {
        guard refusal.tellsOfDisk else { return false }
        return state.withLock { state in
            defer { state = refusal }
            return state != refusal
        }
    }

    /// A change was made.
    func end() { state.withLock { $0 = nil } }

    /// Why the last change failed; nil if it did not.
    var error: Errno? { state.withLock { $0 }?.errno }

    /// - Parameter store: the path of the store's folder.
    static func sentence(_ error: Errno, store: String) -> String {
        switch error {
        case .diskQuotaExceeded:
            "what this user may store on the disk of \(store) is used up (a quota): what is new is refused until there is room"
        case _ where error.isLackOfRoom: "the disk of \(store) is full: what is new is refused until there is room"
        case .readOnlyFileSystem:
            "the disk of \(store) takes no changes (\(error)): documents can be read; copy what matters to another disk"
        default:
            "the disk of \(store) fails (\(error)): copy what matters to another disk; docfs.log there says what failed"
        }
    }
}
