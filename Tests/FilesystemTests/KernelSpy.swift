import Catalog
import Dispatch
import Documents
@testable import Filesystem
import Synchronization

/// Writes down what a kernel would be told, and knows the inodes that it is told to know.
final class KernelSpy: KernelNotifications {
    enum Notification: Equatable {
        case expired(String, InodeNumber)
        case expiredAll
        case forgotListing(InodeNumber)
        case forgotAttributes(InodeNumber)
    }

    private let known: Set<InodeNumber>
    private let heard = Mutex<[Notification]>([])
    /// While somebody holds it, names are not expired: as if a request had the folder's lock.
    let folderLock = DispatchSemaphore(value: 1)

    init(knowing known: Set<InodeNumber> = []) { self.known = known }

    var notifications: [Notification] { heard.withLock { $0 } }

    func expire(_ name: String, in folder: InodeNumber) {
        folderLock.wait()
        heard.withLock { $0.append(.expired(name, folder)) }
        folderLock.signal()
    }

    func expireAllNames() { heard.withLock { $0.append(.expiredAll) } }

    func forgetListing(of folder: InodeNumber) { heard.withLock { $0.append(.forgotListing(folder)) } }

    func forgetAttributes(of inode: InodeNumber) -> Bool {
        heard.withLock { $0.append(.forgotAttributes(inode)) }
        return known.contains(inode)
    }
}

extension ListedPath {
    /// A document in a folder of the cloud.
    static func document(_ name: String, _ inode: Int64 = 101, in folder: InodeNumber = .cloud) -> ListedPath {
        ListedPath(folders: [], entry: .init(folder: folder, name: name, inode: InodeNumber(inode), kind: .document))
    }
}
