import Backing
import Catalog
import Documents
import Replication
import Synchronization
import SystemPackage

/// The download of one version's content into a staging file. All callers that wait for the content share it.
final class Arrival: Sendable {
    let inode: InodeNumber
    let document: EntryID
    let version: DocumentVersion
    let stagingName: String
    let descriptor: Descriptor
    let download: Download
    private let task = Mutex<Task<Void, Never>?>(nil)
    /// Completed when the content is whole, verified and installed, or when that failed.
    private let installation = Completion<Void, Refusal>()
    private let currentStage = Mutex(Stage.underWay)

    enum Stage {
        case underWay
        /// The staging file has become the backing file.
        case installed
        /// The staging file is removed. Only handles that are still open read from it.
        case failed
    }

    init(
        inode: InodeNumber, document: EntryID, version: DocumentVersion, stagingName: String, descriptor: Descriptor,
        download: Download
    ) {
        self.inode = inode
        self.document = document
        self.version = version
        self.stagingName = stagingName
        self.descriptor = descriptor
        self.download = download
    }

    /// Starts the transfer. The arrival ends with the result of `work`.
    func start(_ work: @escaping @Sendable () async -> Result<Void, Refusal>) {
        task.withLock { task in
            task = Task {
                let result = await work()
                if case .failure = result { self.stage = .failed }
                self.installation.complete(result)
            }
        }
    }

    func cancel() { task.withLock { $0 }?.cancel() }

    var stage: Stage {
        get { currentStage.withLock { $0 } }
        set { currentStage.withLock { $0 = newValue } }
    }

    /// Waits until the content is installed.
    ///
    /// - Throws: EINTR when the caller is interrupted, while the transfer goes on for the others; else the reason why it failed.
    func waitUntilInstalled() async throws(Refusal) {
        guard let result = await installation.value() else { throw .interrupted }
        try result.get()
    }

    var percent: Int { download.percent }

    /// Bytes that are here.
    var bytes: Int64 { download.progress.received }
}
