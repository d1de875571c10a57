import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Synchronization
import SystemPackage

/// The files that the kernel may be writing to by itself and of which somebody must hear: nobody tells of a
/// write, so it is found out from what the file looks like.
///
/// Found out before every step of the tree, every look at a state, fsync and close: to the rules a write that
/// nobody saw is a write. What a crash comes before is found by the comparison that follows one (`Reconciliation`).
final class UnseenWrites: Sendable {
    private struct Watched {
        var file: OpenFile
        var look: Fingerprint
    }

    /// Whether files are opened by somebody who lets the kernel read and write them by itself.
    let areFilesShared = Atomic<Bool>(false)
    /// Whether they can be noticed on this machine; then documents of the cloud are opened for it.
    let areNoticed = Atomic<Bool>(false)
    /// Whether leases tell of mappings. A simulation, which does not end the processes that crash, goes without.
    private let hasLeases = Atomic<Bool>(false)
    /// Set when the store is closed: from then on nobody waits for a mapping any more.
    let hasEnded = Atomic<Bool>(false)
    /// Taken before the catalog's queue.
    private let turn = Mutex(())
    /// Taken innermost but for a file's state.
    private let watched = Mutex<[InodeNumber: Watched]>([:])

    var filesAreShared: Bool { areFilesShared.load(ordering: .relaxed) }

    var canBeNoticed: Bool { areNoticed.load(ordering: .relaxed) }

    /// Whether a file is written to unseen, and so opened for reading only (`OpenFile.isWritable`).
    func concern(_ entry: Entry) -> Bool { entry.isReplicated && canBeNoticed }

    /// Finds out with an empty file whether each write leaves a trace, and who still maps a file can be told.
    func probe(with file: Descriptor) {
        guard let reader = try? file.reopened(O_RDONLY) else { return }
        // Files that belong to others take a privilege of their own (CAP_LEASE).
        _ = fchown(file.number, 1, .max)
        let isTold = reader.isWrittenTo
        hasLeases.store(isTold, ordering: .relaxed)
        areNoticed.store(isTold && file.tellsWritesApart, ordering: .relaxed)
    }

    /// Whether somebody who had a document open when docfs ended, and whom the kernel lets go on, may still write to it.
    ///
    /// - Parameter file: opened for reading only.
    func isHeldSinceBefore(_ file: Descriptor) -> Bool {
        guard file.isWrittenTo else { return false }
        hasLeases.store(true, ordering: .relaxed)
        return true
    }

    /// Whether somebody may still write to a file through a mapping.
    ///
    /// - Parameter file: opened for reading only, while docfs has it open for writing nowhere.
    func isMapped(_ file: Descriptor) -> Bool { hasLeases.load(ordering: .relaxed) && file.isWrittenTo }

    /// From now on a file may be written to.
    func watch(_ file: OpenFile) throws(Errno) {
        let look = Fingerprint(try file.descriptor.status())
        watched.withLock { watched in
            // A write that could not be noted remains to be noted, also when the file is opened anew.
            if watched[file.inode] == nil { watched[file.inode] = Watched(file: file, look: look) }
            watched[file.inode]?.file = file
        }
    }

    /// From now on whatever makes a file look different is a write, be it one that docfs sees.
    func watch(_ file: OpenFile, since look: Fingerprint) {
        watched.withLock { $0[file.inode] = Watched(file: file, look: look) }
    }

    /// It cannot be written to any more, unless somebody has just opened it again.
    func end(_ file: OpenFile) {
        watched.withLock { watched in
            guard watched[file.inode]?.file === file, file.state.withLock({ $0.writers == 0 }) else { return }
            watched[file.inode] = nil
        }
    }

    /// Hands those that have been written to since they are watched to `body`, and watches them no longer if it does not
    /// throw. One at a time: when it returns, what was written before is known.
    func takeWritten(_ body: ([OpenFile]) throws -> Void) rethrows {
        if areNone { return }
        try turn.withLock { _ in
            let written = written()
            if !written.isEmpty { try body(written) }
            watched.withLock { watched in
                for file in written where watched[file.inode]?.file === file { watched[file.inode] = nil }
                // What is closed is watched only as long as it remains to be noted.
                watched = watched.filter { $0.value.file.state.withLock { $0.writers > 0 } }
            }
        }
    }

    func written() -> [OpenFile] {
        let candidates = watched.withLock { Array($0.values) }
        return candidates.filter { watched in
            guard !watched.file.isUnlinked else { return false }
            // What cannot be looked at is taken to have changed.
            return (try? watched.file.descriptor.status()).map(Fingerprint.init) != watched.look
        }.map(\.file)
    }

    /// As it usually is.
    var areNone: Bool { watched.withLock(\.isEmpty) }

    /// Lets docfs itself set a file's times without taking that for a write; but where several may be writing,
    /// one of them could do so in between.
    func settingTimes(of inode: InodeNumber, _ body: () throws -> Void) rethrows {
        let before = watched.withLock { $0[inode] }
        let isUnwritten = try? before.map { Fingerprint(try $0.file.descriptor.status()) == $0.look }
        try body()
        guard let file = before?.file, isUnwritten == true, file.state.withLock({ $0.writers == 1 }),
            let look = (try? file.descriptor.status()).map(Fingerprint.init)
        else { return }
        watched.withLock { watched in
            guard watched[inode]?.file === file, watched[inode]?.look.size == look.size else { return }
            watched[inode]?.look = look
        }
    }
}

extension Descriptor {
    /// Whether anybody has the file open for writing, be it by a mapping that has outlived its descriptor: then
    /// the kernel refuses a read lease (fcntl(2)).
    ///
    /// This descriptor must have been opened for reading only, and count those of docfs itself.
    fileprivate var isWrittenTo: Bool {
        // Who opens the file for writing in this moment waits, and has us told of it: by default with a signal that ends
        // the process.
        _ = fcntl(number, F_SETSIG, SIGURG)
        guard fcntl(number, F_SETLEASE, F_RDLCK) == 0 else { return errno == EAGAIN }
        _ = fcntl(number, F_SETLEASE, F_UNLCK)
        return false
    }

    /// Whether a write changes the file's time even where one was just before, and one into a mapping, too. Linux 6.13
    /// does so for files whose times somebody has looked at; before, all writes of one tick (4 ms) bear the same time.
    fileprivate var tellsWritesApart: Bool {
        var looks: [Fingerprint] = []
        for _ in 0..<8 {
            guard pwrite(number, "x", 1, 0) == 1, let status = try? status() else { return false }
            let look = Fingerprint(status)
            if look == looks.last { return false }
            looks.append(look)
        }
        return tellsMappedWrites
    }

    /// On tmpfs, nothing tells of a page that was read before it is written.
    private var tellsMappedWrites: Bool {
        let length = Int(getpagesize())
        guard let mapping = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0), mapping != MAP_FAILED
        else { return false }
        defer { munmap(mapping, length) }
        let byte = mapping.load(as: UInt8.self)
        guard let before = try? status() else { return false }
        mapping.storeBytes(of: byte + 1, as: UInt8.self)
        guard let after = try? status() else { return false }
        return Fingerprint(before) != Fingerprint(after)
    }
}
