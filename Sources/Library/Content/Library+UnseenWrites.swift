import Backing
import Catalog
import Glibc
import Logging
import ObjectStore
import Synchronization
import SystemPackage

/// Documents of the cloud that the kernel writes to by itself.
extension Library {
    /// From now on whoever opens a file may let the kernel read and write it by itself (`OpenedFile.shareable`).
    public func shareFiles() {
        prepareForUnseenWrites()
        unseenWrites.areFilesShared.store(true, ordering: .relaxed)
    }

    /// Finds out whether writes that docfs does not see can be noticed. Until then, and if not, no document of
    /// the cloud can be written to past docfs (`Handle.canBypass`).
    func prepareForUnseenWrites() {
        guard let file = try? unnamedFile() else { return }
        unseenWrites.probe(with: file)
    }

    public var canNoticeUnseenWrites: Bool { unseenWrites.canBeNoticed }

    /// Must be called before a handle is given to the kernel to write by itself.
    func willWriteUnseen(_ handle: Handle) throws(Errno) {
        guard handle.canWrite else { throw .badFileDescriptor }
        // Of what is not the cloud's nobody needs to hear but its name: it is taken to be written to.
        if handle.file.isWritable {
            handle.file.state.withLock { $0.isBypassed = true }
            return try willWrite(handle)
        }
        if handle.file.state.withLock({ $0.isModified }) { return }
        try unseenWrites.watch(handle.file)
        // From now on it is looked at now and then.
        transfers.noteUse()
    }

    /// What has been written unseen up to now counts as written. Not from inside a step.
    func noteUnseenWrites() throws {
        try unseenWrites.takeWritten { written in
            try write { catalog in
                for file in written {
                    guard var entry = try catalog.entry(file.inode) else { continue }
                    noteContentChange(&entry)
                    try catalog.update(entry)
                }
            }
            // It could not be noted while it was open.
            for file in written where !openFiles.isOpenForWriting(file.inode) { transfers.noteClosed(file.inode) }
            transfers.noteWork()
            stateChanged()
        }
    }

    /// - Returns: whether it succeeded. What could not be noted is so with the next step that succeeds.
    @discardableResult
    func attemptToNoteUnseenWrites() -> Bool {
        do { try noteUnseenWrites() } catch {
            logger.error("a write could not be noted", metadata: ["error": "\(error)"])
            return false
        }
        return true
    }

    /// Whether somebody may still write to a closed document through a mapping that docfs does not see.
    ///
    /// - Parameter file: opened for reading only.
    func isMapped(_ entry: Entry, _ file: Descriptor) -> Bool {
        // Where somebody holds the file for writing, be it docfs itself, that cannot be told.
        if let open = openFiles.file(entry.inode), open.isWritable || open.isOpenForWriting {
            return open.state.withLock(\.isOnlyMapped)
        }
        return unseenWrites.isMapped(file)
    }

    /// Runs `body` when nobody can write through a handle any more: at once, but for a file that the kernel writes by
    /// itself. Of that it does not say when the last mapping goes, which may be long after the descriptor was closed.
    public func whenUnmapped(_ number: UInt64, _ body: @escaping @Sendable () -> Void) {
        guard let handle = try? openFiles.handle(number), handle.canWrite, !handle.file.isWritable else {
            return body()
        }
        let file = handle.file
        if !file.beginLeaving() || isUnmapped(file) {
            body()
            return file.endLeaving()
        }
        Task { [self] in
            // Asked for again and again: the kernel's word that a file was closed (inotify) comes before it counts as closed.
            var pause = Duration.milliseconds(1)
            while !isUnmapped(file), (try? await surroundings.sleep(pause)) != nil {
                pause = min(pause * 2, .seconds(1))
            }
            if unseenWrites.hasEnded.load(ordering: .acquiring) { return }
            await onBlockingThread {
                body()
                file.endLeaving()
            }
        }
    }

    private func isUnmapped(_ file: OpenFile) -> Bool {
        file.dropWritable()
        return !unseenWrites.isMapped(file.descriptor) && file.endWaiting()
    }
}
