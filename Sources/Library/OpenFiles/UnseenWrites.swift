import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Synchronization
import SystemPackage

/// The entries whose open files are looked at. A look takes a call for each, so that a change of one entry must not look at all: thousands may
/// be open.
enum ConcernedEntries {
    case all
    case only([InodeNumber])

    func contains(_ inode: InodeNumber) -> Bool {
        switch self {
        case .all: true
        case .only(let inodes): inodes.contains(inode)
        }
    }
}

/// The cloud documents that the kernel may be writing to by itself. It does not tell of such a write, so that docfs recognises it by the
/// file's size and times.
///
/// Those that are concerned are compared before every transaction that changes the tree, every read of a state, fsync and close: the rules
/// treat a write that docfs did not see as a write. Writes that no comparison saw before a crash are found by `Reconciliation`.
final class UnseenWrites: Sendable {
    private struct Watched {
        var file: OpenFile
        var look: Fingerprint

        var isWritten: Bool {
            if file.isUnlinked { return false }
            // A file whose status cannot be read is taken to have changed.
            return (try? file.descriptor.status()).map(Fingerprint.init) != look
        }
    }

    /// Whether opened files are given to the kernel to read and write by itself.
    let areFilesShared = Atomic<Bool>(false)
    /// Whether such writes can be noticed on this machine. Then cloud documents are opened so that they are.
    let areNoticed = Atomic<Bool>(false)
    /// Whether leases tell of mappings. Not so in a simulation, whose crashes do not end the process.
    private let hasLeases = Atomic<Bool>(false)
    /// Set when the store is closed: from then on no close waits for mappings.
    let hasEnded = Atomic<Bool>(false)
    /// Makes `recordWritten` run once at a time. Taken before the catalog's queue.
    private let recording = Mutex(())
    /// Only a file's state is taken inside it.
    private let watched = Mutex<[InodeNumber: Watched]>([:])

    var filesAreShared: Bool { areFilesShared.load(ordering: .relaxed) }

    var canBeNoticed: Bool { areNoticed.load(ordering: .relaxed) }

    /// Whether the kernel will write to a file by itself, so that docfs opens it for reading only (`OpenFile.isWritable`).
    func mayWrite(to entry: Entry) -> Bool { entry.isReplicated && canBeNoticed }

    /// Finds out with an empty file whether each write changes the file's times, and whether leases tell of mappings.
    func probe(with file: Descriptor) {
        // A file that cannot be opened for reading tells nothing.
        guard let reader = try? file.reopened(O_RDONLY) else { return }
        // A lease on a file of another owner needs the privilege CAP_LEASE. So the file is given to another owner, where that is allowed.
        _ = fchown(file.number, 1, .max)
        let isTold = reader.isWrittenTo
        hasLeases.store(isTold, ordering: .relaxed)
        areNoticed.store(isTold && file.tellsWritesApart, ordering: .relaxed)
    }

    /// Whether a process that had a document open when docfs ended may still write to it: the kernel lets it.
    ///
    /// - Parameter file: opened for reading only.
    func isHeldSinceBefore(_ file: Descriptor) -> Bool {
        guard file.isWrittenTo else { return false }
        hasLeases.store(true, ordering: .relaxed)
        return true
    }

    /// Whether a process may still write to a file through a mapping.
    ///
    /// - Parameter file: opened for reading only, while docfs has it open for writing nowhere.
    func isMapped(_ file: Descriptor) -> Bool { hasLeases.load(ordering: .relaxed) && file.isWrittenTo }

    /// From now on the kernel may write to a file.
    ///
    /// - Throws: the errno of fstat(2).
    func watch(_ file: OpenFile) throws(Errno) {
        let look = Fingerprint(try file.descriptor.status())
        watched.withLock { watched in
            // A write that could not be recorded is still to be recorded, so that an older `look` stays.
            if watched[file.inode] == nil { watched[file.inode] = Watched(file: file, look: look) }
            watched[file.inode]?.file = file
        }
    }

    /// From now on any difference to `look` is a write, even one that docfs sees.
    func watch(_ file: OpenFile, since look: Fingerprint) {
        watched.withLock { $0[file.inode] = Watched(file: file, look: look) }
    }

    /// The last writer has closed. Nothing is done if the file has just been opened for writing again.
    func stopWatching(_ file: OpenFile) {
        watched.withLock { watched in
            guard watched[file.inode]?.file === file, !file.isOpenForWriting else { return }
            watched[file.inode] = nil
        }
    }

