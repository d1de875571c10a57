import Backing
import Catalog
import Documents
import Replication
import Synchronization
import SystemPackage

/// The content of one version on its way into a staging file, shared by all who wait for it.
final class Arrival: Sendable {
    let inode: InodeNumber
    let document: EntryID
    let version: DocumentVersion
    let stagingName: String
    let descriptor: Descriptor
    let download: Download
    private let task = Mutex<Task<Void, Never>?>(nil)
    /// Comes when the content is whole, verified and in its place, or when that failed.
    private let installation = Completion<Void, Refusal>()
    private let currentStage = Mutex(Stage.underWay)

    /// How far it is.
    enum Stage {
        case underWay
        /// The staging file has become the backing file.
        case installed
        /// It belongs to nobody any more.
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

    /// Starts the transfer; what `work` returns ends the arrival.
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

    /// Waits until the content is in its place.
    ///
    /// - Throws: EINTR when the caller is interrupted; the transfer goes on for the others.
    func waitUntilInstalled() async throws(Refusal) {
        guard let result = await installation.value() else { throw .interrupted }
        try result.get()
    }

    var percent: Int {
        let progress = download.progress
        return Self.percent(progress.received, of: progress.total)
    }

    static func percent(_ count: Int64, of total: Int64) -> Int {
        total <= 0 ? 100 : Int(min(100, count * 100 / total))
    }
}
