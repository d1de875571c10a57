import CFuse
import Documents
import Glibc
import Library
import Synchronization
import SystemPackage

/// The thin side between the kernel and the `Library`: takes a request apart, calls, answers.
///
/// Each operation runs on the FUSE thread that received it and is answered there, without a task or
/// an actor in between; only what must wait for content that is not here is answered later.
/// Pointers of a request die when its callback returns and never leave this module.
final class Filesystem: Sendable {
    let library: Library
    let refusals: RefusalLog
    let folderStreams = FolderStreams()
    let virtualFiles = VirtualFiles()
    let statePolls: StatePolls
    let passthrough = Passthrough()
    let dataPaths: DataPaths
    let stream = SessionStream()
    let stage = ReenactmentStage()
    /// When the mount began.
    let began = Timestamp(seconds: time(nil), nanoseconds: 0)
    private let cachesBox = Mutex<KernelCaches?>(nil)

    init(library: Library, statePolls: StatePolls) {
        self.library = library
        self.statePolls = statePolls
        refusals = RefusalLog(logger: library.logger, instant: { .now }) { number in
            guard case .entry(let inode) = Node(number: number) else { return nil }
            return library.storePath(of: inode)
        }
        dataPaths = DataPaths(backingFiles: passthrough)
    }

    /// Nil until there is a session that can be notified.
    var caches: KernelCaches? {
        get { cachesBox.withLock { $0 } }
        set { cachesBox.withLock { $0 = newValue } }
    }

    /// The file system that a session was given (`MountSession`), which keeps it alive.
    static func behind(_ userData: UnsafeMutableRawPointer?) -> Filesystem {
        Unmanaged<Filesystem>.fromOpaque(userData!).takeUnretainedValue()
    }

    /// The functions that libfuse calls for each request: these operations, and before them `ReenactmentStage`.
    static func operations() -> fuse_lowlevel_ops {
        var operations = ownOperations
        interceptReenactments(in: &operations)
        return operations
    }

    static let ownOperations: fuse_lowlevel_ops = {
        var operations = fuse_lowlevel_ops()
        operations.`init` = { userData, connection in
            Filesystem.configure(&connection!.pointee)
            guard FuseSession.knowsEpochs(minor: connection!.pointee.proto_minor) else { return }
            let filesystem = Filesystem.behind(userData)
            filesystem.library.rememberTypedNames { [weak filesystem] in filesystem?.caches?.askForNamesAgain() }
        }
        addNames(to: &operations)
        addAttributes(to: &operations)
        addExtendedAttributes(to: &operations)
        addFolders(to: &operations)
        addFiles(to: &operations)
        addData(to: &operations)
        return operations
    }()

    private static func configure(_ connection: inout fuse_conn_info) {
        func want(_ capability: Int32) {
            connection.want |= connection.capable & UInt32(bitPattern: capability)
        }
        func refuse(_ capability: Int32) { connection.want &= ~UInt32(bitPattern: capability) }
        want(FUSE_CAP_CACHE_SYMLINKS)
        want(FUSE_CAP_SPLICE_WRITE)
        want(FUSE_CAP_SPLICE_MOVE)
        // Content changes only through this mount, or by an inode that takes another's place.
        want(FUSE_CAP_EXPLICIT_INVAL_DATA)
        refuse(FUSE_CAP_AUTO_INVAL_DATA)
        // Without it the kernel clears set-id bits itself.
        refuse(FUSE_CAP_HANDLE_KILLPRIV)
        // Dirty pages in the kernel's cache would be lost when docfs is killed.
        refuse(FUSE_CAP_WRITEBACK_CACHE)
        connection.max_background = 64
        connection.congestion_threshold = 48
        connection.time_gran = 1
    }
}

/// The bytes of a C string that a request carries.
func bytes(_ string: UnsafePointer<CChar>?) -> UnsafeBufferPointer<UInt8> {
    guard let string else { return UnsafeBufferPointer(start: nil, count: 0) }
    let length = strlen(string)
    return UnsafeBufferPointer(
        start: UnsafeRawPointer(string).assumingMemoryBound(to: UInt8.self), count: length)
}

extension InodeNumber {
    /// The entry that the kernel means; virtual files have none and cannot be changed (EPERM).
    init(entry number: fuse_ino_t) throws(Refusal) {
        guard case .entry(let inode) = Node(number: number) else { throw .virtualName }
        self = inode
    }

    /// The folder that the kernel means.
    init(folder number: fuse_ino_t) throws(Refusal) {
        switch Node(number: number) {
        case .entry(let inode): self = inode
        case .versions, .folderInTrash: throw .virtualName
        case .state, .order, .location, .version, .actions, .report, .trashed, .trashInfo: throw .notFolder
        }
    }
}
