import Backing
import Catalog
import Glibc
import LinuxFiles
import Logging
import Synchronization
import SystemPackage

extension Contents {
    /// From now on the kernel may read and write opened files by itself (`OpenedFile.shareable`).
    func shareFiles() {
        prepareForUnseenWrites()
        unseenWrites.areFilesShared.store(true, ordering: .relaxed)
    }

    /// Finds out whether writes that docfs does not see can be noticed. Until then, and if not, all writes to cloud documents go through
    /// docfs (`Handle.canBypass`).
    func prepareForUnseenWrites() {
        do throws(Refusal) { unseenWrites.probe(with: try unnamedFile()) } catch {
            logger.warning(
                "all writes to cloud documents go through docfs, which is slower: the store could not be tried",
                metadata: ["error": "\(error)"])
        }
    }

    var canNoticeUnseenWrites: Bool { unseenWrites.canBeNoticed }

    /// Must be called before a handle is given to the kernel to write by itself.
    func willWriteUnseen(_ handle: Handle) throws(Refusal) {
        guard handle.canWrite else { throw .notOpenForWriting }
        roomWatch.begin()
        // Of a file that is no cloud document a write changes the automatic name at most: it is taken to be written to.
        if handle.file.isWritable {
            handle.file.withWriting { $0.markBypassed() }
            return try willWrite(handle)
        }
        if handle.file.withWriting(\.isModified) { return }
        try Refusal.wrapping { try unseenWrites.watch(handle.file) }
        // Synchronization looks at it every few seconds from now on.
        cloud.changesAreOfInterest()
    }

    /// Runs `body` when no process can write through a handle any more. That is at once, except for a file that the kernel writes to by
    /// itself: a mapping may outlive its descriptor by long, and the kernel does not tell when the last one goes.
    func whenUnmapped(_ number: UInt64, _ body: @escaping @Sendable () -> Void) {
        // No process can write through a handle that does not exist.
        guard let handle = try? openFiles.handle(number), handle.canWrite, !handle.file.isWritable else {
            return body()
        }
        let file = handle.file
        if !file.withWriting({ $0.beginClose() }) || isUnmapped(file) {
            body()
            return file.withWriting { $0.endClose() }
        }
        Task { [self] in
            // Polled: inotify tells of a close before a lease can be had.
            // A sleep fails only when it is cancelled.
            var pause = Duration.milliseconds(1)
            while !isUnmapped(file), (try? await surroundings.sleep(pause)) != nil {
                pause = min(pause * 2, .seconds(1))
            }
            if unseenWrites.hasEnded.load(ordering: .acquiring) { return }
            await onBlockingThread {
                body()
                file.withWriting { $0.endClose() }
            }
        }
    }

    private func isUnmapped(_ file: OpenFile) -> Bool {
        file.dropWritable()
        return !unseenWrites.isMapped(file.descriptor) && file.withWriting { $0.endWait() }
    }
}
