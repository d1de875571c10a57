import Backing
import Catalog
import Glibc
import Logging
import ObjectStore
import Synchronization
import SystemPackage

extension Contents {
    /// From now on whoever opens a file may let the kernel read and write it by itself (`OpenedFile.shareable`).
    func shareFiles() {
        prepareForUnseenWrites()
        unseenWrites.areFilesShared.store(true, ordering: .relaxed)
    }

    /// Finds out whether writes that docfs does not see can be noticed. Until then, and if not, no document of
    /// the cloud can be written to past docfs (`Handle.canBypass`).
    func prepareForUnseenWrites() {
        guard let file = try? unnamedFile() else { return }
        unseenWrites.probe(with: file)
    }

    var canNoticeUnseenWrites: Bool { unseenWrites.canBeNoticed }

    /// Must be called before a handle is given to the kernel to write by itself.
    func willWriteUnseen(_ handle: Handle) throws(Refusal) {
        guard handle.canWrite else { throw .notOpenForWriting }
        // Of what is not the cloud's nobody needs to hear but its name: it is taken to be written to.
        if handle.file.isWritable {
            handle.file.state.withLock { $0.isBypassed = true }
            return try willWrite(handle)
        }
        if handle.file.state.withLock({ $0.isModified }) { return }
        try Refusal.wrapping { try unseenWrites.watch(handle.file) }
        // From now on it is looked at now and then.
        cloud.changesAreOfInterest()
    }

    /// Runs `body` when nobody can write through a handle any more: at once, but for a file that the kernel writes by
    /// itself. Of that it does not say when the last mapping goes, which may be long after the descriptor was closed.
    func whenUnmapped(_ number: UInt64, _ body: @escaping @Sendable () -> Void) {
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