    /// Lets `record` record the files that were written to, and stops watching them if it does not throw. When this returns, all writes
    /// to the concerned entries that were made before the call are recorded, by this call or by another that was under way.
    func recordWritten(among concerned: ConcernedEntries = .all, _ record: ([OpenFile]) throws -> Void) rethrows {
        if !isAnyWatched(of: concerned) { return }
        try recording.withLock { _ in
            let candidates = candidates(concerned)
            let written = candidates.filter(\.isWritten).map(\.file)
            if !written.isEmpty { try record(written) }
            let recorded = Set(written.map(ObjectIdentifier.init))
            watched.withLock { watched in
                for file in candidates.map(\.file) where watched[file.inode]?.file === file {
                    // A closed file is watched only until its writes are recorded.
                    if recorded.contains(ObjectIdentifier(file)) || !file.isOpenForWriting { watched[file.inode] = nil }
                }
            }
        }
    }

    /// The files that were written to since they are watched.
    func written() -> [OpenFile] { candidates(.all).filter(\.isWritten).map(\.file) }

    /// Copies nothing: every change asks.
    private func isAnyWatched(of concerned: ConcernedEntries) -> Bool {
        watched.withLock { watched in
            switch concerned {
            case .all: !watched.isEmpty
            case .only(let inodes): inodes.contains { watched[$0] != nil }
            }
        }
    }

    private func candidates(_ concerned: ConcernedEntries) -> [Watched] {
        watched.withLock { watched in
            switch concerned {
            case .all: Array(watched.values)
            case .only(let inodes): inodes.compactMap { watched[$0] }
            }
        }
    }

    /// Whether no file is watched: the usual case.
    var isEmpty: Bool { watched.withLock(\.isEmpty) }

    /// Lets docfs set a file's times without taking that for a write. With more than one writer it is taken for one: another writer could
    /// write at the same time.
    func settingTimes(of inode: InodeNumber, _ body: () throws -> Void) rethrows {
        let before = watched.withLock { $0[inode] }
        // If the status cannot be read, the change of times is taken for a write.
        let isUnwritten = try? before.map { Fingerprint(try $0.file.descriptor.status()) == $0.look }
        try body()
        guard let file = before?.file, isUnwritten == true, file.withWriting({ $0.writers == 1 }),
            let look = (try? file.descriptor.status()).map(Fingerprint.init)
        else { return }
        watched.withLock { watched in
            guard watched[inode]?.file === file, watched[inode]?.look.size == look.size else { return }
            watched[inode]?.look = look
        }
    }
}

extension Descriptor {
    /// Whether any process has the file open for writing, or mapped for writing with its descriptor closed: then the kernel refuses a read
    /// lease (fcntl(2)).
    ///
    /// This descriptor must have been opened for reading only. Descriptors of docfs itself count.
    fileprivate var isWrittenTo: Bool {
        // If a process opens the file for writing while the lease is held, the kernel lets it wait and sends us a signal. The default one
        // would end this process.
        _ = fcntl(number, F_SETSIG, SIGURG)
        guard fcntl(number, F_SETLEASE, F_RDLCK) == 0 else { return errno == EAGAIN }
        _ = fcntl(number, F_SETLEASE, F_UNLCK)
        return false
    }

    /// Whether each write changes the file's times, even right after another one or into a mapping. Linux 6.13 does so for files whose
    /// times were read since; older kernels give all writes of one tick (4 ms) the same time.
    fileprivate var tellsWritesApart: Bool {
        var looks: [Fingerprint] = []
        for _ in 0..<8 {
            // A file whose status cannot be read does not tell writes apart.
            guard pwrite(number, "x", 1, 0) == 1, let status = try? status() else { return false }
            let look = Fingerprint(status)
            if look == looks.last { return false }
            looks.append(look)
        }
        return tellsMappedWrites
    }

    /// Not so on tmpfs: a write to a page that was read before changes no time there.
    private var tellsMappedWrites: Bool {
        let length = Int(getpagesize())
        guard let mapping = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0), mapping != MAP_FAILED
        else { return false }
        defer { munmap(mapping, length) }
        let byte = mapping.load(as: UInt8.self)
        // As above.
        guard let before = try? status() else { return false }
        mapping.storeBytes(of: byte + 1, as: UInt8.self)
        guard let after = try? status() else { return false }
        return Fingerprint(before) != Fingerprint(after)
    }
}
